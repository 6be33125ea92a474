//! Steps that read bodies: framing, codings, entity tags, bounds. Every row ends with another call
//! on a new connection.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tollgate_testkit::http::{self, Connection};
use tollgate_testkit::{Answer, Behaviour, upstream, wire};

use super::{set, values};
use crate::house::{House, builder};

const PETS: &str = "/pets/1.0/pets";
const QUIET: Duration = Duration::from_secs(3);

fn replace() -> Value {
    json!({ "policy": "replace_text", "pairs": [{ "from": "in", "to": "outer" }] })
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn brotli(text: &[u8]) -> Vec<u8> {
    let mut coded = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams::default();
    brotli::BrotliCompress(&mut &*text, &mut coded, &parameters).unwrap();
    coded
}

pub(crate) fn chunked(body: &[u8], trailers: &str) -> Vec<u8> {
    let (first, second) = body.split_at(body.len() / 2);
    let mut coded = Vec::new();
    for chunk in [first, second] {
        coded.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        coded.extend_from_slice(chunk);
        coded.extend_from_slice(b"\r\n");
    }
    coded.extend_from_slice(format!("0\r\n{trailers}\r\n").as_bytes());
    coded
}

impl House {
    pub(super) async fn with_operations(self, policies: Value) -> Self {
        let operations = ["GET", "HEAD", "POST", "PUT"];
        let operations = operations.map(|method| json!({ "method": method, "path": "/pets" }));
        self.redeploy(json!({ "operations": operations, "policies": policies }))
            .await;
        self
    }

    /// Returns a request with the consumer's key and these raw field lines.
    pub(super) fn raw(&self, method: &str, fields: &str, body: &[u8]) -> Vec<u8> {
        let key = &self.consumer.key;
        let head = format!("{method} {PETS} HTTP/1.1\r\nHost: a\r\napikey: {key}\r\n{fields}\r\n");
        [head.as_bytes(), body].concat()
    }

    pub(super) async fn asked(&self, request: &[u8]) -> Answer {
        http::call(self.tollgate.gateway, request).await.unwrap()
    }

    /// Checks that a POST is refused with this status and code, and that the gateway reads what
    /// follows on its connection as the next request, or not at all.
    pub(super) async fn refuses_cleanly(
        &self,
        fields: &str,
        body: &[u8],
        (status, code): (u16, &str),
    ) {
        let mut request = self.raw("POST", fields, body);
        let refused = self.asked(&request).await;
        let got = (refused.status, refused.code());
        assert_eq!(got, (status, code.to_owned()), "{fields}");
        request.extend(self.raw("GET", "Connection: close\r\n", b""));
        let reply = wire::send(self.tollgate.gateway, &request, QUIET).await;
        let reply = reply.unwrap();
        let statuses = reply.statuses();
        let is_clean = statuses == [status, 200] || statuses == [status] && reply.closed;
        assert!(is_clean, "{fields}: {statuses:?}");
        assert_eq!(self.call().await.status, 200, "{fields}");
    }

    /// Returns the head and the body of the only request that the upstream received.
    pub(super) fn went_up(&self) -> (Vec<String>, String) {
        let text = String::from_utf8(self.upstream.received().concat()).unwrap();
        let body = text.split_once("\r\n\r\n").unwrap().1.to_owned();
        (self.received(), body)
    }
}

const TEXT: &str = "Content-Type: text/plain\r\n";

#[tokio::test]
async fn bodies_of_requests_go_up_changed_in_any_framing_and_coding() {
    let house = House::new().await;
    let house = house
        .with_operations(json!({ "request": [
            replace(),
            {
                "if": "body.a == \"outer\"",
                "policy": "set_header", "name": "x-a", "value": "{{ body.a }}",
            },
            set("x-b", "{{ body.b }}"),
            { "if": "body.a.orValue(\"\") == \"stop\"", "policy": "respond", "status": 422 },
        ] }))
        .await;
    let length = |bytes: &[u8]| format!("Content-Length: {}\r\n", bytes.len());
    let chunks = "Transfer-Encoding: chunked\r\n";
    let (zipped, crumpled) = (gzip(b"in and in"), brotli(b"in and in"));
    let digests =
        "Digest: a=b\r\nContent-MD5: x\r\nContent-Digest: a=:b:\r\nRepr-Digest: a=:b:\r\n";
    let rows: Vec<(String, Vec<u8>)> = vec![
        (length(b"in and in"), b"in and in".to_vec()),
        (chunks.to_owned(), chunked(b"in and in", "")),
        (
            format!("{chunks}Trailer: x-t\r\n"),
            chunked(b"in and in", "X-T: 1\r\n"),
        ),
        (
            format!("Content-Encoding: gzip\r\n{}", length(&zipped)),
            zipped.clone(),
        ),
        (
            format!("Content-Encoding: identity, x-gzip\r\n{chunks}"),
            chunked(&zipped, ""),
        ),
        (
            format!("Content-Encoding: BR\r\n{}", length(&crumpled)),
            crumpled,
        ),
    ];
    for (fields, body) in rows {
        let request = house.raw("POST", &format!("{TEXT}{digests}{fields}"), &body);
        let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
        // Twice, the second of two requests sent at once being the next on the connection.
        connection
            .send(&[&*request, &*request].concat())
            .await
            .unwrap();
        for _ in 0..2 {
            let answer = connection.answer(false).await.unwrap();
            assert_eq!(answer.status, 200, "{fields}: {}", answer.text());
        }
        assert_eq!(house.upstream.requests(), 2, "{fields}");
        house.upstream.forget();
        assert_eq!(house.asked(&request).await.status, 200);
        let (lines, up) = house.went_up();
        assert_eq!(up, "outer and outer", "{fields}");
        assert_eq!(values(&lines, "content-length"), ["15"], "{fields}");
        for gone in [
            "transfer-encoding",
            "content-encoding",
            "trailer",
            "digest",
            "content-md5",
            "content-digest",
            "repr-digest",
        ] {
            assert_eq!(values(&lines, gone), [""; 0], "{fields}: {gone}");
        }
    }
    // The head steps come before the body is asked for.
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    let expecting = format!("{TEXT}Content-Length: 2\r\nExpect: 100-continue\r\n");
    connection
        .send(&house.raw("POST", &expecting, b""))
        .await
        .unwrap();
    let invited = connection.until(b"\r\n\r\n").await.unwrap();
    assert!(invited.starts_with(b"HTTP/1.1 100 "));
    connection.send(b"in").await.unwrap();
    assert_eq!(connection.answer(false).await.unwrap().status, 200);
    assert_eq!(house.went_up().1, "outer");
    // Values of the body reach the head, and a step responds in place of the upstream.
    let json = |body: &str| {
        let fields = format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n",
            body.len()
        );
        house.raw("POST", &fields, body.as_bytes())
    };
    assert_eq!(house.asked(&json(r#"{"a":"in"}"#)).await.status, 200);
    assert_eq!(values(&house.went_up().0, "x-a"), ["outer"]);
    for (value, expected) in [
        (r"x\r\nX-Evil: 1", None),
        (r"x\u0000", None),
        (r#"\\\"; x"#, Some(r#"\"; x"#)),
    ] {
        let body = format!(r#"{{"b":"{value}"}}"#);
        assert_eq!(house.asked(&json(&body)).await.status, 200);
        let (lines, up) = house.went_up();
        let expected: Vec<_> = expected.into_iter().collect();
        assert_eq!(values(&lines, "x-b"), expected, "{value}");
        assert_eq!(values(&lines, "x-evil"), [""; 0], "{value}");
        assert_eq!(up, body);
    }
    assert_eq!(house.asked(&json(r#"{"a":"stop"}"#)).await.status, 422);
    assert_eq!(house.upstream.requests(), 0);
    // Without a body nothing waits, and nothing is refused.
    assert_eq!(house.asked(&house.raw("GET", "", b"")).await.status, 200);
}

#[tokio::test]
async fn bodies_that_steps_cannot_read_are_refused_and_the_connection_stays_clean() {
    let house = House::new().await;
    let mut step = replace();
    step["bytes_max"] = json!(1000);
    let house = house.with_operations(json!({ "request": [step] })).await;
    let bomb = gzip(&vec![b'i'; 1 << 20]);
    let many = vec![b'i'; 1001];
    let length = |bytes: &[u8]| format!("Content-Length: {}\r\n", bytes.len());
    let coded = |coding: &str, bytes: &[u8]| {
        format!("{TEXT}Content-Encoding: {coding}\r\n{}", length(bytes))
    };
    let chunks = format!("{TEXT}Transfer-Encoding: chunked\r\n");
    let zipped = gzip(b"in");
    let large = "mediate.body_too_large";
    let rows: Vec<(String, Vec<u8>, u16, &str)> = vec![
        (format!("{TEXT}{}", length(&many)), many.clone(), 413, large),
        (chunks.clone(), chunked(&many, ""), 413, large),
        (coded("gzip", &bomb), bomb.clone(), 413, large),
        (
            coded("gzip, gzip", &zipped),
            zipped.clone(),
            415,
            "mediate.wrong_type",
        ),
        (
            format!("Content-Encoding: br\r\n{}", coded("gzip", &zipped)),
            zipped.clone(),
            415,
            "mediate.wrong_type",
        ),
        (
            coded("zstd", b"in"),
            b"in".to_vec(),
            415,
            "mediate.wrong_type",
        ),
        (
            coded("gzip", b"in"),
            b"in".to_vec(),
            400,
            "mediate.not_well_formed",
        ),
        (
            coded("gzip", &zipped[..12]),
            zipped[..12].to_vec(),
            400,
            "mediate.not_well_formed",
        ),
        (
            format!("Content-Type: image/png\r\n{}", length(b"in")),
            b"in".to_vec(),
            415,
            "mediate.wrong_type",
        ),
        (
            format!("{TEXT}Content-Type: text/html\r\n{}", length(b"in")),
            b"in".to_vec(),
            415,
            "mediate.wrong_type",
        ),
        (
            chunks.clone(),
            b"2\r\nin\r\nx\r\n".to_vec(),
            400,
            "listener.bad_request",
        ),
    ];
    for (fields, body, status, code) in rows {
        house.refuses_cleanly(&fields, &body, (status, code)).await;
    }
    // A truncated chunk: nothing goes up.
    house.upstream.forget();
    let mut connection = Connection::open(house.tollgate.gateway).await.unwrap();
    connection
        .send(&house.raw("POST", &chunks, b"5\r\nin"))
        .await
        .unwrap();
    connection.finish().await.unwrap();
    let (bytes, is_closed) = connection.until_quiet(QUIET).await;
    assert!(bytes.is_empty() && is_closed, "{}", bytes.escape_ascii());
    assert_eq!(house.upstream.requests(), 0);
    assert_eq!(house.call().await.status, 200);
}

#[tokio::test]
async fn bodies_of_responses_come_back_changed() {
    let house = House::new().await;
    let mut step = replace();
    step["bytes_max"] = json!(1000);
    let house = house
        .with_operations(json!({ "response": [step, set("x-status", "{{ response.status }}")] }))
        .await;
    let (zipped, crumpled) = (gzip(b"in and in"), brotli(b"in and in"));
    let described = "ETag: \"x\"\r\nAccept-Ranges: bytes\r\nContent-MD5: y\r\nDigest: a=b\r\n";
    let whole = |fields: &str, body: &[u8]| {
        let length = body.len();
        let head = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: {length}\r\n\r\n");
        [head.as_bytes(), body].concat()
    };
    let coded = |coding: &str| format!("{TEXT}{described}Content-Encoding: {coding}\r\n");
    let head = format!("HTTP/1.1 200 OK\r\n{TEXT}{described}");
    let chunks = chunked(b"in and in", "X-T: 1\r\n");
    let chunks = [
        format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes(),
        &chunks,
    ]
    .concat();
    let until_close = format!("{head}Connection: close\r\n\r\nin and in").into_bytes();
    let changed = [
        Behaviour::Answer(whole(&format!("{TEXT}{described}"), b"in and in").into()),
        Behaviour::Answer(chunks.into()),
        Behaviour::BreakOff(until_close.into()),
        Behaviour::Answer(whole(&coded("gzip"), &zipped).into()),
        Behaviour::Answer(whole(&coded("br"), &crumpled).into()),
    ];
    for behaviour in changed {
        let row = format!("{behaviour:?}");
        house.upstream.behave(behaviour);
        house.upstream.forget();
        let asked = "Accept-Encoding: zstd\r\nRange: bytes=0-1\r\nIf-Range: \"x\"\r\n\
             If-Match: \"x\"\r\nIf-Modified-Since: Wed, 25 Nov 2026 00:00:00 GMT\r\n";
        let answer = house
            .asked(&house.raw("GET", &format!("{asked}TE: trailers\r\n"), b""))
            .await;
        assert_eq!(
            (answer.status, &*answer.text()),
            (200, "outer and outer"),
            "{row}"
        );
        assert_eq!(answer.field("content-length"), Some("15"), "{row}");
        assert_eq!(answer.field("x-status"), Some("200"), "{row}");
        for gone in [
            "transfer-encoding",
            "content-encoding",
            "accept-ranges",
            "content-md5",
            "digest",
        ] {
            assert_eq!(answer.field(gone), None, "{row}: {gone}");
        }
        let tag = answer.field("etag").unwrap();
        assert!(tag.starts_with("\"x;r") && tag.len() == 3 + 2 + 11, "{tag}");
        let lines = house.received();
        assert_eq!(values(&lines, "accept-encoding"), ["identity"], "{row}");
        for gone in ["range", "if-range", "if-match", "if-modified-since"] {
            assert_eq!(values(&lines, gone), [""; 0], "{row}: {gone}");
        }
    }
    let fields = format!("{TEXT}Content-Encoding: ");
    let broken = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nin";
    let rows = [
        (whole(TEXT, &vec![b'i'; 1001]), "upstream.too_large"),
        (
            whole(&format!("{fields}gzip\r\n"), &gzip(&vec![b'i'; 1 << 20])),
            "upstream.too_large",
        ),
        (
            whole(&format!("{fields}zstd\r\n"), b"in"),
            "upstream.not_understood",
        ),
        (
            whole(&format!("{fields}gzip, br\r\n"), b"in"),
            "upstream.not_understood",
        ),
        (
            whole(&format!("{fields}gzip\r\n"), b"in"),
            "upstream.not_understood",
        ),
    ];
    for (sent, code) in rows {
        house.upstream.behave(Behaviour::Answer(sent.into()));
        let answer = house.call().await;
        assert_eq!((answer.status, answer.code()), (502, code.to_owned()));
    }
    house
        .upstream
        .behave(Behaviour::BreakOff(broken.as_bytes().into()));
    assert_eq!(house.call().await.code(), "upstream.broken");
    // Other media types and messages without a body: only the head changes.
    let image = whole("Content-Type: image/png\r\n", b"in");
    house.upstream.behave(Behaviour::Answer(image.into()));
    let answer = house.call().await;
    assert_eq!(
        (&*answer.text(), answer.field("x-status")),
        ("in", Some("200"))
    );
    house
        .upstream
        .behave(Behaviour::Answer(upstream::answer(b"", TEXT)));
    assert_eq!(house.call().await.field("content-length"), Some("0"));
    let bare = b"HTTP/1.1 204 No Content\r\nContent-Type: text/plain\r\n\r\n";
    house
        .upstream
        .behave(Behaviour::Answer(bare.as_slice().into()));
    let answer = house.call().await;
    assert_eq!((answer.status, answer.field("content-length")), (204, None));
    // The length that HEAD announces would be wrong.
    let announced = format!("HTTP/1.1 200 OK\r\n{TEXT}{described}Content-Length: 9\r\n\r\n");
    house
        .upstream
        .behave(Behaviour::Answer(announced.into_bytes().into()));
    let answer = house.asked(&house.raw("HEAD", "", b"")).await;
    assert_eq!((answer.status, answer.field("content-length")), (200, None));
    assert_eq!(answer.field("digest"), None);
    let other = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 9\r\n\r\n";
    house
        .upstream
        .behave(Behaviour::Answer(other.as_bytes().into()));
    let answer = house.asked(&house.raw("HEAD", "", b"")).await;
    assert_eq!(answer.field("content-length"), Some("9"));
}

#[tokio::test]
async fn values_are_masked_with_any_status_and_expressions_read_json_alone() {
    let house = House::new().await;
    let house = house
        .with_operations(json!({ "response": [
            { "policy": "mask", "if": "response.status != 201", "paths": ["$.iban"] },
            set("x-a", "{{ body.a }}"),
        ] }))
        .await;
    let head = |status: &str, media_type: &str, bytes: usize| {
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {bytes}\r\n\r\n"
        )
    };
    let secret = r#"{"a":1,"iban":"DE02"}"#;
    for status in ["200 OK", "205 Reset Content", "404 Not Found"] {
        let sent = head(status, "application/json", secret.len()) + secret;
        house
            .upstream
            .behave(Behaviour::Answer(sent.into_bytes().into()));
        let answer = house.call().await;
        assert_eq!(&*answer.text(), r#"{"a":1}"#, "{status}");
        assert_eq!(answer.field("x-a"), Some("1"), "{status}");
    }
    let sent = head("200 OK", "text/plain", 4) + "DE02";
    house
        .upstream
        .behave(Behaviour::Answer(sent.into_bytes().into()));
    assert_eq!(house.call().await.code(), "upstream.not_understood");
    // No step reads it, so it streams: it is longer than steps read.
    let large = vec![b'i'; 2 << 20];
    let head = head("201 Created", "text/event-stream", large.len());
    let sent = [head.as_bytes(), &large].concat();
    house.upstream.behave(Behaviour::Answer(sent.into()));
    let answer = house.call().await;
    assert_eq!((answer.status, answer.body.len()), (201, large.len()));
    assert_eq!(answer.field("x-a"), None);
}

#[tokio::test]
async fn entity_tags_belong_to_the_revision() {
    let house = House::new().await;
    let policies = json!({ "operations": [
        { "operations": ["GET /pets"], "response": [replace()] },
    ] });
    let house = house.with_operations(policies.clone()).await;
    let tagged = |tag: &str| upstream::answer(b"in", &format!("{TEXT}ETag: {tag}\r\n"));
    let tag = async |sent: &str| {
        house.upstream.behave(Behaviour::Answer(tagged(sent)));
        house.call().await.field("etag").unwrap().to_owned()
    };
    let (strong, weak) = (tag("\"x\"").await, tag("W/\"x\"").await);
    assert!(
        strong.starts_with("\"x;r") && weak.starts_with("W/\"x;w"),
        "{strong} {weak}"
    );
    // The configuration of before is another revision.
    let again = json!({ "policies": policies, "body_bytes_max": 1_000_000 });
    house.redeploy(again).await;
    let (now, old) = (tag("\"x\"").await, strong);
    assert_ne!(now, old);
    let weakened = format!("W/{now}");
    let rows = [
        ("GET", "If-None-Match", now.clone(), Some("\"x\"")),
        ("GET", "If-None-Match", weakened.clone(), Some("\"x\"")),
        (
            "GET",
            "If-None-Match",
            format!("{old}, \"y\", {now}"),
            Some("\"x\""),
        ),
        ("GET", "If-None-Match", old.clone(), None),
        ("GET", "If-None-Match", "\"x\"".to_owned(), None),
        ("GET", "If-None-Match", "*".to_owned(), Some("*")),
        ("PUT", "If-Match", now.clone(), Some("\"x\"")),
        ("PUT", "If-Match", old.clone(), Some("\"x\"")),
        (
            "PUT",
            "If-Match",
            "\"z\", W/\"y\"".to_owned(),
            Some("\"z\", W/\"y\""),
        ),
        ("PUT", "If-None-Match", old.clone(), Some("\"x\"")),
        ("POST", "If-Match", weak.clone(), Some("W/\"x\"")),
    ];
    for (method, name, sent, expected) in rows {
        house.upstream.forget();
        let fields = format!("{name}: {sent}\r\nContent-Length: 0\r\n");
        house.asked(&house.raw(method, &fields, b"")).await;
        let expected: Vec<_> = expected.into_iter().collect();
        assert_eq!(
            values(&house.received(), name),
            expected,
            "{method} {name}: {sent}"
        );
    }
    // A response without a body has the tag that the caller knows, and no wrong length.
    let unchanged = "HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 2\r\n\r\n";
    house
        .upstream
        .behave(Behaviour::Answer(unchanged.as_bytes().into()));
    let fields = format!("If-None-Match: {now}\r\n");
    let answer = house.asked(&house.raw("GET", &fields, b"")).await;
    assert_eq!((answer.status, answer.field("etag")), (304, Some(&*now)));
    assert_eq!(answer.field("content-length"), None);
}

/// Reads a request with a body of this length, if that is known, and returns all of it.
async fn read_request(stream: &mut TcpStream, body_bytes: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let head_end = bytes.windows(4).position(|it| it == b"\r\n\r\n");
        if head_end.is_some_and(|at| bytes.len() >= at + 4 + body_bytes) {
            return bytes;
        }
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "closed");
    }
}

impl House {
    /// Deploys another upstream.
    async fn move_to(&self, listener: &TcpListener) {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let version = &self.api.version;
        self.admin.upstream(version, &url).await.unwrap();
        let revision = self.admin.revision(version).await.unwrap();
        self.admin.deploy(version, revision).await.unwrap();
    }
}

#[tokio::test]
async fn an_own_body_goes_again_on_a_closed_connection_once_and_whole() {
    // One worker, so that the second call uses the connection of the first.
    let house = House::with(&builder().set("gateway-workers", "1"), json!([])).await;
    let house = house
        .with_operations(json!({ "request": [replace()] }))
        .await;
    let expected = b"outer".repeat(100_000);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    house.move_to(&listener).await;
    let served = tokio::spawn({
        let expected = expected.len();
        async move {
            let (mut first, _) = listener.accept().await.unwrap();
            read_request(&mut first, 0).await;
            first
                .write_all(&upstream::answer(b"first", TEXT))
                .await
                .unwrap();
            // The connection is kept, and ends without an answer to the next request.
            read_request(&mut first, expected).await;
            drop(first);
            let (mut second, _) = listener.accept().await.unwrap();
            let received = read_request(&mut second, expected).await;
            second
                .write_all(&upstream::answer(b"once", TEXT))
                .await
                .unwrap();
            received
        }
    });
    assert_eq!(house.call().await.text(), "first");
    let body = b"in".repeat(100_000);
    let fields = format!("{TEXT}Content-Length: {}\r\n", body.len());
    let answer = house.asked(&house.raw("PUT", &fields, &body)).await;
    assert_eq!(answer.text(), "once");
    let received = served.await.unwrap();
    let head = received
        .strip_suffix(&*expected)
        .expect("the whole body, once");
    let head = std::str::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(head.starts_with("put ") && head.ends_with("\r\n\r\n"));
    assert_eq!(head.matches("content-length: 500000\r\n").count(), 1);
}

#[tokio::test]
async fn a_thousand_large_bodies_stay_within_the_bound() {
    const CALLERS: usize = 1_000;
    const BODY: usize = 1 << 20;
    let bound: usize = 16 << 20;
    let builder = builder()
        .set("gateway-buffered-bytes-max", &bound.to_string())
        // A thousand callers who send at once get far less than a body a second each.
        .set("gateway-body-idle-timeout-ms", "120000")
        .set("gateway-connections-per-address-max", "2000");
    let house = House::with(&builder, json!([])).await;
    let house = house
        .with_operations(json!({ "request": [replace()] }))
        .await;
    house.upstream.behave(Behaviour::text("hello"));
    let fields = format!("{TEXT}Content-Length: {BODY}\r\n");
    let request: std::sync::Arc<[u8]> = house.raw("POST", &fields, &vec![b'x'; BODY]).into();
    let before = house.tollgate.memory_kib().unwrap();
    let address = house.tollgate.gateway;
    let calls = (0..CALLERS).map(|_| {
        let request = std::sync::Arc::clone(&request);
        tokio::spawn(async move {
            let mut connection = Connection::open(address).await.unwrap();
            // A refusal may come before all was sent.
            let _ = connection.send(&request).await;
            let answer = tokio::time::timeout(Duration::from_secs(60), connection.answer(false));
            let answer = answer.await.expect("no call hangs");
            answer.map(|it| {
                (
                    it.status,
                    it.code(),
                    it.field("retry-after").map(str::to_owned),
                )
            })
        })
    });
    let calls: Vec<_> = calls.collect();
    let (mut good, mut busy) = (0, 0);
    for call in calls {
        match call.await.unwrap().expect("an answer") {
            (200, ..) => good += 1,
            (503, code, Some(_)) if code == "mediate.busy" => busy += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(good > 0 && good + busy == CALLERS, "{good} {busy}");
    let grown = house.tollgate.memory_kib().unwrap().saturating_sub(before);
    assert!(grown < 160 * 1024, "{grown} KiB for {good} calls");
    // All of the room is free again: as many as it has fit at once.
    let largest = (bound / 4 * 3) as u64;
    house
        .redeploy(json!({ "policies": { "request": [
            {
                "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }],
                "bytes_max": 10_485_760,
            },
        ] } }))
        .await;
    assert!(largest > 10 << 20);
    let body = vec![b'x'; 10 << 20];
    let fields = format!("{TEXT}Content-Length: {}\r\n", body.len());
    let request = house.raw("POST", &fields, &body);
    for _ in 0..3 {
        assert_eq!(house.asked(&request).await.status, 200);
    }
}

#[tokio::test]
async fn a_response_that_no_step_waits_for_streams() {
    const BODY: u64 = 1 << 30;
    let house = House::new().await;
    house
        .police(json!({ "response": [
            set("x-a", "1"),
            {
                "if": "response.status == 500",
                "policy": "replace_text", "pairs": [{ "from": "a", "to": "b" }],
            },
            replace(),
        ] }))
        .await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    house.move_to(&listener).await;
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 4096];
        let _ = stream.read(&mut head).await.unwrap();
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: {BODY}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let piece = vec![b'a'; 1 << 20];
        for _ in 0..BODY >> 20 {
            stream.write_all(&piece).await.unwrap();
        }
    });
    let before = house.tollgate.memory_kib().unwrap();
    let mut stream = TcpStream::connect(house.tollgate.gateway).await.unwrap();
    stream.write_all(&house.request()).await.unwrap();
    let mut room = vec![0; 1 << 20];
    let (mut read, mut most) = (0, 0);
    while read < BODY {
        let count = stream.read(&mut room).await.unwrap();
        assert!(count > 0, "closed after {read} bytes");
        if read >> 27 != (read + count as u64) >> 27 {
            most = most.max(house.tollgate.memory_kib().unwrap().saturating_sub(before));
        }
        read += count as u64;
    }
    assert!(most < 10 * 1024, "{most} KiB");
}
