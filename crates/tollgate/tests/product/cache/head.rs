//! `HEAD` and the stored responses to `GET`.

use std::time::Duration;

use serde_json::{Value, json};
use tollgate_testkit::{Behaviour, http};

use super::status;
use crate::house::House;
use crate::security::{Secured, secured};

/// The operations of a version with `GET` and `HEAD` on a path.
fn operations() -> Value {
    json!([{ "method": "GET", "path": "/pets" }, { "method": "HEAD", "path": "/pets" }])
}

/// Returns a response to `HEAD`: it has no body.
fn bodiless() -> Vec<u8> {
    b"HTTP/1.1 200 OK\r\nX-Of: head\r\nContent-Length: 5\r\n\r\n".to_vec()
}

async fn house() -> House {
    let house = House::new().await;
    let cache = json!({ "ttl_s": 600, "show_status": true });
    house
        .redeploy(json!({ "operations": operations(), "policies": { "cache": cache } }))
        .await;
    house
}

#[tokio::test]
async fn head_is_answered_by_what_is_stored_of_get_and_stores_nothing() {
    let house = house().await;
    let behaviour = Behaviour::Answer(bodiless().into());
    house.upstream.behave(behaviour);
    for calls in 1..=2 {
        let cold = house.ask(("HEAD", "/pets"), &[], b"").await;
        assert_eq!((cold.status, cold.field("x-of")), (200, Some("head")));
        assert_eq!(cold.field("content-length"), Some("5"));
        assert_eq!(house.upstream.requests(), calls);
    }
    let sent = String::from_utf8(house.upstream.received().concat()).unwrap();
    assert_eq!(sent.matches("HEAD /pets HTTP/1.1\r\n").count(), 2, "{sent}");

    house.answers("X-Of: get\r\nETag: \"v1\"\r\n", "hello");
    assert_eq!(house.get("/pets", &[]).await.text(), "hello");
    assert_eq!(house.upstream.requests(), 3);
    // On one connection, on which a body would be taken for the next response.
    let mut connection = http::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    let key = ("apikey", house.consumer.key.as_str());
    for (method, condition, expected) in [
        ("HEAD", None, 200),
        ("GET", None, 200),
        ("HEAD", Some("\"v1\""), 304),
        ("HEAD", Some("\"v2\""), 200),
    ] {
        let condition = condition.map(|tag| ("if-none-match", tag));
        let fields: Vec<_> = [key].into_iter().chain(condition).collect();
        let request = http::request(method, "/pets/1.0/pets", &fields, b"");
        let answer = connection.exchange(&request).await.unwrap();
        assert_eq!(answer.status, expected, "{method} {condition:?}");
        assert!(status(&answer).starts_with("tollgate; hit"), "{answer:?}");
        if expected == 200 {
            assert_eq!(answer.field("x-of"), Some("get"));
            assert_eq!(answer.field("content-length"), Some("5"));
        }
    }
    assert_eq!(house.upstream.requests(), 3);
}

#[tokio::test]
async fn head_never_leads() {
    let house = house().await;
    let late = Behaviour::Late(Duration::from_secs(3), bodiless().into());
    house.upstream.behave(late);
    let key = ("apikey", house.consumer.key.as_str());
    let request = http::request("HEAD", "/pets/1.0/pets", &[key], b"");
    let mut connection = http::Connection::open(house.tollgate.gateway)
        .await
        .unwrap();
    connection.send(&request).await.unwrap();
    house.await_requests(1).await;
    // A caller that has waited for another goes alone, and stores nothing.
    house.answers("", "hello");
    for _ in 0..2 {
        assert_eq!(house.get("/pets", &[]).await.text(), "hello");
    }
    assert_eq!(house.upstream.requests(), 2);
    let head = connection.answer(true).await.unwrap();
    assert_eq!(head.field("x-of"), Some("head"));
}

#[tokio::test]
async fn head_with_other_scopes_or_steps_goes_up() {
    let it = Secured::new(&secured()).await;
    let body = json!({ "name": "reader", "scopes": ["read", "write"] });
    let application = &it.house.consumer.application;
    let scopes = json!({ "read": "", "write": "" });
    let security = json!({ "oauth2": {}, "scopes": scopes });
    it.house.redeploy(json!({ "security": security })).await;
    let client = it.house.admin.client(application, &body).await.unwrap();
    let token = it.house.admin.token(&client, "").await.unwrap();
    let bearer = format!("Bearer {token}");

    let step = json!({ "policy": "set_header", "name": "x-step", "value": "1" });
    // A step of requests would be part of the key.
    let of_head = json!([{ "operations": ["HEAD /pets"], "response": [step] }]);
    // Members of GET, members of HEAD, policies, whether HEAD is answered from what is stored.
    let rows = [
        (json!({}), json!({}), json!({}), true),
        (
            json!({ "scopes": ["read"] }),
            json!({ "scopes": ["read"] }),
            json!({}),
            true,
        ),
        (json!({ "scopes": ["read"] }), json!({}), json!({}), false),
        (
            json!({ "scopes": ["read"] }),
            json!({ "scopes": ["write"] }),
            json!({}),
            false,
        ),
        (json!({}), json!({ "anonymous": true }), json!({}), false),
        (json!({}), json!({}), json!({ "response": [step] }), true),
        (
            json!({}),
            json!({}),
            json!({ "operations": of_head }),
            false,
        ),
    ];
    for (of_get, of_head, policies, is_stored) in rows {
        let row = format!("{of_get} {of_head} {policies}");
        let mut operations = operations();
        for (index, members) in [of_get, of_head].iter().enumerate() {
            let operation = operations[index].as_object_mut().unwrap();
            operation.extend(members.as_object().unwrap().clone());
        }
        let mut all = json!({ "cache": { "ttl_s": 600 }, "request": [], "operations": [] });
        let policies = policies.as_object().unwrap().clone();
        all.as_object_mut().unwrap().extend(policies);
        it.house
            .redeploy(json!({ "operations": operations, "policies": all }))
            .await;
        it.house.upstream.forget();
        let fields = [("authorization", bearer.as_str())];
        for (method, calls) in [
            ("GET", 1),
            ("GET", 1),
            ("HEAD", if is_stored { 1 } else { 2 }),
        ] {
            match method {
                "GET" => it.house.answers("", "hello"),
                _ => it
                    .house
                    .upstream
                    .behave(Behaviour::Answer(bodiless().into())),
            }
            let request = http::request(method, "/pets/1.0/pets", &fields, b"");
            let answer = http::call(it.house.tollgate.gateway, &request)
                .await
                .unwrap();
            assert_eq!(answer.status, 200, "{row}: {}", answer.text());
            assert_eq!(it.house.upstream.requests(), calls, "{row}: {method}");
        }
    }
}
