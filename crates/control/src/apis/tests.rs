use serde_json::{Value, json};
use tollgate_model::user::Role;

use crate::harness::{House, Person};

const PETS: &str = "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0, description: All pets.}\n\
    servers: [{url: 'http://pets.internal:8081/v1'}]\n\
    paths:\n  /pets:\n    get: {summary: List pets}\n  /pets/{pet}:\n    get: {}\n    delete: {}\n\
    webhooks: {born: {}}\n";

async fn house() -> (House, Person) {
    let house = House::new().await;
    let publisher = house.person("ann", &[Role::Publisher]).await;
    (house, publisher)
}

fn new(name: &str, context: &str) -> Value {
    json!({"name": name, "context": context, "version": "1.0"})
}

#[tokio::test]
async fn an_api_is_created_with_its_first_version_changed_listed_and_deleted() {
    let (house, ann) = house().await;
    let made = house
        .post("/api/v1/apis", new("Pets", "/pets"))
        .by(&ann)
        .await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.text("/version/state"), "created");
    assert_eq!(made.body["version"]["is_default"], true);
    let next = &made.body["version"]["next_states"];
    assert_eq!(*next, json!(["prototyped", "published"]));
    let path = format!("/api/v1/apis/{}", made.text("/api/id"));
    let patch = json!({"context": "/animals", "description": "All of them."});
    let changed = house.patch(&path, patch).by(&ann).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(house.get(&path).by(&ann).await.body, changed.body);
    assert_eq!(changed.text("/name"), "Pets");
    assert_eq!(changed.text("/context"), "/animals");
    let list = house.get("/api/v1/apis").by(&ann).await;
    assert_eq!(list.body["items"], json!([changed.body]));
    assert_eq!(house.delete(&path).by(&ann).await.status, 204);
    assert_eq!(
        house.get(&path).by(&ann).await.problem(),
        (404, "api.unknown")
    );
}

#[tokio::test]
async fn all_faults_of_an_api_are_reported_at_once() {
    let (house, ann) = house().await;
    let body = json!({"name": " x", "context": "pets", "version": "1/0"});
    let refused = house.post("/api/v1/apis", body).by(&ann).await;
    assert_eq!(refused.problem(), (422, "body.invalid"));
    let faults = refused.body["errors"].as_array().unwrap();
    let faults: Vec<_> = faults
        .iter()
        .map(|it| (&it["field"], &it["code"]))
        .collect();
    let expected = json!([
        ["/name", "name.form"],
        ["/context", "api.context"],
        ["/version", "version.name"],
    ]);
    assert_eq!(json!(faults), expected);
    let unknown = json!({"name": "x", "context": "/x", "version": "1", "colour": "red"});
    let refused = house.post("/api/v1/apis", unknown).by(&ann).await;
    assert_eq!(refused.problem(), (422, "body.invalid"));
    let broken = house
        .call("POST", "/api/v1/apis")
        .body("application/json", "{\"name\":");
    assert_eq!(broken.by(&ann).await.problem(), (400, "body.not_json"));
    assert_eq!(
        house.get("/api/v1/apis").by(&ann).await.body["items"],
        json!([])
    );
}

#[tokio::test]
async fn taken_names_and_overlapping_contexts_are_rejected_by_field() {
    let (house, ann) = house().await;
    let made = house
        .post("/api/v1/apis", new("Pets", "/hr/pets"))
        .by(&ann)
        .await;
    assert_eq!(made.status, 201);
    for context in ["/hr", "/hr/pets", "/hr/pets/old"] {
        let refused = house
            .post("/api/v1/apis", new("Other", context))
            .by(&ann)
            .await;
        assert_eq!(refused.problem(), (409, "context.taken"), "{context}");
        assert_eq!(refused.text("/errors/0/field"), "/context");
    }
    let refused = house
        .post("/api/v1/apis", new("Pets", "/other"))
        .by(&ann)
        .await;
    assert_eq!(refused.problem(), (409, "name.taken"));
    let beside = house
        .post("/api/v1/apis", new("Beside", "/hr/petshop"))
        .by(&ann)
        .await;
    let path = format!("/api/v1/apis/{}", beside.text("/api/id"));
    let refused = house
        .patch(&path, json!({"context": "/hr/pets/x"}))
        .by(&ann)
        .await;
    assert_eq!(refused.problem(), (409, "context.taken"));
}

