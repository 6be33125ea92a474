use serde_json::{Value, json};
use tollgate_model::user::Role;

use crate::harness::{Answer, House, Person};

/// A house with a publisher and the version of an API that was imported from [`document`].
struct Given {
    house: House,
    ann: Person,
    api: String,
    version: String,
}

/// A document with these operations: method, path, `operationId`.
fn document(version: &str, operations: &[(&str, &str, &str)]) -> Value {
    let mut paths = json!({});
    for (method, path, id) in operations {
        let names = path
            .split('{')
            .skip(1)
            .filter_map(|it| it.split('}').next());
        let parameters = names.map(|name| {
            json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
        });
        paths[path][method] = json!({
            "operationId": id,
            "parameters": parameters.collect::<Vec<_>>(),
            "responses": {"200": {"description": "fine"}},
        });
    }
    json!({"openapi": "3.1.0", "info": {"title": "Pets", "version": version}, "paths": paths})
}

const BEFORE: [(&str, &str, &str); 4] = [
    ("get", "/pets", "list"),
    ("get", "/pets/mine", "mine"),
    ("get", "/pets/{pet}", "show"),
    ("post", "/pets", "add"),
];

impl Given {
    async fn new() -> Self {
        let house = House::new().await;
        let ann = house.person("ann", &[Role::Publisher]).await;
        let import = house.post(
            "/api/v1/apis/import?context=%2Fpets",
            document("1.0", &BEFORE),
        );
        let made = import.by(&ann).await.expect(201);
        let given = Self {
            api: made.text("/api/id").to_owned(),
            version: made.text("/version/id").to_owned(),
            house,
            ann,
        };
        let limit = json!({"per": "operation", "amount": 5, "window": "minute"});
        let draft = json!({
            "security": {"api_key": {}, "oauth2": {}, "scopes": {"read": "Read", "own": "Own"}},
            "upstream": {"url": "http://127.0.0.1:9"},
            "operations": [
                {"method": "GET", "path": "/pets", "anonymous": true},
                {"method": "GET", "path": "/pets/mine", "scopes": ["own"]},
                {"method": "GET", "path": "/pets/{pet}", "scopes": ["read"], "limits": [limit]},
                {"method": "POST", "path": "/pets", "scopes": ["own"]},
            ],
        });
        given.patch_draft(draft).await.expect(200);
        given
    }

    async fn patch_draft(&self, draft: Value) -> Answer {
        let path = format!("/api/v1/versions/{}/draft", self.version);
        self.house.patch(&path, draft).by(&self.ann).await
    }

    async fn etag(&self) -> String {
        let path = format!("/api/v1/versions/{}/draft", self.version);
        let draft = self.house.get(&path).by(&self.ann).await.expect(200);
        draft.header("etag").unwrap().to_owned()
    }

    /// Replaces the document by one with these operations, based on the present draft.
    async fn replace(&self, query: &str, operations: &[(&str, &str, &str)]) -> Answer {
        let body = document("1.1", operations);
        let path = format!("/api/v1/versions/{}/document{query}", self.version);
        let call = self.house.put(&path, body).by(&self.ann);
        call.header("if-match", &self.etag().await).await
    }

    async fn of(&self, of: &str) -> Answer {
        let path = format!("/api/v1/versions/{}/document?of={of}", self.version);
        self.house.get(&path).by(&self.ann).await
    }
}

/// Returns method and path of operations.
fn names(operations: &Value) -> Vec<String> {
    let operations = operations.as_array().unwrap();
    operations.iter().map(name).collect()
}

fn name(operation: &Value) -> String {
    format!(
        "{} {}",
        text(&operation["method"]),
        text(&operation["path"])
    )
}

/// Returns an operation by method and path.
fn operation<'o>(draft: &'o Value, wanted: &str) -> &'o Value {
    let operations = draft["operations"].as_array().unwrap();
    operations.iter().find(|it| name(it) == wanted).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test]
