//! HTTPS for callers and the control plane, and the certificates of both listeners.
//!
//! - `upstreams.rs`: back ends over TLS; `protocol.rs`: accepted and rejected protocols;
//!   `alone/attack/tls.rs`: endless handshakes and other attacks

mod protocol;
mod upstreams;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ClientConfig;
use serde_json::{Value, json};
use tollgate_testkit::tls::{self, Authority, Certified};
use tollgate_testkit::{Behaviour, Builder, Tollgate, http};

use crate::example::paste;
use crate::house::{House, builder, first_start, get};
use crate::start::{counted, sentence};

/// A client that trusts the authority of a data directory.
pub(crate) fn client(data: &Path) -> Arc<ClientConfig> {
    let authority = std::fs::read_to_string(data.join("ca.crt")).unwrap();
    tls::trusting(&authority).unwrap()
}

pub(crate) fn secured() -> Builder {
    first_start().secured().unwrap()
}

fn write(folder: &Path, name: &str, pair: &Certified) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(format!("{name}.key")), &pair.key).unwrap();
    std::fs::write(folder.join(format!("{name}.crt")), &pair.certificate).unwrap();
}

#[tokio::test]
async fn the_printed_line_works_when_pasted() {
    let builder = builder().flag("--example").secured().unwrap();
    let tollgate = builder.start().unwrap();
    let [plain, secure] = &tollgate.curls[..] else {
        panic!("{:?}", tollgate.curls);
    };
    assert!(
        plain.contains("http://") && secure.contains(" https://"),
        "{secure}"
    );
    for line in [plain, secure] {
        assert_eq!(paste(line).0, "200", "{line}");
    }
    // A token instead of the key.
    let asking = tollgate.token_curl.as_ref().unwrap();
    assert!(asking.contains(" https://"), "{asking}");
    let (status, granted) = paste(asking);
    assert_eq!(status, "200", "{granted}");
    let granted: Value = serde_json::from_str(&granted).unwrap();
    let token = granted["access_token"].as_str().unwrap();
    for line in [plain, secure] {
        let key = line.split('\'').find(|it| it.starts_with("apikey: "));
        let with =
            |token: &str| line.replace(key.unwrap(), &format!("Authorization: Bearer {token}"));
        assert_eq!(paste(&with(token)).0, "200", "{line}");
        let (cut, _) = token.rsplit_once('.').unwrap();
        assert_eq!(paste(&with(&format!("{cut}.AAAA"))).0, "401", "{line}");
    }
    let again = builder.command(&["certificates"]).unwrap();
    assert!(String::from_utf8_lossy(&again.stdout).contains("already exists"));
    let mode = |name: &str| {
        let data = std::fs::metadata(builder.data().join(name)).unwrap();
        std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o777
    };
    assert_eq!((mode(""), mode("ca.key")), (0o700, 0o600));
    assert_eq!(mode("certificates/localhost.key"), 0o600);
    // Another address gets another certificate, issued by the same authority, which is loaded.
    let more = builder
        .command(&["certificates", "localhost", "127.0.0.2"])
        .unwrap();
    assert!(
        String::from_utf8_lossy(&more.stdout)
            .contains("for localhost, 127.0.0.2; clients trust it")
    );
    let config = client(&builder.data());
    let address = tollgate.https.gateway.unwrap();
    let begun = Instant::now();
    while tls::connect(address, "127.0.0.2", &config).await.is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "it is not loaded"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Half an authority is not replaced silently.
    std::fs::remove_file(builder.data().join("ca.key")).unwrap();
    let half = sentence(&builder.command(&["certificates", "other.test"]).unwrap());
    assert!(half.contains("only one of "), "{half}");
}

