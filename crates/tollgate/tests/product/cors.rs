//! CORS of a version: pages of its origins may call it and read every response, others may not.

use serde_json::{Value, json};
use tollgate_testkit::upstream::answer;
use tollgate_testkit::{Answer, Behaviour, http};

use crate::house::{DOCUMENT, House, builder};
use crate::portal::opening;
use crate::soap;

const GOOD: &str = "https://good.example";
/// Origins that resemble the listed one, and none at all.
const STRANGERS: [Option<&str>; 9] = [
    None,
    Some("null"),
    Some("https://good.example.evil.test"),
    Some("https://evil-good.example"),
    Some("https://GOOD.example"),
    Some("HTTPS://good.example"),
    Some("http://good.example"),
    Some("https://good.example:8443"),
    Some("https://other.example"),
];
const ALLOW_ORIGIN: &str = "access-control-allow-origin";

/// Operations with an OPTIONS of their own, and one that can be called once.
fn operations() -> Value {
    let once = json!([{ "per": "operation", "amount": 1, "window": "day" }]);
    json!([
        { "method": "GET", "path": "/pets" },
        { "method": "HEAD", "path": "/pets" },
        { "method": "POST", "path": "/pets", "limits": once },
        { "method": "OPTIONS", "path": "/pets" },
        { "method": "GET", "path": "/pets/{pet}" },
        { "method": "PUT", "path": "/pets/{pet}" },
    ])
}

/// Returns a house whose version has this CORS policy.
async fn house_with(cors: Value) -> House {
    let house = House::new().await;
    let policies = json!({ "cors": cors });
    house
        .redeploy(json!({ "operations": operations(), "policies": policies }))
        .await;
    house
}

/// Calls as a page of this origin does.
async fn call(
    house: &House,
    (method, path): (&str, &str),
    origin: Option<&str>,
    more: &[(&str, &str)],
) -> Answer {
    let origin = origin.map(|origin| ("origin", origin));
    let fields = [origin.as_slice(), more].concat();
    let target = format!("/pets/1.0{path}");
    let request = http::request(method, &target, &fields, b"");
    http::call(house.tollgate.gateway, &request).await.unwrap()
}

async fn preflight(house: &House, path: &str, origin: Option<&str>, method: &str) -> Answer {
    let requested = [
        ("access-control-request-method", method),
        ("access-control-request-headers", "apikey,x-unknown"),
    ];
    call(house, ("OPTIONS", path), origin, &requested).await
}

/// Returns all values of a field.
fn all<'a>(answer: &'a Answer, name: &str) -> Vec<&'a str> {
    let fields = answer.fields.iter().filter(|(field, _)| field == name);
    fields.map(|(_, value)| value.as_str()).collect()
}

/// Returns the names of all CORS fields.
fn cors_fields(answer: &Answer) -> Vec<&str> {
    let names = answer.fields.iter().map(|(name, _)| name.as_str());
    names
        .filter(|name| name.starts_with("access-control-"))
        .collect()
}

/// The upstream's own idea of CORS.
fn opinionated() -> Behaviour {
    let fields = "Access-Control-Allow-Origin: https://upstream.example\r\n\
        access-control-allow-credentials: true\r\nVary: Accept-Encoding\r\n";
    Behaviour::Answer(answer(b"hello", fields))
}