async fn operations_keep_their_settings_and_effects_are_listed() {
    let given = Given::new().await;
    let new = [
        ("get", "/pets", "list"),
        ("get", "/pets/{id}", "show"),
        ("post", "/pets", "add"),
        ("delete", "/pets/{id}", "remove"),
    ];
    let before = given.etag().await;
    let seen = given.replace("?dry_run=true", &new).await.expect(200);
    assert_eq!(
        (given.etag().await, seen.header("etag")),
        (before.clone(), Some(&*before))
    );
    assert_eq!(
        text(&given.of("draft").await.body["info"]["version"]),
        "1.0"
    );

    let replaced = given.replace("", &new).await.expect(200);
    assert_eq!(replaced.body, seen.body, "a dry run returns what is done");
    assert_eq!(replaced.header("etag"), Some(&*given.etag().await));
    assert_eq!(
        text(&given.of("draft").await.body["info"]["version"]),
        "1.1"
    );
    let body = &replaced.body;
    let draft = &body["draft"];
    assert_eq!(draft["operations"].as_array().unwrap().len(), 4);
    assert_eq!(operation(draft, "GET /pets")["anonymous"], true);
    let show = operation(draft, "GET /pets/{id}");
    assert_eq!(
        (&show["scopes"], &show["limits"][0]["amount"]),
        (&json!(["read"]), &json!(5))
    );
    assert_eq!(body["draft"]["upstream"]["url"], "http://127.0.0.1:9");

    let added = json!([{"method": "DELETE", "path": "/pets/{id}", "lacks_scopes": true,
        "access": {"scopes": [], "anonymous": false}}]);
    assert_eq!(body["added"], added);
    // Its calls now reach an operation with another access.
    let removed = json!([{"method": "GET", "path": "/pets/mine", "breaking": "operation_removed",
        "access": {"scopes": ["own"], "anonymous": false},
        "reached": {"path": "/pets/{id}", "access": {"scopes": ["read"], "anonymous": false}},
        "calls_last_day": 0, "callers": []}]);
    assert_eq!(body["removed"], removed);
    assert_eq!(body["access"], json!([]));
    let difference = &body["difference"];
    assert_eq!(names(&difference["removed"]), ["GET /pets/mine"]);
    assert_eq!(
        difference["removed"][0]["changes"][0]["breaking"],
        "operation_removed"
    );
    assert_eq!(names(&difference["added"]), ["DELETE /pets/{id}"]);
    assert_eq!(names(&difference["changed"]), ["GET /pets/{id}"]);
    assert_eq!(difference["breaking"], 1);
}

#[tokio::test]
async fn a_rename_is_proposed_and_keeps_the_settings_on_request() {
    let given = Given::new().await;
    let mut new = BEFORE;
    new[3].1 = "/animals";
    let seen = given.replace("?dry_run=true", &new).await.expect(200).body;
    let rename = &seen["difference"]["renames"][0];
    assert_eq!(
        (text(&rename["from"]["path"]), text(&rename["to"]["path"])),
        ("/pets", "/animals")
    );
    assert_eq!(
        operation(&seen["draft"], "POST /animals").get("scopes"),
        None
    );
    let followed = given
        .replace("?follow_renames=true", &new)
        .await
        .expect(200)
        .body;
    assert_eq!(
        operation(&followed["draft"], "POST /animals")["scopes"],
        json!(["own"])
    );
    assert_eq!(
        names(&followed["removed"]),
        ["POST /pets"],
        "callers break nevertheless"
    );
}

