//! Documents that are made to take long: a large value that many others reach. With ten times as
//! many values they have the maximum size.

use serde_json::{Value as Json, json};

use super::*;

/// Values that reach the large one.
const MANY: usize = 2_000;

fn many(prefix: &str, value: impl Fn(usize) -> Json) -> Json {
    let all = (0..MANY).map(|at| (format!("{prefix}{at}"), value(at)));
    Json::Object(all.collect())
}

/// A document with this operation, this schema `big`, and many other schemas.
fn with_schemas(big: Json, other: impl Fn(usize) -> Json) -> Json {
    let mut schemas = many("s", other);
    schemas["big"] = big;
    let properties = many(
        "p",
        |at| json!({"$ref": format!("#/components/schemas/s{at}")}),
    );
    let schema = json!({"type": "object", "properties": properties});
    let content = json!({"application/json": {"schema": schema}});
    json!({"openapi": "3.1.0", "info": {}, "components": {"schemas": schemas},
        "paths": {"/a": {"post": {"requestBody": {"content": content},
            "responses": {"200": {"content": content}}}}}})
}

fn with_operations(components: &Json, operation: impl Fn(usize) -> Json) -> Json {
    let paths = (0..500).map(|at| (format!("/p{at}"), json!({"post": operation(at)})));
    let paths: serde_json::Map<String, Json> = paths.collect();
    json!({"openapi": "3.1.0", "info": {}, "components": components, "paths": paths})
}

/// Documents with schemas that share others.
fn of_schemas() -> [(&'static str, Json); 7] {
    let all_of =
        |at: usize| json!({"allOf": [{"$ref": "#/components/schemas/big"}], "maxLength": at});
    let not = |at: usize| json!({"not": {"$ref": "#/components/schemas/big"}, "maxLength": at});
    let names: Vec<_> = (0..10_000).map(|at| format!("name{at}")).collect();
    let properties = json!({"properties": many("q", |_| json!({}))});
    let below = json!({"properties": {"a": {"enum": names}}});
    let text = json!({"pattern": "a".repeat(400_000)});
    let every = |keyword: &'static str| {
        let all = (0..400).map(|at| json!({"$ref": format!("#/components/schemas/s{at}")}));
        let all: Vec<_> = all.collect();
        move |at: usize| match at {
            0..400 => json!({(keyword): all, "maxLength": at}),
            _ => json!({"$ref": format!("#/components/schemas/s{}", at % 400)}),
        }
    };
    [
        ("properties", with_schemas(properties, all_of)),
        ("enum below", with_schemas(below, all_of)),
        ("default", with_schemas(json!({"default": names}), all_of)),
        ("long texts", with_schemas(text, all_of)),
        ("not", with_schemas(json!({"enum": names}), not)),
        ("oneOf", with_schemas(json!({}), every("oneOf"))),
        ("allOf", with_schemas(json!({}), every("allOf"))),
    ]
}

/// Documents with operations that share other components.
fn of_operations() -> [(&'static str, Json); 4] {
    let reference = |kind: &str| json!({"$ref": format!("#/components/{kind}/big")});
    let big = many("x-", |at| json!({"x-a": at}));
    let headers = many("h", |_| reference("headers"));
    let components = json!({"parameters": {"big": big}, "headers": {"big": big},
        "pathItems": {"big": big}, "responses": {"big": {"headers": headers}},
        "securitySchemes": many("s", |at| json!({"type": "apiKey", "name": at.to_string()}))});
    let with = |operation: &dyn Fn(usize) -> Json| with_operations(&components, operation);
    let parameters = json!({"parameters": vec![reference("parameters"); 20]});
    let responses = json!({"responses": {"200": reference("responses")}});
    let security = |at: usize| {
        let schemes = (0..50).map(|it| json!({(format!("s{}", at * 3 + it)): []}));
        json!({"security": schemes.collect::<Vec<_>>()})
    };
    let mut items = with(&|_| json!({}));
    for (_, item) in items["paths"].as_object_mut().unwrap() {
        *item = reference("pathItems");
    }
    [
        ("parameters", with(&|_| parameters.clone())),
        ("headers", with(&|_| responses.clone())),
        ("security", with(&security)),
        ("path items", items),
    ]
}

#[test]
fn documents_that_are_made_to_take_long_end() {
    for (name, new) in of_schemas().into_iter().chain(of_operations()) {
        let text = new.to_string();
        let old = document(&text.replace("\"maxLength\":", "\"maxLength\":1"));
        let new = document(&text);
        let (found, took) = timed(|| difference(&old, &new));
        println!("{name}: {took:?}, truncated: {}", found.truncated);
        assert!(took < Duration::from_secs(120), "{name}: {took:?}");
    }
}
