//! Number 4: the control plane's cookie reaches no upstream, although a browser that calls a
//! gateway on the same host sends it there, whatever path it was set for; and no upstream can set
//! it.

use serde_json::json;
use tollgate_testkit::control::PASSWORD;
use tollgate_testkit::{Behaviour, Control, Tollgate, Upstream, http};

use crate::house::{House, builder};
use crate::{soap, tls};

/// Signs in like a browser; returns the fields that set cookies.
async fn sign_in(tollgate: &Tollgate) -> Vec<String> {
    let credentials = json!({ "name": "administrator", "password": PASSWORD });
    let stranger = Control::stranger(tollgate.control);
    let answer = stranger.send("POST", "/api/v1/session", Some(&credentials));
    let fields = answer.await.unwrap().fields.into_iter();
    let cookies = fields.filter(|(name, _)| name == "set-cookie");
    cookies.map(|(_, value)| value).collect()
}

/// Calls with each of these `Cookie` lines and compares those at the upstream with `expected`.
async fn assert_cookies(
    (tollgate, upstream): (&Tollgate, &Upstream),
    (method, target, key, body): (&str, &str, &str, &str),
    rows: &[(&[&str], &[&str])],
) {
    for (sent, expected) in rows {
        upstream.forget();
        let mut fields = vec![("apikey", key), ("Content-Type", "text/xml")];
        fields.extend(sent.iter().map(|value| ("Cookie", *value)));
        fields.push(("After", "1"));
        let request = http::request(method, target, &fields, body.as_bytes());
        http::call(tollgate.gateway, &request).await.unwrap();
        let received = upstream.received().concat();
        let head = String::from_utf8_lossy(&received);
        assert!(!head.contains("secret") && !head.is_empty(), "{head}");
        let lines = head.split("\r\n").filter_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("cookie").then_some(value)
        });
        assert_eq!(lines.collect::<Vec<_>>(), *expected, "{sent:?}: {head}");
    }
}

#[tokio::test]
async fn a_session_that_started_over_https_is_invalid_over_http() {
    let builder = builder().secured().unwrap();
    let tollgate = builder.start().unwrap();
    Control::administrator(&tollgate).await.unwrap();
    let credentials = json!({ "name": "administrator", "password": PASSWORD }).to_string();
    let fields = [("Content-Type", "application/json")];
    let sign_in = http::request("POST", "/api/v1/session", &fields, credentials.as_bytes());
    let config = tls::client(&builder.data());
    let address = tollgate.https.control.unwrap();
    let mut secured = tollgate_testkit::tls::connect(address, "localhost", &config)
        .await
        .unwrap();
    let answer = secured.exchange(&sign_in).await.unwrap();
    assert_eq!(answer.status, 201);
    let cookie = answer.field("set-cookie").unwrap();
    let (cookie, flags) = cookie.split_once("; ").unwrap();
    assert!(flags.ends_with("; Secure"), "{flags}");
    let (name, secret) = cookie.split_once('=').unwrap();
    assert_eq!(name, "__Secure-tollgate_session");

    let ask = |cookie: &str| http::request("GET", "/api/v1/session", &[("Cookie", cookie)], b"");
    assert_eq!(secured.exchange(&ask(cookie)).await.unwrap().status, 200);
    let other = format!("tollgate_session={secret}");
    let both = format!("{other}; {cookie}");
    // Over plain HTTP, cookies of the secure name are not read at all.
    for (sent, code) in [
        (cookie, "session.missing"),
        (other.as_str(), "session.invalid"),
        (both.as_str(), "session.invalid"),
    ] {
        let answer = http::call(tollgate.control, &ask(sent)).await.unwrap();
        assert_eq!(
            (answer.status, answer.code().as_str()),
            (401, code),
            "{sent}"
        );
    }
    // Nor with a part of it.
    let bare = format!("tollgate_session={}", secret.trim_start_matches("tgs_"));
    let answer = http::call(tollgate.control, &ask(&bare)).await.unwrap();
    assert_eq!(answer.status, 401);
    assert_eq!(secured.exchange(&ask(cookie)).await.unwrap().status, 200);
}

