use super::*;

const fn callable(
    body: Option<(&'static str, &'static str)>,
    action: &'static str,
) -> Callable<'static> {
    Callable { body, action }
}

const OPERATIONS: [Callable<'_>; 8] = [
    callable(Some(("urn:o", "get")), "urn:o:get"),
    callable(Some(("urn:o", "put")), ""),
    callable(None, "urn:o:ping"),
    callable(Some(("urn:o", "ask")), "urn:o:ask"),
    callable(Some(("urn:o", "ask")), "urn:o:ask2"),
    callable(Some(("urn:a", "find")), "urn:a:find"),
    callable(Some(("urn:b", "find")), "urn:b:any"),
    callable(Some(("urn:o", "list")), "urn:b:any"),
];

const GET: Option<usize> = Some(0);
const PUT: Option<usize> = Some(1);
const PING: Option<usize> = Some(2);
const ASK: Option<usize> = Some(3);
const ASK_2: Option<usize> = Some(4);
const FIND_A: Option<usize> = Some(5);
const FIND_B: Option<usize> = Some(6);
const LIST: Option<usize> = Some(7);
const UNKNOWN: Option<usize> = None;
/// Whether the call is consistent with itself and its contract.
const AGREES: bool = true;
const BENDS: bool = false;

const XML: Head<'_> = Head {
    content_type: Some(b"text/xml"),
    content_encoding: None,
    soap_action: None,
    is_ambiguous: false,
};

fn whole(text: &str) -> Prefix<'_> {
    Prefix {
        bytes: text.as_bytes(),
        is_whole: true,
        bytes_max: 65_536,
    }
}

fn find_in(head: &Head<'_>, bytes: &[u8], is_whole: bool) -> Result<Found, Unreadable> {
    let dispatch = Dispatch::new(OPERATIONS.iter().copied());
    let prefix = Prefix {
        bytes,
        is_whole,
        bytes_max: 65_536,
    };
    dispatch.find(&mut Memory::default(), head, prefix)
}

fn envelope(header: &str, body: &str) -> String {
    format!(
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' xmlns:o='urn:o'>{header}\
         <s:Body>{body}</s:Body></s:Envelope>"
    )
}

fn called(operation: Option<usize>) -> Result<Found, Unreadable> {
    pointing(operation, &[], AGREES)
}

fn pointing(
    operation: Option<usize>,
    others: &[Option<usize>],
    agrees: bool,
) -> Result<Found, Unreadable> {
    Ok(Found::Called {
        version: SoapVersion::V1_1,
        call: Call {
            operation,
            others: others.to_vec(),
            is_mismatched: !agrees,
        },
    })
}

fn addressed(action: &str) -> String {
    format!(
        "<s:Header><a:Action xmlns:a='http://www.w3.org/2005/08/addressing'> {action} </a:Action>\
         </s:Header>"
    )
}

/// `SOAPAction`, `wsa:Action` and the child of the body; the operation, and the others referred to.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    Option<usize>,
    &'static [Option<usize>],
    bool,
);

fn check(rows: &[Row]) {
    for &(field, header, body, operation, others, agrees) in rows {
        let head = Head {
            soap_action: Some(field.as_bytes()),
            ..XML
        };
        let header = match header {
            "" => String::new(),
            action => addressed(action),
        };
        let found = find_in(&head, envelope(&header, body).as_bytes(), true);
        let expected = pointing(operation, others, agrees);
        assert_eq!(found, expected, "{field} {header} {body}");
    }
}

#[test]
fn the_exact_name_of_the_body_is_called_and_a_false_action_is_reported() {
    check(&[
        ("", "", "<o:put x='1'/>", PUT, &[], AGREES),
        ("urn:none", "", "<o:put/>", PUT, &[], AGREES),
        ("urn:o:get", "", "<o:get/>", GET, &[], AGREES),
        ("\"urn:o:get\"", "", "<o:put/>", PUT, &[GET], BENDS),
        ("", "urn:o:ping", "<o:put/>", PUT, &[PING], BENDS),
        (
            "urn:o:get",
            "urn:o:ping",
            "<o:put/>",
            PUT,
            &[GET, PING],
            BENDS,
        ),
        ("urn:o:get", "urn:o:get", "<o:put/>", PUT, &[GET], BENDS),
        ("", "", "", PING, &[], AGREES),
        ("urn:o:ping", "", "", PING, &[], AGREES),
        ("urn:o:get", "", "", PING, &[GET], BENDS),
        // Comments and instructions are not names.
        ("", "", "<!-- <o:get/> --><?p?> <o:put>", PUT, &[], AGREES),
    ]);
    let hidden = "<s:Header><b><s:Body><o:get/></s:Body></b></s:Header>";
    let found = find_in(&XML, envelope(hidden, "<o:put/>").as_bytes(), true);
    assert_eq!(found, called(PUT));
}