#[tokio::test]
async fn x_forwarded_proto_is_https_for_calls_over_https() {
    let builder = secured();
    let house = House::with(&builder, json!([])).await;
    house.upstream.behave(Behaviour::Echo);
    let address = house.tollgate.https.gateway.unwrap();
    let mut connection = tls::connect(address, "localhost", &client(&builder.data()))
        .await
        .unwrap();
    for bytes in [0, 1, 100 * 1024, 1 << 20] {
        let body = vec![b'x'; bytes];
        let key = ("apikey", house.consumer.key.as_str());
        let request = http::request("POST", "/pets/1.0/pets", &[key], &body);
        let answer = connection.exchange(&request).await.unwrap();
        assert_eq!((answer.status, answer.body == body), (200, true), "{bytes}");
    }
    let received = house.upstream.received().concat();
    let received = String::from_utf8_lossy(&received);
    assert!(
        received.contains("x-forwarded-proto: https\r\n"),
        "{received:.300}"
    );
    let mut by_address = tls::connect(address, "127.0.0.1", &client(&builder.data()))
        .await
        .unwrap();
    let answer = by_address.exchange(&house.request()).await.unwrap();
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_session_belongs_to_the_scheme_that_it_was_started_with() {
    let builder = secured();
    let tollgate = builder.start().unwrap();
    let (name, password) = tollgate.password.clone().unwrap();
    let body = json!({ "name": name, "password": password }).to_string();
    let json_type = ("Content-Type", "application/json");
    let sign_in = http::request("POST", "/api/v1/session", &[json_type], body.as_bytes());
    let plain = http::call(tollgate.control, &sign_in).await.unwrap();
    let cookie = plain.field("set-cookie").unwrap();
    assert!(
        cookie.starts_with("tollgate_session=") && !cookie.contains("Secure"),
        "{cookie}"
    );

    let address = tollgate.https.control.unwrap();
    let config = client(&builder.data());
    let mut control = tls::connect(address, "localhost", &config).await.unwrap();
    let secure = control.exchange(&sign_in).await.unwrap();
    assert_eq!(secure.status, 201, "{}", secure.text());
    assert_eq!(secure.field("strict-transport-security"), None);
    let cookie = secure.field("set-cookie").unwrap();
    assert!(cookie.starts_with("__Secure-tollgate_session=") && cookie.ends_with("; Secure"));
    let pair = |answer: &tollgate_testkit::Answer| {
        let cookie = answer.field("set-cookie").unwrap_or_default();
        cookie.split(';').next().unwrap_or_default().to_owned()
    };
    let (plain, secure) = (pair(&plain), pair(&secure));
    let session =
        |cookie: &str| http::request("GET", "/api/v1/session", &[("Cookie", cookie)], b"");
    for (cookie, by_http, by_https) in [(&plain, 200, 401), (&secure, 401, 200)] {
        let answer = http::call(tollgate.control, &session(cookie))
            .await
            .unwrap();
        assert_eq!(answer.status, by_http, "{cookie}");
        let answer = control.exchange(&session(cookie)).await.unwrap();
        assert_eq!(answer.status, by_https, "{cookie}");
    }
}

#[tokio::test]
async fn a_new_certificate_takes_effect_soon_and_no_connection_is_dropped() {
    let authority = Authority::new().unwrap();
    let builder = builder();
    let folder = builder.data().join("certificates");
    write(
        &folder,
        "default",
        &authority.certify(&["old.example"], 2040).unwrap(),
    );
    let builder = builder
        .set("gateway-https-listen", "127.0.0.1:0")
        .set("control-https-listen", "127.0.0.1:0");
    let house = House::with(&builder, json!([])).await;
    let address = house.tollgate.https.gateway.unwrap();
    let config = tls::trusting(authority.pem()).unwrap();
    let mut old = tls::connect(address, "old.example", &config).await.unwrap();
    assert_eq!(old.exchange(&house.request()).await.unwrap().status, 200);

    write(
        &folder,
        "default",
        &authority.certify(&["new.example"], 2040).unwrap(),
    );
    let changed = Instant::now();
    let both = [address, house.tollgate.https.control.unwrap()];
    for address in both {
        while tls::connect(address, "new.example", &config).await.is_err() {
            assert!(
                changed.elapsed() < Duration::from_secs(30),
                "it is not loaded"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    assert_eq!(old.exchange(&house.request()).await.unwrap().status, 200);

    // A certificate that expires within days is reported in the log and in the readiness.
    let soon = authority.certify_for(&["new.example"], Duration::from_secs(24 * 3600));
    write(&folder, "default", &soon.unwrap());
    wait_for_log(&house.tollgate, "(for new.example) expires on").await;
    let ready = http::request("GET", "/readyz", &[], b"");
    let ready = http::call(house.tollgate.control, &ready)
        .await
        .unwrap()
        .text();
    assert!(
        ready.starts_with("ok\n") && ready.contains("(for new.example) expires on"),
        "{ready}"
    );

    // A key that does not match, and an expired certificate: one line each, the current pair stays.
    let other = authority.certify(&["other.example"], 2040).unwrap();
    std::fs::write(folder.join("default.key"), &other.key).unwrap();
    wait_for_log(&house.tollgate, "does not match the certificate").await;
    write(
        &folder,
        "default",
        &authority.certify(&["other.example"], 2021).unwrap(),
    );
    wait_for_log(&house.tollgate, "(for other.example) expired on").await;
    for address in both {
        assert!(tls::connect(address, "new.example", &config).await.is_ok());
    }
    assert_eq!(old.exchange(&house.request()).await.unwrap().status, 200);
}

/// Waits until the process has logged this text.
pub(crate) async fn wait_for_log(tollgate: &Tollgate, text: &str) {
    wait_for_log_since(tollgate, 0, text).await;
}

/// Waits until the process has logged this text after the first `before` bytes.
async fn wait_for_log_since(tollgate: &Tollgate, before: usize, text: &str) {
    let begun = Instant::now();
    while !tollgate.said()[before..].contains(text) {
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "not logged: {text:?}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn an_https_address_without_a_certificate_ends_the_start_with_one_sentence() {
    let builder = builder().set("gateway-https-listen", "127.0.0.1:0");
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(
        message.contains("`tollgate certificates` creates"),
        "{message}"
    );
    std::fs::create_dir_all(builder.data().join("certificates")).unwrap();
    let message = sentence(&builder.command(&["run"]).unwrap());
    assert!(
        message.contains("contains no certificate with its key"),
        "{message}"
    );
    let elsewhere = builder.set("gateway-certificates", "/nowhere");
    let message = sentence(&elsewhere.command(&["run"]).unwrap());
    assert!(message.starts_with("cannot read /nowhere"), "{message}");
}

#[tokio::test]
async fn plain_listeners_can_be_disabled() {
    let builder = secured()
        .set("gateway-listen", "")
        .set("control-listen", "");
    let tollgate = builder.start().unwrap();
    assert_eq!((tollgate.gateway.port(), tollgate.control.port()), (0, 0));
    let config = client(&builder.data());
    let call = async |address, target: &str| {
        let mut connection = tls::connect(address, "localhost", &config).await.unwrap();
        connection.exchange(&get(target, "none")).await.unwrap()
    };
    assert_eq!(
        call(tollgate.https.control.unwrap(), "/readyz")
            .await
            .status,
        200
    );
    assert_eq!(
        call(tollgate.https.gateway.unwrap(), "/none").await.code(),
        "route.no_api"
    );
}

#[tokio::test]
async fn plain_requests_are_redirected_where_configured() {
    let builder = secured()
        .set("gateway-http-redirects", "true")
        .set("control-http-redirects", "true")
        .set("control-hsts", "true")
        .set("gateway-health-path", "/health");
    // The setup uses plain HTTP.
    let open = builder.clone().set("control-http-redirects", "false");
    let house = House::with(&open, json!([])).await;
    let (gateway, https) = (
        house.tollgate.gateway,
        house.tollgate.https.gateway.unwrap(),
    );
    let sent_on = http::call(gateway, &get("/pets/1.0/pets?a=%20", "key"))
        .await
        .unwrap();
    let location = format!("https://127.0.0.1:{}/pets/1.0/pets?a=%20", https.port());
    assert_eq!(sent_on.status, 308);
    assert_eq!(sent_on.field("location"), Some(location.as_str()));
    assert_eq!(sent_on.body, b"");
    // A client that is not a trusted proxy cannot claim HTTPS.
    let forged = [("X-Forwarded-Proto", "https")];
    let request = http::request("GET", "/pets/1.0/pets", &forged, b"");
    assert_eq!(http::call(gateway, &request).await.unwrap().status, 308);
    let health = http::request("GET", "/health", &[], b"");
    let plain = http::call(gateway, &health).await.unwrap();
    assert_eq!((plain.status, plain.text().as_str()), (200, "ok\n"));
    let config = client(&builder.data());
    let mut secure = tls::connect(https, "localhost", &config).await.unwrap();
    assert_eq!(secure.exchange(&health).await.unwrap().status, 200);
    assert_eq!(secure.exchange(&house.request()).await.unwrap().status, 200);
    // Only the last one is a call.
    counted(&house.admin, 1).await;

    let (_, _) = house.tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    let https = tollgate.https.control.unwrap();
    let session = http::request("GET", "/api/v1/session", &[], b"");
    let sent_on = http::call(tollgate.control, &session).await.unwrap();
    let location = format!("https://127.0.0.1:{}/api/v1/session", https.port());
    assert_eq!(
        (sent_on.status, sent_on.field("location")),
        (308, Some(location.as_str()))
    );
    assert_eq!(sent_on.field("strict-transport-security"), None);
    let probe = http::request("GET", "/readyz", &[], b"");
    assert_eq!(
        http::call(tollgate.control, &probe).await.unwrap().status,
        200
    );
    let mut control = tls::connect(https, "localhost", &config).await.unwrap();
    let answer = control.exchange(&session).await.unwrap();
    assert_eq!(answer.status, 401);
    assert_eq!(
        answer.field("strict-transport-security"),
        Some("max-age=31536000")
    );
}

#[tokio::test]
async fn a_trusted_proxy_determines_the_scheme() {
    let proxied = first_start().set("control-trusted-proxies", "127.0.0.1");
    for (builder, name) in [
        (proxied, "__Secure-tollgate_session="),
        (first_start(), "tollgate_session="),
    ] {
        let tollgate = builder.start().unwrap();
        let (user, password) = tollgate.password.clone().unwrap();
        let body = json!({ "name": user, "password": password }).to_string();
        let fields = [
            ("Content-Type", "application/json"),
            ("X-Forwarded-Proto", "http, https"),
        ];
        let sign_in = http::request("POST", "/api/v1/session", &fields, body.as_bytes());
        let answer = http::call(tollgate.control, &sign_in).await.unwrap();
        let cookie = answer.field("set-cookie").unwrap();
        assert!(cookie.starts_with(name), "{cookie}");
    }
}

#[tokio::test]
async fn a_contract_contains_the_requested_listener() {
    let builder = secured();
    let house = crate::soap::House::with(&builder).await;
    let (plain, https) = (
        house.tollgate.gateway,
        house.tollgate.https.gateway.unwrap(),
    );
    let request = http::request("GET", "/orders/1.0?wsdl", &[], b"");
    let by_http = http::call(plain, &request).await.unwrap();
    let config = client(&builder.data());
    let mut secure = tls::connect(https, "localhost", &config).await.unwrap();
    let by_https = secure.exchange(&request).await.unwrap();
    for (answer, url) in [
        (&by_http, format!("\"http://{plain}/orders/1.0\"")),
        (&by_https, format!("\"https://{https}/orders/1.0\"")),
    ] {
        assert!(answer.text().contains(&url), "{url}: {}", answer.text());
        assert!(!answer.text().contains(".invalid"));
    }
    assert_ne!(by_http.field("etag"), by_https.field("etag"));
    let known = [("If-None-Match", by_https.field("etag").unwrap())];
    let again = http::request("GET", "/orders/1.0?wsdl", &known, b"");
    assert_eq!(secure.exchange(&again).await.unwrap().status, 304);
    // The control plane prefers HTTPS of the two.
    let path = format!("/api/v1/versions/{}/document", house.api.version);
    let document = house.admin.send("GET", &path, None).await.unwrap();
    assert!(
        document
            .text()
            .contains(&format!("\"https://{https}/orders/1.0\""))
    );
}
