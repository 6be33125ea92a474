use super::*;

fn read<'a>(text: &'a str, start: Option<&str>) -> Result<Multipart<'a>, Error> {
    let bounds = Bounds {
        parts_max: 3,
        head_bytes_max: 100,
        part_bytes_max: 20,
    };
    Multipart::read(text.as_bytes(), "b", start, bounds)
}

#[test]
fn parts_are_found_by_their_ids() {
    let text = "text --b\r\n--b \r\nContent-Type: a/b;\r\n  c=d\r\ncontent-id: <1@x>\r\n\r\n<a/>\
                \r\n--b\r\nContent-ID: <2@x>\r\nContent-Transfer-Encoding: 8bit\r\n\r\n\r\n--c\r\n\
                \r\n--b\r\n\r\nbare\r\n--b--\r\nepilogue --b";
    let message = read(text, None).unwrap();
    assert_eq!(*message.root.body, *b"<a/>");
    assert_eq!(*message.root.media_type, *"a/b; c=d");
    assert_eq!(message.find("2@x"), Some(&b"\r\n--c\r\n"[..]));
    assert_eq!(find_part(&message, "2%40x"), Some(&b"\r\n--c\r\n"[..]));
    assert_eq!(message.find("1@x"), None);
    assert_eq!(message.find(""), Some(&b"bare"[..]));
    assert_eq!(
        *read(text, Some("<2@x>")).unwrap().root.body,
        *b"\r\n--c\r\n"
    );
    assert_eq!(read(text, Some("3@x")), Err(Error::Root));
}

#[test]
fn fields_that_do_not_matter_may_be_in_any_encoding() {
    let message = b"--b\r\nContent-Disposition: attachment; filename=\xe4\r\n\r\nx\r\n--b--";
    let message = Multipart::read(message, "b", None, Bounds::default()).unwrap();
    assert_eq!(*message.root.body, *b"x");
}

#[test]
fn parts_may_be_base64_or_end_lines_with_line_feeds_alone() {
    let text = "--b\nContent-ID: <1@x>\n\n<a/>\n--b \nContent-ID: <2@x>\n\nx\r\n\n--b\n\n\n--b--\n";
    let message = read(text, None).unwrap();
    assert_eq!(*message.root.body, *b"<a/>");
    assert_eq!(message.find("2@x"), Some(&b"x\r\n"[..]));
    assert_eq!(message.find(""), Some(&b""[..]));
    let text = "--b\r\nContent-Transfer-Encoding: Base64\r\n\r\nAAEC\r\n Aw==\r\n\r\n--b--";
    assert_eq!(*read(text, None).unwrap().root.body, *b"\0\x01\x02\x03");
}

#[test]
fn malformed_and_oversized_packages_are_refused() {
    let rows = [
        ("", Error::Boundary),
        ("--b\r\n\r\nx", Error::Boundary),
        ("--b--", Error::Root),
        (" --b\r\n\r\nx\r\n--b--", Error::Root),
        ("--b\r\n\r\nx\r\n--bb\r\ny\r\n--b--", Error::Boundary),
        ("--b\r\n\r\nx\n--b--", Error::Boundary),
        ("--b\r\nx\r\n\r\n\r\n--b--", Error::Head),
        ("--b\r\nx: y\r\n--b--", Error::Head),
        ("--b\r\n x: y\r\n\r\n\r\n--b--", Error::Head),
        ("--b\r\nx: y\nz: y\r\n\r\n\r\n--b--", Error::Head),
        ("--b\r\nx: y\n\r\nz: y\r\n\r\n\r\n--b--", Error::Head),
        (
            "--b\r\nContent-ID: <1>\r\ncontent-id: <1>\r\n\r\n\r\n--b--",
            Error::Head,
        ),
        (
            "--b\r\nContent-ID: <1>\r\n\r\n\r\n--b\r\nContent-ID: 1\r\n\r\n\r\n--b--",
            Error::SameId("1".into()),
        ),
        (
            "--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\r\n--b--",
            Error::Encoding("quoted-printable".into()),
        ),
        (
            "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nAAE\r\n--b--",
            Error::Base64,
        ),
        (
            "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nA-EC\r\n--b--",
            Error::Base64,
        ),
        // One line end for the whole message.
        ("--b\n\nx\n--b\r\n\r\ny\n--b--", Error::Boundary),
        ("--b\nx: y\r\n\r\nx\n--b--", Error::Head),
        ("--b\r\n\r\n012345678901234567890\r\n--b--", Error::Bound),
        (
            "--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b\r\n\r\n\r\n--b--",
            Error::Bound,
        ),
    ];
    for (text, expected) in rows {
        assert_eq!(read(text, None), Err(expected), "{text:?}");
    }
    let parts = |count: usize| "--b\r\n\r\n\r\n".repeat(count) + "--b--";
    assert!(read(&parts(3), None).is_ok());
    assert_eq!(read(&parts(4), None), Err(Error::Bound));
}

#[test]
fn bytes_become_base64_with_padding() {
    for (bytes, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v")] {
        let mut out = Vec::new();
        push_base64(bytes.as_bytes(), &mut out);
        assert_eq!(out, expected.as_bytes());
    }
}