#[test]
fn operations_of_one_body_are_distinguished_by_the_action_or_all_reported() {
    check(&[
        ("urn:o:ask", "", "<o:ask/>", ASK, &[], AGREES),
        ("urn:o:ask2", "", "<o:ask/>", ASK_2, &[], AGREES),
        ("", "", "<o:ask/>", ASK, &[ASK_2], AGREES),
        ("urn:none", "", "<o:ask/>", ASK, &[ASK_2], AGREES),
        ("urn:o:ask2", "urn:o:ask", "<o:ask/>", ASK, &[ASK_2], BENDS),
        ("urn:o:get", "", "<o:ask/>", ASK, &[GET, ASK_2], BENDS),
        ("urn:o:ask2", "urn:o:get", "<o:ask/>", ASK_2, &[GET], BENDS),
    ]);
}

#[test]
fn an_action_of_several_operations_is_that_of_each() {
    check(&[
        ("urn:b:any", "", "<o:list/>", LIST, &[], AGREES),
        (
            "urn:b:any",
            "",
            "<find xmlns='urn:b'/>",
            FIND_B,
            &[],
            AGREES,
        ),
        ("urn:b:any", "", "<o:put/>", PUT, &[FIND_B, LIST], BENDS),
    ]);
}

#[test]
fn the_only_operation_of_a_local_name_is_called_in_any_namespace() {
    check(&[
        ("", "", "<put/>", PUT, &[], BENDS),
        ("\"\"", "", "<put xmlns='urn:other'/>", PUT, &[], BENDS),
        ("", "", "<put xmlns='urn:a'/>", PUT, &[], BENDS),
        ("urn:o:ping", "", "<put/>", PUT, &[PING], BENDS),
        ("urn:b:any", "", "<list/>", LIST, &[], BENDS),
        // Names are case-sensitive.
        ("", "", "<Put/>", UNKNOWN, &[], AGREES),
    ]);
}

#[test]
fn a_local_name_of_several_operations_follows_the_action_and_reports_all() {
    check(&[
        ("", "", "<find xmlns='urn:a'/>", FIND_A, &[], AGREES),
        ("", "", "<find/>", UNKNOWN, &[FIND_A, FIND_B], BENDS),
        ("urn:a:find", "", "<o:find/>", FIND_A, &[FIND_B], BENDS),
        ("urn:b:any", "", "<o:find/>", FIND_B, &[FIND_A], BENDS),
        (
            "urn:o:ping",
            "",
            "<o:find/>",
            PING,
            &[FIND_A, FIND_B],
            BENDS,
        ),
        (
            "urn:o:ping",
            "urn:a:find",
            "<o:find/>",
            FIND_A,
            &[PING, FIND_B],
            BENDS,
        ),
        // The same if they are sent with the same body.
        ("", "", "<ask/>", UNKNOWN, &[ASK, ASK_2], BENDS),
        ("urn:o:ask2", "", "<ask/>", ASK_2, &[ASK], BENDS),
    ]);
}

#[test]
fn an_unknown_name_is_the_operation_of_its_action_and_unknown() {
    check(&[
        ("", "", "<o:none/>", UNKNOWN, &[], AGREES),
        ("urn:none", "", "<o:none/>", UNKNOWN, &[], AGREES),
        ("urn:o:get", "", "<o:none/>", GET, &[UNKNOWN], BENDS),
        ("", "urn:o:get", "<o:none/>", GET, &[UNKNOWN], BENDS),
        (
            "urn:o:get",
            "urn:o:ping",
            "<none/>",
            GET,
            &[UNKNOWN, PING],
            BENDS,
        ),
        (
            "urn:b:any",
            "",
            "<o:none/>",
            FIND_B,
            &[UNKNOWN, LIST],
            BENDS,
        ),
    ]);
}

