use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tollgate_model::user::Role;

use crate::harness::House;

const DOCUMENT: &str = r#"{"openapi": "3.1.0",
    "info": {"title": "Pet Store!", "version": "1.2", "description": "All about pets"},
    "servers": [{"url": "http://pets.internal/v1"}],
    "components": {"securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "x-key"}}},
    "security": [{"k": []}],
    "paths": {"/pets": {"get": {"summary": "List pets"}}}}"#;

#[tokio::test]
async fn a_preview_shows_the_api_and_saves_nothing() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let import = async |query: &str| {
        let call = house.call("POST", &format!("/api/v1/apis/import{query}"));
        call.body("application/json", DOCUMENT).by(&ann).await
    };
    let seen = import("?dry_run=true&security=document")
        .await
        .expect(200)
        .body;
    let api = json!({"name": "Pet Store!", "kind": "rest", "context": "/pet-store",
        "version": "1.2", "description": "All about pets", "faults": []});
    assert_eq!(seen["api"], api);
    assert_eq!(seen["operations"][0]["summary"], "List pets");
    assert_eq!(seen["servers"], json!(["http://pets.internal/v1"]));
    assert_eq!(seen["proposed_upstream"], "http://pets.internal/v1");
    assert_eq!(seen["proposed_security"]["in_force"], true);
    assert_eq!(
        seen["proposed_security"]["security"]["api_key"]["header"],
        "x-key"
    );
    let there = house.get("/api/v1/apis").by(&ann).await.expect(200).body;
    assert_eq!(there["total"], 0);
    let refused = import("").await;
    assert_eq!(refused.problem(), (400, "query.invalid"));
    import("?context=/pet-store").await.expect(201);
    // The preview lists the faults that prevent saving.
    let seen = import("?dry_run=true").await.expect(200).body;
    assert_eq!(seen["api"]["context"], "/pet-store-2");
    let codes = |seen: &Value| {
        let faults = seen["api"]["faults"].as_array().unwrap().clone();
        let codes = faults
            .iter()
            .map(|fault| fault["code"].as_str().unwrap().to_owned());
        codes.collect::<Vec<_>>()
    };
    assert!(
        codes(&seen).is_empty(),
        "a version of the own API is proposed"
    );
    assert_eq!(seen["api"]["new_version_of"]["name"], "Pet Store!");
    let seen = import("?dry_run=true&name=Other&context=/pet-store/b")
        .await
        .expect(200)
        .body;
    assert_eq!(codes(&seen), ["context.taken"]);
    let seen = import("?dry_run=true&name=%20&context=pets&version=..")
        .await
        .expect(200)
        .body;
    assert_eq!(codes(&seen).len(), 3, "{seen}");
    let there = house.get("/api/v1/apis").by(&ann).await.expect(200).body;
    assert_eq!(there["total"], 1);
}

#[tokio::test]
async fn a_document_is_fetched_only_from_allowed_addresses() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    // The address is neither public nor allowed here.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/openapi.json", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut bytes = [0; 1_024];
        let _ = stream.read(&mut bytes).await;
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
    });
    for (body, code) in [
        (json!({"url": url}), "fetch.failed"),
        (json!({"url": "ftp://a.example/x"}), "fetch.failed"),
        (
            json!({"url": "https://a.example/x", "colour": "red"}),
            "body.invalid",
        ),
        (json!({"url": 5}), "body.invalid"),
    ] {
        let call = house.post("/api/v1/apis/import?context=/pets", body.clone());
        let refused = call.by(&ann).await;
        assert_eq!(refused.problem(), (422, code), "{body}");
    }
    assert!(!server.is_finished(), "nothing connected");
}
