use super::*;
use crate::load::{Expect, Pace, Request};

/// Prepares a load with these values, this target and this header field.
fn prepare(values: &str, target: &str, field: (&str, &str)) -> anyhow::Result<Message> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(file.path(), values)?;
    let load = Load {
        address: ([127, 0, 0, 1], 8080).into(),
        tls: None,
        renews: false,
        request: Request {
            method: "GET".to_owned(),
            target: target.to_owned(),
            headers: vec![(field.0.to_owned(), field.1.to_owned())],
            body: None,
        },
        values: (!values.is_empty()).then(|| file.path().to_owned()),
        expect: Expect {
            status: 200,
            body_bytes: None,
        },
        pace: Pace::Closed {
            users: 1,
            think_us: 0,
        },
        source_addresses: Vec::new(),
        warm_up_us: 0,
        measured_us: 1,
        timeout_us: 1,
        requests_max: 1,
    };
    Message::prepare(&load)
}

#[test]
fn each_gap_takes_the_next_value() {
    let message = prepare("one\r\ntwo\n\n", "/a?key={value}", ("Token", "x {value}")).unwrap();
    let mut scratch = Vec::new();
    for (number, value) in (0..).zip(["one", "two", "one"]) {
        let expected = format!(
            "GET /a?key={value} HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nToken: x {value}\r\n\r\n"
        );
        let rendered = message.render(number, &mut scratch);
        assert_eq!(String::from_utf8_lossy(rendered), expected);
    }
}

#[test]
fn each_caller_has_an_address_of_its_own() {
    let field = ("Forwarded", "for={address};by={value}, for={address}");
    let message = prepare("one\ntwo\n", "/", field).unwrap();
    let mut scratch = Vec::new();
    for (number, value, address) in [
        (0, "one", "10.0.0.0"),
        (1, "two", "10.0.0.1"),
        (2, "one", "10.0.0.0"),
    ] {
        let expected = format!(
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\
             Forwarded: for={address};by={value}, for={address}\r\n\r\n"
        );
        let rendered = message.render(number, &mut scratch);
        assert_eq!(String::from_utf8_lossy(rendered), expected);
    }
    assert_eq!(caller_address(9_999).to_string(), "10.0.39.15");
}

#[test]
fn a_request_that_could_be_misread_is_rejected() {
    for (values, target, field) in [
        ("", "/{value}", ("A", "b")),
        ("", "/", ("A", "{address}")),
        ("one\n", "/", ("A", "{address}")),
        ("one\n", "/", ("A", "b")),
        ("one\r\ntwo\rthree\n", "/{value}", ("A", "b")),
        ("", "/a b", ("A", "b")),
        ("", "a", ("A", "b")),
        ("", "/", ("A", "b\r\nC: d")),
        ("", "/", ("A B", "c")),
        ("", "/", ("content-length", "7")),
    ] {
        assert!(
            prepare(values, target, field).is_err(),
            "{values:?} {target:?} {field:?}"
        );
    }
}
