//! Hostile requests, as bytes, through the whole gateway: the response to each, and what the
//! upstream receives (RFC 9112; bytes of one request never become part of another).
//!
//! `KEY` is replaced by a valid key. Each refused row is followed by a request that would be
//! served if a byte of the row were misinterpreted.

use std::time::Duration;

use serde_json::json;
use tollgate_testkit::{Behaviour, Connection, wire};

use crate::house::{House, builder};

/// Longer than any timeout of a row, so that only a closed connection ends a row.
const QUIET: Duration = Duration::from_secs(8);
const HEADER_TIMEOUT: Duration = Duration::from_millis(1_500);
const BODY_BYTES_MAX: usize = 2_000;

/// A request that must never be served: every row ends with it, or contains it in a body.
const HIDDEN: &str = "GET /pets/1.0/pets?hidden HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\r\n";
/// A request that may be served: the last one of rows that keep their connection.
const LAST: &str = "GET /pets/1.0/pets?last HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\
    Connection: close\r\n\r\n";

/// Field lines of a POST with the body `hello` under one interpretation or the other.
const FRAMING: &[(&str, &str)] = &[
    (
        "length then chunked",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
    ),
    (
        "chunked then length",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    ),
    (
        "the same length twice",
        "Content-Length: 5\r\nContent-Length: 5\r\n",
    ),
    ("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n"),
    ("a list of one length", "Content-Length: 5, 5\r\n"),
    ("a list of lengths", "Content-Length: 5, 6\r\n"),
    ("a plus", "Content-Length: +5\r\n"),
    ("a minus", "Content-Length: -5\r\n"),
    ("nineteen digits", "Content-Length: 0000000000000000005\r\n"),
    ("beyond 2^64", "Content-Length: 18446744073709551621\r\n"),
    ("a hexadecimal length", "Content-Length: 0x5\r\n"),
    ("a fraction", "Content-Length: 5.0\r\n"),
    ("a space inside", "Content-Length: 5 0\r\n"),
    ("no length", "Content-Length:\r\n"),
    (
        "chunked before gzip",
        "Transfer-Encoding: chunked, gzip\r\n",
    ),
    ("chunked after gzip", "Transfer-Encoding: gzip, chunked\r\n"),
    ("chunked twice", "Transfer-Encoding: chunked, chunked\r\n"),
    (
        "chunked twice in two lines",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
    ),
    (
        "identity in a second line",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    ),
    ("another coding", "Transfer-Encoding: xchunked\r\n"),
    ("a parameter", "Transfer-Encoding: chunked;q=1\r\n"),
    ("a vertical tab", "Transfer-Encoding: \x0bchunked\r\n"),
    ("no coding", "Transfer-Encoding:\r\n"),
    ("a space before the colon", "Content-Length : 5\r\n"),
    ("a tab before the colon", "Transfer-Encoding\t: chunked\r\n"),
    ("a folded line", "X: a\r\n b\r\n"),
    ("a folded coding", "Transfer-Encoding:\r\n chunked\r\n"),
    ("a line of spaces", "X: a\r\n \r\n"),
    ("no name", ": a\r\n"),
    ("no colon", "nonsense\r\n"),
    ("a NUL in a value", "X: a\0b\r\n"),
    ("a DEL in a value", "X: a\x7fb\r\n"),
    ("a control character in a name", "X\x01: a\r\n"),
    ("a bare CR in a value", "X: a\rContent-Length: 5\r\n"),
    ("a bare LF", "X: a\nContent-Length: 5\r\n"),
    ("a bare LF before the end", "X: a\n\r\n"),
    ("a second host", "Host: y\r\n"),
    ("the same host twice", "Host: x\r\n"),
    (
        "an unknown expectation",
        "Content-Length: 5\r\nExpect: 200-ok\r\n",
    ),
];