#[test]
fn an_encrypted_body_is_the_operation_of_its_action() {
    let encrypted = "<e:EncryptedData xmlns:e='http://www.w3.org/2001/04/xmlenc#'/>";
    check(&[
        ("", "", encrypted, UNKNOWN, &[], AGREES),
        ("urn:o:get", "", encrypted, GET, &[], AGREES),
        ("", "urn:o:ping", encrypted, PING, &[], AGREES),
        ("urn:o:get", "urn:o:ping", encrypted, GET, &[PING], BENDS),
        ("urn:b:any", "", encrypted, FIND_B, &[LIST], AGREES),
    ]);
}

#[test]
fn an_empty_body_without_an_operation_of_its_own_follows_its_action() {
    let dispatch = Dispatch::new(OPERATIONS[..2].iter().copied());
    for (action, expected) in [("", UNKNOWN), ("urn:o:get", GET)] {
        let head = Head {
            soap_action: Some(action.as_bytes()),
            ..XML
        };
        let found = dispatch.find(&mut Memory::default(), &head, whole(&envelope("", "")));
        assert_eq!(found, called(expected), "{action}");
    }
}

#[test]
fn an_empty_action_is_none() {
    // The second one has no action, which an empty action must not match.
    let of_one_body = [OPERATIONS[0], callable(Some(("urn:o", "get")), "")];
    let dispatch = Dispatch::new(of_one_body.iter().copied());
    let head = Head {
        soap_action: Some(b"\"\""),
        ..XML
    };
    let text = envelope(&addressed(""), "<o:get/>");
    let found = dispatch.find(&mut Memory::default(), &head, whole(&text));
    assert_eq!(found, pointing(GET, &[Some(1)], AGREES));
}

#[test]
fn a_true_action_in_one_place_does_not_hide_a_false_one_in_another() {
    let head = Head {
        content_type: Some(b"application/soap+xml; action=\"urn:o:ping\""),
        soap_action: Some(b"\"urn:o:get\""),
        ..XML
    };
    let text = envelope("", "<o:get/>");
    let found = find_in(&head, text.as_bytes(), true);
    assert_eq!(found, pointing(GET, &[PING], BENDS));
}

#[test]
fn a_request_that_names_its_operation_twice_is_refused() {
    let action = |text: &str| {
        format!("<a:Action xmlns:a='http://www.w3.org/2005/08/addressing'>{text}</a:Action>")
    };
    let header = |one: &str, other: &str| format!("<s:Header>{one}{other}</s:Header>");
    let get = action("urn:o:get");
    let twice = envelope(&header(&get, &action("urn:o:ping")), "<o:get/>");
    let found = find_in(&XML, twice.as_bytes(), true);
    assert_eq!(found, Err(Unreadable::Ambiguous));
    let same = envelope(&header(&get, &get), "<o:get/>");
    assert_eq!(find_in(&XML, same.as_bytes(), true), called(GET));
    let headers = header(&get, "") + &header("", "");
    let found = find_in(&XML, envelope(&headers, "<o:get/>").as_bytes(), true);
    assert_eq!(found, Err(Unreadable::NoEnvelope));
    let head = Head {
        is_ambiguous: true,
        ..XML
    };
    let found = find_in(&head, envelope("", "<o:get/>").as_bytes(), true);
    assert_eq!(found, Err(Unreadable::Ambiguous));
}

#[test]
fn a_prefix_gives_the_operation_once_it_contains_the_name_and_a_whole_body_must() {
    let header = format!("<s:Header><x>{}</x></s:Header>", "y".repeat(20_000));
    for header in ["", &header] {
        let text = envelope(header, "<o:get>1</o:get>");
        let named = text.find("<o:get>").unwrap() + "<o:get>".len();
        for end in [0, 1, 40, text.len() / 2, named - 1] {
            let bytes = &text.as_bytes()[..end];
            assert_eq!(find_in(&XML, bytes, false), Ok(Found::NeedsMore), "{end}");
            let truncated = Err(Unreadable::Malformed(Problem::Truncated));
            assert_eq!(find_in(&XML, bytes, true), truncated, "{end}");
        }
        let found = find_in(&XML, &text.as_bytes()[..named], false);
        assert_eq!(found, called(GET));
    }
}

