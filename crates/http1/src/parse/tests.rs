use super::*;
use crate::framing::Framing;

const BOUNDS: Bounds = Bounds {
    head_bytes_max: 1_024,
    fields_max: 8,
    target_bytes_max: 128,
};

/// Parses a request head that arrives in pieces of `piece` bytes; the last one includes what
/// follows.
fn read(bytes: &[u8], piece: usize) -> Result<RequestHead, Malformed> {
    let length = scan(bytes, piece)?;
    let mut head = RequestHead::default();
    request(&bytes[..length], BOUNDS, &mut head)?;
    Ok(head)
}

fn scan(bytes: &[u8], piece: usize) -> Result<usize, Malformed> {
    let mut scan = Scan::default();
    let mut end = 0;
    while end < bytes.len() {
        end = (end + piece).min(bytes.len());
        if let Some(length) = scan.advance(&bytes[..end], BOUNDS)? {
            return Ok(length);
        }
    }
    panic!(
        "the head never ended: {:?}",
        bytes.escape_ascii().to_string()
    )
}

fn refused(rows: &[(&str, Vec<u8>, Malformed)]) {
    for (row, bytes, malformed) in rows {
        for piece in [bytes.len(), 1, 2, 7] {
            let result = read(bytes, piece).map(|head| head.framing);
            assert_eq!(result, Err(*malformed), "{row}, in pieces of {piece}");
        }
    }
}

fn with(fields: &str) -> Vec<u8> {
    format!("POST /a?b HTTP/1.1\r\nHost: h\r\n{fields}\r\n").into_bytes()
}

fn first(line: &str) -> Vec<u8> {
    format!("{line}\r\nHost: h\r\n\r\n").into_bytes()
}

#[test]
fn heads_that_two_parsers_could_read_differently_are_refused() {
    use Malformed::{EmptyLine, Field, FirstLine, LineEnd, Version};
    refused(&[
        (
            "bare LF after the first line",
            b"GET / HTTP/1.1\nHost: h\r\n\r\n".into(),
            LineEnd,
        ),
        (
            "bare LF after a field",
            b"GET / HTTP/1.1\r\nHost: h\n\r\n".into(),
            LineEnd,
        ),
        (
            "bare LF as the empty line",
            b"GET / HTTP/1.1\r\nHost: h\r\n\n".into(),
            LineEnd,
        ),
        (
            "only bare LF",
            b"GET / HTTP/1.1\nHost: h\n\n".into(),
            LineEnd,
        ),
        (
            "CR CR LF after the first line",
            first("GET / HTTP/1.1\r"),
            LineEnd,
        ),
        (
            "CR CR LF as the empty line",
            b"GET / HTTP/1.1\r\nHost: h\r\n\r\r\n\r\n".into(),
            LineEnd,
        ),
        ("bare CR in a value", with("A: b\rC: d\r\n"), Field),
        ("bare CR in a name", with("A\rB: c\r\n"), Field),
        (
            "bare CR in the target",
            first("GET /\ra HTTP/1.1"),
            FirstLine,
        ),
        (
            "leading CRLF",
            b"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".into(),
            EmptyLine,
        ),
        (
            "leading LF",
            b"\nGET / HTTP/1.1\r\nHost: h\r\n\r\n".into(),
            EmptyLine,
        ),
        ("leading space", first(" GET / HTTP/1.1"), FirstLine),
        ("version 1.2", first("GET / HTTP/1.2"), Version),
        ("version 2.0", first("GET / HTTP/2.0"), Version),
        ("version 0.9", first("GET / HTTP/0.9"), Version),
        (
            "the preface of HTTP/2",
            b"PRI * HTTP/2.0\r\n\r\n".into(),
            Version,
        ),
        ("version in lower case", first("GET / http/1.1"), FirstLine),
        (
            "version with more digits",
            first("GET / HTTP/1.10"),
            LineEnd,
        ),
        ("version without a digit", first("GET / HTTP/1."), FirstLine),
        ("another protocol", first("GET / ICY/1.1"), FirstLine),
        ("no version", first("GET /"), FirstLine),
        ("no target", first("GET HTTP/1.1"), FirstLine),
        (
            "two spaces before the target",
            first("GET  / HTTP/1.1"),
            FirstLine,
        ),
        (
            "two spaces after the target",
            first("GET /  HTTP/1.1"),
            FirstLine,
        ),
        (
            "a tab in the first line",
            first("GET\t/ HTTP/1.1"),
            FirstLine,
        ),
        (
            "white space after the version",
            first("GET / HTTP/1.1 "),
            LineEnd,
        ),
        (
            "a space in the target",
            first("GET /a b HTTP/1.1"),
            FirstLine,
        ),
        (
            "a method that is no token",
            first("G(T / HTTP/1.1"),
            FirstLine,
        ),
        (
            "TLS on the plain port",
            b"\x16\x03\x01\x02\x00\x01\r\n\r\n".into(),
            FirstLine,
        ),
        ("obs-fold with a space", with("A: b\r\n c\r\n"), Field),
        ("obs-fold with a tab", with("A: b\r\n\tc\r\n"), Field),
        (
            "a folded framing",
            with("Transfer-Encoding:\r\n chunked\r\n"),
            Field,
        ),
        (
            "a fold before the first field",
            b"GET / HTTP/1.1\r\n Host: h\r\n\r\n".into(),
            Field,
        ),
        (
            "space before the colon",
            with("Content-Length : 5\r\n"),
            Field,
        ),
        (
            "tab before the colon",
            with("Content-Length\t: 5\r\n"),
            Field,
        ),
        ("no colon", with("Content-Length\r\n"), Field),
        ("no name", with(": 5\r\n"), Field),
        ("NUL in a name", with("A\0: b\r\n"), Field),
        ("NUL in a value", with("A: b\0c\r\n"), Field),
        (
            "a control character in a value",
            with("A: b\x01\r\n"),
            Field,
        ),
        ("DEL in a value", with("A: b\x7f\r\n"), Field),
        ("a separator in a name", with("A(b): c\r\n"), Field),
        ("a byte above 127 in a name", with("\u{e4}: c\r\n"), Field),
        ("NUL in the target", first("GET /\0 HTTP/1.1"), FirstLine),
        ("DEL in the target", first("GET /\x7f HTTP/1.1"), FirstLine),
    ]);
}

