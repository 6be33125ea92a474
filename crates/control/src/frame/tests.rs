use std::time::Duration;

use axum::Router;
use axum::routing::get;
use serde_json::json;
use tollgate_model::user::Role;

use crate::harness::House;
use crate::hosts::Hosts;
use crate::json::TEXT_BYTES_MAX;

#[tokio::test]
async fn unknown_paths_and_methods_are_problems_too() {
    let house = House::new().await;
    let unknown = house.get("/api/v1/nothing").await;
    assert_eq!(unknown.problem(), (404, "route.unknown"));
    let method = house.call("PATCH", "/api/v1/session").await;
    assert_eq!(method.problem(), (405, "route.method"));
    let allow = method.header("allow").unwrap();
    for word in ["POST", "GET", "DELETE"] {
        assert!(allow.contains(word), "{allow}");
    }
    let head = house.call("HEAD", "/healthz").await;
    assert_eq!((head.status, head.body.as_str()), (200, Some("")));
}

#[tokio::test]
async fn every_response_has_a_unique_id_and_the_security_headers() {
    let house = House::new().await;
    let one = house.get("/healthz").await;
    let other = house.get("/api/v1/users").await;
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
    for answer in [one, other] {
        assert_eq!(answer.header("x-request-id").unwrap().len(), 32);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("DENY"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("strict-transport-security"), None);
    }
}

#[tokio::test]
async fn unknown_host_names_are_rejected_against_rebinding() {
    let house = House::at(Hosts::of("https://gate.example").unwrap()).await;
    let ask = async |host: &str| house.get("/healthz").header("host", host).await;
    for good in [
        "127.0.0.1:9000",
        "[::1]:9000",
        "localhost",
        "GATE.example:443",
        "10.1.2.3",
    ] {
        assert_eq!(ask(good).await.status, 200, "{good}");
    }
    for foreign in [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example:9000",
    ] {
        assert_eq!(
            ask(foreign).await.problem(),
            (421, "host.unknown"),
            "{foreign}"
        );
    }
    assert_eq!(ask("me@127.0.0.1").await.problem(), (400, "host.missing"));
}

#[tokio::test]
async fn changes_from_foreign_origins_are_rejected() {
    let house = House::at(Hosts::of("https://gate.example").unwrap()).await;
    let root = house.person("root", &[Role::Administrator]).await;
    let make = async |number: u32, origin: &str| {
        let body = json!({"name": format!("plan {number}"), "unlimited": true});
        let call = house.post("/api/v1/plans", body).by(&root);
        call.header("host", "127.0.0.1:9000")
            .header("origin", origin)
            .await
    };
    assert_eq!(make(1, "http://127.0.0.1:9000").await.status, 201);
    assert_eq!(make(2, "https://gate.example").await.status, 201);
    for foreign in [
        "http://evil.example",
        "http://127.0.0.1:8080",
        "null",
        // Only the scheme differs: pages of the other one may be controlled by others.
        "https://127.0.0.1:9000",
        "http://gate.example",
    ] {
        assert_eq!(
            make(3, foreign).await.problem(),
            (403, "origin.foreign"),
            "{foreign}"
        );
    }
    let read = house
        .get("/api/v1/plans")
        .by(&root)
        .header("origin", "http://evil.example");
    assert_eq!(read.await.status, 200);
}