#[tokio::test]
async fn security_comes_from_the_document_on_request_only() {
    let given = Given::new().await;
    let mut body = document("1.1", &BEFORE);
    body["components"] = json!({"securitySchemes": {"o": {"type": "oauth2", "flows": {
        "clientCredentials": {"tokenUrl": "https://a.example/token", "scopes": {"all": "All"}}}}}});
    body["security"] = json!([{"o": ["all"]}]);
    body["paths"]["/pets"]["get"]["security"] = json!([]);
    let replace = async |query: &str| {
        let path = format!("/api/v1/versions/{}/document{query}", given.version);
        let call = given.house.put(&path, body.clone()).by(&given.ann);
        call.header("if-match", &given.etag().await)
            .await
            .expect(200)
            .body
    };
    let kept = replace("").await;
    assert_eq!(
        (&kept["access"], &kept["proposed_security"]["in_force"]),
        (&json!([]), &json!(false))
    );
    assert_eq!(
        operation(&kept["draft"], "GET /pets/mine")["scopes"],
        json!(["own"])
    );
    let applied = replace("?security=document").await;
    assert_eq!(
        operation(&applied["draft"], "GET /pets/mine")["scopes"],
        json!(["all"])
    );
    assert_eq!(
        operation(&applied["draft"], "GET /pets/{pet}")["limits"][0]["amount"],
        5
    );
    let change = json!({"method": "GET", "path": "/pets",
        "before": {"scopes": [], "anonymous": true}, "now": {"scopes": [], "anonymous": false}});
    assert_eq!(applied["access"][0], change);
    let open = replace("?security=document&allow_anonymous=true").await;
    assert_eq!(operation(&open["draft"], "GET /pets")["anonymous"], true);
}

#[tokio::test]
async fn a_wrong_replacement_is_refused_and_changes_nothing() {
    let given = Given::new().await;
    let path = format!("/api/v1/versions/{}/document", given.version);
    let good = || document("1.1", &BEFORE);
    let put = |body: Value| given.house.put(&path, body).by(&given.ann);
    let etag = given.etag().await;
    assert_eq!(put(good()).await.problem(), (428, "etag.missing"));
    let stale = put(good()).header("if-match", "\"1\"").await;
    assert_eq!(
        (stale.problem(), stale.header("etag")),
        ((412, "etag.stale"), Some(&*etag))
    );
    let empty = put(document("1.1", &[])).header("if-match", &etag).await;
    assert_eq!(empty.problem(), (422, "document.no_operations"));
    assert_eq!(empty.text("/errors/0/field"), "/paths");
    let cut = given
        .house
        .call("PUT", &path)
        .by(&given.ann)
        .header("if-match", &etag);
    let cut = cut
        .body("application/json", "{\"openapi\": \"3.1.0\"")
        .await;
    assert_eq!(cut.problem(), (422, "openapi.syntax"));
    let text = given
        .house
        .call("PUT", &path)
        .by(&given.ann)
        .header("if-match", &etag);
    let text = text.body("text/plain", "openapi: 3.1.0").await;
    assert_eq!(text.problem(), (415, "body.type"));
    let soap = json!({"name": "Orders", "kind": "soap", "context": "/orders", "version": "1.0"});
    let soap = given
        .house
        .post("/api/v1/apis", soap)
        .by(&given.ann)
        .await
        .expect(201);
    let other = format!("/api/v1/versions/{}/document", soap.text("/version/id"));
    let other = given
        .house
        .put(&other, good())
        .by(&given.ann)
        .header("if-match", "\"1\"");
    assert_eq!(other.await.problem(), (409, "version.kind"));

    let ben = given.house.person("ben", &[Role::Publisher]).await;
    let eve = given.house.person("eve", &[Role::Developer]).await;
    let by = async |person| {
        let call = given.house.put(&path, good()).header("if-match", &etag);
        call.by(person).await.status
    };
    assert_eq!((by(&ben).await, by(&eve).await), (404, 403));
    assert_eq!(given.house.put(&path, good()).await.status, 401);
    assert_eq!(given.etag().await, etag);
    assert_eq!(text_of_version(&given).await, "1.0");
}

async fn text_of_version(given: &Given) -> String {
    text(&given.of("draft").await.body["info"]["version"]).to_owned()
}

