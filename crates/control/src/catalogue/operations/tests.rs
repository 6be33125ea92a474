use serde_json::{Value, json};
use tollgate_model::user::Role;

use crate::harness::{Answer, House, Person};

const DOCUMENT: &str = r##"{"openapi": "3.1.0",
    "info": {"title": "Theirs", "version": "9", "summary": "Pets of all kinds"},
    "tags": [{"name": "pets", "description": "What there is"}],
    "paths": {
        "/pets": {"get": {"operationId": "listPets", "summary": "List *pets*", "tags": ["pets"],
            "responses": {"200": {"$ref": "#/components/responses/Pets"}}}},
        "/pets/{pet}": {"delete": {"deprecated": true, "responses": {}}},
        "/gone": {"get": {"responses": {}}}},
    "webhooks": {"new pet": {"post": {"requestBody": {"$ref": "#/components/requestBodies/Pet"}}},
        "bad": 1},
    "components": {
        "responses": {"Pets": {"description": "Pets", "content": {"application/json":
            {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Pet"}}}}}},
        "requestBodies": {"Pet": {"content": {}}},
        "schemas": {"Pet": {"type": "object"}, "Other": {"type": "object"}}}}"##;

/// A published API and a developer who reads it.
struct Given {
    house: House,
    ann: Person,
    dev: Person,
    version: String,
}

impl Given {
    async fn new() -> Self {
        let house = House::new().await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let dev = house.person("dev", &[Role::Developer]).await;
        let import = "/api/v1/apis/import?context=/pets&name=Pets&version=1.0";
        let import = house.call("POST", import);
        let made = import.body("application/json", DOCUMENT).by(&ann).await;
        let version = made.expect(201).text("/version/id").to_owned();
        let operations = json!([
            {"method": "GET", "path": "/pets"}, {"method": "DELETE", "path": "/pets/{pet}"},
        ]);
        let draft = json!({"upstream": {"url": "http://back.internal:81"},
            "operations": operations});
        house.publish(&ann, &version, draft, json!(["gold"])).await;
        Self {
            house,
            ann,
            dev,
            version,
        }
    }

    async fn read(&self, part: &str) -> Answer {
        let path = format!("/api/v1/catalogue/{}/{part}", self.version);
        self.house.get(&path).by(&self.dev).await
    }
}

#[tokio::test]
async fn operations_are_listed_with_the_general_fields_of_the_document() {
    let given = Given::new().await;
    let list = given.read("operations").await.expect(200);
    let whole = given.read("document").await.expect(200).body;
    let document = &list.body["document"];
    assert_eq!(document["info"]["summary"], "Pets of all kinds");
    for field in ["openapi", "info", "servers", "tags"] {
        assert_eq!(document[field], whole[field], "{field}");
    }
    assert_eq!(document.as_object().unwrap().len(), 4);
    let expected = json!([
        {"id": "get-pets", "method": "GET", "path": "/pets", "operation_id": "listPets",
            "summary": "List *pets*", "tags": ["pets"], "deprecated": false, "webhook": false},
        {"id": "delete-pets-pet", "method": "DELETE", "path": "/pets/{pet}", "tags": [],
            "deprecated": true, "webhook": false},
        {"id": "post-new-pet", "method": "POST", "path": "new pet", "tags": [],
            "deprecated": false, "webhook": true},
    ]);
    assert_eq!(list.body["operations"], expected);
    assert_eq!(list.body["faults"][0]["field"], "/webhooks/bad");
}

#[tokio::test]
async fn an_operation_is_a_document_with_the_components_it_references() {
    let given = Given::new().await;
    let answer = given.read("operations/get-pets").await.expect(200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let part = answer.body;
    let whole = given.read("document").await.expect(200).body;
    assert_eq!(part["paths"], json!({"/pets": whole["paths"]["/pets"]}));
    let components = &part["components"];
    assert_eq!(components["schemas"], json!({"Pet": {"type": "object"}}));
    assert_eq!(components["responses"], whole["components"]["responses"]);
    assert_eq!(components.get("requestBodies"), None);
    let webhook = given.read("operations/post-new-pet").await.expect(200).body;
    assert_eq!(webhook["webhooks"]["new pet"], whole["webhooks"]["new pet"]);
    assert_eq!(webhook.get("paths"), None);
    for unknown in ["get-gone", "listPets", "%F0%9F%90%BE", "get-pets%2Fpet"] {
        let none = given.read(&format!("operations/{unknown}")).await;
        assert_eq!(none.problem(), (404, "operation.unknown"), "{unknown}");
    }
}

#[tokio::test]
async fn an_unchanged_part_is_not_sent_again() {
    let given = Given::new().await;
    let parts = ["operations", "operations/get-pets", "document"];
    let mut tags = Vec::new();
    for part in parts {
        let answer = given.read(part).await.expect(200);
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        assert_eq!(answer.header("vary"), Some("Accept-Encoding"));
        tags.push(answer.header("etag").unwrap().to_owned());
    }
    assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
    let ask = async |part: &str, known: &str| {
        let path = format!("/api/v1/catalogue/{}/{part}", given.version);
        let call = given.house.get(&path).by(&given.dev);
        call.header("if-none-match", known).await
    };
    for (part, tag) in parts.iter().zip(&tags) {
        let same = ask(part, tag).await.expect(304);
        assert_eq!(same.body, Value::from(""));
        assert_eq!(same.header("cache-control"), Some("private, no-cache"));
        ask(part, "*").await.expect(304);
        ask(part, "\"other\"").await.expect(200);
    }
    // The tag of another part does not match.
    ask(parts[0], &tags[1]).await.expect(200);
    let none = ask("operations/get-gone", "*").await;
    assert_eq!(none.problem(), (404, "operation.unknown"));
}

#[tokio::test]
async fn a_version_outside_the_catalogue_has_no_operations() {
    let given = Given::new().await;
    let path = format!("/api/v1/versions/{}/lifecycle", given.version);
    let block = given.house.post(&path, json!({"to": "blocked"}));
    block.by(&given.ann).await.expect(200);
    for part in ["operations", "operations/get-pets"] {
        assert_eq!(given.read(part).await.problem(), (404, "version.unknown"));
        let path = format!("/api/v1/catalogue/ver_00000000001/{part}");
        let none = given.house.get(&path).by(&given.dev).await;
        assert_eq!(none.problem(), (404, "version.unknown"));
        let path = format!("/api/v1/catalogue/{}/{part}", given.version);
        assert_eq!(given.house.get(&path).await.status, 401);
    }
}
