use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

use super::super::{Malformed, Scan};
use super::*;

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 512,
    fields_max: 8,
    target_bytes_max: 100,
};

const REQUESTS: [&str; 6] = [
    "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /pets/7?a=b%2F&c HTTP/1.1\r\nHost: a.example:8080\r\napikey: tg_live_0\r\n\r\nGET /",
    "POST /e HTTP/1.1\r\nhost:h\r\nContent-Length:  12\r\nExpect: 100-continue\r\n\r\nhello",
    "PUT /e HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: h \r\nTE: trailers\r\n\r\n0\r\n\r\n",
    "GET /w HTTP/1.1\r\nHost: h\r\nConnection: upgrade, xa\r\nUpgrade: websocket\r\nXA: b\r\n\r\n",
    "GET /o HTTP/1.1\r\nHost: h\r\nOrigin: http://o\r\nX-HTTP-Method: PUT\r\nCookie: a=b\r\n\r\n",
];

const RESPONSES: [&str; 4] = [
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: keep-alive, x-a\r\nx-a: 1\r\n\r\n",
    "HTTP/1.1 599 Not  Known\r\nTransfer-Encoding: chunked\r\nServer: s\r\n\r\n0\r\n\r\n",
];

fn strict(bytes: &[u8]) -> Result<RequestHead, Malformed> {
    let length = Scan::default().advance(bytes, BOUNDS)?;
    let bytes = &bytes[..length.ok_or(Malformed::FirstLine)?];
    let mut head = RequestHead::default();
    super::super::request(bytes, BOUNDS, &mut head)?;
    Ok(head)
}

fn strict_response(bytes: &[u8], is_head: bool) -> Result<ResponseHead, Malformed> {
    let length = Scan::default().advance(bytes, BOUNDS)?;
    let bytes = &bytes[..length.ok_or(Malformed::FirstLine)?];
    let mut head = ResponseHead::default();
    super::super::response(bytes, BOUNDS, is_head, &mut head)?;
    Ok(head)
}

/// Checks that a head is parsed as the strict parser does, if it is; returns whether it is.
fn check(bytes: &[u8]) -> Result<bool, TestCaseError> {
    let text = || bytes.escape_ascii().to_string();
    let mut head = RequestHead::default();
    let is_usual = request(bytes, BOUNDS, &mut head).is_some();
    if is_usual {
        prop_assert_eq!(strict(bytes), Ok(head), "{}", text());
    }
    let mut is_any = is_usual;
    for is_head in [false, true] {
        let mut head = ResponseHead::default();
        if response(bytes, BOUNDS, is_head, &mut head).is_some() {
            prop_assert_eq!(strict_response(bytes, is_head), Ok(head), "{}", text());
            is_any = true;
        }
    }
    Ok(is_any)
}

#[test]
fn usual_heads_are_parsed_as_by_the_strict_parser() -> TestCaseResult {
    for head in REQUESTS.iter().chain(&RESPONSES) {
        assert!(check(head.as_bytes())?, "{head}");
    }
    Ok(())
}

#[test]
fn a_head_with_any_byte_in_any_place_is_parsed_as_by_the_strict_parser_or_left_to_it()
-> TestCaseResult {
    for head in REQUESTS.iter().chain(&RESPONSES) {
        let end = head.find("\r\n\r\n").unwrap() + 4;
        for at in 0..end {
            check(&head.as_bytes()[..at])?;
            let (mut replaced, mut added) = (head.as_bytes().to_vec(), head.as_bytes().to_vec());
            added.insert(at, 0);
            for byte in 0..=u8::MAX {
                replaced[at] = byte;
                added[at] = byte;
                check(&replaced)?;
                check(&added)?;
            }
            added.drain(at..at + 2);
            check(&added)?;
        }
    }
    Ok(())
}

#[test]
fn unusual_heads_are_left_to_the_strict_parser() {
    for (head, is_accepted) in [
        ("GET / HTTP/1.0\r\nHost: h\r\n\r\n", true),
        ("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: \r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: h\r\nX:\ta\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: \u{e9}\r\n\r\n", true),
        ("GET / HTTP/1.1\r\nHost: h\r\n", false),
        ("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: h\r\nX : a\r\n\r\n", false),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\n\r\n", false),
        ("GET /# HTTP/1.1\r\nHost: h\r\n\r\n", false),
        ("CONNECT /h HTTP/1.1\r\nHost: h\r\n\r\n", false),
        ("GET / HTTP/1.1\r\n\r\n", false),
    ] {
        assert!(!check(head.as_bytes()).unwrap(), "{head}");
        assert_eq!(strict(head.as_bytes()).is_ok(), is_accepted, "{head}");
    }
}

#[test]
fn heads_beyond_their_bounds_are_left_to_the_strict_parser() {
    for (path, fields, value) in [(101, 0, 0), (0, 8, 0), (0, 0, 500)] {
        let path = "p".repeat(path);
        let lines = "x: a\r\n".repeat(fields);
        let value = "v".repeat(value);
        let head = format!("GET /{path} HTTP/1.1\r\nHost: h\r\n{lines}a: v{value}\r\n\r\n");
        assert!(!check(head.as_bytes()).unwrap(), "{head}");
        assert!(strict(head.as_bytes()).is_err(), "{head}");
    }
}

fn field() -> impl Strategy<Value = String> {
    let names = "(Host|Content-Length|Connection|TE|Upgrade|Expect|Origin|Cookie|[a-zA-Z-]{1,12})";
    let values = "(h|[0-9]{1,3}|close|keep-alive, x|trailers|[ -~]{0,30})";
    (names, "[ ]{0,2}", values, "[ \t]{0,2}")
        .prop_map(|(name, before, value, after)| format!("{name}:{before}{value}{after}\r\n"))
}

proptest! {
    #[test]
    fn any_head_is_parsed_as_by_the_strict_parser_or_left_to_it(
        first in "(GET|POST|[A-Z!]{1,8}) /[!-~]{0,40} HTTP/1.1|HTTP/1.1 [0-9]{3} [ -~]{0,12}",
        fields in vec(field(), 0..9),
        rest in "[ -~\r\n]{0,9}",
    ) {
        let host = if first.starts_with("HTTP/") { "" } else { "Host: h\r\n" };
        check(format!("{first}\r\n{host}{}\r\n{rest}", fields.concat()).as_bytes())?;
    }
}