#[tokio::test]
async fn pages_of_listed_origins_may_read_every_response() {
    let house = house_with(json!({ "origins": [GOOD], "expose": ["X-Own"] })).await;
    let key = house.consumer.key.clone();
    let key = [("apikey", key.as_str())];
    // Of the operation's only call.
    call(&house, ("POST", "/pets"), None, &key).await;
    let reset = Behaviour::Reset;
    for (target, fields, behaviour, status) in [
        (("GET", "/pets"), &key[..], opinionated(), 200),
        (("HEAD", "/pets"), &key[..], opinionated(), 200),
        (("GET", "/pets"), &[][..], opinionated(), 401),
        (("GET", "/none"), &key[..], opinionated(), 404),
        (("DELETE", "/pets"), &key[..], opinionated(), 405),
        (("POST", "/pets"), &key[..], opinionated(), 429),
        (("GET", "/pets"), &key[..], reset, 502),
    ] {
        house.upstream.behave(behaviour);
        house.upstream.forget();
        let read = call(&house, target, Some(GOOD), fields).await;
        assert_eq!(read.status, status, "{target:?}");
        let names = [
            "access-control-allow-origin",
            "access-control-expose-headers",
        ];
        assert_eq!(cors_fields(&read), names, "{target:?}");
        assert_eq!(read.field(ALLOW_ORIGIN), Some(GOOD));
        let exposed = read.field("access-control-expose-headers").unwrap();
        for name in [
            "RateLimit",
            "RateLimit-Policy",
            "Retry-After",
            "X-Request-Id",
            "X-Own",
        ] {
            assert!(
                exposed.split(", ").any(|it| it == name),
                "{name}: {exposed}"
            );
        }
        let vary = match status {
            200 => &["Accept-Encoding", "Origin"][..],
            _ => &["Origin"],
        };
        assert_eq!(all(&read, "vary"), vary, "{target:?}");
        for stranger in STRANGERS {
            let unread = call(&house, target, stranger, fields).await;
            assert_eq!(unread.status, status, "{target:?} {stranger:?}");
            assert_eq!(cors_fields(&unread), [""; 0], "{target:?} {stranger:?}");
            assert_eq!(all(&unread, "vary"), vary, "{target:?} {stranger:?}");
        }
        for sent in house.upstream.received() {
            let sent = String::from_utf8_lossy(&sent).to_ascii_lowercase();
            assert!(!sent.contains("origin:"), "{sent}");
        }
    }
}

#[tokio::test]
async fn preflights_of_listed_origins_name_what_the_path_and_the_document_have() {
    let house = house_with(json!({ "origins": ["http://localhost:3000", GOOD], "max_age_s": 5 }));
    let house = house.await;
    let document = DOCUMENT.replace(
        "  /pets/{pet}:\n",
        "  /pets/{pet}:\n    parameters: [{ name: X-Shop-Id, in: header, schema: {} }]\n",
    );
    let version = &house.api.version;
    house
        .admin
        .replace_document(version, &document)
        .await
        .unwrap();
    house.redeploy(json!({ "operations": operations() })).await;
    for (path, method, allowed) in [
        ("/pets/7", "PUT", "GET, PUT"),
        // Browsers compare: these are not among them.
        ("/pets/7", "DELETE", "GET, PUT"),
        ("/pets/7", "FROB", "GET, PUT"),
        // Wins over the OPTIONS operation.
        ("/pets", "POST", "GET, HEAD, POST, OPTIONS"),
        // The page reads the 404 of its call.
        (
            "/none",
            "PUT",
            "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
        ),
    ] {
        let allowance = preflight(&house, path, Some(GOOD), method).await;
        assert_eq!(allowance.status, 204, "{path} {method}");
        let field = |name: &str| allowance.field(&format!("access-control-{name}"));
        assert_eq!(field("allow-origin"), Some(GOOD));
        assert_eq!(field("allow-methods"), Some(allowed), "{path} {method}");
        let headers = "apikey, authorization, content-type, x-shop-id";
        assert_eq!(field("allow-headers"), Some(headers));
        assert_eq!(field("max-age"), Some("5"));
        assert_eq!(field("allow-credentials"), None);
        assert_eq!(all(&allowance, "vary"), ["Origin"]);
    }
    for stranger in STRANGERS.into_iter().flatten() {
        let refused = preflight(&house, "/pets", Some(stranger), "GET").await;
        let outcome = (refused.status, refused.code());
        assert_eq!(outcome, (403, "route.cors".to_owned()), "{stranger}");
        assert_eq!(cors_fields(&refused), [""; 0], "{stranger}");
        assert_eq!(all(&refused, "vary"), ["Origin"]);
    }
    assert_eq!(
        house.upstream.requests(),
        0,
        "the OPTIONS operation is not called"
    );
    // Without an origin or a requested method, it is.
    let key = [("apikey", house.consumer.key.as_str())];
    let requested = [("access-control-request-method", "GET"), key[0]];
    for (origin, fields) in [(None, &requested[..]), (Some(GOOD), &key[..])] {
        let called = call(&house, ("OPTIONS", "/pets"), origin, fields).await;
        assert_eq!((called.status, called.text()), (200, "hello".to_owned()));
    }
    let unauthenticated = call(&house, ("OPTIONS", "/pets"), Some(GOOD), &[]).await;
    assert_eq!(unauthenticated.status, 401);
}

