//! Imported documents: how they are called, and how callers see them.

use serde_json::json;
use tollgate_testkit::{Behaviour, Control, Upstream, http};

use crate::house::{House, builder};
use crate::peers::peers;

const SWAGGER: &str = include_str!("../../../openapi/src/swagger/tests/pets.yaml");

#[tokio::test]
async fn a_swagger_document_is_called_and_read_as_openapi_3() {
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    let upstream = Upstream::start(Behaviour::Echo).unwrap();
    let made = admin.import("Pets", "/pets", "1.0", SWAGGER).await;
    let made = made.unwrap();
    let path = |part: &str| format!("/api/v1/versions/{}/{part}", made.version);
    admin
        .upstream(&made.version, &upstream.url())
        .await
        .unwrap();
    admin.attach(&made.version, &["gold"]).await.unwrap();
    admin.lifecycle(&made.version, "published").await.unwrap();
    let consumer = admin.consumer("shop", &made.version, "gold").await.unwrap();
    // A parameter inside a segment, with the literal percent-encoded differently.
    for (target, up) in [
        ("/pets/1.0/pets/7.png", "/pets/7.png"),
        ("/pets/1.0/pets/7%2Epng", "/pets/7.png"),
    ] {
        let request = http::request("GET", target, &[("apikey", &consumer.key)], b"");
        let answer = http::call(tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(answer.field("x-echo"), Some(&*format!("GET {up} HTTP/1.1")));
    }
    let kept = admin.send("GET", &path("document"), None).await.unwrap();
    assert_eq!(kept.text(), SWAGGER);
    let shown = format!("/api/v1/catalogue/{}/document", made.version);
    let shown = admin.done("GET", &shown, None).await.unwrap();
    assert_eq!(shown["openapi"], "3.0.3");
    assert!(shown["paths"]["/pets/{id}.png"]["get"].is_object());
    let Some(peers) = peers() else {
        eprintln!("skipped: openapi-spec-validator is not installed (make deps)");
        return;
    };
    assert_eq!(peers.document_faults(&shown).unwrap(), json!([]));
}

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
        ("GET", "", ""),
        ("GET", "/a//b%20c/?q=1", "/a//b%20c/?q=1"),
        ("GET", "/menu", "/menu"),
        ("POST", "/menu", "/menu"),
        ("GET", "/v1/projects/p%20q/x", "/up/projects/p%20q/x"),
    ] {
        let request = http::request(
            method,
            &format!("/pets/1.0{target}"),
            &[("apikey", &house.consumer.key)],
            b"",
        );
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
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
        let request = http::request(
            "GET",
            &format!("/pets/1.0{target}"),
            &[("apikey", &house.consumer.key)],
            b"",
        );
        let answer = http::call(house.tollgate.gateway, &request).await.unwrap();
        assert_eq!(answer.code(), code, "{target}");
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