#[test]
fn a_body_without_an_envelope_is_refused() {
    let rows = [
        ("<get xmlns='urn:o'/>", Unreadable::NoEnvelope),
        ("<Envelope/>", Unreadable::NoEnvelope),
        ("{\"a\":1}", Unreadable::Malformed(Problem::BesideRoot)),
        (
            "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
            Unreadable::Malformed(Problem::Doctype),
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(
            find_in(&XML, text.as_bytes(), true),
            Err(expected),
            "{text}"
        );
    }
    let wrong = ["<s:Other/>", "text"];
    for header in wrong {
        assert!(find_in(&XML, envelope(header, "<o:get/>").as_bytes(), true).is_err());
    }
    let deep = format!("<s:Header>{}", "<x>".repeat(20_000));
    let deep = find_in(&XML, envelope(&deep, "").as_bytes(), true);
    assert_eq!(deep, Err(Unreadable::Malformed(Problem::Depth)));
    let json = Head {
        content_type: Some(b"application/json"),
        ..XML
    };
    assert_eq!(find_in(&json, b"", false), Err(Unreadable::Type));
}

#[test]
fn codings_encodings_and_packages_are_decoded() {
    let text = envelope("", "<o:put>\u{e4}</o:put>");
    let expected = called(PUT);
    let utf16: Vec<u8> = format!("\u{feff}{text}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(find_in(&XML, &utf16, true), expected);
    assert_eq!(find_in(&XML, &utf16[..utf16.len() - 31], false), expected);
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    assert_eq!(find_in(&XML, &marked, true), expected);
    let latin: Vec<u8> = text
        .chars()
        .map(|it| u8::try_from(u32::from(it)).unwrap())
        .collect();
    let head = Head {
        content_type: Some(b"text/xml; charset=ISO-8859-1"),
        ..XML
    };
    assert_eq!(find_in(&head, &latin, true), expected);

    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
    let zipped = encoder.finish().unwrap();
    let head = Head {
        content_encoding: Some(b"GZIP"),
        ..XML
    };
    assert_eq!(find_in(&head, &zipped, true), expected);
    assert_eq!(find_in(&head, &zipped[..20], false), Ok(Found::NeedsMore));
    let brotli = Head {
        content_encoding: Some(b"br"),
        ..XML
    };
    let unknown = |coding: &str| Err(Unreadable::UnknownCoding(coding.into()));
    assert_eq!(find_in(&brotli, &zipped, true), unknown("br"));
}

#[test]
fn an_encoding_is_read_by_its_label_unless_it_hides_markup() {
    let find = |charset: &str, body: &[u8]| {
        let text = envelope("<s:Header><o:x>@</o:x></s:Header>", "<o:put/>");
        let (before, after) = text.split_once('@').unwrap();
        let bytes = [before.as_bytes(), body, after.as_bytes()].concat();
        let content_type = format!("text/xml; charset={charset}");
        let head = Head {
            content_type: Some(content_type.as_bytes()),
            ..XML
        };
        find_in(&head, &bytes, true)
    };
    let rows: [(&str, &[u8]); 8] = [
        ("GB2312", b"\xd6\xd0"),
        ("'utf-8'", b"\xc3\xa4"),
        ("'gbk'", b"\xd6\xd0"),
        ("us-ascii", b"\xc3\xa4"),
        ("us-ascii", b"\xe4"),
        // A bracket as the second byte of a character, and one of its own.
        ("shift_jis", b"\x83]\x83[<![CDATA[\x83]]]>"),
        ("iso-2022-jp", b"x"),
        ("koi8-r", b"\xc4\xc1"),
    ];
    for (charset, body) in rows {
        assert_eq!(find(charset, body), called(PUT), "{charset}");
    }
    // A reader of UTF-8 that replaces invalid bytes would find the end of the section.
    let body = b"<![CDATA[\x83]]></o:x></s:Header><s:Body><o:get/><o:x>]]>";
    let hidden = |charset: &str| Err(Unreadable::Encoding(DecodeError::Hidden(charset.into())));
    assert_eq!(find("shift_jis", body), hidden("shift_jis"));
    let body = b"<!--\x1b$B<!-->x\x1b(B-->";
    assert_eq!(find("iso-2022-jp", body), hidden("iso-2022-jp"));
    let unsupported = DecodeError::Unsupported("utf-7".into());
    assert_eq!(find("utf-7", b"x"), Err(Unreadable::Encoding(unsupported)));
}

#[test]
fn the_root_part_of_a_package_names_the_operation() {
    let get = envelope("", "<o:get/>");
    let package = format!(
        "\r\n--b\r\nContent-ID: <root@x>\r\ncontent-type: application/xop+xml; charset=utf-8\r\n\
         \r\n{get}\r\n--b\r\nContent-Type: image/png\r\nContent-ID: <a@x>\r\n\r\n\0--b\r\n--b--\r\n"
    );
    let head = |media: &'static str| Head {
        content_type: Some(media.as_bytes()),
        ..XML
    };
    let started =
        head("multipart/related; boundary=\"b\"; start=\"<root@x>\"; type=\"application/xop+xml\"");
    let expected = called(GET);
    assert_eq!(find_in(&started, package.as_bytes(), true), expected);
    let at = package.find("<s:Envelope").unwrap();
    for end in [0, 3, 30, 70, at + 10] {
        let found = find_in(&started, &package.as_bytes()[..end], false);
        assert_eq!(found, Ok(Found::NeedsMore), "{end}");
    }
    let first = head("multipart/related; boundary=b");
    let alone = format!("preamble\r\n--b\r\n\r\n{get}\r\n--b--");
    assert_eq!(find_in(&first, alone.as_bytes(), true), expected);
    let encoded = |name: &str, body: &str| {
        format!("--b\r\nContent-Transfer-Encoding: {name}\r\n\r\n{body}\r\n--b--")
    };
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &get);
    let package = encoded("base64", &base64);
    assert_eq!(find_in(&first, package.as_bytes(), true), expected);
    // Wherever the network divides it, also within the boundary.
    for end in 0..package.len() {
        match find_in(&first, &package.as_bytes()[..end], false) {
            Ok(Found::NeedsMore) => assert!(end < package.len() - 20, "{end}"),
            found => assert_eq!(found, expected, "{end}"),
        }
    }
    let false_base64 = find_in(&first, encoded("base64", &get).as_bytes(), true);
    assert_eq!(false_base64, Err(Unreadable::Coding));
    let hidden = find_in(&first, encoded("x-y", &get).as_bytes(), true);
    assert_eq!(hidden, Err(Unreadable::UnknownCoding("x-y".into())));
    let none = head("multipart/related");
    assert_eq!(
        find_in(&none, alone.as_bytes(), true),
        Err(Unreadable::Package)
    );
}