/// Bodies of chunked requests.
const CHUNKS: &[(&str, &str)] = &[
    ("a plus", "+5\r\nhello\r\n0\r\n\r\n"),
    ("a minus", "-5\r\nhello\r\n0\r\n\r\n"),
    ("a prefix", "0x5\r\nhello\r\n0\r\n\r\n"),
    ("a space before", " 5\r\nhello\r\n0\r\n\r\n"),
    ("a space after", "5 \r\nhello\r\n0\r\n\r\n"),
    ("an underscore", "0_5\r\nhello\r\n0\r\n\r\n"),
    ("no size", "\r\nhello\r\n0\r\n\r\n"),
    ("only an extension", ";a=b\r\nhello\r\n0\r\n\r\n"),
    (
        "seventeen digits",
        "00000000000000005\r\nhello\r\n0\r\n\r\n",
    ),
    ("beyond 2^62", "4000000000000001\r\nhello\r\n0\r\n\r\n"),
    ("2^64 and five", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
    ("a bare LF behind the size", "5\nhello\r\n0\r\n\r\n"),
    ("a bare CR behind the size", "5\rhello\r\n0\r\n\r\n"),
    ("a bare LF in an extension", "5;a\nhello\r\n0\r\n\r\n"),
    (
        "a control character in an extension",
        "5;a\x01b\r\nhello\r\n0\r\n\r\n",
    ),
    ("more data than the size", "5\r\nhello!\r\n0\r\n\r\n"),
    ("a bare LF behind the data", "5\r\nhello\n0\r\n\r\n"),
    ("a bare LF behind the last size", "5\r\nhello\r\n0\n\r\n"),
    ("a bare LF in the trailer", "5\r\nhello\r\n0\r\nX: a\n\r\n"),
    ("a folded trailer", "5\r\nhello\r\n0\r\nX: a\r\n b\r\n\r\n"),
    (
        "a space before a trailer's colon",
        "5\r\nhello\r\n0\r\nX : a\r\n\r\n",
    ),
    (
        "a request instead of a trailer",
        "5\r\nhello\r\n0\r\nGET / HTTP/1.1\r\n\r\n",
    ),
];

/// Heads with an invalid request line or host.
const HEADS: &[(&str, u16, &str)] = &[
    (
        "version 2.0",
        505,
        "GET /pets/1.0/pets HTTP/2.0\r\nHost: x\r\n\r\n",
    ),
    (
        "version 1.2",
        505,
        "GET /pets/1.0/pets HTTP/1.2\r\nHost: x\r\n\r\n",
    ),
    (
        "version 0.9",
        505,
        "GET /pets/1.0/pets HTTP/0.9\r\nHost: x\r\n\r\n",
    ),
    (
        "the preface of HTTP/2",
        505,
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ),
    (
        "a version of three digits",
        400,
        "GET /pets/1.0/pets HTTP/1.10\r\nHost: x\r\n\r\n",
    ),
    (
        "a version in lower case",
        400,
        "GET /pets/1.0/pets http/1.1\r\nHost: x\r\n\r\n",
    ),
    ("no version", 400, "GET /pets/1.0/pets\r\nHost: x\r\n\r\n"),
    ("garbage", 400, "\x16\x03\x01\x02\r\n\r\n"),
    (
        "two leading empty lines",
        400,
        "\r\n\r\nGET /pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "a leading LF",
        400,
        "\nGET /pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "a leading space",
        400,
        " GET /pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "two spaces",
        400,
        "GET  /pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "a space in the target",
        400,
        "GET /pets/1.0/pets x HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "a bare LF first",
        400,
        "GET /pets/1.0/pets HTTP/1.1\nHost: x\r\n\r\n",
    ),
    (
        "bare LFs only",
        400,
        "GET /pets/1.0/pets HTTP/1.1\nHost: x\napikey: KEY\n\n",
    ),
    (
        "a bare CR first",
        400,
        "GET /pets/1.0/pets HTTP/1.1\rHost: x\r\n\r\n",
    ),
    (
        "a method that is no token",
        400,
        "GE(T /pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "no host",
        400,
        "GET /pets/1.0/pets HTTP/1.1\r\napikey: KEY\r\n\r\n",
    ),
    (
        "a host with a path",
        400,
        "GET /pets/1.0/pets HTTP/1.1\r\nHost: x/y\r\n\r\n",
    ),
    (
        "a host with a user",
        400,
        "GET /pets/1.0/pets HTTP/1.1\r\nHost: u@x\r\n\r\n",
    ),
    (
        "connect",
        400,
        "CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\napikey: KEY\r\n\r\n",
    ),
    (
        "connect with a path",
        400,
        "CONNECT /pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    ("an asterisk", 400, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"),
    (
        "another authority",
        400,
        "GET http://y/pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "another scheme",
        400,
        "GET ftp://x/pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "no slash",
        400,
        "GET pets/1.0/pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "a backslash",
        400,
        "GET /pets/1.0\\pets HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "a fragment",
        400,
        "GET /pets/1.0/pets#a HTTP/1.1\r\nHost: x\r\n\r\n",
    ),
    (
        "chunked in 1.0",
        400,
        "POST /pets/1.0/pets HTTP/1.0\r\nHost: x\r\napikey: KEY\r\n\
        Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
];

/// The bytes sent, the statuses received before the connection ends, and what the upstream sees.
struct Row {
    id: String,
    bytes: String,
    statuses: Vec<u16>,
    seen: Vec<Seen>,
}

/// A request as the upstream receives it: the start of its request line, the forwarded fields, and
/// everything after the fields that the gateway adds.
struct Seen(&'static str, &'static str, String);

fn last() -> Seen {
    Seen("GET /pets?last", "", "\r\n".into())
}

fn post(fields: &str, body: &str) -> String {
    format!("POST /pets/1.0/pets HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n{fields}\r\n{body}")
}

fn refused(id: impl Into<String>, status: u16, bytes: &str) -> Row {
    Row {
        id: id.into(),
        bytes: format!("{bytes}{HIDDEN}"),
        statuses: vec![status],
        seen: Vec::new(),
    }
}

fn malformed() -> Vec<Row> {
    let framing = FRAMING
        .iter()
        .map(|(id, fields)| refused(format!("framing: {id}"), 400, &post(fields, "hello")));
    let chunks = CHUNKS.iter().map(|(id, body)| {
        let bytes = post("Transfer-Encoding: chunked\r\n", body);
        refused(format!("chunks: {id}"), 400, &bytes)
    });
    let heads = HEADS
        .iter()
        .map(|(id, status, head)| refused(format!("head: {id}"), *status, head));
    framing.chain(chunks).chain(heads).collect()
}

fn too_much() -> Vec<Row> {
    let get = |fields: &str| {
        format!("GET /pets/1.0/pets HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n{fields}\r\n")
    };
    let chunked = |body: &str| post("Transfer-Encoding: chunked\r\n", body);
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(8_192));
    let unending = format!("GET /{}", "a".repeat(1 << 20));
    let large = get(&format!("X: {}\r\n", "a".repeat(17_000)));
    let huge = get(&format!("X: {}\r\n", "a".repeat(1 << 20)));
    let many = get(&"X: a\r\n".repeat(99));
    let extension = chunked(&format!("5;{}\r\nhello\r\n0\r\n\r\n", "a".repeat(4_097)));
    let trailer = chunked(&format!("0\r\nX: {}\r\n\r\n", "a".repeat(8_192)));
    let body = "a".repeat(BODY_BYTES_MAX + 1);
    let chunks = chunked(&format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()));
    let length = post(&format!("Content-Length: {}\r\n", 1 << 20), "");
    vec![
        refused("a target beyond its bound", 414, &long),
        refused("a target without end", 414, &unending),
        refused("a head beyond its bound", 431, &large),
        refused("a head of a megabyte", 431, &huge),
        refused("101 fields", 431, &many),
        refused("an extension beyond its bound", 400, &extension),
        refused("a trailer beyond its bound", 400, &trailer),
        refused("chunks beyond the body's bound", 413, &chunks),
        refused("a length beyond the body's bound", 413, &length),
    ]
}

