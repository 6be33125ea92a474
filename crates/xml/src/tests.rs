use super::*;

/// Returns the events of a document on one line: `{1}p:a(`, `)`, text unchanged.
fn read(text: &str) -> Result<String, Problem> {
    read_within(text.as_bytes(), None, Bounds::default())
}

fn read_within(bytes: &[u8], charset: Option<&str>, bounds: Bounds) -> Result<String, Problem> {
    let names = Names::new(["urn:a", "urn:b"]);
    let mut stack = Stack::default();
    let mut run = || -> Result<String, DecodeError> {
        let text = decode(bytes, charset, bounds)?;
        let mut reader = Reader::new(&text, &names, &mut stack, bounds);
        let (mut out, mut value) = (String::new(), String::new());
        loop {
            match reader.next()? {
                Event::Start(tag) => {
                    out += &format!("{{{}}}{}", names.name(tag.namespace), tag.local);
                    for attribute in reader.attributes() {
                        let (namespace, name) = (
                            names.name(attribute.namespace),
                            reader.attribute_name(attribute),
                        );
                        let value = reader.attribute_value(attribute, &mut value);
                        out += &format!(" {{{namespace}}}{name}={value:?}");
                    }
                    out.push('(');
                }
                Event::End => out.push(')'),
                Event::Text(text) => out += text,
                Event::Character(character) => out.push(character),
                Event::Eof => return Ok(out),
            }
        }
    };
    run().map_err(|error| match error {
        DecodeError::Xml(error) => error.problem,
        error => panic!("{error}"),
    })
}

