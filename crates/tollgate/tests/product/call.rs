//! The main job, steps 1 to 3: publish, subscribe, call; and every kind of refusal.

use serde_json::{Value, json};
use tollgate_testkit::{Answer, Behaviour, Control, Upstream, http};

use crate::house::{DOCUMENT, House, builder, get, user};

/// Asserts a problem document with a code of the closed list and the request id of the head.
fn assert_refused(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.code().as_str()),
        (status, code),
        "{}",
        answer.text()
    );
    let id = answer.json()["request_id"].as_str().unwrap().to_owned();
    assert_eq!(answer.field("x-request-id"), Some(&*id));
}

#[tokio::test]
async fn a_publisher_publishes_a_developer_subscribes_and_calls() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let publisher = user(&admin, &tollgate, ("publisher", &["publisher"])).await;
    let developer = user(&admin, &tollgate, ("developer", &["developer"])).await;
    let upstream = Upstream::start(Behaviour::Echo).unwrap();

    let yaml = publisher
        .import("Pets", "/pets", "1.0", DOCUMENT)
        .await
        .unwrap();
    let document: Value = json!({
        "openapi": "3.1.0", "info": { "title": "Birds", "version": "2" },
        "paths": { "/birds": { "put": { "responses": { "200": { "description": "put" } } } } },
    });
    let json = publisher
        .import("Birds", "/birds", "2", &document.to_string())
        .await
        .unwrap();
    for api in [&yaml, &json] {
        publisher
            .upstream(&api.version, &format!("{}/base", upstream.url()))
            .await
            .unwrap();
        publisher
            .attach(&api.version, &["bronze", "gold"])
            .await
            .unwrap();
        publisher
            .lifecycle(&api.version, "published")
            .await
            .unwrap();
    }
    let catalogue = developer
        .done("GET", "/api/v1/catalogue", None)
        .await
        .unwrap();
    assert!(catalogue.to_string().contains(&yaml.version), "{catalogue}");
    let consumer = developer
        .consumer("shop", &yaml.version, "gold")
        .await
        .unwrap();
    assert!(consumer.key.starts_with("tg_live_") && consumer.key.len() == 47);

    let call = |method, target, key: &str| {
        let request = http::request(method, target, &[("apikey", key)], b"body");
        let gateway = tollgate.gateway;
        async move { http::call(gateway, &request).await.unwrap() }
    };
    let answer = call("POST", "/pets/1.0/pets", &consumer.key).await;
    assert_eq!((answer.status, answer.text().as_str()), (200, "body"));
    assert_eq!(answer.field("x-echo"), Some("POST /base/pets HTTP/1.1"));
    // The default version is also served without its name.
    assert_eq!(call("POST", "/pets/pets", &consumer.key).await.status, 200);
    let received: Vec<u8> = upstream.received().concat();
    let received = String::from_utf8_lossy(&received).to_ascii_lowercase();
    assert!(!received.contains("apikey") && !received.contains(&consumer.key.to_lowercase()));

    assert_refused(
        &call("PUT", "/birds/2/birds", &consumer.key).await,
        403,
        "authorize.not_subscribed",
    );
    assert_refused(
        &call("GET", "/fish/1.0/x", &consumer.key).await,
        404,
        "route.no_api",
    );
    assert_refused(
        &call("GET", "/pets/1.0/x", &consumer.key).await,
        404,
        "route.no_operation",
    );
    let answer = call("DELETE", "/pets/1.0/pets", &consumer.key).await;
    assert_refused(&answer, 405, "route.no_operation");
    assert_eq!(answer.field("allow"), Some("GET, POST"));
}

#[tokio::test]
async fn each_wrong_credential_is_refused_with_its_code() {
    let house = House::new().await;
    assert_eq!(house.call().await.text(), "hello");

    let gateway = house.tollgate.gateway;
    let bare = http::request("GET", "/pets/1.0/pets", &[], b"");
    let answer = http::call(gateway, &bare).await.unwrap();
    assert_refused(&answer, 401, "authenticate.missing");
    assert!(answer.field("www-authenticate").is_some());

    let mut forged = house.consumer.key.clone();
    forged.replace_range(20..21, if &forged[20..21] == "a" { "b" } else { "a" });
    for key in [forged.as_str(), "nonsense", ""] {
        let answer = http::call(gateway, &get("/pets/1.0/pets", key))
            .await
            .unwrap();
        assert_eq!(answer.status, 401, "{key:?}");
    }

    let other = house.admin.application("other").await.unwrap();
    let (_, key) = house.admin.key(&other).await.unwrap();
    let answer = http::call(gateway, &get("/pets/1.0/pets", &key))
        .await
        .unwrap();
    assert_refused(&answer, 403, "authorize.not_subscribed");
    assert_eq!(house.upstream.requests(), 1);
}