/// Refused requests with another request in the body, followed by one more.
fn pipelined() -> Vec<Row> {
    let row = |id: &str, first: String, statuses: &[u16], seen: Vec<Seen>| Row {
        id: format!("pipelined: {id}"),
        bytes: format!("{first}{LAST}"),
        statuses: statuses.to_vec(),
        seen,
    };
    // A key of 47 characters replaces three.
    let hidden = HIDDEN.len() + 44;
    let length = format!("Content-Length: {hidden}\r\n");
    let chunked = "Transfer-Encoding: chunked\r\n";
    let chunks = format!("{hidden:x}\r\n{HIDDEN}\r\n0\r\n\r\n");
    let at = |line: &str, fields: &str, body: &str| {
        format!("{line} HTTP/1.1\r\nHost: x\r\n{fields}\r\n{body}")
    };
    let upgrade = "GET /pets/1.0/pets HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\
        Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let over = "a".repeat(BODY_BYTES_MAX + 1);
    vec![
        row(
            "no API",
            at("POST /none", &length, HIDDEN),
            &[404, 200],
            vec![last()],
        ),
        row(
            "no key",
            at("POST /pets/1.0/pets", &length, HIDDEN),
            &[401, 200],
            vec![last()],
        ),
        row(
            "no method",
            at("DELETE /pets/1.0/pets", &length, HIDDEN),
            &[405, 200],
            vec![last()],
        ),
        row(
            "a body beyond the bound",
            post(&format!("Content-Length: {}\r\n", over.len()), &over),
            &[413, 200],
            vec![last()],
        ),
        row(
            "chunks to no API",
            at("POST /none", chunked, &chunks),
            &[404],
            vec![],
        ),
        row(
            "chunks without key",
            at("POST /pets/1.0/pets", chunked, &chunks),
            &[401],
            vec![],
        ),
        row("a WebSocket", upgrade.to_owned(), &[400, 200], vec![last()]),
        row(
            "a served body",
            post(&length, HIDDEN),
            &[200, 200],
            vec![
                Seen(
                    "POST /pets",
                    "",
                    format!("content-length: {hidden}\r\n\r\n{HIDDEN}"),
                ),
                last(),
            ],
        ),
        row(
            "served chunks",
            post(chunked, &chunks),
            &[200, 200],
            vec![
                Seen(
                    "POST /pets",
                    "",
                    format!("transfer-encoding: chunked\r\n\r\n{chunks}"),
                ),
                last(),
            ],
        ),
        row(
            "a trailer that frames",
            post(
                chunked,
                "5\r\nhello\r\n0\r\nContent-Length: 7\r\nX: a\r\n\r\n",
            ),
            &[200, 200],
            vec![
                Seen(
                    "POST /pets",
                    "",
                    "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".into(),
                ),
                last(),
            ],
        ),
        row(
            "extensions end here",
            post(chunked, "5;a=\"b\"\r\nhello\r\n0;c\r\n\r\n"),
            &[200, 200],
            vec![
                Seen(
                    "POST /pets",
                    "",
                    "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n".into(),
                ),
                last(),
            ],
        ),
    ]
}

