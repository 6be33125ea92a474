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

fn with_operations(components: Json, operation: impl Fn(usize) -> Json) -> Json {
    let paths = (0..500).map(|at| (format!("/p{at}"), json!({"post": operation(at)})));
    let paths: serde_json::Map<String, Json> = paths.collect();
    json!({"openapi": "3.1.0", "info": {}, "components": components, "paths": paths})
}

fn documents() -> Vec<(&'static str, Json)> {
    let all_of =
        |at: usize| json!({"allOf": [{"$ref": "#/components/schemas/big"}], "maxLength": at});
    let names: Vec<_> = (0..10_000).map(|at| format!("name{at}")).collect();
    let texts = json!({"enum": [], "pattern": "a".repeat(400_000)});
    let inner = || (0..400).map(|at| json!({"$ref": format!("#/components/schemas/s{at}")}));
    let nested = |at: usize| match at {
        0..400 => json!({"oneOf": inner().collect::<Vec<_>>(), "maxLength": at}),
        _ => json!({}),
    };
    let all = |at: usize| match at {
        0..400 => json!({"allOf": inner().collect::<Vec<_>>(), "maxLength": at}),
        _ => json!({"$ref": format!("#/components/schemas/s{}", at % 400)}),
    };
    let not = |at: usize| json!({"not": {"$ref": "#/components/schemas/big"}, "maxLength": at});
    let reference = |kind: &str| json!({"$ref": format!("#/components/{kind}/big")});
    let big = |at: usize| json!({"x-a": at});
    vec![
        (
            "properties",
            with_schemas(json!({"properties": many("q", |_| json!({}))}), all_of),
        ),
        ("enum", with_schemas(json!({"enum": names}), all_of)),
        ("default", with_schemas(json!({"default": names}), all_of)),
        ("long texts", with_schemas(texts, all_of)),
        (
            "enum below",
            with_schemas(json!({"properties": {"a": {"enum": names}}}), all_of),
        ),
        (
            "not",
            with_schemas(json!({"enum": names, "default": names}), not),
        ),
        ("oneOf", with_schemas(json!({}), nested)),
        ("allOf", with_schemas(json!({}), all)),
        (
            "plain",
            with_schemas(json!({}), |at| json!({"minLength": at})),
        ),
        (
            "parameters",
            with_operations(
                json!({"parameters": {"big": many("x-", big)}}),
                |_| json!({"parameters": vec![reference("parameters"); 20]}),
            ),
        ),
        (
            "responses",
            with_operations(json!({"responses": {"big": many("x-", big)}}), |at| {
                json!({"responses": many("", |_| json!({})).as_object().unwrap().keys().take(20)
                    .map(|status| (format!("{at}{status}"), reference("responses")))
                    .collect::<serde_json::Map<_, _>>()})
            }),
        ),
        (
            "headers",
            with_operations(
                json!({"responses": {"big": {"headers": many("h", |_| reference("headers"))}},
                    "headers": {"big": many("x-", big)}}),
                |_| json!({"responses": {"200": reference("responses")}}),
            ),
        ),
        ("path items", {
            let mut document = with_operations(
                json!({"pathItems": {"big": many("x-", big)}}),
                |_| json!({}),
            );
            for (_, item) in document["paths"].as_object_mut().unwrap() {
                *item = reference("pathItems");
            }
            document
        }),
        (
            "security",
            with_operations(
                json!({"securitySchemes": many("s", |at| json!({"type": "apiKey",
                "in": "header", "name": format!("h{at}")}))}),
                |at| {
                    let own: Vec<_> = (0..50)
                        .map(|it| json!({(format!("s{}", at * 7 + it)): []}))
                        .collect();
                    json!({"security": own})
                },
            ),
        ),
    ]
}

#[test]
fn documents_that_are_made_to_take_long_end() {
    for (name, new) in documents() {
        let text = new.to_string();
        let old = document(&text.replace("\"maxLength\":", "\"maxLength\":1"));
        let (new, read) = timed(|| document(&text));
        let (found, took) = timed(|| difference(&old, &new));
        let (changes, truncated) = (found.changes().count(), found.truncated);
        let bytes = text.len();
        println!("{name}: {took:?}, {bytes} bytes in {read:?}, {changes}, {truncated}");
        assert!(took < Duration::from_secs(60), "{name}: {took:?}");
    }
}