#[test]
fn packages_that_readers_divide_in_different_ways_are_refused() {
    let (get, put) = (envelope("", "<o:get/>"), envelope("", "<o:put/>"));
    let package = Err(Unreadable::Package);
    let rows = [
        // As it should be, with padding and what is in no part.
        ("P\r\n--b \t\r\nA: b\r\n\r\nG\r\n--b--\r\nP", called(GET)),
        ("\r\n--b\r\n\r\nG", called(GET)),
        // The boundary within a line.
        ("--b\r\n\r\nG\r\n --b\r\n--b--", package.clone()),
        ("P--b\r\n\r\nP\r\n--b\r\n\r\nG", package.clone()),
        // Lines that end otherwise, of which some readers see the boundary.
        ("--b\n\nG\n--b--", package.clone()),
        ("--b\n\nG\n--b\r\n\r\nP\r\n--b--", package.clone()),
        ("P\n--b\r\n\r\nG\r\n--b--", package.clone()),
        ("P\r--b\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\n\r\nP\n--b\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\n\r\n--b\r\n\r\nG\r\n--b--", package.clone()),
        // Lines that only begin with it.
        ("--bc\r\n\r\nP\r\n--b\r\n\r\nG\r\n--b--", package.clone()),
        ("--b--c\r\n--b\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\n\r\nP\r\n--b-\r\n\r\nG\r\n--b--", package.clone()),
        // Fields that are folded, twice, or no fields.
        (
            "--b\r\nContent-Type: application/xop+xml;\r\n\tcharset=\"utf-8\"\r\n\r\nG\r\n--b--",
            called(GET),
        ),
        ("--b\r\n A: b\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\nA: b\n\nP\r\n\r\nG\r\n--b--", package.clone()),
        (
            "--b\r\nA: b\n\r\nP<!--\r\n\r\n-->G\r\n--b--",
            package.clone(),
        ),
        ("--b\r\nA: b\r\n \n\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\nA: b\r\rP\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\nA : b\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\nA\r\n\r\nG\r\n--b--", package.clone()),
        ("--b\r\n: b\r\n\r\nG\r\n--b--", package.clone()),
        (
            "--b\r\nContent-Transfer-Encoding: 8bit\r\ncontent-transfer-encoding: base64\r\n\r\nG\
             \r\n--b--",
            package.clone(),
        ),
        (
            "--b\r\nContent-Type: a/b\r\nContent-Type: a/c\r\n\r\nG\r\n--b--",
            package.clone(),
        ),
        (
            "--b\r\nContent-Type: a/b; charset=utf-8; charset=utf-7\r\n\r\nG\r\n--b--",
            package.clone(),
        ),
        // The last boundary is the end.
        ("--b--\r\n--b\r\n\r\nG\r\n--b--", package.clone()),
    ];
    let of = |media: &'static str| Head {
        content_type: Some(media.as_bytes()),
        ..XML
    };
    for (text, expected) in rows {
        let text = text.replace('G', &get).replace('P', &put);
        let head = of("multipart/related; boundary=b");
        assert_eq!(find_in(&head, text.as_bytes(), true), expected, "{text:?}");
    }
    // A root that is another part for readers that ignore `start`, or that is a package itself.
    let second = "--b\r\nContent-ID: <1>\r\n\r\nP\r\n--b\r\nContent-ID: <2>\r\n\r\nG\r\n--b--";
    let second = second.replace('G', &get).replace('P', &put);
    for (start, expected) in [
        ("<1>", called(PUT)),
        ("1", called(PUT)),
        ("<2>", package.clone()),
        ("\"\"", package.clone()),
        ("<3>", package.clone()),
    ] {
        let media = format!("multipart/related; boundary=b; start={start}");
        let head = Head {
            content_type: Some(media.as_bytes()),
            ..XML
        };
        assert_eq!(find_in(&head, second.as_bytes(), true), expected, "{start}");
    }
    let nested = "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\nG\r\n--b--";
    let nested = nested.replace('G', &get);
    let head = of("multipart/related; boundary=b");
    assert_eq!(find_in(&head, nested.as_bytes(), true), package);
    // Charsets of package and root.
    for (outer, inner, expected) in [
        ("utf-8", "; charset=UTF-8", called(GET)),
        ("UTF8", "", called(GET)),
        ("utf-8", "; charset=gbk", package.clone()),
        ("gbk", "", package.clone()),
        ("utf-8", "; xcharset=gbk", package.clone()),
    ] {
        let text = format!("--b\r\nContent-Type: text/xml{inner}\r\n\r\n{get}\r\n--b--");
        let media = format!("multipart/related; boundary=b; charset={outer}");
        let head = Head {
            content_type: Some(media.as_bytes()),
            ..XML
        };
        assert_eq!(
            find_in(&head, text.as_bytes(), true),
            expected,
            "{outer} {inner}"
        );
    }
    let twice = "--b\r\nContent-ID: <1>\r\nContent-ID: <2>\r\n\r\nG\r\n--b--".replace('G', &get);
    let head = of("multipart/related; boundary=b; start=\"<1>\"");
    assert_eq!(find_in(&head, twice.as_bytes(), true), package);
}

