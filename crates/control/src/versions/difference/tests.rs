use serde_json::{Value, json};
use tollgate_model::user::Role;
use tollgate_store::documents;

use crate::harness::Answer;
use crate::versions::tests::Given;

impl Given {
    async fn difference(&self, query: &str) -> Answer {
        self.get(&format!("difference{query}")).await
    }

    /// Gives the draft a document without the handlers, which would check it.
    async fn store_document(&self, text: &str) {
        let store = &self.house.control.store;
        let document = documents::Document {
            digest: text.to_owned(),
            media_type: "application/json".to_owned(),
            bytes: text.into(),
        };
        let version = self.version.parse().unwrap();
        let mut tx = store.write().await.unwrap();
        documents::put(&mut tx, version, &document).await.unwrap();
        tx.commit().await.unwrap();
    }
}

fn document(parameters: &Value) -> String {
    let operation = json!({"parameters": parameters, "responses": {}});
    let document = json!({
        "openapi": "3.1.0", "info": {"title": "Pets", "version": "1"},
        "paths": {"/pets/{pet}": {"get": operation}},
    });
    document.to_string()
}

/// Returns one line for each change.
fn lines(answer: &Answer) -> Vec<String> {
    let changes = answer.body["changes"].as_array().unwrap().iter();
    let lines = changes.map(|it| {
        let text = |name: &str| it[name].as_str().unwrap_or_default();
        let value = |name: &str| it.get(name).map_or("-".to_owned(), Value::to_string);
        let (before, after) = (value("before"), value("after"));
        format!("{} {} {before} {after}", text("group"), text("pointer"))
    });
    lines.collect()
}

#[tokio::test]
async fn a_changed_draft_is_compared_with_the_deployed_revision() {
    let given = Given::new().await;
    let credential = |secret: &str| json!({"header": {"name": "x-key", "value": secret}});
    let upstream = |secret: &str| json!({"upstream": {"credential": credential(secret)}});
    given.patch("draft", upstream("s3cret")).await.expect(200);
    given.publish().await;
    let same = given.difference("").await.expect(200);
    assert_eq!(same.body["changes"], json!([]));
    assert_eq!(same.body["from"]["revision"]["number"], 1);
    assert_eq!(
        same.body["to"],
        json!({
            "version": {"id": given.version, "name": "1.0"},
            "is_draft": true, "has_document": false,
        })
    );

    let change = json!({
        "operations": [
            {"method": "PUT", "path": "/new"},
            {"method": "GET", "path": "/pets/{pet}", "anonymous": true},
        ],
        "limits": [{"per": "api", "amount": 5, "window": "minute"}],
    });
    given.patch("draft", change).await.expect(200);
    given
        .patch("draft", upstream("another one"))
        .await
        .expect(200);
    let found = given.difference("").await.expect(200);
    let limit = r#"{"algorithm":{"type":"fixed"},"amount":5,"per":"api","window":"minute"}"#;
    assert_eq!(
        lines(&found),
        [
            r#"upstream /upstream/credential/header/value "***" "***""#.to_owned(),
            format!("limits /limits/0 - {limit}"),
            "operations /operations/1/anonymous - true".to_owned(),
            r#"operations /operations/0 - {"method":"PUT","path":"/new"}"#.to_owned(),
        ]
    );
    let text = found.body.to_string();
    assert!(
        !text.contains("s3cret") && !text.contains("another"),
        "{text}"
    );
    assert_eq!(given.get("").await.body["changes"], 4);

    // The other way round.
    let found = given.difference("?from=draft&to=1").await.expect(200);
    assert_eq!(found.body["changes"].as_array().unwrap().len(), 4);
    assert_eq!(found.body["to"]["revision"]["is_deployed"], true);
}