/// Requests that are served, and which of their bytes are forwarded.
fn served() -> Vec<Row> {
    let row = |id: &str, line: &str, fields: &str, seen: Seen| Row {
        id: format!("served: {id}"),
        bytes: format!("{line}\r\nHost: x\r\napikey: KEY\r\n{fields}{HIDDEN}"),
        statuses: vec![200],
        seen: vec![seen],
    };
    let get = "GET /pets/1.0/pets HTTP/1.1";
    let plain = |fields| Seen("GET /pets", fields, "\r\n".into());
    let many = format!("Connection: close\r\n{}\r\n", "TE: a\r\n".repeat(97));
    vec![
        row(
            "absolute form",
            "GET http://X/pets/1.0/pets HTTP/1.1",
            "Connection: close\r\n\r\n",
            plain(""),
        ),
        row("a hundred fields", get, &many, plain("")),
        row(
            "version 1.0",
            "GET /pets/1.0/pets HTTP/1.0",
            "\r\n",
            plain(""),
        ),
        row(
            "version 1.0 that would stay",
            "GET /pets/1.0/pets HTTP/1.0",
            "Connection: keep-alive\r\n\r\n",
            plain(""),
        ),
        row(
            "fields that Connection names",
            get,
            "Connection: close, X-One, apikey, X-Forwarded-For\r\nconnection: x-two\r\n\
            X-One: 1\r\nX-Three: 3\r\nx-Two: 2\r\n\r\n",
            plain("X-Three: 3\r\n"),
        ),
        row(
            "a length that Connection names",
            "POST /pets/1.0/pets HTTP/1.1",
            "Connection: close, Content-Length\r\nContent-Length: 5\r\n\r\nhello",
            Seen("POST /pets", "", "content-length: 5\r\n\r\nhello".into()),
        ),
        row(
            "fields of one connection",
            get,
            "Keep-Alive: 5\r\nProxy-Connection: keep-alive\r\nTrailer: X\r\nUpgrade: h2c\r\n\
            HTTP2-Settings: a\r\nProxy-Authorization: a\r\nTE: gzip\r\nConnection: close\r\n\
            Accept: a\r\n\r\n",
            plain("Accept: a\r\n"),
        ),
        row(
            "fields of proxies",
            get,
            "Forwarded: for=6.6.6.6\r\nX-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Host: evil\r\n\
            X-Forwarded-Proto: https\r\nX-Forwarded-Port: 1\r\nX-Forwarded-Prefix: /admin\r\n\
            X-Forwarded-Server: evil\r\nX-Real-IP: 6.6.6.6\r\nX-Request-Id: mine\r\n\
            Connection: close\r\nAccept: a\r\n\r\n",
            plain("Accept: a\r\n"),
        ),
    ]
}

