//! What the gateway announces about a deprecated version, in every kind of response.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, Connection, Control, http, upstream};

use crate::house::{House, get};
use crate::soap::{self, rest};

const SUNSET: &str = "2031-01-31T12:00:00+01:00";
const SUNSET_DATE: &str = "Fri, 31 Jan 2031 11:00:00 GMT";

/// The fields of a response that concern deprecation.
fn announced(answer: &Answer) -> Vec<(&str, &str)> {
    let names = ["deprecation", "sunset", "link"];
    let fields = answer.fields.iter();
    let fields = fields.filter(|(name, _)| names.contains(&name.as_str()));
    fields
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

/// Deprecates a version; returns the second at which that happened.
async fn deprecate(admin: &Control, version: &str, terms: Value) -> i64 {
    let path = format!("/api/v1/versions/{version}/lifecycle");
    let mut body = terms;
    body["to"] = json!("deprecated");
    let changed = admin.done("POST", &path, Some(&body)).await.unwrap();
    let since = changed["deprecation"]["since"].as_str().unwrap();
    since.parse::<jiff::Timestamp>().unwrap().as_second()
}

/// Creates version 2.0 of an API from its first one, and publishes it.
async fn second(admin: &Control, api: &str) -> String {
    let body = json!({ "name": "2.0", "from": "1.0" });
    let path = format!("/api/v1/apis/{api}/versions");
    let made = admin.done("POST", &path, Some(&body)).await.unwrap();
    let version = made["id"].as_str().unwrap().to_owned();
    admin.lifecycle(&version, "published").await.unwrap();
    version
}

/// Asserts the fields of a deprecated version with a sunset and a successor, after these fields of
/// the upstream.
fn assert_announced(what: &str, answer: &Answer, since: i64, passed: &[(&str, &str)], link: &str) {
    let since = format!("@{since}");
    let own = [
        ("deprecation", &*since),
        ("sunset", SUNSET_DATE),
        ("link", link),
    ];
    let expected = [passed, &own].concat();
    assert_eq!(
        announced(answer),
        expected,
        "{what}: {} {}",
        answer.status,
        answer.text()
    );
}

#[tokio::test]
async fn every_response_of_a_deprecated_version_announces_it_and_others_pass_the_upstreams() {
    const OWN: &str = "Deprecation: @1\r\nSunset: never\r\nLink: </doc>; rel=\"help\"\r\n";
    const LINK: &str = "</pets/2.0>; rel=\"successor-version\"";
    let house = House::new().await;
    let change = json!({
        "operations": [
            {"method": "GET", "path": "/pets"}, {"method": "HEAD", "path": "/pets"},
            {"method": "POST", "path": "/pets"}, {"method": "GET", "path": "/pets/{pet}"},
        ],
        "upstream": { "url": house.upstream.url(), "first_byte_timeout_ms": 300 },
        "body_bytes_max": 10,
    });
    house.redeploy(change).await;
    let (key, gateway) = (house.consumer.key.as_str(), house.tollgate.gateway);
    let send = async |request: Vec<u8>| http::call(gateway, &request).await.unwrap();
    let other = house.admin.application("other").await.unwrap();
    let (_, other) = house.admin.key(&other).await.unwrap();
    let own = upstream::answer(b"hello", OWN);
    house.upstream.behave(Behaviour::Answer(own.clone()));
    let of_upstream = [
        ("deprecation", "@1"),
        ("sunset", "never"),
        ("link", "</doc>; rel=\"help\""),
    ];
    let published = send(house.request()).await;
    assert_eq!(announced(&published), of_upstream, "a published version");
    second(&house.admin, &house.api.api).await;

    let terms = json!({ "sunset": SUNSET, "successor": "2.0" });
    let since = deprecate(&house.admin, &house.api.version, terms).await;
    let check = |what: &str, answer: &Answer, status: u16| {
        assert_eq!(answer.status, status, "{what}");
        let is_passed = answer.field("x-passed").is_some();
        let passed = if is_passed { &of_upstream[2..] } else { &[] };
        assert_announced(what, answer, since, passed, LINK);
    };
    let own = upstream::answer(b"hello", &format!("X-Passed: 1\r\n{OWN}"));
    house.upstream.behave(Behaviour::Answer(own));
    let mut kept = Connection::open(gateway).await.unwrap();
    for _ in 0..2 {
        check("200", &kept.exchange(&house.request()).await.unwrap(), 200);
    }
    check(
        "of the default version",
        &send(get("/pets/pets", key)).await,
        200,
    );
    check("401", &send(get("/pets/1.0/pets", "tg_live_x")).await, 401);
    check("403", &send(get("/pets/1.0/pets", &other)).await, 403);
    check("404", &send(get("/pets/1.0/nothing", key)).await, 404);
    let field = [("apikey", key)];
    let delete = http::request("DELETE", "/pets/1.0/pets", &field, b"");
    check("405", &send(delete).await, 405);
    let large = http::request("POST", "/pets/1.0/pets", &field, &[b'x'; 11]);
    check("413", &send(large).await, 413);
    let origin = format!("http://127.0.0.1:{}", house.tollgate.control.port());
    let pre_flight = [
        ("origin", &*origin),
        ("access-control-request-method", "GET"),
    ];
    let pre_flight = http::request("OPTIONS", "/pets/1.0/pets", &pre_flight, b"");
    let pre_flight = send(pre_flight).await;
    check("pre-flight", &pre_flight, 204);
    let of_page = [("origin", &*origin), ("apikey", key)];
    let of_page = send(http::request("GET", "/pets/1.0/pets", &of_page, b"")).await;
    check("of a page", &of_page, 200);
    assert_eq!(of_page.field("access-control-expose-headers"), Some("*"));

    let head = http::request("HEAD", "/pets/1.0/pets", &field, b"");
    check("HEAD", &send(head).await, 200);
    let not_modified = format!("HTTP/1.1 304 Not Modified\r\nX-Passed: 1\r\n{OWN}\r\n");
    house
        .upstream
        .behave(Behaviour::Answer(not_modified.into_bytes().into()));
    check("304", &send(house.request()).await, 304);
    let hints = format!("HTTP/1.1 103 Early Hints\r\n{OWN}\r\n");
    let hinted = [hints.as_bytes(), &upstream::answer(b"hello", "")].concat();
    house.upstream.behave(Behaviour::Answer(hinted.into()));
    let mut waiting = Connection::open(gateway).await.unwrap();
    waiting.send(&house.request()).await.unwrap();
    let interim = waiting.until(b"\r\n\r\n").await.unwrap();
    let interim = String::from_utf8(interim).unwrap();
    assert_eq!(
        interim,
        "HTTP/1.1 103 Early Hints\r\nLink: </doc>; rel=\"help\"\r\n\r\n"
    );
    house.upstream.behave(Behaviour::Reset);
    check("502", &send(house.request()).await, 502);
    house.upstream.behave(Behaviour::Hang);
    check("504", &send(house.request()).await, 504);
    house.upstream.behave(Behaviour::text("hello"));
    let application = format!("/api/v1/applications/{}", house.consumer.application);
    let limits = json!({ "limits": [{ "per": "application", "amount": 1, "window": "day" }] });
    house
        .admin
        .done("PATCH", &application, Some(&limits))
        .await
        .unwrap();
    send(house.request()).await;
    check("429", &send(house.request()).await, 429);

    let missing = send(get("/nothing", key)).await;
    assert_eq!(announced(&missing), [], "no version");
    house
        .admin
        .lifecycle(&house.api.version, "published")
        .await
        .unwrap();
    assert_eq!(
        announced(&send(get("/pets/1.0/pets", &other)).await),
        [],
        "published again"
    );
}

#[tokio::test]
async fn soap_calls_and_faults_of_a_deprecated_version_announce_it() {
    const LINK: &str = "</edge/orders/2.0>; rel=\"successor-version\"";
    let house = soap::House::new().await;
    second(&house.admin, &house.api.api).await;
    let terms = json!({ "sunset": SUNSET, "successor": "2.0" });
    let since = deprecate(&house.admin, &house.api.version, terms).await;
    let check = |what: &str, answer: &Answer, status: u16| {
        assert_eq!(answer.status, status, "{what}");
        assert_announced(what, answer, since, &[], LINK);
    };
    let order = soap::order_request();
    check("200", &house.post(&[soap::XML], &order).await, 200);
    let fault = b"<s:Envelope/>";
    let fault = [
        b"HTTP/1.1 500 Internal Server Error\r\nSunset: never\r\nContent-Length: 13\r\n\r\n",
        &fault[..],
    ];
    house
        .upstream
        .behave(Behaviour::Answer(fault.concat().into()));
    check(
        "fault of the back end",
        &house.post(&[soap::XML], &order).await,
        500,
    );
    let refused = http::request("POST", "/orders/1.0", &[soap::XML], &order);
    let refused = house.send(&refused).await;
    assert!(refused.text().contains("faultcode"), "{}", refused.text());
    check("fault of the gateway", &refused, refused.status);
    check("WSDL", &house.get("/orders/1.0?wsdl").await, 200);
    check("404", &house.get("/orders/1.0?nothing").await, 404);
}

#[tokio::test]
async fn rest_over_soap_of_a_deprecated_version_announces_it() {
    const LINK: &str = "</orders/2.0>; rel=\"successor-version\"";
    let house = rest::shop().await;
    second(&house.admin, &house.api.api).await;
    let terms = json!({ "sunset": SUNSET, "successor": "2.0" });
    let since = deprecate(&house.admin, &house.api.version, terms).await;
    let call = http::request(
        "GET",
        "/orders/1.0/order/7",
        &[("apikey", &house.consumer.key)],
        b"",
    );
    let fault = "<s:Fault><faultcode>s:Server</faultcode><faultstring>no</faultstring></s:Fault>";
    let rows = [
        ("200", rest::ok(&rest::order("<o:id>7</o:id>"))),
        ("fault of the back end", rest::ok(&rest::envelope(fault))),
        ("not understood", Behaviour::text("hello")),
    ];
    for (what, behaviour) in rows {
        house.upstream.behave(behaviour);
        let answer = house.send(&call).await;
        assert_eq!(
            answer.status == 200,
            what == "200",
            "{what}: {}",
            answer.text()
        );
        assert_announced(what, &answer, since, &[], LINK);
    }
}