#[test]
fn media_types_that_readers_take_in_different_ways_are_refused() {
    let get = envelope("", "<o:get/>");
    let package = format!("--b\r\n\r\n{get}\r\n--b--");
    let ambiguous = Err(Unreadable::Ambiguous);
    let of = |media: &[u8], body: &str| {
        let head = Head {
            content_type: Some(media),
            ..XML
        };
        find_in(&head, body.as_bytes(), true)
    };
    for media in [
        "multipart/related; boundary=b",
        "Multipart/Related; boundary=\"b\"; type=\"application/xop+xml\"; start-info=\"text/xml\"",
        "multipart/related; boundary=b; x=\"MIMEBoundary_multipart charset\"",
        "multipart/related;boundary=b;charset=utf-8;start-info=\"text/xml; charset=UTF-8\"",
    ] {
        assert_eq!(of(media.as_bytes(), &package), called(GET), "{media}");
    }
    for media in [
        "multipart/related; boundary=a; boundary=b",
        "multipart/related; boundary=b; boundary*0=a",
        "multipart/related; boundary=b; xboundary=a",
        "multipart/related; boundary=b; type=\"boundary=a\"",
        "multipart/related; Boundary=b",
        "multipart/related; boundary = b",
        "multipart/related; boundary=\"b;c\"",
        "multipart/related; boundary=\"\\b\"",
        "multipart/related; boundary=\"b \"",
        "multipart/related; boundary=b; start=a; start=b",
        "multipart/related; boundary=b; type=\"multipart/related\"",
    ] {
        assert_eq!(of(media.as_bytes(), &package), ambiguous, "{media}");
    }
    for media in [
        "text/xml; x=\"multipart/related; boundary=b\"",
        "application/soap+xml; action=\"multipart/related\"",
        "application/soap+xml; action=a; action=b",
        "text/xml; charset=utf-8; charset=utf-7",
        "text/xml; charset*=utf-8''utf-8",
        "text/xml; xcharset=gbk",
        "text/xml; charset=utf-8; x=\"charset=gbk\"",
        "text/xml; x='charset=gbk'",
    ] {
        assert_eq!(of(media.as_bytes(), &get), ambiguous, "{media}");
    }
    assert_eq!(
        of(b"text/xml; charset=UTF-8; charset=utf-8", &get),
        called(GET)
    );
    assert_eq!(
        of(b"multipart/related; boundary=b; x=\xff", &package),
        Err(Unreadable::Type)
    );
}