#[tokio::test]
async fn a_version_is_created_from_a_document() {
    let given = Given::new().await;
    let path = format!("/api/v1/apis/{}/versions", given.api);
    let new = [BEFORE[0], BEFORE[2], ("get", "/cats", "cats")];
    let post = async |query: &str| {
        let call = given
            .house
            .post(&format!("{path}{query}"), document("2.0", &new));
        call.by(&given.ann).await
    };
    let plain = post("").await.expect(201);
    assert_eq!(
        (plain.text("/name"), plain.text("/state")),
        ("2.0", "created")
    );
    assert_eq!(plain.body["document"]["operations"], 3);
    assert_eq!(post("").await.problem(), (409, "name.taken"));
    let copy = post("?name=3.0&from=1.0").await.expect(201);
    let draft = format!("/api/v1/versions/{}/draft", copy.text("/id"));
    let draft = given
        .house
        .get(&draft)
        .by(&given.ann)
        .await
        .expect(200)
        .body;
    assert_eq!(
        names(&draft["operations"]),
        ["GET /cats", "GET /pets", "GET /pets/{pet}"]
    );
    assert_eq!(
        operation(&draft, "GET /pets/{pet}")["scopes"],
        json!(["read"])
    );
    assert_eq!(draft["upstream"]["url"], "http://127.0.0.1:9");
    let document = format!("/api/v1/versions/{}/document", copy.text("/id"));
    let document = given
        .house
        .get(&document)
        .by(&given.ann)
        .await
        .expect(200)
        .body;
    assert_eq!(document["info"]["version"], "2.0");

    assert_eq!(
        post("?from=9.9&name=4.0").await.problem(),
        (422, "version.unknown")
    );
    let refused = post("?name=a%2Fb").await;
    assert_eq!(refused.problem(), (422, "version.name"));
    assert_eq!(refused.text("/errors/0/field"), "/name");
    let both = given
        .house
        .post(&format!("{path}?from=1.0"), json!({"name": "5.0"}));
    assert_eq!(both.by(&given.ann).await.problem(), (400, "query.invalid"));
}

#[tokio::test]
async fn an_import_with_the_name_of_an_own_api_proposes_a_version() {
    let given = Given::new().await;
    let import = async |query: &str, person: &Person, version: &str| {
        let path = format!("/api/v1/apis/import?{query}");
        given
            .house
            .post(&path, document(version, &BEFORE))
            .by(person)
            .await
    };
    let seen = import("dry_run=true", &given.ann, "2.0")
        .await
        .expect(200)
        .body;
    assert_eq!(seen["api"]["faults"], json!([]));
    let proposed = json!({"id": given.api, "name": "Pets", "context": "/pets",
        "version_exists": false});
    assert_eq!(seen["api"]["new_version_of"], proposed);
    let seen = import("dry_run=true", &given.ann, "1.0")
        .await
        .expect(200)
        .body;
    assert_eq!(seen["api"]["new_version_of"]["version_exists"], true);
    let refused = import("context=%2Fother", &given.ann, "2.0").await;
    assert_eq!(refused.problem(), (409, "name.taken"));
    assert!(
        refused.text("/detail").contains(&given.api),
        "{:?}",
        refused.body
    );
    let ben = given.house.person("ben", &[Role::Publisher]).await;
    let seen = import("dry_run=true", &ben, "2.0").await.expect(200).body;
    assert_eq!(text(&seen["api"]["faults"][0]["code"]), "name.taken");
    assert_eq!(seen["api"].get("new_version_of"), None);
    let refused = import("context=%2Fother", &ben, "2.0").await;
    assert!(
        !refused.text("/detail").contains(&given.api),
        "{:?}",
        refused.body
    );
}