#[tokio::test]
async fn documents_are_compared_as_callers_read_them() {
    let given = Given::new().await;
    given.publish().await;
    given.store_document(&document(&json!([]))).await;
    let found = given.difference("").await.expect(200);
    assert_eq!(found.body["document"], json!({"outcome": "added"}));
    assert_eq!(lines(&found).len(), 1);
    assert_eq!(found.text("/changes/0/group"), "document");
    assert_eq!(given.get("").await.body["changes"], 1);
    let overview = given.house.get("/api/v1/versions").by(&given.ann).await;
    assert_eq!(overview.body["items"][0]["changes"], 1);

    given.post("revisions", json!({})).await.expect(201);
    let required = json!([{"name": "q", "in": "query", "required": true, "schema": {}}]);
    given.store_document(&document(&required)).await;
    let found = given.difference("?from=2").await.expect(200);
    assert_eq!(found.text("/document/outcome"), "compared");
    let difference = &found.body["document"]["difference"];
    assert_eq!(difference["breaking"], 1);
    assert_eq!(
        difference["changed"][0]["changes"][0]["breaking"],
        "parameter_required"
    );
    let found = given.difference("?from=2&to=1").await.expect(200);
    assert_eq!(found.body["document"], json!({"outcome": "removed"}));

    // Another upstream changes nothing in them.
    given.post("revisions", json!({})).await.expect(201);
    let elsewhere = json!({"upstream": {"url": "http://elsewhere:81"}});
    given.patch("draft", elsewhere).await.expect(200);
    let found = given.difference("?from=3").await.expect(200);
    assert_eq!(found.body.get("document"), None);
    // A removed operation does, although the document is the same.
    given
        .patch("draft", json!({"operations": []}))
        .await
        .expect(200);
    let found = given.difference("?from=3").await.expect(200);
    assert_eq!(found.body["document"]["difference"]["breaking"], 1);

    given.store_document("not a document").await;
    let found = given.difference("?from=3").await.expect(200);
    assert_eq!(found.text("/document/outcome"), "unreadable");
    assert_ne!(found.text("/document/detail"), "");
}

#[tokio::test]
async fn two_versions_of_an_api_are_compared() {
    let given = Given::new().await;
    given.store_document(&document(&json!([]))).await;
    given.publish().await;
    let second = given.second().await;
    let change = json!({
        "upstream": {"url": "http://elsewhere:81"},
        "policies": {"cors": {"origins": ["https://shop.example"]}, "cache": {"ttl_s": 5}},
    });
    let path = |part: &str| format!("/api/v1/versions/{second}/{part}");
    let draft = given.house.patch(&path("draft"), change).by(&given.ann);
    draft.await.expect(200);
    let compare = async |query: &str| {
        let call = given.house.get(&path(&format!("difference{query}")));
        call.by(&given.ann).await
    };
    for from_version in ["1.0", &*given.version] {
        let found = compare(&format!("?from_version={from_version}")).await;
        let found = found.expect(200);
        let groups = found.body["changes"].as_array().unwrap().iter();
        let groups: Vec<_> = groups.map(|it| it["group"].as_str().unwrap()).collect();
        assert_eq!(groups, ["upstream", "cors", "cache"]);
        assert_eq!(found.text("/from/version/name"), "1.0");
        assert_eq!(found.body["from"]["revision"]["is_deployed"], true);
        assert_eq!(found.text("/to/version/name"), "2.0");
        assert_eq!(found.body["to"]["is_draft"], true);
    }
    let required = json!([{"name": "q", "in": "query", "required": true, "schema": {}}]);
    given.store_document(&document(&required)).await;
    // The versions have different addresses, which is no change: only the parameter differs.
    let found = compare("?from_version=1.0&from=draft").await.expect(200);
    assert_eq!(found.text("/document/outcome"), "compared");
    let difference = &found.body["document"]["difference"];
    assert_eq!(
        (&difference["breaking"], &difference["document"]),
        (&json!(1), &json!([]))
    );
    assert_eq!(difference["changed"].as_array().unwrap().len(), 1);
    let same = given.difference("?from_version=1.0").await.expect(200);
    assert_eq!(same.body, given.difference("").await.body);

    // The second version has no revision.
    let refused = given.difference("?from_version=2.0").await;
    assert_eq!(refused.problem(), (404, "deployment.unknown"));
    for unknown in ["3.0", "ver_00000000000000000000000000", ""] {
        let refused = given.difference(&format!("?from_version={unknown}")).await;
        assert_eq!(refused.problem(), (404, "version.unknown"), "{unknown}");
        assert_eq!(refused.text("/errors/0/field"), "/from_version");
    }
}