#[test]
fn a_sound_document_is_read_by_the_rules_of_namespaces_in_xml() {
    let rows = [
        ("<a/>", "{}a()"),
        (
            "<?xml version='1.0'?>\n<!-- - --><?p i?><a> </a>\n<!----> ",
            "{}a( )",
        ),
        (
            "<a xmlns='urn:a'><b xmlns=''/><c/></a>",
            "{urn:a}a({}b(){urn:a}c())",
        ),
        (
            "<p:a xmlns:p='urn:a'><p:b xmlns:p='urn:b'/><p:c/></p:a >",
            "{urn:a}a({urn:b}b(){urn:a}c())",
        ),
        (
            "<a x = 'y' \n p:x=\"1\t'&lt;&#65;\" xmlns:p='urn:&#97;'/>",
            "{}a {}x=\"y\" {urn:a}x=\"1 '<A\"()",
        ),
        ("<a>1&amp;2<![CDATA[<]]]>&#x3E;<!-- --></a>", "{}a(1&2<]>)"),
        ("<a>\r\n\r&#13;</a>", "{}a(\n\n\r)"),
        ("<ä:ö xmlns:ä='urn:b'/>", "{urn:b}ö()"),
        (
            "<a xml:lang='de'/>",
            "{}a {http://www.w3.org/XML/1998/namespace}lang=\"de\"()",
        ),
        ("<a><?p i?></a>", "{}a()"),
    ];
    for (text, expected) in rows {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn ambiguous_documents_are_refused() {
    let rows = [
        ("", Problem::Truncated),
        ("<a>", Problem::Truncated),
        ("<a", Problem::Truncated),
        ("<a x='", Problem::Truncated),
        ("<a x='1'y", Problem::Truncated),
        ("<a x='1' x='2'", Problem::Truncated),
        ("<1 x='>'", Problem::Truncated),
        ("<a>&am", Problem::Truncated),
        ("<a><![CDA", Problem::Truncated),
        ("<a><!--", Problem::Truncated),
        ("<!DOCTYPE a><a/>", Problem::Doctype),
        ("<!doctype a [<!ENTITY x 'y'>]><a/>", Problem::Doctype),
        ("<!DOCTYPE a [", Problem::Doctype),
        ("<a>&x;</a>", Problem::Reference),
        ("<a>& </a>", Problem::Reference),
        ("<a>&#0;</a>", Problem::Reference),
        ("<a>&#+65;</a>", Problem::Reference),
        ("<a>&#xD800;</a>", Problem::Reference),
        ("<a>&#;</a>", Problem::Reference),
        ("<a x='&x;'/>", Problem::Reference),
        ("<a x='& '/>", Problem::Reference),
        ("<a xmlns:p='&x;'/>", Problem::Reference),
        ("<a/><b/>", Problem::BesideRoot),
        ("<a/>b", Problem::BesideRoot),
        ("a<a/>", Problem::BesideRoot),
        ("<a/>&#32;", Problem::BesideRoot),
        ("<![CDATA[]]><a/>", Problem::BesideRoot),
        ("<a></b>", Problem::EndTag),
        ("<a/></a>", Problem::EndTag),
        ("</a>", Problem::EndTag),
        ("<a></ a>", Problem::EndTag),
        ("<a></a b='>'>", Problem::EndTag),
        ("<a></a", Problem::Truncated),
        ("<a><", Problem::Truncated),
        ("<a>&amp", Problem::Truncated),
        ("<></>", Problem::Name),
        ("<a><b></a></b>", Problem::EndTag),
        ("< a/>", Problem::Name),
        ("<1/>", Problem::Name),
        ("<a/ >", Problem::Name),
        ("<:a/>", Problem::Name),
        ("<a:/>", Problem::Name),
        ("<a:b:c xmlns:a='urn:a'/>", Problem::Name),
        ("<a\u{d7}/>", Problem::Name),
        ("<a 1='2'/>", Problem::Name),
        ("<a x/>", Problem::Attribute),
        ("<a x=y/>", Problem::Attribute),
        ("<a x='1'y='2'/>", Problem::Attribute),
        ("<a x='1'/ >", Problem::Attribute),
        ("<a x='1' / >", Problem::Attribute),
        ("<a x='&amp;' / y='&amp;'>", Problem::Name),
        ("<a x='<'/>", Problem::Attribute),
        ("<a x='1' x='2'/>", Problem::DuplicateAttribute),
        (
            "<a xmlns:p='urn:a' xmlns:q='urn:a' p:x='' q:x=''/>",
            Problem::DuplicateAttribute,
        ),
        (
            "<a xmlns:p='urn:x' xmlns:q='urn:x' p:x='' q:x=''/>",
            Problem::DuplicateAttribute,
        ),
        (
            "<a xmlns:p='urn:a' xmlns:p='urn:b'/>",
            Problem::DuplicateAttribute,
        ),
        ("<p:a/>", Problem::Prefix),
        ("<a p:x=''/>", Problem::Prefix),
        ("<a><b xmlns:p='urn:a'/><p:c/></a>", Problem::Prefix),
        ("<xmlns:a/>", Problem::Prefix),
        ("<a xmlns:p=''/>", Problem::NamespaceDeclaration),
        ("<a xmlns:xml='urn:a'/>", Problem::NamespaceDeclaration),
        ("<a xmlns:xmlns='urn:a'/>", Problem::NamespaceDeclaration),
        (
            "<a xmlns='http://www.w3.org/2000/xmlns/'/>",
            Problem::NamespaceDeclaration,
        ),
        ("<a>]]></a>", Problem::SectionEnd),
        ("<a>\u{1}</a>", Problem::Character),
        ("<a x='\u{fffe}'/>", Problem::Character),
        ("<a><!--\u{0}--></a>", Problem::Character),
        ("<a><!-- -- --></a>", Problem::Markup),
        ("<a><!x></a>", Problem::Markup),
        ("<?XML x?><a/>", Problem::Markup),
        ("<? x?><a/>", Problem::Markup),
        ("<?xml version='1.1'?><a/>", Problem::Version),
        (" <?xml version='1.1'?><a/>", Problem::Declaration),
        ("<?xml?><a/>", Problem::Declaration),
        (" <?xml version='1.0'?><a/>", Problem::Declaration),
        ("<a><?xml version='1.0'?></a>", Problem::Declaration),
    ];
    for (text, expected) in rows {
        assert_eq!(read(text), Err(expected), "{text}");
    }
}

#[test]
fn duplicates_are_found_among_many_attributes_too() {
    let many: String = (0..40)
        .map(|number| format!(" a{number}='{number}'"))
        .collect();
    assert!(read(&format!("<a{many}/>")).is_ok());
    let twice = format!("<a{many} a17=''/>");
    assert_eq!(read(&twice), Err(Problem::DuplicateAttribute));
}

#[test]
fn more_than_a_bound_is_refused_and_the_bound_itself_is_not() {
    let bounds = Bounds {
        bytes_max: 60,
        depth_max: 3,
        attributes_max: 2,
        namespaces_max: 2,
        name_bytes_max: 7,
    };
    let rows = [
        ("<a><b><c/></b></a>", Ok("{}a({}b({}c()))")),
        ("<a><b><c><d/></c></b></a>", Err(Problem::Depth)),
        ("<a x='' y=''/>", Ok("{}a {}x=\"\" {}y=\"\"()")),
        ("<a x='' y='' z=''/>", Err(Problem::Attributes)),
        (
            "<a xmlns='urn:a'><a xmlns='urn:a'/></a>",
            Ok("{urn:a}a({urn:a}a())"),
        ),
        (
            "<a xmlns='x'><a xmlns='y'><a xmlns='z'/></a></a>",
            Err(Problem::Namespaces),
        ),
        (
            "<a><b xmlns='x' xmlns:x='x'/><c xmlns='y'/></a>",
            Ok("{}a({}b(){}c())"),
        ),
        ("<abcdefg/>", Ok("{}abcdefg()")),
        ("<abcdefgh/>", Err(Problem::NameLength)),
        ("<a abcdefgh=''/>", Err(Problem::NameLength)),
        (
            "<a>12345678901234567890123456789012345678901234567890123</a>",
            Ok("{}a(12345678901234567890123456789012345678901234567890123)"),
        ),
        (
            "<a>123456789012345678901234567890123456789012345678901234</a>",
            Err(Problem::Size),
        ),
    ];
    for (text, expected) in rows {
        let got = read_within(text.as_bytes(), None, bounds);
        assert_eq!(got, expected.map(String::from), "{text}");
    }
}

/// Returns the text, or the reason why there is none.
fn decoded(bytes: &[u8], charset: Option<&str>) -> Result<String, String> {
    let text = decode(bytes, charset, Bounds::default());
    text.map(|text| text.as_str().to_owned())
        .map_err(|error| error.to_string())
}

#[test]
fn the_encoding_is_that_of_mark_media_type_and_declaration() {
    let utf16 = |text: &str, is_big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        units
            .flat_map(|unit| {
                if is_big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect()
    };
    let with_mark = [&[0xFF, 0xFE][..], &utf16("<a>ä</a>", false)].concat();
    let declared: &[u8] = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>\xe4</a>";
    let (big, little) = (&*utf16("<a>ä</a>", true), &*utf16("<a>ä</a>", false));
    let umlaut = Ok("<a>ä</a>");
    type Row<'a> = (&'a [u8], Option<&'a str>, Result<&'a str, &'a str>);
    let rows: [Row<'_>; 20] = [
        ("<a>ä</a>".as_bytes(), None, umlaut),
        ("<a>ä</a>".as_bytes(), Some("utf8"), umlaut),
        (b"\xef\xbb\xbf<a>\xc3\xa4</a>", None, umlaut),
        (b"\xef\xbb\xbf<a>\xc3\xa4</a>", Some("gbk"), umlaut),
        (&with_mark, None, umlaut),
        (big, None, umlaut),
        (big, Some("utf-16"), umlaut),
        (little, Some("UCS-2"), umlaut),
        (little, Some("UTF-16LE"), umlaut),
        (
            little,
            Some("utf-16be"),
            Err("match the encoding \"utf-16be\""),
        ),
        (big, Some("utf-8"), Err("match the encoding \"utf-8\"")),
        (
            b"<a/>",
            Some("utf-16"),
            Err("match the encoding \"utf-16\""),
        ),
        (declared, Some("UTF-8"), Err("match the encoding \"UTF-8\"")),
        (b"<a>\xe4</a>", Some("ISO-8859-1"), umlaut),
        (b"<a>\xe4</a>", None, Err("match the encoding \"UTF-8\"")),
        (b"<a>\x81", Some("big5"), Err("match the encoding \"big5\"")),
        (
            b"<a/>",
            Some("nonsense"),
            Err("\"nonsense\" is not supported"),
        ),
        (b"<a/>", Some("utf-7"), Err("\"utf-7\" is not supported")),
        (
            b"<a/>",
            Some("hz-gb-2312"),
            Err("\"hz-gb-2312\" is not supported"),
        ),
        (
            b"<a/>",
            Some("\n\u{e4}"),
            Err("\"\\n\\xc3\\xa4\" is not supported"),
        ),
    ];
    for (bytes, charset, expected) in rows {
        let got = decoded(bytes, charset);
        let is_expected = match (&got, expected) {
            (Ok(text), Ok(expected)) => text == expected,
            (Err(reason), Err(expected)) => reason.contains(expected),
            _ => false,
        };
        assert!(is_expected, "{} {charset:?}: {got:?}", bytes.escape_ascii());
    }
    assert!(decoded(declared, None).is_ok_and(|text| text.ends_with("<a>ä</a>")));
}

#[test]
fn every_label_of_the_encoding_standard_is_read() {
    let rows: [(&str, &str, &[u8]); 12] = [
        ("GB2312", "中文", b"\xd6\xd0\xce\xc4"),
        ("gbk", "中文", b"\xd6\xd0\xce\xc4"),
        ("GB18030", "中文", b"\xd6\xd0\xce\xc4"),
        ("Big5", "中文", b"\xa4\xa4\xa4\xe5"),
        ("Shift_JIS", "日本", b"\x93\xfa\x96\x7b"),
        ("windows-31j", "日本", b"\x93\xfa\x96\x7b"),
        ("EUC-JP", "日本", b"\xc6\xfc\xcb\xdc"),
        ("ISO-2022-JP", "日本", b"\x1b$BF|K\\\x1b(B"),
        ("EUC-KR", "한국", b"\xc7\xd1\xb1\xb9"),
        ("KOI8-R", "да", b"\xc4\xc1"),
        ("windows-874", "ไทย", b"\xe4\xb7\xc2"),
        ("windows-1255", "שו", b"\xf9\xe5"),
    ];
    for (label, expected, bytes) in rows {
        let bytes = [b"<a>", bytes, b"</a>"].concat();
        let expected = format!("<a>{expected}</a>");
        assert_eq!(
            decoded(&bytes, Some(label)),
            Ok(expected.clone()),
            "{label}"
        );
        let declaration = format!("<?xml version='1.0' encoding=\"{label}\"?>");
        let declared = [declaration.as_bytes(), &bytes].concat();
        assert_eq!(
            decoded(&declared, None),
            Ok(declaration + &expected),
            "{label}"
        );
    }
}

#[test]
fn us_ascii_may_be_utf8_and_is_marked_then() {
    let rows: [(&[u8], _, _); 3] = [
        (b"<a/>", "<a/>", false),
        (b"<a>\xc3\xa4</a>", "<a>ä</a>", true),
        (b"<a>\xe4</a>", "<a>ä</a>", true),
    ];
    for (bytes, expected, is_beyond) in rows {
        for label in ["us-ascii", "US-ASCII", "ascii"] {
            let text = decode(bytes, Some(label), Bounds::default()).unwrap();
            assert_eq!(
                (text.as_str(), text.is_beyond_ascii()),
                (expected, is_beyond)
            );
        }
    }
    let text = decode(b"<a>\xe4</a>", Some("iso-8859-1"), Bounds::default());
    assert!(!text.unwrap().is_beyond_ascii());
}

#[test]
fn a_text_that_decoding_makes_too_large_is_refused_before_it_is_in_memory() {
    let bounds = Bounds {
        bytes_max: 1_000,
        ..Bounds::default()
    };
    // Half-width katakana have one byte, and three in UTF-8.
    let of = |count: usize| [b"<a>", &*vec![0xB1; count], b"</a>"].concat();
    let decoded = |count| decode(&of(count), Some("shift_jis"), bounds).map(|_| ());
    assert_eq!(decoded(331), Ok(()));
    for count in [332, 333, 990] {
        assert_eq!(
            decoded(count),
            Err(Problem::Size.at(1_000).into()),
            "{count}"
        );
    }
}

#[test]
fn every_prefix_of_a_sound_document_is_truncated_and_nothing_else() {
    let text = "<?xml version='1.0'?><!--ä--><p:a xmlns:p='urn:a' x='&#228;'>ä&amp;<![CDATA[ä]]>\
                <p:b/></p:a>";
    let names = Names::new([]);
    let bounds = Bounds::default();
    for end in 0..text.len() {
        let prefix = decode_prefix(&text.as_bytes()[..end], None, bounds).unwrap();
        let mut stack = Stack::default();
        let mut reader = Reader::new(&prefix, &names, &mut stack, bounds);
        let problem = loop {
            match reader.next() {
                Ok(Event::Eof) => panic!("{end}"),
                Ok(_) => {}
                Err(error) => break error.problem,
            }
        };
        assert_eq!(problem, Problem::Truncated, "{}", prefix.as_str());
    }
}

#[test]
fn a_prefix_in_a_value_is_resolved_until_its_element_has_ended() {
    let names = Names::new(["urn:a"]);
    let bounds = Bounds::default();
    let text = decode(b"<a><b xmlns:p='urn:a'>p:x</b></a>", None, bounds).unwrap();
    let mut stack = Stack::default();
    let mut reader = Reader::new(&text, &names, &mut stack, bounds);
    for _ in 0..3 {
        reader.next().unwrap();
    }
    assert_eq!(reader.next(), Ok(Event::End));
    assert_eq!(reader.resolve("p"), Some((names.find("urn:a"), "urn:a")));
    assert_eq!(reader.next(), Ok(Event::End));
    assert_eq!(reader.resolve("p"), None);
}

#[test]
fn each_character_that_xml_forbids_is_found_and_no_other() {
    for code in (0..=0x100).chain(0xFFE0..=0x1_0020) {
        let Some(character) = char::from_u32(code) else {
            continue;
        };
        let text = format!("<a>{}{character}y</a>", "x".repeat(code as usize % 70));
        let is_allowed = matches!(code, 0x9 | 0xA | 0xD | 0x20..=0xFFFD | 0x1_0000..);
        let decoded = decode(text.as_bytes(), None, Bounds::default());
        assert_eq!(decoded.is_ok(), is_allowed, "U+{code:04X}");
    }
}

#[test]
fn a_prefix_has_one_reading_whichever_declaration_is_followed() {
    let prefix = |declared: &str, charset: &str, rest: &[u8]| {
        let declaration = format!("<?xml version='1.0' encoding='{declared}'?>");
        let bytes = [declaration.as_bytes(), rest].concat();
        decode_prefix(&bytes, Some(charset), Bounds::default()).map(|_| ())
    };
    let hidden = |label: &str| Err(DecodeError::Hidden(label.into()));
    let section = "<a><![CDATA[\u{4e2d}]]>".as_bytes();
    let two_spellings = b"<a \xed\x45='' \xfa\x61=''>";
    let rows: [(&str, &str, &[u8], _); 9] = [
        ("utf-8", "UTF-8", section, Ok(())),
        ("iso-8859-1", "utf-8", section, Ok(())),
        ("utf-16", "utf-8", section, Ok(())),
        ("gbk", "utf-8", "<a>\u{4e2d}\u{6587}".as_bytes(), Ok(())),
        // Three bytes in UTF-8, and the third one with `]` a character of GBK.
        ("gbk", "utf-8", section, hidden("gbk")),
        (
            "iso-2022-jp",
            "iso-8859-1",
            b"<a>\xe4",
            hidden("iso-2022-jp"),
        ),
        (
            "iso-8859-1",
            "shift_jis",
            two_spellings,
            hidden("iso-8859-1"),
        ),
        ("iso-8859-1", "shift_jis", b"<a b=''>", Ok(())),
        (
            "utf-7",
            "utf-8",
            b"<!-- +AC0ALQA+- <a/>",
            Err(DecodeError::Unsupported("utf-7".into())),
        ),
    ];
    for (declared, charset, rest, expected) in rows {
        assert_eq!(
            prefix(declared, charset, rest),
            expected,
            "{declared} {charset}"
        );
    }
}