#[test]
fn ambiguous_body_lengths_are_refused() {
    use Malformed::{BothFramings, ContentLength, TransferEncoding};
    let length = |value: &str| with(&format!("Content-Length: {value}\r\n"));
    let coding = |value: &str| with(&format!("Transfer-Encoding: {value}\r\n"));
    let both = |fields: &str| with(fields);
    refused(&[
        (
            "two equal lengths",
            with("Content-Length: 5\r\nContent-Length: 5\r\n"),
            ContentLength,
        ),
        (
            "two lengths",
            with("Content-Length: 5\r\ncontent-length: 6\r\n"),
            ContentLength,
        ),
        ("a list", length("5, 5"), ContentLength),
        ("a plus sign", length("+5"), ContentLength),
        ("a minus sign", length("-5"), ContentLength),
        ("no digits", length(""), ContentLength),
        ("hexadecimal", length("0x5"), ContentLength),
        ("a fraction", length("5.0"), ContentLength),
        ("white space within", length("5 5"), ContentLength),
        ("digits of another script", length("\u{665}"), ContentLength),
        ("19 digits", length("1000000000000000000"), ContentLength),
        (
            "above the largest integer",
            length("18446744073709551617"),
            ContentLength,
        ),
        ("zeros without end", length(&"0".repeat(30)), ContentLength),
        (
            "both",
            both("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
            BothFramings,
        ),
        (
            "both, turned",
            both("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"),
            BothFramings,
        ),
        (
            "both, no length",
            both("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n"),
            BothFramings,
        ),
        ("gzip alone", coding("gzip"), TransferEncoding),
        ("identity", coding("identity"), TransferEncoding),
        ("gzip, chunked", coding("gzip, chunked"), TransferEncoding),
        ("chunked, gzip", coding("chunked, gzip"), TransferEncoding),
        (
            "chunked, identity",
            coding("chunked, identity"),
            TransferEncoding,
        ),
        (
            "chunked twice in one field",
            coding("chunked, chunked"),
            TransferEncoding,
        ),
        (
            "chunked in two fields",
            with(&"Transfer-Encoding: chunked\r\n".repeat(2)),
            TransferEncoding,
        ),
        (
            "chunked with a parameter",
            coding("chunked;q=1"),
            TransferEncoding,
        ),
        ("chunked in quotes", coding("\"chunked\""), TransferEncoding),
        ("xchunked", coding("xchunked"), TransferEncoding),
        ("an empty coding", coding(""), TransferEncoding),
        ("an empty list member", coding(",chunked"), TransferEncoding),
        (
            "a vertical tab before it",
            coding("\u{b}chunked"),
            Malformed::Field,
        ),
        (
            "chunked in HTTP/1.0",
            b"POST / HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n".into(),
            TransferEncoding,
        ),
    ]);
}

#[test]
fn unsupported_targets_hosts_and_expectations_are_refused() {
    use Malformed::{Expect, Host, Target};
    let host = |value: &str| format!("GET / HTTP/1.1\r\nHost:{value}\r\n\r\n").into_bytes();
    refused(&[
        ("no Host", b"GET / HTTP/1.1\r\nA: b\r\n\r\n".into(), Host),
        ("no field at all", b"GET / HTTP/1.1\r\n\r\n".into(), Host),
        ("two Hosts", with("Host: h\r\n"), Host),
        (
            "two Hosts in HTTP/1.0",
            b"GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n".into(),
            Host,
        ),
        ("a path in Host", host(" h/a"), Host),
        ("user information in Host", host(" u@h"), Host),
        ("a space in Host", host(" h i"), Host),
        ("bytes above 127 in Host", host(" \u{e4}"), Host),
        (
            "a Host without end",
            host(&format!(" {}", "h".repeat(256))),
            Host,
        ),
        (
            "another Host than the target's",
            first("GET http://i/ HTTP/1.1"),
            Host,
        ),
        ("CONNECT", first("CONNECT h:443 HTTP/1.1"), Target),
        ("CONNECT with a path", first("CONNECT /a HTTP/1.1"), Target),
        ("authority-form", first("GET h:80 HTTP/1.1"), Target),
        ("asterisk-form", first("OPTIONS * HTTP/1.1"), Target),
        ("a relative path", first("GET a/b HTTP/1.1"), Target),
        ("a query only", first("GET ?a HTTP/1.1"), Target),
        ("a fragment", first("GET /a#b HTTP/1.1"), Target),
        ("a backslash", first("GET /a/..\\b HTTP/1.1"), Target),
        ("bytes above 127", first("GET /\u{e4} HTTP/1.1"), Target),
        ("https", first("GET https://h/ HTTP/1.1"), Target),
        ("another scheme", first("GET ftp://h/ HTTP/1.1"), Target),
        ("no authority", first("GET http:///a HTTP/1.1"), Target),
        (
            "user information in the target",
            first("GET http://u@h/ HTTP/1.1"),
            Target,
        ),
        (
            "an absolute form without a path",
            first("GET http://h?a HTTP/1.1"),
            Target,
        ),
        ("another expectation", with("Expect: 200-ok\r\n"), Expect),
        (
            "two expectations",
            with("Expect: 100-continue, a\r\n"),
            Expect,
        ),
        ("an empty expectation", with("Expect:\r\n"), Expect),
    ]);
}

#[test]
fn heads_beyond_their_bounds_are_refused() {
    use Malformed::{Field, TargetTooLong, TooLarge};
    let target = |length: usize| first(&format!("GET /{} HTTP/1.1", "a".repeat(length - 1)));
    let padded = |length: usize| {
        let rest = length - with("A: \r\n").len();
        with(&format!("A: {}\r\n", "a".repeat(rest)))
    };
    refused(&[
        ("a target of one byte too many", target(129), TargetTooLong),
        ("a target without end", vec![b'a'; 2_000], TargetTooLong),
        (
            "a method without end",
            first(&format!("{} / HTTP/1.1", "A".repeat(300))),
            TargetTooLong,
        ),
        ("one byte too many", padded(1_025), TooLarge),
        ("a field without end", with(&"a".repeat(5_000)), TooLarge),
        ("one field too many", with(&"A: b\r\n".repeat(8)), TooLarge),
        (
            "options without end",
            with(&format!("Connection: {}\r\n", "a,".repeat(33))),
            Field,
        ),
    ]);
    for fits in [target(128), padded(1_024), with(&"A: b\r\n".repeat(7))] {
        for piece in [fits.len(), 1] {
            assert!(read(&fits, piece).is_ok(), "{}", fits.escape_ascii());
        }
    }
}

#[test]
fn a_valid_head_is_parsed() {
    let both = Framing::Chunked;
    let rows: [(&str, Vec<u8>, &str, Framing, bool); 11] = [
        (
            "a length",
            with("Content-Length: 5\r\n"),
            "/a?b",
            Framing::Length(5),
            true,
        ),
        (
            "leading zeros",
            with("Content-Length: 007\r\n"),
            "/a?b",
            Framing::Length(7),
            true,
        ),
        (
            "no bytes",
            with("Content-Length: 0\r\n"),
            "/a?b",
            Framing::None,
            true,
        ),
        (
            "chunks",
            with("transfer-ENCODING: \t Chunked \t\r\n"),
            "/a?b",
            both,
            true,
        ),
        (
            "close",
            with("Connection: a, CLOSE\r\n"),
            "/a?b",
            Framing::None,
            false,
        ),
        (
            "no white space after the colon",
            with("Content-Length:5\r\n"),
            "/a?b",
            Framing::Length(5),
            true,
        ),
        (
            "absolute-form",
            first("GET HTTP://h/x?y HTTP/1.1"),
            "/x?y",
            Framing::None,
            true,
        ),
        (
            "absolute-form without a path",
            first("GET http://H HTTP/1.1"),
            "",
            Framing::None,
            true,
        ),
        (
            "an empty Host",
            b"GET /x HTTP/1.1\r\nHost:\r\n\r\n".into(),
            "/x",
            Framing::None,
            true,
        ),
        (
            "HTTP/1.0 without Host",
            b"GET /x HTTP/1.0\r\n\r\n".into(),
            "/x",
            Framing::None,
            false,
        ),
        (
            "HTTP/1.0 that would go on",
            b"POST /x HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n".into(),
            "/x",
            Framing::Length(1),
            false,
        ),
    ];
    for (row, mut bytes, target, framing, is_persistent) in rows {
        bytes.extend_from_slice(b"the body, or the next request\n\n");
        for piece in [bytes.len(), 1] {
            let head = read(&bytes, piece).expect(row);
            assert_eq!(head.target.of_bytes(&bytes), target.as_bytes(), "{row}");
            assert_eq!(
                (head.framing, head.is_persistent),
                (framing, is_persistent),
                "{row}"
            );
        }
    }
}

#[test]
fn fields_keep_their_bytes_and_those_named_by_connection_are_marked() {
    let bytes = with(
        "Connection: X-A , upgrade\r\nx-a: 1\r\nUpgrade: WebSocket\r\nB:  \u{e4} \t\r\nE:\r\n",
    );
    let head = read(&bytes, 1).expect("a good head");
    assert!(head.wants_websocket);
    let of = |at: usize| &head.fields.lines[at];
    assert!(of(2).is_named_hop && of(3).is_named_hop && !of(4).is_named_hop);
    assert_eq!(of(4).value.of_bytes(&bytes), "\u{e4}".as_bytes());
    assert_eq!(of(4).line.of_bytes(&bytes), "B:  \u{e4} \t\r\n".as_bytes());
    assert_eq!(of(5).value.of_bytes(&bytes), b"");
    assert_eq!(of(5).line.of_bytes(&bytes), b"E:\r\n");
    assert_eq!(head.fields.head_bytes, bytes.len());
}

#[test]
fn an_upgrade_counts_only_if_unambiguous() {
    let asks = |fields: &str| read(&with(fields), 1).expect("a good head").wants_websocket;
    let upgrade = "Upgrade: websocket\r\n";
    assert!(asks(&format!(
        "{upgrade}Connection: keep-alive, Upgrade\r\n"
    )));
    assert!(!asks(upgrade));
    assert!(!asks(&format!(
        "{upgrade}Connection: upgrade\r\nContent-Length: 4\r\n"
    )));
    let old = b"GET / HTTP/1.0\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
    assert!(!read(old, 1).expect("a good head").wants_websocket);
}

#[test]
fn continue_is_expected_by_http_11_only() {
    assert!(
        read(&with("Expect: 100-Continue\r\n"), 1)
            .expect("good")
            .expects_continue
    );
    let old = b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n";
    assert!(!read(old, 1).expect("good").expects_continue);
}

fn answer(bytes: &[u8], is_head: bool) -> Result<(u16, Framing, bool), Malformed> {
    let mut head = ResponseHead::default();
    let length = scan(bytes, 1)?;
    assert_eq!(scan(bytes, bytes.len()), Ok(length));
    response(&bytes[..length], BOUNDS, is_head, &mut head)?;
    Ok((head.status, head.framing, head.is_persistent))
}

#[test]
fn a_response_body_is_framed_by_status_method_and_fields() {
    use Framing::{Chunked, Length, None, UntilClose};
    type Read = (u16, Framing, bool);
    let rows: [(&str, &str, bool, Read); 17] = [
        (
            "a length",
            "HTTP/1.1 200 OK\r\nContent-Length: 5",
            false,
            (200, Length(5), true),
        ),
        (
            "chunks",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
            false,
            (200, Chunked, true),
        ),
        (
            "neither",
            "HTTP/1.1 200 OK\r\nA: b",
            false,
            (200, UntilClose, false),
        ),
        (
            "no reason",
            "HTTP/1.1 200 \r\nContent-Length: 5",
            false,
            (200, Length(5), true),
        ),
        (
            "no reason and no space",
            "HTTP/1.1 404\r\nContent-Length: 0",
            false,
            (404, None, true),
        ),
        (
            "a reason beyond ASCII",
            "HTTP/1.1 200 \u{e4}\r\nContent-Length: 0",
            false,
            (200, None, true),
        ),
        (
            "HEAD with a length",
            "HTTP/1.1 200 OK\r\nContent-Length: 5",
            true,
            (200, None, true),
        ),
        (
            "HEAD with chunks",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked",
            true,
            (200, None, true),
        ),
        (
            "HEAD with neither",
            "HTTP/1.1 200 OK\r\nA: b",
            true,
            (200, None, true),
        ),
        (
            "204",
            "HTTP/1.1 204 No Content\r\nA: b",
            false,
            (204, None, true),
        ),
        (
            "204 that has a body",
            "HTTP/1.1 204 A\r\nContent-Length: 5",
            false,
            (204, None, false),
        ),
        (
            "304 with a length",
            "HTTP/1.1 304 A\r\nContent-Length: 5",
            false,
            (304, None, true),
        ),
        (
            "100 is not the end",
            "HTTP/1.1 100 Continue\r\nA: b",
            false,
            (100, None, false),
        ),
        (
            "101",
            "HTTP/1.1 101 A\r\nUpgrade: b",
            false,
            (101, None, false),
        ),
        (
            "close",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close",
            false,
            (200, Length(5), false),
        ),
        (
            "HTTP/1.0",
            "HTTP/1.0 200 OK\r\nContent-Length: 5",
            false,
            (200, Length(5), false),
        ),
        (
            "HTTP/1.0 that goes on",
            "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive",
            false,
            (200, Length(5), true),
        ),
    ];
    for (row, head, is_head, expected) in rows {
        assert_eq!(
            answer(format!("{head}\r\n\r\n").as_bytes(), is_head),
            Ok(expected),
            "{row}"
        );
    }
}

#[test]
fn responses_that_two_parsers_could_read_differently_are_refused() {
    use Malformed::{
        BothFramings, ContentLength, Field, FirstLine, LineEnd, TransferEncoding, Version,
    };
    let ok = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n");
    let both = ok("Content-Length: 5\r\nTransfer-Encoding: chunked");
    let rows = [
        ("both framings", both.clone(), false, BothFramings),
        ("both framings to HEAD", both, true, BothFramings),
        (
            "two lengths",
            ok("Content-Length: 5\r\nContent-Length: 5"),
            false,
            ContentLength,
        ),
        (
            "gzip, chunked",
            ok("Transfer-Encoding: gzip, chunked"),
            false,
            TransferEncoding,
        ),
        ("obs-fold", ok("A: b\r\n c"), false, Field),
        (
            "space before the colon",
            ok("Content-Length : 5"),
            false,
            Field,
        ),
        (
            "bare LF",
            "HTTP/1.1 200 OK\nA: b\r\n\r\n".into(),
            false,
            LineEnd,
        ),
        (
            "bare CR in the reason",
            "HTTP/1.1 200 O\rK\r\n\r\n".into(),
            false,
            FirstLine,
        ),
        (
            "version 2.0",
            "HTTP/2.0 200 OK\r\n\r\n".into(),
            false,
            Version,
        ),
        (
            "another protocol",
            "ICY 200 OK\r\n\r\n".into(),
            false,
            FirstLine,
        ),
        (
            "a status of two digits",
            "HTTP/1.1 99 A\r\n\r\n".into(),
            false,
            FirstLine,
        ),
        (
            "a status below 100",
            "HTTP/1.1 099 A\r\n\r\n".into(),
            false,
            FirstLine,
        ),
        (
            "a status above 599",
            "HTTP/1.1 600 A\r\n\r\n".into(),
            false,
            FirstLine,
        ),
        (
            "a status of four digits",
            "HTTP/1.1 2000 A\r\n\r\n".into(),
            false,
            FirstLine,
        ),
        (
            "chunks in HTTP/1.0",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".into(),
            false,
            TransferEncoding,
        ),
    ];
    for (row, bytes, is_head, malformed) in rows {
        assert_eq!(answer(bytes.as_bytes(), is_head), Err(malformed), "{row}");
    }
}