#[tokio::test]
async fn of_concurrent_requests_for_overlapping_contexts_one_succeeds() {
    let (house, ann) = house().await;
    let calls = (0..12).map(|index| {
        let context = if index % 2 == 0 { "/x" } else { "/x/y" };
        let call = house.post("/api/v1/apis", new(&format!("N{index}"), context));
        tokio::spawn(call.by(&ann).into_future())
    });
    let calls: Vec<_> = calls.collect();
    let mut made = 0;
    for call in calls {
        match call.await.unwrap().status {
            201 => made += 1,
            status => assert_eq!(status, 409),
        }
    }
    assert_eq!(made, 1);
}

#[tokio::test]
async fn a_document_becomes_a_draft_and_is_stored_unchanged() {
    let (house, ann) = house().await;
    let call = house.call("POST", "/api/v1/apis/import?context=/pets");
    let made = call.body("application/yaml", PETS).by(&ann).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(made.text("/api/name"), "Pets");
    assert_eq!(made.text("/api/description"), "All pets.");
    assert_eq!(made.text("/version/name"), "1.0.0");
    assert_eq!(
        made.text("/proposed_upstream"),
        "http://pets.internal:8081/v1"
    );
    assert_eq!(made.body["operations"], 3);
    assert_eq!(made.text("/notes/0/code"), "openapi.webhooks");
    let version = format!("/api/v1/versions/{}", made.text("/version/id"));
    let draft = house.get(&format!("{version}/draft")).by(&ann).await;
    let operation = json!({"method": "GET", "path": "/pets", "summary": "List pets"});
    assert_eq!(draft.body["operations"][0], operation);
    assert_eq!(draft.body["operations"].as_array().unwrap().len(), 3);
    let document = house.get(&format!("{version}/document")).by(&ann).await;
    assert_eq!(document.header("content-type"), Some("application/yaml"));
    assert_eq!(document.body, PETS);
    // The query overrides name and version of the document; JSON is recognised by its content.
    let json = r#"{"openapi":"3.0.1","info":{"title":"Pets","version":"one two"},"paths":{}}"#;
    let call = house.call("POST", "/api/v1/apis/import?context=/o&name=O&version=7");
    let made = call.body("application/json", json).by(&ann).await;
    assert_eq!(
        (made.text("/api/name"), made.text("/version/name")),
        ("O", "7")
    );
    let path = format!("/api/v1/versions/{}/document", made.text("/version/id"));
    let document = house.get(&path).by(&ann).await;
    assert_eq!(document.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_document_that_is_rejected_leaves_nothing_behind() {
    let (house, ann) = house().await;
    let recursive = "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"T\",\"version\":\"1\"},\
        \"paths\":{\"/a\":{\"$ref\":\"#/paths/~1a\"}}}";
    let bomb = (1..9).fold("a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |text, level| {
        let before = vec![format!("*a{}", level - 1); 9].join(",");
        text + &format!("a{level}: &a{level} [{before}]\n")
    });
    let rows = [
        ("{\"openapi\": ".to_owned(), 422, "openapi.syntax"),
        ("swagger: '1.2'\n".to_owned(), 422, "openapi.version"),
        (recursive.to_owned(), 422, "openapi.recursive"),
        (bomb, 422, "openapi.budget"),
        ("openapi: 3.1.0\n".to_owned(), 422, "body.invalid"),
        (
            PETS.replace("title: Pets", "title: ' '"),
            422,
            "openapi.form",
        ),
        (PETS.replace("1.0.0, d", "one two, d"), 422, "version.name"),
        (
            PETS.to_owned() + &"#".repeat(16 << 20),
            413,
            "body.too_large",
        ),
    ];
    for (document, status, code) in rows {
        let call = house.call("POST", "/api/v1/apis/import?context=/pets");
        let refused = call.body("application/yaml", document).by(&ann).await;
        assert_eq!(refused.problem(), (status, code), "{refused:?}");
    }
    let odd = PETS.replace("title: Pets", "title: \"Pe\\u0001ts\"");
    let call = house.call("POST", "/api/v1/apis/import?context=/pets");
    let refused = call.body("application/yaml", odd).by(&ann).await;
    assert_eq!(refused.text("/errors/0/field"), "/info/title");
    let call = house.call("POST", "/api/v1/apis/import");
    let refused = call.body("application/yaml", PETS).by(&ann).await;
    assert_eq!(refused.problem(), (400, "query.invalid"));
    assert_eq!(
        house.get("/api/v1/apis").by(&ann).await.body["items"],
        json!([])
    );
}
