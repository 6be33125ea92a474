//! The default version at the gateway, and what becomes of it when it retires.

use serde_json::{Value, json};

use crate::house::{House, get};
use tollgate_testkit::http;

/// Creates a version of the API of the house from its first one.
async fn create(house: &House, name: &str) -> String {
    let path = format!("/api/v1/apis/{}/versions", house.api.api);
    let body = json!({ "name": name, "from": "1.0" });
    let made = house.admin.done("POST", &path, Some(&body)).await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

async fn enter(house: &House, version: &str, body: Value) -> Value {
    let path = format!("/api/v1/versions/{version}/lifecycle");
    house.admin.done("POST", &path, Some(&body)).await.unwrap()
}

/// Returns status and code of a call of `/pets` with these segments.
async fn call(house: &House, below: &str) -> (u16, String) {
    let request = get(&format!("/pets{below}"), &house.consumer.key);
    let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
    (answer.status, answer.code())
}

/// A house with an API that has an operation for any two segments, in a retired version 1.0 and in
/// a version 2.0 with the same subscribers. `default` becomes the default version.
async fn retired(default: Value) -> (House, Value) {
    let house = House::new().await;
    let operations = json!([
        {"method": "GET", "path": "/{a}"}, {"method": "GET", "path": "/{a}/{b}"},
    ]);
    house.redeploy(json!({ "operations": operations })).await;
    let second = create(&house, "2.0").await;
    let publish = json!({ "to": "published", "subscriptions": "move", "from": "1.0" });
    enter(&house, &second, publish).await;
    let version = &house.api.version;
    enter(&house, version, json!({ "to": "deprecated" })).await;
    let retire = json!({ "to": "retired", "default": default });
    let entered = enter(&house, version, retire).await;
    (house, entered)
}

#[tokio::test]
async fn the_default_version_takes_no_path_of_a_retired_or_undeployed_version() {
    let (house, entered) = retired(json!("2.0")).await;
    assert_eq!(entered["default"]["previous"]["name"], "1.0");
    assert_eq!(entered["default"]["next"]["name"], "2.0");
    assert_eq!(entered["default"]["lacking"], 0);
    let absent = (404, "route.no_api".to_owned());
    let served = (200, String::new());
    for below in ["/1.0/c", "/1%2e0/c", "/1.0", "/1.0?c"] {
        assert_eq!(call(&house, below).await, absent, "{below}");
    }
    for below in ["/x/c", "/1.1/c", "/2.0/x/c", "/3.0/c"] {
        assert_eq!(call(&house, below).await, served, "{below}");
    }
    let third = create(&house, "3.0").await;
    assert_eq!(call(&house, "/3.0/c").await, absent);
    let path = format!("/api/v1/versions/{third}");
    house.admin.done("DELETE", &path, None).await.unwrap();
    assert_eq!(call(&house, "/3.0/c").await, served, "the name is free");
}

#[tokio::test]
async fn an_api_without_a_default_version_has_no_short_path() {
    let (house, entered) = retired(Value::Null).await;
    assert_eq!(entered["default"]["next"], Value::Null);
    assert_eq!(entered["default"]["lacking"], 1, "nobody can call it");
    assert_eq!(call(&house, "/x/c").await, (404, "route.no_api".to_owned()));
    assert_eq!(call(&house, "/2.0/x/c").await, (200, String::new()));
}
