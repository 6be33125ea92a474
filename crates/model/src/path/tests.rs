use super::*;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn unreserved_characters_are_decoded_and_a_percent_sign_alone_is_no_path() {
    let rows = [
        ("/plain;x", Some("/plain;x")),
        ("/%61dm%69n", Some("/admin")),
        ("/%7E%2D%5f%2E", Some("/~-_.")),
        ("/a%2fb%2C%3b%25", Some("/a%2fb%2C%3b%25")),
        // Decoded once: the result is not decoded again.
        ("/%2561", Some("/%2561")),
        ("/%%361", None),
        ("/%", None),
        ("/%4", None),
        ("/%zz", None),
        ("/a%2", None),
    ];
    for (path, expected) in rows {
        let found = normalized(path.as_bytes()).map(|it| text(&it));
        assert_eq!(found.as_deref(), expected, "{path}");
    }
}

#[test]
fn equivalent_paths_have_one_matched_form() {
    let rows = [
        ("/a%2Cb%2b", "/a,b+"),
        ("/%28%27%29%3a%40", "/('):@"),
        ("/stra%c3%9fe", "/stra%C3%9Fe"),
        ("/a%3bb%2f%5c%25", "/a%3Bb%2F%5C%25"),
        ("/a%5B1%5D", "/a[1]"),
        ("/%7Bid%7d", "/%7Bid%7D"),
        ("/a%20%00", "/a%20%00"),
    ];
    for (path, expected) in rows {
        assert_eq!(text(&matched(path.as_bytes())), expected, "{path}");
    }
}

#[test]
fn a_literal_is_sent_with_decoded_sub_delims_and_everything_else_unchanged() {
    let whole = 0..usize::MAX;
    let plain =
        |segment: &'static [u8]| text(&plain_literals(segment, std::slice::from_ref(&whole)));
    assert_eq!(plain(b"Orders%28%277%27%29"), "Orders('7')");
    assert_eq!(plain(b"a%3bb%c3%5B"), "a%3bb%c3%5B");
    // Matched as `Orders('7',%C3%9F)` by `Orders({key})`: the key stays as it was sent.
    let sent = b"Orders%28%277%27%2C%c3%9f%29";
    let literals = [0..7, 17..18];
    assert_eq!(
        text(&plain_literals(sent, &literals)),
        "Orders(%277%27%2C%c3%9f)"
    );
}

#[test]
fn everything_is_decoded_once() {
    assert_eq!(text(&decoded(b"/a%252fb%2f%zz%")), "/a%2fb/%zz%");
}
