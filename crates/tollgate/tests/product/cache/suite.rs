//! npm's `http-cache-tests` with its own server behind the gateway (C1): no required test fails,
//! and the optional ones that do are those that the README of crate `cache` lists with the reason.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tollgate_testkit::Control;

use crate::house::builder;
use crate::peers::peers;

/// Paths of the suite's server, with their methods.
const PATHS: &[(&str, &[&str])] = &[
    ("/config/{id}", &["put"]),
    ("/state/{id}", &["get"]),
    ("/test/{id}", METHODS),
    ("/test/{id}/location_target", METHODS),
    ("/test/{id}/content_location_target", METHODS),
];
const METHODS: &[&str] = &["get", "head", "post", "put", "delete"];
/// A required test that contradicts its own name and `age-parse-dup-0`.
const CONTRADICTORY: &str = "age-parse-prefix";
/// The file with the reasons why tests fail.
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../cache/README.md");

/// Returns an OpenAPI document of the suite's server.
fn document() -> Value {
    let id =
        json!({ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } });
    let any = json!({ "responses": { "default": { "description": "any" } } });
    let paths = PATHS.iter().map(|(path, methods)| {
        let operations = methods
            .iter()
            .map(|method| ((*method).to_owned(), any.clone()));
        let mut item: serde_json::Map<_, _> = operations.collect();
        item.insert("parameters".to_owned(), json!([id]));
        ((*path).to_owned(), Value::Object(item))
    });
    let paths: serde_json::Map<_, _> = paths.collect();
    json!({ "openapi": "3.0.3", "info": { "title": "Suite", "version": "1.0" }, "paths": paths })
}

/// Publishes the suite's server, for everybody, with the cache.
async fn publish(admin: &Control, server: &str) {
    let api = admin
        .import("Suite", "/suite", "1.0", &document().to_string())
        .await
        .unwrap();
    let operations = PATHS.iter().flat_map(|(path, methods)| {
        methods.iter().map(move |method| {
            json!({ "method": method.to_uppercase(), "path": path, "anonymous": true })
        })
    });
    let cache = json!({
        "share": "all",
        "headers": ["accept", "accept-language", "foo", "bar", "baz", "abc"],
        "pass": ["test-id", "req-num"],
        "obey_request": true,
        "show_status": true,
    });
    let change = json!({
        "upstream": { "url": server },
        "operations": operations.collect::<Vec<_>>(),
        "policies": { "cache": cache },
    });
    let draft = format!("/api/v1/versions/{}/draft", api.version);
    admin.done("PATCH", &draft, Some(&change)).await.unwrap();
    let unlimited = json!({ "name": "anonymous", "unlimited": true });
    let plan = "/api/v1/plans/anonymous";
    admin.replace(plan, &unlimited).await.unwrap();
    admin.attach(&api.version, &["unlimited"]).await.unwrap();
    admin.lifecycle(&api.version, "published").await.unwrap();
}

/// Returns the ids of the tests that the README lists.
fn listed() -> BTreeSet<String> {
    let text = std::fs::read_to_string(README).unwrap();
    let (_, rows) = text.split_once("## http-cache-tests").unwrap();
    let rows = rows.lines().filter(|line| line.starts_with("| `"));
    let cells = rows.filter_map(|row| row.split('|').nth(1));
    let ids = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    ids.map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_required_test_of_the_suite_fails_and_the_optional_ones_that_do_are_listed() {
    let Some(peers) = peers() else { return };
    let server = peers.cache_suite().unwrap();
    let tollgate = builder().start().unwrap();
    let admin = Control::administrator(&tollgate).await.unwrap();
    publish(&admin, &server.url).await;

    let base = format!("http://{}/suite/1.0", tollgate.gateway);
    let rows = peers.judge_cache(&base).unwrap();
    let rows = rows.as_array().unwrap();
    assert!(rows.len() > 300, "{} tests", rows.len());
    let others = rows.iter().filter(|row| row["outcome"] != "pass");
    let (failed, others): (Vec<_>, Vec<_>) = others.partition(|row| {
        let is_required = row["kind"] == "required" && row["id"] != CONTRADICTORY;
        is_required && row["outcome"] == "fail"
    });
    let lines =
        |rows: Vec<&Value>| -> String { rows.iter().map(|row| format!("{row}\n")).collect() };
    assert!(failed.is_empty(), "{}", lines(failed));

    let mut listed = listed();
    let is_unlisted = |row: &&Value| !listed.remove(row["id"].as_str().unwrap());
    let unlisted: Vec<_> = others.into_iter().filter(is_unlisted).collect();
    assert!(unlisted.is_empty(), "{}", lines(unlisted));
    assert!(listed.is_empty(), "these pass: {listed:?}");
}
