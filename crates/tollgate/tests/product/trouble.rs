//! Misbehaving upstreams and hostile callers: each gets a clear response, and the process survives.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::timeout;
use tollgate_testkit::{Behaviour, Connection, http, upstream, wire};

use crate::house::House;
use crate::start::counted;

/// Timeout on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn the_caller_learns_that_an_upstream_refuses_hangs_or_breaks_off() {
    let house = House::new().await;
    let version = &house.api.version;
    let path = format!("/api/v1/versions/{version}/draft");
    let change = json!({ "upstream": { "first_byte_timeout_ms": 300 } });
    house
        .admin
        .done("PATCH", &path, Some(&change))
        .await
        .unwrap();
    let revision = house.admin.revision(version).await.unwrap();
    house.admin.deploy(version, revision).await.unwrap();

    house.upstream.behave(Behaviour::Hang);
    let answer = house.call().await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (504, "upstream.timeout")
    );

    // One more than an upstream may send.
    let interim = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(17);
    let interim = format!("{interim}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").into_bytes();
    let broken: [&[u8]; 6] = [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        // Nothing was sent to the caller yet: the refusal can replace the response.
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
        &interim,
    ];
    for bytes in broken {
        house.upstream.behave(Behaviour::BreakOff(bytes.into()));
        let answer = house.call().await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (502, "upstream.broken")
        );
    }

    // The head was sent: the caller must detect that the body is incomplete.
    let half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".as_slice();
    house.upstream.behave(Behaviour::BreakOff(half.into()));
    let cut = http::call(house.tollgate.gateway, &house.request()).await;
    assert!(format!("{:#}", cut.unwrap_err()).contains("closed after 4 of 100 bytes"));

    let refusing = format!("http://{}", upstream::refusing().unwrap());
    house.admin.upstream(version, &refusing).await.unwrap();
    let revision = house.admin.revision(version).await.unwrap();
    house.admin.deploy(version, revision).await.unwrap();
    let answer = house.call().await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (502, "upstream.connect")
    );

    house.admin.deploy(version, 1).await.unwrap();
    house.upstream.behave(Behaviour::text("well again"));
    assert_eq!(house.call().await.text(), "well again");
}

#[tokio::test]
async fn an_upstream_that_sends_only_interim_responses_times_out_once() {
    let house = House::new().await;
    let version = &house.api.version;
    let path = format!("/api/v1/versions/{version}/draft");
    let change = json!({ "upstream": { "first_byte_timeout_ms": 1_000 } });
    house
        .admin
        .done("PATCH", &path, Some(&change))
        .await
        .unwrap();
    let revision = house.admin.revision(version).await.unwrap();
    house.admin.deploy(version, revision).await.unwrap();

    let interim = b"HTTP/1.1 102 Processing\r\n\r\n".as_slice();
    let time = Duration::from_millis(600);
    house
        .upstream
        .behave(Behaviour::Repeat(time, interim.into()));
    let answer = house.call().await;
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (504, "upstream.timeout")
    );
}

#[tokio::test]
async fn hostile_bytes_get_one_refusal_and_never_reach_the_upstream() {
    let house = House::new().await;
    let key = &house.consumer.key;
    let head = format!("Host: x\r\napikey: {key}\r\n");
    let smuggled = "GET /admin HTTP/1.1\r\nHost: x\r\n\r\n";
    let rows = [
        (
            format!(
                "POST /pets/1.0/pets HTTP/1.1\r\n{head}Content-Length: 5\r\n\
            Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{smuggled}"
            ),
            400,
        ),
        (
            format!(
                "POST /pets/1.0/pets HTTP/1.1\r\n{head}Content-Length: 5\r\n\
            Content-Length: 6\r\n\r\nhello{smuggled}"
            ),
            400,
        ),
        (
            format!(
                "POST /pets/1.0/pets HTTP/1.1\r\n{head}Transfer-Encoding: chunked, gzip\r\n\r\n\
            0\r\n\r\n{smuggled}"
            ),
            400,
        ),
        (
            format!("GET /pets/1.0/pets HTTP/1.1\nHost: x\napikey: {key}\n\n"),
            400,
        ),
        (
            format!("GET /pets/1.0/pets HTTP/1.1\r\n{head}X: a\r\n b\r\n\r\n"),
            400,
        ),
        (format!("GET /pets/1.0/pets HTTP/2.0\r\n{head}\r\n"), 505),
        (
            format!("GET /{} HTTP/1.1\r\n{head}\r\n", "a".repeat(9_000)),
            414,
        ),
        (
            format!(
                "GET /pets/1.0/pets HTTP/1.1\r\n{head}X: {}\r\n\r\n",
                "a".repeat(1 << 20)
            ),
            431,
        ),
        (
            format!(
                "GET /pets/1.0/pets HTTP/1.1\r\n{head}{}\r\n",
                "X: a\r\n".repeat(101)
            ),
            431,
        ),
    ];
    for (bytes, status) in rows {
        let quiet = Duration::from_secs(20);
        let reply = wire::send(house.tollgate.gateway, bytes.as_bytes(), quiet)
            .await
            .unwrap();
        let first_line = bytes.lines().next().unwrap_or_default();
        let shown: String = first_line.chars().take(80).collect();
        assert_eq!(
            (reply.statuses(), reply.closed),
            (vec![status], true),
            "{shown}"
        );
    }
    assert_eq!(house.upstream.received().concat(), b"");
    assert_eq!(house.call().await.status, 200);
}

