//! Large documents, and documents that nobody would write.

use std::fmt::Write as _;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;

/// A document like GitHub's: operations with parameters, a body and responses of shared schemas,
/// each schema with forty properties, some of which are other schemas. Every tenth operation has a
/// response of its own if `is_edited`.
fn large(operations: usize, is_edited: bool) -> String {
    let reference = |at: usize| json!({"$ref": format!("#/components/schemas/s{at}")});
    let schemas = (0..operations / 2).map(|at| {
        let fields = (0..40).map(|field| {
            let schema = match field % 10 {
                0 => reference((at * 7 + field) % (operations / 2)),
                1 => json!({"type": "array", "items": reference((at + field) % (operations / 2))}),
                2 => json!({"type": ["string", "null"], "format": "date-time"}),
                3 => json!({"type": "object", "properties": {"url": {"type": "string"}}}),
                _ => json!({"type": "string", "description": "A field.", "example": "a"}),
            };
            (format!("field_{field}"), schema)
        });
        let properties: serde_json::Map<String, Json> = fields.collect();
        let required: Vec<_> = properties.keys().take(20).cloned().collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        (format!("s{at}"), schema)
    });
    let schemas: serde_json::Map<String, Json> = schemas.collect();
    let paths = (0..operations).map(|at| {
        let body = |schema: Json| json!({"application/json": {"schema": schema}});
        let inline = match is_edited && at % 10 == 0 {
            true => json!({"type": "object", "properties": {"id": {"type": "string"}}}),
            false => json!({"type": "object", "properties": {"id": {"type": "integer"}}}),
        };
        let (own, other) = (
            reference(at % (operations / 2)),
            reference((at + 1) % (operations / 2)),
        );
        let operation = json!({
            "operationId": format!("o{at}"),
            "parameters": [{"$ref": "#/components/parameters/p"},
                {"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
            "requestBody": {"content": body(other)},
            "responses": {"200": {"description": "A", "content": body(own)},
                "201": {"description": "B", "content": body(inline)}},
        });
        (format!("/r{at}/{{id}}"), json!({"post": operation}))
    });
    let paths: serde_json::Map<String, Json> = paths.collect();
    json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": paths,
        "components": {"schemas": schemas,
            "parameters": {"p": {"name": "p", "in": "query", "schema": {"type": "string"}}}}})
    .to_string()
}

#[test]
fn of_two_thousand_operations_those_that_changed_are_found() {
    let (old, new) = (
        document(&large(2_000, false)),
        document(&large(2_000, true)),
    );
    assert!(difference(&old, &old).is_empty());
    let (found, took) = timed(|| difference(&old, &new));
    println!("difference of 2,000 operations: {took:?}");
    assert_eq!(found.changed.len(), 200);
    assert_eq!(found.changes().count(), 200);
    assert_eq!(broken(&found), BTreeSet::from(["response_type_wider"]));
    assert!(!found.truncated);
    assert!(took < Duration::from_secs(30), "{took:?}");
}