#[test]
fn the_version_of_a_caller_follows_type_envelope_or_action() {
    let v1_2 = "<e:Envelope xmlns:e='http://www.w3.org/2003/05/soap-envelope'>";
    let rows = [
        (Some("text/xml"), v1_2, None, Some(SoapVersion::V1_1)),
        (
            Some("application/soap+xml"),
            "",
            None,
            Some(SoapVersion::V1_2),
        ),
        (Some("application/xml"), v1_2, None, Some(SoapVersion::V1_2)),
        (None, v1_2, Some("x"), Some(SoapVersion::V1_2)),
        (
            Some("application/xml"),
            "<a/>",
            Some("x"),
            Some(SoapVersion::V1_1),
        ),
        (
            Some("application/json"),
            "{}",
            Some(""),
            Some(SoapVersion::V1_1),
        ),
        (Some("application/json"), "{}", None, None),
        (None, "", None, None),
    ];
    for (media, text, action, expected) in rows {
        let head = Head {
            content_type: media.map(str::as_bytes),
            content_encoding: None,
            soap_action: action.map(str::as_bytes),
            is_ambiguous: false,
        };
        let prefix = Prefix {
            bytes: text.as_bytes(),
            is_whole: false,
            bytes_max: 1024,
        };
        assert_eq!(
            spoken(&head, prefix),
            expected,
            "{media:?} {text} {action:?}"
        );
    }
}

/// Compares the results of a long-lived memory with those of a new one.
struct Both<'a> {
    dispatches: [&'a Dispatch; 2],
    memory: Memory,
}

impl Both<'_> {
    fn find(&mut self, head: &Head<'_>, bytes: &[u8], is_whole: bool) {
        let prefix = Prefix {
            bytes,
            is_whole,
            bytes_max: 65_536,
        };
        for dispatch in self.dispatches {
            let new = dispatch.find(&mut Memory::default(), head, prefix);
            let old = dispatch.find(&mut self.memory, head, prefix);
            assert_eq!(old, new, "{head:?} {}", String::from_utf8_lossy(bytes));
        }
    }
}

