//! Back ends over TLS: the verification of their certificates, and the reports of failures.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tollgate_testkit::tls::{Authority, TlsFront};
use tollgate_testkit::{Behaviour, http};

use super::wait_for_log_since;
use crate::house::{DOCUMENT, House, get};

/// Points the API at this back end.
async fn set_upstream(house: &House, upstream: Value) {
    house.redeploy(json!({ "upstream": upstream })).await;
}

fn at(address: SocketAddr, host: &str, ca: Option<&Authority>) -> Value {
    let url = format!("https://{host}:{}", address.port());
    json!({ "url": url, "ca": ca.map(Authority::pem), "connect_timeout_ms": 1_000 })
}

#[tokio::test]
async fn an_https_back_end_answers_and_its_sessions_are_resumed() {
    let house = House::new().await;
    let authority = Authority::new().unwrap();
    let certified = authority.certify(&["localhost"], 2040).unwrap();
    let front = TlsFront::start(house.upstream.address(), &certified)
        .await
        .unwrap();
    house.upstream.behave(Behaviour::Echo);
    set_upstream(&house, at(front.address(), "localhost", Some(&authority))).await;
    let key = ("apikey", house.consumer.key.as_str());
    let mut connection = tollgate_testkit::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    for bytes in [1, 1024, 100 * 1024, 1 << 20] {
        let body = vec![b'x'; bytes];
        let request = http::request("POST", "/pets/1.0/pets", &[key], &body);
        let answer = connection.exchange(&request).await.unwrap();
        assert_eq!((answer.status, answer.body == body), (200, true), "{bytes}");
    }
    // One connection carried all of them.
    assert_eq!(front.handshakes(), (1, 0));
    let host = format!("\r\nhost: localhost:{}\r\n", front.address().port());
    let received = house.upstream.received().concat();
    assert!(String::from_utf8_lossy(&received).contains(&host));
    // The back end closes each of these, so that the next call opens a new one.
    let closing = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";
    house
        .upstream
        .behave(Behaviour::BreakOff(closing.as_slice().into()));
    for _ in 0..8 {
        assert_eq!(house.call().await.status, 200);
    }
    let (full, resumed) = front.handshakes();
    // A worker may start before the other has a ticket.
    assert!(full <= 3 && resumed >= 5, "{full} full, {resumed} resumed");
}

#[tokio::test]
async fn a_back_end_with_an_invalid_certificate_gets_nothing() {
    let house = House::new().await;
    let (authority, other) = (Authority::new().unwrap(), Authority::new().unwrap());
    let plain = house.upstream.address();
    let good = authority.certify(&["localhost"], 2040).unwrap();
    let good = TlsFront::start(plain, &good).await.unwrap();
    let expired = authority.certify(&["localhost"], 2021).unwrap();
    let expired = TlsFront::start(plain, &expired).await.unwrap();
    let elsewhere = authority.certify(&["elsewhere.example"], 2040).unwrap();
    let elsewhere = TlsFront::start(plain, &elsewhere).await.unwrap();
    for (index, upstream, cause) in [
        (
            0,
            at(expired.address(), "localhost", Some(&authority)),
            "expired",
        ),
        (
            1,
            at(elsewhere.address(), "localhost", Some(&authority)),
            "not valid for name",
        ),
        (
            2,
            at(good.address(), "127.0.0.1", Some(&authority)),
            "not valid for name",
        ),
        (
            3,
            at(good.address(), "localhost", Some(&other)),
            "UnknownIssuer",
        ),
        // The system does not trust our authority.
        (4, at(good.address(), "localhost", None), "UnknownIssuer"),
    ] {
        // One version each: a second failure of the same version is logged only after a while.
        let request = publish(&house, index, upstream).await;
        let before = house.tollgate.said().len();
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        let code = answer.code();
        assert_eq!(
            (answer.status, code.as_str()),
            (502, "upstream.certificate")
        );
        wait_for_log_since(&house.tollgate, before, cause).await;
    }
    assert_eq!(house.upstream.received().concat(), b"", "nothing was sent");
    let good = at(good.address(), "localhost", Some(&authority));
    let request = publish(&house, 5, good).await;
    let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
    assert_eq!(answer.status, 200);
}