#[tokio::test]
async fn a_rest_that_becomes_one_segment_breaks_callers() {
    let given = Given::new().await;
    let operation = json!({"responses": {}});
    let files = json!({
        "openapi": "3.1.0", "info": {"title": "Files", "version": "1"},
        "paths": {"/files/{p*}": {"get": operation}, "/files/{p}": {"get": operation}},
    });
    given.store_document(&files.to_string()).await;
    let files = |path: &str| json!({"operations": [{"method": "GET", "path": path}]});
    given.patch("draft", files("/files/{p*}")).await.expect(200);
    given.publish().await;
    let second = given.second().await;
    let path = |part: &str| format!("/api/v1/versions/{second}/{part}");
    let draft = given.house.patch(&path("draft"), files("/files/{p}"));
    draft.by(&given.ann).await.expect(200);
    let found = given.house.get(&path("difference?from_version=1.0"));
    let found = found.by(&given.ann).await.expect(200);
    let removed = &found.body["document"]["difference"]["removed"][0];
    assert_eq!(removed["path"], "/files/{p*}", "{}", found.body);
    assert_eq!(removed["matched_by"]["path"], "/files/{p}");
    assert_eq!(removed["changes"][0]["breaking"], "operation_removed");
}

#[tokio::test]
async fn only_versions_of_the_same_api_are_compared_and_only_for_its_owner() {
    let given = Given::new().await;
    given.publish().await;
    let eve = given.house.person("eve", &[Role::Publisher]).await;
    let body = json!({"name": "Other", "context": "/other", "version": "1.0"});
    let other = given.house.post("/api/v1/apis", body).by(&eve).await;
    let foreign = format!("difference?from_version={}", given.version);
    let own = format!("/api/v1/versions/{}", other.text("/version/id"));
    let refused = given.house.get(&format!("{own}/{foreign}")).by(&eve).await;
    assert_eq!(refused.problem(), (404, "version.unknown"));
    let path = given.path("difference?from_version=1.0");
    let dora = given.house.person("dora", &[Role::Developer]).await;
    assert_eq!(given.house.get(&path).by(&dora).await.problem().0, 403);
    let refused = given.house.get(&path).by(&eve).await;
    assert_eq!(refused.problem(), (403, "api.not_owner"));
    assert_eq!(given.house.get(&path).await.problem().0, 401);
}

#[tokio::test]
async fn a_version_has_as_many_changes_as_its_difference() {
    let given = Given::new().await;
    given.publish().await;
    let change = json!({
        "upstream": {"url": "http://elsewhere:81", "idle_timeout_ms": 9},
        "policies": {"cors": {"origins": ["https://shop.example"]}, "cache": {"ttl_s": 5}},
    });
    given.patch("draft", change).await.expect(200);
    let listed = given.difference("").await.body["changes"]
        .as_array()
        .unwrap()
        .len();
    assert_eq!(listed, 4);
    assert_eq!(given.get("").await.body["changes"], listed);
    let overview = given.house.get("/api/v1/versions").by(&given.ann).await;
    assert_eq!(overview.body["items"][0]["changes"], listed);
}

#[tokio::test]
async fn a_side_that_does_not_exist_is_reported_with_its_field() {
    let given = Given::new().await;
    let rows = [
        ("", (404, "deployment.unknown"), "/from"),
        (
            "?from=draft&to=deployed",
            (404, "deployment.unknown"),
            "/to",
        ),
        ("?from=draft&to=7", (404, "revision.unknown"), "/to"),
        ("?from=7", (404, "revision.unknown"), "/from"),
        ("?from=0", (400, "query.invalid"), "/from"),
        ("?from=draft&to=-1", (400, "query.invalid"), "/to"),
        ("?from=draft&to=2147483648", (400, "query.invalid"), "/to"),
        ("?from=Draft", (400, "query.invalid"), "/from"),
        ("?from=", (400, "query.invalid"), "/from"),
    ];
    for (query, problem, field) in rows {
        let refused = given.difference(query).await;
        assert_eq!(refused.problem(), problem, "{query}");
        assert_eq!(refused.text("/errors/0/field"), field, "{query}");
    }
    let unknown = given.difference("?form=draft").await;
    assert_eq!(unknown.problem(), (400, "query.invalid"));
}