#[test]
fn results_do_not_depend_on_earlier_requests() {
    let dispatch = Dispatch::new(OPERATIONS.iter().copied());
    let reversed = Dispatch::new(OPERATIONS.iter().rev().copied());
    let mut both = Both {
        dispatches: [&dispatch, &reversed],
        memory: Memory::default(),
    };
    let action = |action| Head {
        soap_action: Some(action),
        ..XML
    };
    let typed = |content_type| Head {
        content_type: Some(content_type),
        ..XML
    };
    let heads = [
        XML,
        action(b"\"urn:o:get\""),
        action(b"\"urn:o:ask2\""),
        action(b"\"urn:o:ping\""),
        // All in one set.
        action(b"urn:o:ask2              "),
        action(b"urn:o:ping              "),
        action(b"\"\""),
        typed(b"text/xml; charset=ISO-8859-1"),
        typed(b"text/xml; charset=utf-8"),
        typed(b"text/xml; charset=us-ascii"),
        typed(b"text/xml; charset=gbk"),
        typed(b"application/soap+xml; action=\"urn:o:ask2\""),
        typed(b"multipart/related; boundary=b"),
        typed(b"application/json"),
        Head {
            content_encoding: Some(b"gzip"),
            ..XML
        },
        Head {
            content_type: None,
            ..XML
        },
        Head {
            is_ambiguous: true,
            ..XML
        },
    ];
    let addressed = "<s:Header><Action xmlns='http://www.w3.org/2005/08/addressing'>urn:o:ask2\
                     </Action></s:Header>";
    let messages = [
        envelope("", "<o:get>text</o:get>"),
        envelope("<s:Header/>", "<o:put/>"),
        envelope(addressed, "<o:get>text</o:get>"),
        envelope("", ""),
        envelope("", "<o:ask>text</o:ask>"),
        envelope("", "<find>text</find>"),
        envelope("", "<o:unknown at='1'>\u{e9}</o:unknown>"),
        envelope("", &format!("<o:put>{}</o:put>", "long ".repeat(300))),
    ];
    for _ in 0..2 {
        for (message, head) in messages.iter().flat_map(|it| heads.map(|head| (it, head))) {
            both.find(&head, message.as_bytes(), true);
        }
    }
    let near = heads[..3].iter();
    for (message, head) in near.flat_map(|head| messages.iter().map(move |it| (it, head))) {
        both.find(head, message.as_bytes(), true);
        let mut bytes = message.as_bytes().to_vec();
        for at in 0..bytes.len().min(200) {
            both.find(head, &bytes[..at], true);
            both.find(head, &bytes[..at], false);
            for other in [b'x', b'>', b'\r', 0, 0xFF] {
                let before = std::mem::replace(&mut bytes[at], other);
                both.find(head, &bytes, true);
                bytes[at] = before;
            }
        }
    }
}

#[test]
fn a_known_beginning_is_not_read_again_unless_it_has_header_blocks() {
    let dispatch = Dispatch::new(OPERATIONS.iter().copied());
    let mut memory = Memory::default();
    let mut is_known_after = |bytes: &str, later: &str| {
        let prefix = Prefix {
            bytes: bytes.as_bytes(),
            is_whole: true,
            bytes_max: 65_536,
        };
        let found = dispatch.find(&mut memory, &XML, prefix).unwrap();
        let known = memory.recall(&dispatch.identity, &XML, later.as_bytes());
        assert!(
            known.as_ref().is_none_or(|known| *known == found),
            "{later}"
        );
        known.is_some()
    };
    let get = envelope("", "<o:get>1</o:get>");
    assert!(is_known_after(
        &get,
        &envelope("", "<o:get>2</o:get><o:put/>")
    ));
    assert!(!is_known_after(
        &get,
        &envelope("", "<o:get a='2'>1</o:get>")
    ));
    assert!(!is_known_after(&get, &envelope("", "<o:get>\u{1}</o:get>")));
    let with_block = envelope("<s:Header><o:id>1</o:id></s:Header>", "<o:get>1</o:get>");
    assert!(!is_known_after(&with_block, &with_block));
}