#[tokio::test]
async fn policies_follow_their_operations_and_wait_aside_for_those_that_are_gone() {
    let given = Given::new().await;
    let named = |value: &str, operations: &[&str]| {
        let step = json!({
            "policy": "set_header", "name": "x-a", "value": value, "mode": "replace",
        });
        json!({"operations": operations, "mode": "append", "request": [step]})
    };
    let policies = json!({"operations": [
        named("one", &["GET /pets/{pet}", "GET /pets/mine"]), named("two", &["POST /pets"]),
    ]});
    given
        .patch_draft(json!({"policies": policies}))
        .await
        .expect(200);
    let unknown = json!({"policies": {"operations": [named("one", &["GET /gone"])]}});
    let unknown = given.patch_draft(unknown).await.expect(422);
    assert_eq!(
        unknown.text("/errors/0/field"),
        "/policies/operations/0/operations/0"
    );
    let operations = [
        ("get", "/pets/{id}", "show"),
        ("put", "/pets/{id}", "change"),
    ];
    let replaced = given.replace("", &operations).await.expect(200);
    let now = &replaced.body["draft"]["policies"];
    assert_eq!(
        now["operations"],
        json!([named("one", &["GET /pets/{id}"])])
    );
    let aside = [
        named("one", &["GET /pets/mine"]),
        named("two", &["POST /pets"]),
    ];
    assert_eq!(now["aside"], json!(aside));
    assert_eq!(
        replaced.body["aside"],
        json!(["GET /pets/mine", "POST /pets"])
    );
    let operations = [("get", "/pets/{id}", "show"), ("post", "/pets", "add")];
    let replaced = given.replace("", &operations).await.expect(200);
    let now = &replaced.body["draft"]["policies"];
    let expected = [
        named("one", &["GET /pets/{id}"]),
        named("two", &["POST /pets"]),
    ];
    assert_eq!(now["operations"], json!(expected));
    assert_eq!(replaced.body["aside"], json!([]));
}

#[tokio::test]
async fn documents_that_take_too_much_memory_are_replaced_but_not_compared() {
    let given = Given::new().await;
    let path = format!("/api/v1/versions/{}/document", given.version);
    // In YAML a text takes two bytes, and dozens in memory.
    let texts = "a,".repeat(100_000);
    let replace = async |id: &str| {
        let document = format!(
            "openapi: 3.1.0\ninfo: {{title: Pets, version: '2'}}\n\
             paths: {{/pets: {{get: {{operationId: {id}, responses: {{}}}}}}}}\n\
             components: {{schemas: {{A: {{enum: [{texts}a]}}}}}}\n"
        );
        let call = given.house.call("PUT", &path);
        let call = call.body("application/yaml", document.into_bytes());
        let etag = given.etag().await;
        call.by(&given.ann)
            .header("if-match", &etag)
            .await
            .expect(200)
            .body
    };
    assert!(replace("list").await["difference"].is_object());
    let replaced = replace("all").await;
    assert_eq!(replaced["difference"], Value::Null);
    let notes = replaced["notes"].as_array().unwrap();
    assert_eq!(notes.last().unwrap()["code"], "document.too_large");
    assert_eq!(replaced["draft"]["operations"][0]["summary"], "all");
}

#[tokio::test]
async fn a_draft_with_mocks_is_refused_if_the_examples_take_too_much_memory() {
    let given = Given::new().await;
    let mut large = document("1.1", &BEFORE);
    large["components"]["schemas"]["A"]["enum"] = vec![0; 1_500_000].into();
    let path = format!("/api/v1/versions/{}/document", given.version);
    let replace = given.house.put(&path, large).by(&given.ann);
    let replaced = replace.header("if-match", &given.etag().await).await;
    replaced.expect(200);
    let mock = json!({"policies": {"request": [{"policy": "mock"}]}});
    let refused = given.patch_draft(mock).await;
    assert_eq!(
        (
            refused.status,
            refused.text("/code"),
            refused.text("/errors/0/field")
        ),
        (422, "policy.example", "/policies")
    );
}