#[test]
fn changes_of_a_shared_schema_are_listed_up_to_the_bound_breaking_ones_first() {
    let old = large(2_000, false);
    let new = old.replace(r#""format":"date-time""#, r#""format":"date""#);
    let (old, new) = (document(&old), document(&new));
    let (found, took) = timed(|| difference(&old, &new));
    println!("all schemas changed: {took:?}");
    assert!(found.truncated);
    assert_eq!(found.changed.len(), 2_000);
    assert_eq!(found.changes().count(), CHANGES_MAX);
    assert!(found.changes().all(|it| it.breaking.is_some()));
}

#[test]
fn one_change_that_every_operation_reaches_is_a_change_of_each() {
    let old = large(2_000, false);
    let new = old.replacen(r#""format":"date-time""#, r#""format":"date""#, 1);
    let (old, new) = (document(&old), document(&new));
    let (found, took) = timed(|| difference(&old, &new));
    println!("one schema of all operations changed: {took:?}");
    assert_eq!(found.changed.len(), 2_000);
    assert!(!found.truncated);
    // Once in the request, once in the response.
    assert_eq!(found.changes().count(), 4_000);
}

#[test]
fn long_chains_of_references_need_no_stack() {
    let chain = |kind: &str, last: &str| {
        let mut schemas = String::new();
        for at in 0..20_000 {
            let next = format!("{{\"$ref\":\"#/components/schemas/s{}\"}}", at + 1);
            let schema = match kind {
                "allOf" => format!("{{\"allOf\":[{next}]}}"),
                kind => format!("{{\"type\":\"object\",\"{kind}\":{{\"a\":{next}}}}}"),
            };
            write!(schemas, "\"s{at}\":{schema},").unwrap();
        }
        format!(
            r##"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},"paths":{{"/a":{{"post":
            {{"requestBody":{{"content":{{"application/json":{{"schema":
            {{"$ref":"#/components/schemas/s0"}}}}}}}}}}}}}},
            "components":{{"schemas":{{{schemas}"s20000":{last}}}}}}}"##
        )
    };
    let (old, new) = (
        chain("properties", r#"{"type":"string"}"#),
        chain("properties", r#"{"type":"integer"}"#),
    );
    assert_eq!(
        broken(&of(&old, &new)),
        BTreeSet::from(["request_type_narrower"])
    );
    let (old, new) = (
        chain("allOf", r#"{"type":"string"}"#),
        chain("allOf", r#"{"type":"integer"}"#),
    );
    assert!(of(&old, &new).truncated);
}

#[test]
fn long_names_are_not_repeated_in_every_change() {
    let name = "n".repeat(2_000_000);
    let schema = |kind: &str| {
        let fields = (0..5_000).map(|at| (format!("f{at}"), json!({"type": kind})));
        let fields: serde_json::Map<String, Json> = fields.collect();
        let schema = json!({"properties": {(&name): {"properties": fields}}});
        let content = json!({"application/json": {"schema": schema}});
        let item = json!({"post": {"requestBody": {"content": content}}});
        json!({"openapi": "3.1.0", "info": {}, "paths": {"/pets": item}}).to_string()
    };
    let found = of(&schema("string"), &schema("integer"));
    assert_eq!(found.changes().count(), 5_000);
    for change in found.changes() {
        assert!(change.sentence.len() < 2_000, "{}", change.sentence.len());
        assert_eq!(
            change.pointer,
            "/paths/~1pets/post/requestBody/content/application~1json/schema/properties"
        );
    }
}

#[test]
fn many_statuses_and_media_types_end() {
    let item = |prefix: &str| {
        let content = (0..20_000).map(|at| (format!("{prefix}/{at}"), json!({})));
        let content: serde_json::Map<String, Json> = content.collect();
        let responses = (0..20_000).map(|at| (format!("{prefix}{at}"), json!({})));
        let responses: serde_json::Map<String, Json> = responses.collect();
        let operation = json!({"requestBody": {"content": content}, "responses": responses});
        with_item(&json!({ "post": operation }).to_string())
    };
    let (found, took) = timed(|| of(&item("a"), &item("b")));
    assert!(found.truncated);
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// Parts of documents, arranged at random.
fn fragment() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Json::from),
        (-3..4_i64).prop_map(Json::from),
        any::<f64>().prop_map(Json::from),
        "string|integer|object|array|null|query|path|header|a|b|200|2XX|#|#/|#/components/schemas/a|#/components/schemas/b"
            .prop_map(Json::from),
    ];
    let key = "type|properties|items|allOf|oneOf|anyOf|not|enum|const|required|nullable|minimum|\
               exclusiveMinimum|maximum|pattern|multipleOf|additionalProperties|format|default|\\$ref|\
               readOnly|a|b|discriminator|content|schema|application/json|parameters|name|in|\
               requestBody|responses|headers|200|default|security|callbacks|style|explode|description";
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::hash_map(key, inner, 0..6)
                .prop_map(|it| Json::Object(it.into_iter().collect())),
        ]
    })
}

fn arranged((operation, a, b, schemes): (Json, Json, Json, Json)) -> String {
    json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": {"/a/{a}": {"post": operation, "get": {
            "parameters": [{"name": "a", "in": "query", "schema": a}],
            "requestBody": {"content": {"application/json": {"schema": a}}},
            "responses": {"200": {"content": {"application/json": {"schema": b}}}}}}},
        "components": {"schemas": {"a": a, "b": b}, "securitySchemes": schemes}})
    .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_two_documents_are_compared_without_a_panic(
        old in (fragment(), fragment(), fragment(), fragment()),
        new in (fragment(), fragment(), fragment(), fragment()),
    ) {
        let (old, new) = (document(&arranged(old)), document(&arranged(new)));
        prop_assert!(difference(&old, &old).is_empty());
        prop_assert!(difference(&new, &new).is_empty());
        let found = difference(&old, &new);
        let back = difference(&new, &old);
        prop_assert_eq!(found.removed.len(), back.added.len());
        let root = serde_json::to_value(&new.root).unwrap();
        let before = serde_json::to_value(&old.root).unwrap();
        for change in found.changes() {
            let root = match change.document { Which::Old => &before, Which::New => &root };
            prop_assert!(root.pointer(&change.pointer).is_some(), "{:?}", change);
        }
    }
}

#[test]
fn any_two_texts_that_are_documents_are_compared() {
    let texts = [
        "{}",
        r#"{"paths": []}"#,
        "a: 1",
        "swagger: '2.0'\npaths: {/a: {get: []}}",
    ];
    for old in texts {
        for new in texts {
            assert!(of(old, new).is_empty());
        }
    }
    for text in ["", "[]", "a", "{", "\u{fffe}", "<a/>"] {
        assert!(
            Document::read(text.as_bytes(), Limits::default()).is_err(),
            "{text}"
        );
    }
    let limits = Limits {
        bytes_max: 3,
        ..Limits::default()
    };
    assert_eq!(
        Document::read(b"a: 1", limits).unwrap_err().code,
        "openapi.too_large"
    );
}
