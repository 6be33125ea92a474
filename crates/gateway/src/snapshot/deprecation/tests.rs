use super::*;

const SERVED: ServedDeprecation = ServedDeprecation {
    since_us: 1_688_169_599_999_999,
    sunset_us: None,
    successor: None,
};

fn announced(served: &ServedDeprecation, head: &str) -> String {
    let mut head = head.as_bytes().to_vec();
    Deprecation::new(served, "").announce(&mut head);
    String::from_utf8(head).unwrap()
}

#[test]
fn the_lines_are_those_of_the_standards() {
    // RFC 9745, section 2.1, and RFC 8594, section 3.
    let served = ServedDeprecation {
        sunset_us: Some(1_546_300_799_000_000),
        successor: Some("/pets/2.0".to_owned()),
        ..SERVED
    };
    let deprecation = Deprecation::new(&served, "/gateway");
    let expected = "deprecation: @1688169599\r\nsunset: Mon, 31 Dec 2018 23:59:59 GMT\r\n\
        link: </gateway/pets/2.0>; rel=\"successor-version\"\r\n";
    assert_eq!(str::from_utf8(&deprecation.lines).unwrap(), expected);
}

#[test]
fn fields_of_the_upstream_with_these_names_are_replaced() {
    let head = "HTTP/1.1 200 OK\r\nDeprecation: @1\r\nSUNSET: never\r\nsunset-date: x\r\n\
        Link: </a>; rel=\"b\"\r\ndeprecation: true\r\n";
    let expected = "HTTP/1.1 200 OK\r\nsunset-date: x\r\nLink: </a>; rel=\"b\"\r\n\
        deprecation: @1688169599\r\n";
    assert_eq!(announced(&SERVED, head), expected);
    let bare = "HTTP/1.1 404 Not Found\r\n";
    let expected = format!("{bare}deprecation: @1688169599\r\n");
    assert_eq!(announced(&SERVED, bare), expected);
}