#[tokio::test]
async fn invalid_requests_to_the_control_plane_get_codes() {
    let house = House::new().await;
    let send = async |method: &str, path: &str, body: &str| {
        let path = format!("/api/v1{path}");
        let answer = house
            .admin
            .send_bytes(method, &path, "application/json", body.as_bytes());
        let answer = answer.await.unwrap();
        (answer.status, answer.code())
    };
    let bomb = (0..9).fold("a: &a0 [x]\n".to_owned(), |text, level| {
        let next = level + 1;
        let list = format!("*a{level},").repeat(9);
        format!("{text}b{level}: &a{next} [{list}]\n")
    });
    let large = format!(
        "openapi: 3.0.3\ninfo: {{ title: {} }}\n",
        "x".repeat(17 << 20)
    );
    for (method, path, body, expected) in [
        ("POST", "/plans", "{", 400),
        ("POST", "/plans", r#"{"name": "p", "colour": "red"}"#, 422),
        ("POST", "/plans", r#"{"name": "p"}"#, 422),
        (
            "POST",
            "/plans",
            r#"{"name": "tested", "unlimited": true}"#,
            409,
        ),
        (
            "POST",
            "/apis",
            r#"{"name": "Y", "context": "/pets/x", "version": "1"}"#,
            409,
        ),
        (
            "POST",
            "/apis/import?context=/x&version=1&name=X",
            "not: openapi",
            422,
        ),
        (
            "POST",
            "/apis/import?context=/x&version=1&name=X",
            &bomb,
            422,
        ),
        (
            "POST",
            "/apis/import?context=/x&version=1&name=X",
            &large,
            413,
        ),
        ("GET", "/apis/api_00000000001", "", 404),
        ("GET", "/nothing", "", 404),
    ] {
        let (status, code) = send(method, path, body).await;
        let shown: String = body.chars().take(60).collect();
        assert_eq!(status, expected, "{method} {path} {shown}: {code}");
        assert!(!code.is_empty(), "{method} {path} {shown}");
    }
    let listed = house.admin.done("GET", "/api/v1/apis", None).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(house.call().await.status, 200);
}

#[tokio::test]
async fn a_full_disk_refuses_whole_writes_and_stops_neither_calls_nor_usage() {
    let house = House::new().await;
    house.tollgate.file_bytes_max(Some(4_096)).unwrap();
    for name in ["one", "two"] {
        let body = json!({ "name": name, "context": format!("/{name}"), "version": "1" });
        let answer = house
            .admin
            .send("POST", "/api/v1/apis", Some(&body))
            .await
            .unwrap();
        assert!(answer.status >= 500, "{} {}", answer.status, answer.text());
        assert!(!answer.code().is_empty(), "{}", answer.text());
    }
    for _ in 0..5 {
        assert_eq!(house.call().await.status, 200);
    }
    tokio::time::sleep(Duration::from_secs(4)).await;

    house.tollgate.file_bytes_max(None).unwrap();
    let body = json!({ "name": "one", "context": "/one", "version": "1" });
    house
        .admin
        .done("POST", "/api/v1/apis", Some(&body))
        .await
        .unwrap();
    let listed = house.admin.done("GET", "/api/v1/apis", None).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    let usage = counted(&house.admin, 5).await;
    assert_eq!(usage["losses"], json!([]));
}

#[tokio::test]
async fn a_stop_that_cannot_write_usage_fails_and_the_next_start_reports_the_loss() {
    let house = House::new().await;
    house.tollgate.file_bytes_max(Some(4_096)).unwrap();
    assert_eq!(house.call().await.status, 200);
    let (status, builder) = house.tollgate.terminate().unwrap();
    assert_eq!(status.code(), Some(1));

    let tollgate = builder.start().unwrap();
    let admin = house.admin.at(tollgate.control);
    let usage = admin.done("GET", "/api/v1/usage", None).await.unwrap();
    assert_eq!(usage["losses"][0]["reason"], "unclean_stop", "{usage}");
}

#[tokio::test]
async fn calls_that_wait_for_their_upstream_delay_no_other() {
    // Far more than a worker begins without giving the others their turn.
    const WAITING: usize = 400;
    let house = House::new().await;
    house.upstream.behave(Behaviour::Hang);
    let mut waiting = Vec::new();
    for _ in 0..WAITING {
        let mut call = Connection::open(house.tollgate.gateway).await.unwrap();
        call.send(&house.request()).await.unwrap();
        waiting.push(call);
    }
    let begun = Instant::now();
    loop {
        let status = house.admin.done("GET", "/api/v1/status", None).await;
        let calls = status.unwrap()["gateways"][0]["calls"].clone();
        if calls == json!(WAITING) {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{calls} of {WAITING} calls");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    house.upstream.behave(Behaviour::text("at once"));
    let mut others = Vec::new();
    for _ in 0..WAITING {
        let mut other = Connection::open(house.tollgate.gateway).await.unwrap();
        // Three at once: a connection has a turn for each of its requests.
        other.send(&house.request().repeat(3)).await.unwrap();
        others.push(other);
    }
    for other in &mut others {
        for _ in 0..3 {
            let answer = timeout(PATIENCE, other.answer(false)).await;
            assert_eq!(answer.unwrap().unwrap().text(), "at once");
        }
    }
    for call in &mut waiting {
        let (output, has_ended) = call.until_quiet(Duration::ZERO).await;
        assert!(!has_ended && output.is_empty(), "{output:?}");
    }
}
