use serde_json::json;
use tollgate_model::user::Role;
use tollgate_store::{revisions, versions};

use super::*;
use crate::harness::House;

const MATRIX: &str = r#"{"openapi":"3.1.0","info":{"title":"Maps","version":"1"},
    "paths":{"/points/{p}":{"get":{"parameters":[
        {"name":"p","in":"path","required":true,"style":"matrix"}]}}}}"#;
const PLAIN: &str = r#"{"openapi":"3.1.0","info":{"title":"Pets","version":"1",
    "description":"no matrix"},"paths":{"/pets":{"get":{}}}}"#;

#[tokio::test]
async fn stored_versions_whose_document_has_matrix_parameters_pass_semicolons() {
    let house = House::new().await;
    let ann = house.person("ann", &[Role::Publisher]).await;
    let store = &house.control.store;
    let mut ids = Vec::new();
    for (document, context) in [(MATRIX, "maps"), (PLAIN, "pets")] {
        let path = format!("/api/v1/apis/import?context=/{context}");
        let call = house.call("POST", &path).body("application/json", document);
        let made = call.by(&ann).await.expect(201).body;
        let version: VersionId = made["version"]["id"].as_str().unwrap().parse().unwrap();
        let path = format!("/api/v1/versions/{version}/draft");
        let plain = json!({ "semicolon": "check" });
        house.patch(&path, plain).by(&ann).await.expect(200);
        let path = format!("/api/v1/versions/{version}/revisions");
        house.post(&path, json!({})).by(&ann).await.expect(201);
        ids.push(version);
    }
    let semicolons = async |id: VersionId| {
        let draft = versions::draft(store, id).await.unwrap().configuration;
        let (_, revision) = revisions::by_number(store, id, 1).await.unwrap();
        [draft.semicolon, revision.semicolon]
    };
    pass_matrix_semicolons(store).await.unwrap();
    assert_eq!(semicolons(ids[0]).await, [Semicolon::Pass; 2]);
    assert_eq!(semicolons(ids[1]).await, [Semicolon::Check; 2]);
    // Only once: later changes stay.
    let path = format!("/api/v1/versions/{}/draft", ids[0]);
    let check = json!({ "semicolon": "check" });
    house.patch(&path, check).by(&ann).await.expect(200);
    pass_matrix_semicolons(store).await.unwrap();
    assert_eq!(
        semicolons(ids[0]).await,
        [Semicolon::Check, Semicolon::Pass]
    );
}