/// The tested API with an operation for HEAD and a bound for bodies.
async fn wall() -> House {
    let header_timeout = HEADER_TIMEOUT.as_millis().to_string();
    let builder = builder()
        .set("gateway-header-timeout-ms", &header_timeout)
        .set("gateway-body-idle-timeout-ms", "500");
    let house = House::with(&builder, json!([])).await;
    let operation = |method| json!({ "method": method, "path": "/pets" });
    let operations = ["GET", "HEAD", "POST"].map(operation);
    let change = json!({ "operations": operations, "body_bytes_max": BODY_BYTES_MAX });
    house.redeploy(change).await;
    house
}

impl House {
    /// Returns what the upstream received since the last call, without the random request ids.
    fn seen(&self) -> String {
        let received = self.upstream.received().concat();
        self.upstream.forget();
        let received = String::from_utf8_lossy(&received).into_owned();
        let is_id = |line: &str| {
            let id = line.strip_prefix("x-request-id: ").map(str::trim_end);
            id.is_some_and(|id| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
        };
        received
            .split_inclusive('\n')
            .filter(|line| !is_id(line))
            .collect()
    }

    fn expected(&self, seen: &Seen) -> String {
        let Seen(line, fields, rest) = seen;
        let upstream = self.upstream.address();
        let expected = format!(
            "{line} HTTP/1.1\r\nhost: {upstream}\r\n{fields}x-forwarded-for: 127.0.0.1\r\n\
            x-forwarded-proto: http\r\nvia: 1.1 tollgate\r\nx-forwarded-host: x\r\n{rest}"
        );
        expected.replace("KEY", &self.consumer.key)
    }

    /// Returns how the outcome of a row differs from the expected one, if it does.
    async fn fault(&self, row: &Row) -> Option<String> {
        let bytes = row.bytes.replace("KEY", &self.consumer.key);
        let sent = wire::send(self.tollgate.gateway, bytes.as_bytes(), QUIET);
        let reply = sent.await.unwrap();
        let expected: String = row.seen.iter().map(|seen| self.expected(seen)).collect();
        let seen = self.seen();
        let outcome = (reply.statuses(), reply.closed);
        if outcome == (row.statuses.clone(), true) && seen == expected {
            return None;
        }
        let (statuses, id) = (&row.statuses, &row.id);
        Some(format!(
            "{id}: {outcome:?} not {statuses:?}; seen {seen:?} not {expected:?}"
        ))
    }

    async fn assert_rows(&self, rows: Vec<Row>) {
        let mut faults = Vec::new();
        for row in &rows {
            faults.extend(self.fault(row).await);
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(self.call().await.status, 200);
        // Late bytes would have arrived by now.
        let requests = self.upstream.requests();
        assert_eq!(requests, 1, "{}", self.seen());
        self.upstream.forget();
    }

    async fn open(&self) -> Connection {
        Connection::open(self.tollgate.gateway).await.unwrap()
    }

    fn bytes(&self, text: &str) -> Vec<u8> {
        text.replace("KEY", &self.consumer.key).into_bytes()
    }
}

#[tokio::test]
async fn no_malformed_byte_is_served_and_none_hides_another_request() {
    let wall = wall().await;
    wall.assert_rows(malformed()).await;
    wall.assert_rows(too_much()).await;
    wall.assert_rows(pipelined()).await;
    wall.assert_rows(served()).await;
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_their_order() {
    let wall = wall().await;
    wall.upstream.behave(Behaviour::Echo);
    let bodies = ["one", "two!", "three"];
    let all: String = bodies
        .iter()
        .map(|body| post(&format!("Content-Length: {}\r\n", body.len()), body))
        .collect();
    let mut connection = wall.open().await;
    connection.send(&wall.bytes(&all)).await.unwrap();
    for body in bodies {
        let answer = connection.answer(false).await.unwrap();
        assert_eq!((answer.status, answer.text().as_str()), (200, body));
    }
}

#[tokio::test]
async fn a_100_continue_is_sent_only_once_the_call_is_admitted() {
    let wall = wall().await;
    let expects = "Content-Length: 5\r\nExpect: 100-continue\r\n";
    let quiet = Duration::from_millis(200);

    let head = post(expects, "").replace("apikey: KEY\r\n", "");
    let reply = wire::send(wall.tollgate.gateway, head.as_bytes(), QUIET)
        .await
        .unwrap();
    assert_eq!((reply.statuses(), reply.closed), (vec![401], true));
    assert_eq!(wall.seen(), "");

    let mut connection = wall.open().await;
    connection
        .send(&wall.bytes(&post(expects, "")))
        .await
        .unwrap();
    let invitation = connection.until(b"\r\n\r\n").await.unwrap();
    assert_eq!(invitation, b"HTTP/1.1 100 Continue\r\n\r\n");
    assert_eq!(connection.until_quiet(quiet).await, (Vec::new(), false));
    connection.send(b"hello").await.unwrap();
    let answer = connection.answer(false).await.unwrap();
    assert_eq!((answer.status, answer.text().as_str()), (200, "hello"));
    let expected = wall.expected(&Seen(
        "POST /pets",
        "",
        "content-length: 5\r\n\r\nhello".into(),
    ));
    assert_eq!(wall.seen(), expected);
}

#[tokio::test]
async fn a_response_to_head_has_no_body_whether_served_or_refused() {
    let wall = wall().await;
    let served = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".as_slice();
    wall.upstream.behave(Behaviour::Answer(served.into()));
    let head = "HEAD /pets/1.0/pets HTTP/1.1\r\nHost: x\r\napikey: KEY\r\n\r\n";
    let mut connection = wall.open().await;
    for (text, status, length) in [
        (head.to_owned(), 200, Some("5")),
        (head.replace("apikey", "x"), 401, None),
        (head.replace("pets", "none"), 404, None),
        (head.to_owned(), 200, Some("5")),
    ] {
        connection.send(&wall.bytes(&text)).await.unwrap();
        // A body would be read as the start of the next response.
        let answer = connection.answer(true).await.unwrap();
        assert_eq!(answer.status, status);
        let declared = answer.field("content-length").unwrap();
        assert_eq!(declared, length.unwrap_or(declared));
    }
    let (rest, closed) = connection.until_quiet(Duration::from_millis(100)).await;
    assert_eq!((rest, closed), (Vec::new(), false));
}

#[tokio::test]
async fn a_slow_head_and_a_slow_body_are_refused_in_time() {
    let wall = wall().await;

    // Single bytes do not extend the timeout.
    let mut slow = wall.open().await;
    slow.send(b"GET /pets/1.0/pets HTTP/1.1\r\nX: ")
        .await
        .unwrap();
    let begun = std::time::Instant::now();
    while begun.elapsed() < HEADER_TIMEOUT - Duration::from_millis(200) {
        slow.send(b"a").await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (reply, closed) = slow.until_quiet(QUIET).await;
    assert!(reply.starts_with(b"HTTP/1.1 408 ") && closed);
    let took = begun.elapsed();
    assert!(
        (HEADER_TIMEOUT..HEADER_TIMEOUT + QUIET).contains(&took),
        "{took:?}"
    );
    assert_eq!(wall.seen(), "");

    let begun = std::time::Instant::now();
    let half = wall.bytes(&post("Content-Length: 10\r\n", "hello"));
    let reply = wire::send(wall.tollgate.gateway, &half, QUIET)
        .await
        .unwrap();
    assert_eq!((reply.statuses(), reply.closed), (vec![408], true));
    let took = begun.elapsed();
    assert!((400..10_000).contains(&took.as_millis()), "{took:?}");
    assert_eq!(wall.upstream.requests(), 0);
}

#[tokio::test]
async fn a_body_with_an_error_midway_ends_both_connections() {
    let wall = wall().await;
    assert_eq!(wall.call().await.status, 200);
    let mut connection = wall.open().await;
    let begin = post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n");
    connection.send(&wall.bytes(&begin)).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let end = format!("nonsense\r\n{HIDDEN}");
    connection.send(&wall.bytes(&end)).await.unwrap();
    let (reply, closed) = connection.until_quiet(QUIET).await;
    assert!(reply.starts_with(b"HTTP/1.1 400 ") && closed);
    assert_eq!(wire_statuses(reply), [400]);
    assert_eq!(wall.upstream.requests(), 1);
    // The upstream waits for the rest on that connection; nothing may be sent on it.
    for _ in 0..10 {
        assert_eq!(wall.call().await.text(), "hello");
    }
    assert_eq!(wall.upstream.requests(), 11);
}

fn wire_statuses(bytes: Vec<u8>) -> Vec<u16> {
    wire::Reply {
        bytes,
        closed: true,
    }
    .statuses()
}