#[tokio::test]
async fn preflights_of_a_version_are_recorded_and_not_debited() {
    let once = json!([{ "per": "subscription", "amount": 1, "window": "day" }]);
    let house = House::with(&builder(), once).await;
    let cors = json!({ "cors": { "origins": [GOOD] } });
    house.redeploy(json!({ "policies": cors })).await;
    for (origin, status) in [(GOOD, 204), (GOOD, 204), ("null", 403)] {
        let flight = preflight(&house, "/pets", Some(origin), "GET").await;
        assert_eq!(flight.status, status);
    }
    assert_eq!(house.call().await.status, 200);
    let block = house.admin.lifecycle(&house.api.version, "blocked");
    block.await.unwrap();
    let flight = preflight(&house, "/pets", Some(GOOD), "GET").await;
    assert_eq!(flight.status, 204, "so that the page may read the 503");
    let blocked = call(&house, ("GET", "/pets"), Some(GOOD), &[]).await;
    assert_eq!(
        (blocked.status, blocked.field(ALLOW_ORIGIN)),
        (503, Some(GOOD))
    );
    let rows = house.usage(6).await;
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| {
            assert_eq!(row["version"]["id"], *house.api.version);
            let is_of_caller = !row["application"].is_null();
            (row["status"].as_u64(), row["calls"].as_u64(), is_of_caller)
        })
        .collect();
    rows.sort_unstable();
    let row = |status: u64, calls: u64, is_of_caller| (Some(status), Some(calls), is_of_caller);
    let expected = [
        row(200, 1, true),
        row(204, 3, false),
        row(403, 1, false),
        row(503, 1, false),
    ];
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn any_origin_may_read_what_needs_no_credentials_of_the_browser() {
    let house = house_with(json!({ "origins": ["*"], "methods": ["GET", "PATCH"] })).await;
    house.upstream.behave(opinionated());
    let key = [("apikey", house.consumer.key.as_str())];
    for origin in STRANGERS {
        let read = call(&house, ("GET", "/pets"), origin, &key).await;
        assert_eq!((read.status, read.field(ALLOW_ORIGIN)), (200, Some("*")));
        assert_eq!(read.field("access-control-allow-credentials"), None);
        assert_eq!(all(&read, "vary"), ["Accept-Encoding"]);
    }
    let flight = preflight(&house, "/pets/7", Some("null"), "GET").await;
    assert_eq!(
        (flight.status, flight.field(ALLOW_ORIGIN)),
        (204, Some("*"))
    );
    let methods = flight.field("access-control-allow-methods");
    assert_eq!(methods, Some("GET"), "of the policy, and of the path");
}

#[tokio::test]
async fn credentials_of_the_browser_are_for_listed_origins() {
    let house = house_with(json!({ "origins": [GOOD], "credentials": true })).await;
    for (origin, allowed) in [(GOOD, Some("true")), ("null", None)] {
        for answer in [
            call(&house, ("GET", "/pets"), Some(origin), &[]).await,
            preflight(&house, "/pets", Some(origin), "GET").await,
        ] {
            assert_eq!(answer.field("access-control-allow-credentials"), allowed);
            assert_eq!(answer.field(ALLOW_ORIGIN), allowed.map(|_| origin));
        }
    }
    let draft = format!("/api/v1/versions/{}/draft", house.api.version);
    let cors = json!({
        "origins": [GOOD, "*", "null"], "headers": ["Cookie"], "max_age_s": 100_000,
    });
    let change = json!({ "policies": { "cors": cors } });
    let refused = house
        .admin
        .send("PATCH", &draft, Some(&change))
        .await
        .unwrap();
    assert_eq!(refused.status, 422, "{}", refused.text());
    let errors = refused.json()["errors"].as_array().unwrap().clone();
    let pointers: Vec<_> = errors
        .iter()
        .map(|it| it["field"].as_str().unwrap())
        .collect();
    let expected = [
        "origins/1",
        "origins/2",
        "headers/0",
        "credentials",
        "max_age_s",
    ];
    let expected = expected.map(|field| format!("/policies/cors/{field}"));
    assert_eq!(pointers, expected, "{errors:?}");
}

