//! Subscriptions as developers use them: moving an application to the successor of a version, and
//! asking again after a rejection.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tollgate_testkit::{Control, http};

use crate::house::{House, get, user};
use crate::start::sql;

/// The operations of version 2.0: one is gone, and another requires a parameter.
const SECOND: &str = r"
openapi: 3.0.3
info: { title: Pets, version: '2.0' }
paths:
  /pets:
    get:
      parameters: [{ name: page, in: query, required: true, schema: { type: integer } }]
      responses: { '200': { description: all } }
    post: { responses: { '201': { description: made } } }
";

const NOT_SUBSCRIBED: (u16, &str) = (403, "authorize.not_subscribed");
const INACTIVE: (u16, &str) = (403, "authorize.subscription_inactive");
const OK: (u16, &str) = (200, "");

/// Asserts the status and code of a call of `/pets` of a version.
async fn assert_called(gateway: SocketAddr, version: &str, key: &str, expected: (u16, &str)) {
    let request = get(&format!("/pets/{version}/pets?page=1"), key);
    let answer = http::call(gateway, &request).await.unwrap();
    let called = (answer.status, answer.code());
    assert_eq!(called, (expected.0, expected.1.to_owned()), "{version}");
}

/// Creates version 2.0, which offers another plan and gives a scope by approval, and publishes it
/// as the successor of 1.0.
async fn succeed(house: &House) -> String {
    let (admin, api) = (&house.admin, &house.api.api);
    admin.plan("larger", json!([])).await.unwrap();
    let body = json!({ "name": "2.0", "from": "1.0" });
    let path = format!("/api/v1/apis/{api}/versions");
    let made = admin.done("POST", &path, Some(&body)).await.unwrap();
    let version = made["id"].as_str().unwrap().to_owned();
    admin.replace_document(&version, SECOND).await.unwrap();
    let security = json!({ "security": {
        "api_key": {}, "oauth2": {}, "scopes": { "pets:admin": { "granted": "by_approval" } },
    } });
    let draft = format!("/api/v1/versions/{version}/draft");
    admin.done("PATCH", &draft, Some(&security)).await.unwrap();
    admin.attach(&version, &["larger"]).await.unwrap();
    let path = format!("/api/v1/versions/{version}/lifecycle");
    let publish = json!({ "to": "published", "deprecate": { "versions": ["1.0"] } });
    admin.done("POST", &path, Some(&publish)).await.unwrap();
    version
}

async fn items(control: &Control, path: &str) -> Vec<Value> {
    let list = control.done("GET", path, None).await.unwrap();
    list["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_application_moves_to_the_successor_and_keeps_its_key() {
    let house = House::new().await;
    let gateway = house.tollgate.gateway;
    let developer = user(&house.admin, &house.tollgate, ("dora", &["developer"])).await;
    let first = &house.api.version;
    let consumer = developer.consumer("till", first, "tested").await.unwrap();
    let key = consumer.key.as_str();
    let second = succeed(&house).await;
    assert_called(gateway, "2.0", key, NOT_SUBSCRIBED).await;

    let path = format!("/api/v1/catalogue/{first}/difference");
    let difference = developer.done("GET", &path, None).await.unwrap();
    assert_eq!(difference["to"], *second);
    let document = &difference["document"];
    assert_eq!(document["removed"][0]["path"], "/pets/{pet}");
    let changes = document["changed"][0]["changes"].to_string();
    assert!(changes.contains("parameter_required"), "{changes}");
    let entry = format!("/api/v1/catalogue/{second}");
    let entry = developer.done("GET", &entry, None).await.unwrap();
    let scope = &entry["security"]["scopes"]["pets:admin"];
    assert_eq!(scope["granted"], "by_approval");

    let mut wanted = json!({ "application": consumer.application, "version": second });
    let path = "/api/v1/subscriptions";
    wanted["plan"] = json!("tested");
    let kept = developer.send("POST", path, Some(&wanted)).await.unwrap();
    assert_eq!(
        (kept.status, kept.code().as_str()),
        (409, "plan.not_offered")
    );
    wanted["plan"] = json!("larger");
    let made = developer.done("POST", path, Some(&wanted)).await.unwrap();
    assert_eq!(made["status"], "active");
    for version in ["1.0", "2.0"] {
        assert_called(gateway, version, key, OK).await;
    }
    assert_eq!(items(&developer, "/api/v1/applications").await.len(), 1);
    for version in [first, &second] {
        // The administrator has a subscription of another application to 1.0.
        let own = items(&developer, &format!("{path}?version={version}")).await;
        assert_eq!(own.len(), 1);
        assert_eq!(own[0]["application"], consumer.application);
    }
    let retire = format!("/api/v1/versions/{first}/lifecycle");
    let body = json!({ "to": "retired", "default": "2.0" });
    house
        .admin
        .done("POST", &retire, Some(&body))
        .await
        .unwrap();
    assert_called(gateway, "2.0", key, OK).await;
}

#[tokio::test]
async fn a_rejected_subscription_that_is_requested_again_waits_for_approval() {
    let house = House::new().await;
    let developer = user(&house.admin, &house.tollgate, ("dora", &["developer"])).await;
    let version = house.api.version.as_str();
    let consumer = developer.consumer("till", version, "tested").await.unwrap();
    let (_, builder) = house.tollgate.terminate().unwrap();
    // As an earlier release could: today a subscription begins as an active one.
    let reject = "update subscriptions set status = 'rejected', reason = 'who are you?'";
    sql(&builder.data().join("tollgate.db"), reject).await;
    let tollgate = builder.start().unwrap();
    let [admin, developer] = [&house.admin, &developer].map(|it| it.at(tollgate.control));
    let (gateway, key) = (tollgate.gateway, consumer.key.as_str());
    let path = format!("/api/v1/subscriptions/{}", consumer.subscription);
    assert_called(gateway, "1.0", key, INACTIVE).await;

    let status = |word: &str| json!({ "status": word });
    let block = status("blocked");
    let blocked = admin.send("PATCH", &path, Some(&block)).await.unwrap();
    assert_eq!(
        (blocked.status, blocked.code().as_str()),
        (409, "subscription.status")
    );
    let request = status("pending");
    let asked = developer
        .done("PATCH", &path, Some(&request))
        .await
        .unwrap();
    assert_eq!(asked["status"], "pending");
    assert_called(gateway, "1.0", key, INACTIVE).await;

    // Unsubscribing does not evade the decision.
    developer.done("DELETE", &path, None).await.unwrap();
    assert_called(gateway, "1.0", key, NOT_SUBSCRIBED).await;
    let subscribed = developer.subscribe(&consumer.application, version, "tested");
    let path = format!("/api/v1/subscriptions/{}", subscribed.await.unwrap());
    assert_called(gateway, "1.0", key, INACTIVE).await;

    let approve = status("active");
    admin.done("PATCH", &path, Some(&approve)).await.unwrap();
    assert_called(gateway, "1.0", key, OK).await;
}
