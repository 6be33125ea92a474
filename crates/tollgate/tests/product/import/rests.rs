//! The rest of a path, in an imported document, a call and the published document.

use serde_json::json;
use tollgate_testkit::{Answer, http};

use crate::house::House;
use crate::peers::peers;

/// The default resource of WSO2 API Manager, and a path of Google's APIs.
const RESTS: &str = r#"
openapi: 3.0.1
info: { title: Menus, version: 1.0.0 }
paths:
  /menu:
    get: { responses: { "200": { description: ok } } }
  /*:
    get: { responses: { "200": { description: ok } } }
    post: { responses: { "200": { description: ok } } }
  "/v1/{+name}":
    get:
      parameters: [{ name: name, in: path, required: true, schema: { type: string } }]
      responses: { "200": { description: ok } }
"#;

#[tokio::test]
async fn the_rest_of_a_path_is_called_and_published() {
    let house = House::new().await;
    let (admin, version) = (&house.admin, &house.api.version);
    let path = |part: &str| format!("/api/v1/versions/{version}/{part}");
    let replaced = admin.replace_document(version, RESTS).await.unwrap();
    let notes = replaced["notes"].as_array().unwrap().iter();
    let read: Vec<_> = notes
        .filter(|note| note["code"] == "openapi.rest")
        .collect();
    assert_eq!(read.len(), 2, "{replaced}");
    let step = json!({ "policy": "rewrite_path", "path": "/up/{{ path.name }}" });
    let own = json!({ "operations": ["GET /v1/{name+}"], "request": [step] });
    house
        .redeploy(json!({ "policies": { "operations": [own] } }))
        .await;
    for (method, target, up) in [
        ("GET", "/order", "/order"),
        ("GET", "", "/"),
        ("GET", "/a//b%20c/?q=1", "/a//b%20c/?q=1"),
        ("GET", "/menu", "/menu"),
        ("POST", "/menu", "/menu"),
        ("GET", "/v1/projects/p%20q/x", "/up/projects/p%20q/x"),
    ] {
        let answer = call(&house, method, target).await;
        assert_eq!(answer.status, 200, "{target}: {}", answer.text());
        let line = String::from_utf8(house.upstream.received().concat()).unwrap();
        house.upstream.forget();
        assert!(
            line.starts_with(&format!("{method} {up} HTTP/1.1\r\n")),
            "{target}: {line}"
        );
    }
    for (target, code) in [
        ("//menu", "route.ambiguous"),
        ("/v1/a%2F..%2Fb", "listener.bad_request"),
    ] {
        assert_eq!(call(&house, "GET", target).await.code(), code, "{target}");
    }
    let shown = format!("/api/v1/catalogue/{version}/document");
    let shown = admin.done("GET", &shown, None).await.unwrap();
    assert_eq!(shown["paths"]["/{rest}"]["x-tollgate-rest"], "*");
    assert_eq!(shown["paths"]["/v1/{name}"]["x-tollgate-rest"], "+");
    if let Some(peers) = peers() {
        assert_eq!(peers.document_faults(&shown).unwrap(), json!([]));
    }
    // Both at one place are a fault, and a sign in the middle.
    for rest in ["/{other+}", "/{more*}/x"] {
        let mut draft = admin.done("GET", &path("draft"), None).await.unwrap();
        let operations = draft["operations"].as_array_mut().unwrap();
        operations.push(json!({ "method": "GET", "path": rest }));
        let change = json!({ "operations": operations });
        let answer = admin
            .send("PATCH", &path("draft"), Some(&change))
            .await
            .unwrap();
        assert!(
            matches!(answer.status, 400 | 422),
            "{rest}: {}",
            answer.text()
        );
    }
}

async fn call(house: &House, method: &str, target: &str) -> Answer {
    let fields = [("apikey", &*house.consumer.key)];
    let request = http::request(method, &format!("/pets/1.0{target}"), &fields, b"");
    http::call(house.tollgate.gateway, &request).await.unwrap()
}