/// Publishes an API with this upstream; returns a call of it.
async fn publish(house: &House, index: usize, upstream: Value) -> Vec<u8> {
    let (admin, context) = (&house.admin, format!("/api{index}"));
    let api = admin
        .import(&context, &context, "1.0", DOCUMENT)
        .await
        .unwrap();
    let path = format!("/api/v1/versions/{}/draft", api.version);
    let change = json!({ "upstream": upstream });
    admin.done("PATCH", &path, Some(&change)).await.unwrap();
    admin.attach(&api.version, &["tested"]).await.unwrap();
    admin.lifecycle(&api.version, "published").await.unwrap();
    let application = &house.consumer.application;
    admin
        .subscribe(application, &api.version, "tested")
        .await
        .unwrap();
    get(&format!("{context}/1.0/pets"), &house.consumer.key)
}

#[tokio::test]
async fn an_upstream_without_tls_is_not_connected() {
    let house = House::new().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let resetting = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (hangs, resets) = (
        silent.local_addr().unwrap(),
        resetting.local_addr().unwrap(),
    );
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = resetting.accept().await {
            drop(stream.write_all(b"\x16\x03\x03").await);
            drop(stream.set_zero_linger());
        }
    });
    for address in [house.upstream.address(), resets, hangs] {
        set_upstream(&house, at(address, "localhost", None)).await;
        let answer = house.call().await;
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (502, "upstream.connect")
        );
    }
    drop(silent);
}

#[tokio::test]
async fn verification_can_be_disabled_and_that_is_reported() {
    let house = House::new().await;
    let authority = Authority::new().unwrap();
    let certified = authority.certify(&["elsewhere.example"], 2021).unwrap();
    let front = TlsFront::start(house.upstream.address(), &certified)
        .await
        .unwrap();
    let url = format!("https://localhost:{}", front.address().port());
    set_upstream(&house, json!({ "url": url, "verify_certificate": false })).await;
    assert_eq!(house.call().await.status, 200);
    let path = format!("/api/v1/versions/{}", house.api.version);
    let version = house.admin.done("GET", &path, None).await.unwrap();
    assert_eq!(version["has_unverified_upstream"], true, "{version}");
    let path = format!("/api/v1/apis/{}/versions", house.api.api);
    let listed = house.admin.done("GET", &path, None).await.unwrap();
    let listed = &listed["items"][0]["has_unverified_upstream"];
    assert_eq!(*listed, true, "{listed}");
    let (_, builder) = house.tollgate.terminate().unwrap();
    let again = builder.start().unwrap();
    let line = "does not check the certificate of its upstream";
    assert!(again.said().contains(line), "{}", again.said());
}

#[tokio::test]
async fn an_upstream_that_cannot_be_verified_is_refused_when_saved() {
    let house = House::new().await;
    let path = format!("/api/v1/versions/{}/draft", house.api.version);
    let authority = Authority::new().unwrap();
    for (upstream, pointer, code) in [
        (
            json!({ "url": "http://a", "ca": authority.pem() }),
            "/upstream/ca",
            "upstream.ca",
        ),
        (
            json!({ "url": "https://a", "ca": "no PEM" }),
            "/upstream/ca",
            "upstream.ca",
        ),
        (
            json!({ "url": "https://a", "ca": authority.pem(), "verify_certificate": false }),
            "/upstream/ca",
            "upstream.ca",
        ),
        (
            json!({ "url": "http://a", "verify_certificate": false }),
            "/upstream/verify_certificate",
            "upstream.ca",
        ),
        (
            json!({ "url": "https://-a-.example" }),
            "/upstream/url",
            "upstream.url",
        ),
        (json!({ "url": "ftp://a" }), "/upstream/url", "upstream.url"),
    ] {
        let change = json!({ "upstream": upstream });
        let answer = house
            .admin
            .send("PATCH", &path, Some(&change))
            .await
            .unwrap();
        let text = answer.text();
        assert_eq!(answer.status, 422, "{text}");
        assert!(text.contains(pointer) && text.contains(code), "{text}");
    }
}

#[tokio::test]
async fn a_response_that_ends_with_its_connection_is_complete_only_after_close_notify() {
    let house = House::new().await;
    let authority = Authority::new().unwrap();
    let certified = authority.certify(&["localhost"], 2040).unwrap();
    let plain = house.upstream.address();
    let answer = b"HTTP/1.1 200 OK\r\n\r\nall of it";
    house
        .upstream
        .behave(Behaviour::BreakOff(answer.as_slice().into()));
    let whole = TlsFront::start(plain, &certified).await.unwrap();
    set_upstream(&house, at(whole.address(), "localhost", Some(&authority))).await;
    assert_eq!(house.call().await.text(), "all of it");
    let cut = TlsFront::cutting(plain, &certified).await.unwrap();
    set_upstream(&house, at(cut.address(), "localhost", Some(&authority))).await;
    let answer = http::call(house.tollgate.gateway, &house.request()).await;
    assert!(answer.is_err(), "taken for whole: {answer:?}");
}