const ROWS: &[(&[&str], &[&str])] = &[
    (&["tollgate_session=secret"], &[]),
    (&["__Secure-tollgate_session=secret"], &[]),
    (
        &["a=1; tollgate_session=secret; b=\"2\""],
        &["a=1; b=\"2\""],
    ),
    (
        &[
            "a=1",
            "tollgate_session=secret;tollgate_session=secret",
            "b=2",
        ],
        &["a=1", "b=2"],
    ),
    (&[";a=b;; tollgate_session = secret"], &[";a=b;"]),
    (&["a=\"; tollgate_session=secret\""], &["a=\""]),
    (&["my_tollgate_session=1;x"], &["my_tollgate_session=1;x"]),
    (&[" ; ;a ,b=%00;=="], &[" ; ;a ,b=%00;=="]),
];

#[tokio::test]
async fn an_upstream_that_prints_its_request_head_shows_no_session() {
    let house = House::new().await;
    let set = sign_in(&house.tollgate).await;
    let (cookie, flags) = set[0].split_once("; ").unwrap();
    assert!(flags.starts_with("Path=/api/v1; "), "{flags}");
    // The cookie of an earlier release, set for every path, is removed.
    let (before, flags) = set[1].split_once("; ").unwrap();
    assert_eq!(before, "tollgate_session=");
    assert!(flags.starts_with("Path=/; Max-Age=0; "), "{flags}");

    let key = house.consumer.key.as_str();
    let peers = (&house.tollgate, &house.upstream);
    let called = ("POST", "/pets/1.0/pets", key, "hello");
    assert_cookies(peers, called, ROWS).await;
    let both = format!("mine=1; {cookie}");
    assert_cookies(peers, called, &[(&[both.as_str()], &["mine=1"])]).await;
}

#[tokio::test]
async fn a_soap_back_end_gets_no_session_in_either_mode() {
    let house = soap::House::new().await;
    let key = house.consumer.key.as_str();
    let peers = (&house.tollgate, &house.upstream);
    let envelope = format!(
        "<s:Envelope xmlns:s=\"{}\"><s:Body><getOrder xmlns=\"urn:orders\"/></s:Body></s:Envelope>",
        soap::V1_1
    );
    let soap = ("POST", "/orders/1.0", key, envelope.as_str());
    assert_cookies(peers, soap, &ROWS[..3]).await;

    let query = "kind=soap_to_rest&port=Orders11";
    let contract = soap::archive();
    let house = soap::House::of(&builder(), query, ("application/zip", &contract)).await;
    let key = house.consumer.key.as_str();
    let peers = (&house.tollgate, &house.upstream);
    // Only the fields that a contract requires are forwarded.
    let rows: Vec<_> = ROWS.iter().map(|(sent, _)| (*sent, &[][..])).collect();
    assert_cookies(peers, ("GET", "/orders/1.0/order/7", key, ""), &rows).await;
}

#[tokio::test]
async fn an_upstream_sets_cookies_but_not_the_session_of_the_control_plane() {
    let house = House::new().await;
    let fields = "Set-Cookie: a=1; Path=/\r\n\
        Set-Cookie: tollgate_session=evil; Path=/api/v1/session\r\n\
        SET-COOKIE: __Secure-tollgate_session = evil\r\n\
        Set-Cookie: my_tollgate_session=2\r\n";
    let answer = tollgate_testkit::upstream::answer(b"hello", fields);
    house.upstream.behave(Behaviour::Answer(answer));
    let answer = house.call().await;
    let cookies = answer
        .fields
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let cookies: Vec<_> = cookies.map(|(_, value)| value.as_str()).collect();
    assert_eq!(cookies, ["a=1; Path=/", "my_tollgate_session=2"]);
}