#[tokio::test]
async fn faults_of_a_body_are_reported_with_field_and_code() {
    let house = House::new().await;
    let root = house.person("root", &[Role::Administrator]).await;
    let send = |media_type: &str, body: &str| {
        house
            .call("POST", "/api/v1/plans")
            .by(&root)
            .body(media_type, body)
    };
    let cases = [
        ("text/plain", "{}", (415, "body.type"), None),
        (
            "application/json",
            "{\"name\": ",
            (400, "body.not_json"),
            None,
        ),
        (
            "application/json",
            "{\"name\": \"x\"} {}",
            (400, "body.not_json"),
            None,
        ),
        (
            "application/json",
            "{}",
            (422, "body.invalid"),
            Some("/name"),
        ),
        ("application/json", "[]", (422, "body.invalid"), Some("")),
        (
            "application/json; charset=utf-8",
            "{\"name\": 1}",
            (422, "body.invalid"),
            Some("/name"),
        ),
        (
            "application/json",
            "{\"name\": \"x\", \"limits\": [{\"per\": \"api\", \"amount\": 1, \"windows\": 2}]}",
            (422, "body.invalid"),
            Some("/limits/0/windows"),
        ),
        (
            "application/json",
            "{\"nam/e\": \"x\"}",
            (422, "body.invalid"),
            Some("/nam~1e"),
        ),
    ];
    for (media_type, body, problem, field) in cases {
        let answer = send(media_type, body).await;
        assert_eq!(answer.problem(), problem, "{body}");
        let found = answer
            .body
            .pointer("/errors/0/field")
            .and_then(|it| it.as_str());
        assert_eq!(found, field, "{body}: {answer:?}");
    }
    let bare = house.call("POST", "/api/v1/plans").by(&root).await;
    assert_eq!(bare.problem(), (415, "body.type"));
    let large = send("application/json", &" ".repeat(TEXT_BYTES_MAX + 1)).await;
    assert_eq!(large.problem(), (413, "body.too_large"));
    let largest = format!("{{}}{}", " ".repeat(TEXT_BYTES_MAX - 2));
    assert_eq!(
        send("application/json", &largest).await.problem(),
        (422, "body.invalid")
    );
}

#[tokio::test]
async fn a_panic_of_a_handler_is_a_500_and_the_next_request_works() {
    async fn broken() {
        panic!("a test that panics on purpose");
    }
    let routes = Router::new().route("/broken", get(broken));
    let house = House::with(routes).await;
    for _ in 0..2 {
        assert_eq!(house.get("/broken").await.problem(), (500, "internal"));
    }
}

#[tokio::test]
async fn a_client_that_disconnects_does_not_stop_its_handler() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Developer]).await;
    let writing = house.control.store.write().await.unwrap();
    let make = house.post("/api/v1/applications", json!({"name": "shop"}));
    make.by(&ann).hang_up().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    drop(writing);
    let is_made = async {
        while house
            .get("/api/v1/applications")
            .by(&ann)
            .await
            .text("/items/0/name")
            != "shop"
        {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let is_made = tokio::time::timeout(Duration::from_secs(30), is_made).await;
    assert!(is_made.is_ok(), "the application was not made");
}

#[tokio::test]
async fn each_route_has_its_own_bound_and_rejects_larger_bodies_unread() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    for (path, bytes_max) in [
        ("/api/v1/session", 4 << 10),
        ("/api/v1/access-tokens", 16 << 10),
        ("/api/v1/apis", 128 << 10),
    ] {
        let send = async |bytes: usize| {
            let call = house.call("POST", path).by(&ann);
            call.body("application/json", " ".repeat(bytes)).await
        };
        let largest = send(bytes_max).await;
        assert_eq!(largest.problem(), (400, "body.not_json"), "{path}");
        let larger = send(bytes_max + 1).await;
        assert_eq!(larger.problem(), (413, "body.too_large"), "{path}");
    }
    // The body is not sent: waiting for it would end with 408.
    let unsent = house.call("POST", "/api/v1/session");
    let unsent = unsent.header("content-type", "application/json");
    let unsent = unsent.header("content-length", "4097").await;
    assert_eq!(unsent.problem(), (413, "body.too_large"));
}

#[tokio::test]
async fn an_unchanged_response_is_not_sent_again() {
    let house = House::new().await;
    let first = house.get("/api/v1/openapi.json").await;
    let tag = first.header("etag").unwrap().to_owned();
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    assert_eq!(first.header("vary"), Some("Accept-Encoding"));
    for known in [&*tag, &format!("\"other\", W/{tag}"), "*"] {
        let again = house
            .get("/api/v1/openapi.json")
            .header("if-none-match", known);
        let again = again.await;
        assert_eq!((again.status, again.header("etag")), (304, Some(&*tag)));
        assert_eq!(again.header("content-type"), None);
    }
    let other = house
        .get("/api/v1/openapi.json")
        .header("if-none-match", "\"other\"");
    assert_eq!(other.await.status, 200);
}