#[tokio::test]
async fn the_portal_keeps_its_own_rules_unless_it_is_left_out() {
    let house = house_with(json!({ "origins": [GOOD] })).await;
    let own = format!("http://127.0.0.1:{}", house.tollgate.control.port());
    let read = call(&house, ("GET", "/pets"), Some(&own), &[]).await;
    assert_eq!(opening(&read), [Some(&*own), Some("*"), Some("Origin")]);
    let flight = preflight(&house, "/none", Some(&own), "PURGE").await;
    assert_eq!(flight.field("access-control-allow-methods"), Some("PURGE"));
    let headers = flight.field("access-control-allow-headers");
    assert_eq!((flight.status, headers), (204, Some("apikey,x-unknown")));
    let left_out = json!({ "cors": { "portal": false } });
    house.redeploy(json!({ "policies": left_out })).await;
    let unread = call(&house, ("GET", "/pets"), Some(&own), &[]).await;
    assert_eq!((unread.status, cors_fields(&unread)), (401, vec![]));
    let flight = preflight(&house, "/pets", Some(&own), "GET").await;
    assert_eq!(flight.code(), "route.cors");
}

#[tokio::test]
async fn without_a_policy_the_back_end_decides() {
    let house = house_with(Value::Null).await;
    house.upstream.behave(opinionated());
    house.upstream.forget();
    let key = [("apikey", house.consumer.key.as_str())];
    let read = call(&house, ("GET", "/pets"), Some(GOOD), &key).await;
    assert_eq!(read.field(ALLOW_ORIGIN), Some("https://upstream.example"));
    assert_eq!(all(&read, "vary"), ["Accept-Encoding"]);
    let sent = house.upstream.received().concat();
    assert!(String::from_utf8_lossy(&sent).contains(&format!("origin: {GOOD}")));
    let flight = preflight(&house, "/pets", Some(GOOD), "GET").await;
    assert_eq!(flight.status, 401, "a call of the OPTIONS operation");
}

#[tokio::test]
async fn the_policy_of_a_revision_survives_a_restart() {
    let house = house_with(json!({ "origins": [GOOD] })).await;
    let (_, builder) = house.tollgate.terminate().unwrap();
    let tollgate = builder.start().unwrap();
    for (origin, status) in [(GOOD, 204), ("null", 403)] {
        let fields = [("origin", origin), ("access-control-request-method", "GET")];
        let request = http::request("OPTIONS", "/pets/1.0/pets", &fields, b"");
        let flight = http::call(tollgate.gateway, &request).await.unwrap();
        assert_eq!(flight.status, status, "{origin}");
    }
}

#[tokio::test]
async fn pages_read_faults_and_documents_of_a_soap_service() {
    let house = soap::House::new().await;
    house
        .redeploy(json!({ "policies": { "cors": { "origins": [GOOD] } } }))
        .await;
    let origin = ("origin", GOOD);
    let requested = ("access-control-request-method", "POST");
    let request = http::request("OPTIONS", "/orders/1.0", &[origin, requested], b"");
    let flight = house.send(&request).await;
    let field = |name: &str| flight.field(&format!("access-control-{name}"));
    let headers = "apikey, authorization, content-type, soapaction";
    assert_eq!(
        (field("allow-methods"), field("allow-headers")),
        (Some("POST"), Some(headers))
    );
    let fields = [origin, soap::XML];
    let fault = http::request("POST", "/orders/1.0", &fields, &soap::order_request());
    let fault = house.send(&fault).await;
    assert_eq!(fault.field("content-type"), Some(soap::XML.1));
    let document = http::request("GET", "/orders/1.0?wsdl", &[origin], b"");
    let document = house.send(&document).await;
    let known = ("if-none-match", document.field("etag").unwrap());
    let unchanged = http::request("GET", "/orders/1.0?wsdl", &[origin, known], b"");
    let unchanged = house.send(&unchanged).await;
    assert_eq!((document.status, unchanged.status), (200, 304));
    for answer in [flight, fault, document, unchanged] {
        assert_eq!(answer.field(ALLOW_ORIGIN), Some(GOOD), "{}", answer.status);
        assert_eq!(all(&answer, "vary"), ["Origin"]);
    }
}
