use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::model::api::Method;
use crate::model::security::{ApiKey, OAuth2, Security};
use crate::model::template::PathTemplate;
use crate::{Limits, Published, PublishedDocument, PublishedOperation, published};

/// Returns the published document with these members, with all these operations deployed.
fn document(operations: &[(Method, &str)], written: &Value) -> PublishedDocument {
    let mut uploaded = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"}});
    uploaded
        .as_object_mut()
        .unwrap()
        .append(&mut written.as_object().unwrap().clone());
    let security = Security {
        api_key: Some(ApiKey {
            header: "x-key".to_owned(),
            query: None,
        }),
        oauth2: Some(OAuth2 {}),
        ..Security::default()
    };
    let paths: Vec<_> = operations
        .iter()
        .map(|(_, path)| PathTemplate::from_document(path).unwrap())
        .collect();
    let operations = operations.iter().zip(&paths);
    let operations: Vec<_> = operations
        .map(|(&(method, _), path)| PublishedOperation {
            method,
            path,
            summary: None,
            scopes: &[],
            anonymous: method == Method::Head,
        })
        .collect();
    let facts = Published {
        title: "Pets",
        version: "1.0",
        description: "All about pets",
        server: "https://api.example/pets/1.0",
        security: &security,
        token_url: None,
        operations: &operations,
    };
    published(
        Some(uploaded.to_string().as_bytes()),
        &facts,
        Limits::default(),
    )
    .unwrap()
}

/// Returns the part of an operation, as sent.
fn part(document: &PublishedDocument, id: &str) -> Value {
    let part = document.index.operation(document.text.as_bytes(), id);
    serde_json::from_slice(&part.unwrap()).unwrap()
}

/// Returns the part of `GET /pets` with this response schema, in a document with these components.
fn pets(schema: &Value, components: &Value) -> Value {
    let content = json!({"application/json": {"schema": schema}});
    let get = json!({"responses": {"200": {"description": "Pets", "content": content}}});
    let written = json!({"paths": {"/pets": {"get": get}}, "components": components});
    part(&document(&[(Method::Get, "/pets")], &written), "get-pets")
}

/// Returns the names of its schemas.
fn schemas(part: &Value) -> Vec<&str> {
    let schemas = part["components"]["schemas"].as_object();
    schemas
        .into_iter()
        .flat_map(|it| it.keys().map(|name| &**name))
        .collect()
}

fn to(pointer: &str) -> Value {
    json!({ "$ref": pointer })
}

#[test]
fn a_part_is_a_document_of_one_operation_with_the_common_fields_of_its_path() {
    let item = json!({
        "summary": "Of a pet", "parameters": [{"$ref": "#/components/parameters/Pet"}],
        "get": {"summary": "Show a pet", "responses": {"200": {"description": "It"}}},
        "delete": {"responses": {"4XX": {"$ref": "#/components/responses/Gone"}}},
    });
    let components = json!({
        "parameters": {"Pet": {"name": "pet", "in": "path"}, "Other": {}},
        "responses": {"Gone": {"description": "It is gone"}},
    });
    let written = json!({"paths": {"/pets/{pet}": item, "/a": {"get": {}}},
        "tags": [{"name": "t"}], "components": components});
    let operations = [
        (Method::Get, "/pets/{pet}"),
        (Method::Delete, "/pets/{pet}"),
    ];
    let whole = document(&operations, &written);
    let mut expected: Value = serde_json::from_str(&whole.text).unwrap();
    let info = json!({"title": "Pets", "version": "1.0"});
    expected["info"] = info;
    expected.as_object_mut().unwrap().remove("tags");
    let item = expected["paths"]["/pets/{pet}"].as_object_mut().unwrap();
    item.remove("delete");
    let components = expected["components"].as_object_mut().unwrap();
    components.remove("responses");
    components["parameters"]
        .as_object_mut()
        .unwrap()
        .remove("Other");
    assert_eq!(part(&whole, "get-pets-pet"), expected);
    let gone = part(&whole, "delete-pets-pet");
    assert_eq!(
        gone["components"]["responses"]["Gone"]["description"],
        "It is gone"
    );
    assert_eq!(gone["paths"]["/pets/{pet}"].get("get"), None);
    for unknown in ["", "get-pets", "get-a", "GET-pets-pet"] {
        let text = whole.text.as_bytes();
        assert_eq!(whole.index.operation(text, unknown), None, "{unknown}");
    }
}

#[test]
fn components_of_every_kind_are_reached_through_each_other() {
    let operation = json!({
        "parameters": [to("#/components/parameters/P")],
        "requestBody": to("#/components/requestBodies/B"),
        "responses": {"200": to("#/components/responses/R")},
        "callbacks": {"told": to("#/components/callbacks/C")},
    });
    let json = |schema: &str| json!({"application/json": {"schema": to(schema)}});
    let components = json!({
        "parameters": {"P": {"name": "p", "in": "query",
            "examples": {"one": to("#/components/examples/E")}}},
        "requestBodies": {"B": {"content": json("#/components/schemas/A")}},
        "responses": {"R": {"description": "", "headers": {"x-h": to("#/components/headers/H")},
            "links": {"next": to("#/components/links/L")}}},
        "headers": {"H": {"schema": to("#/components/schemas/D")}},
        "links": {"L": {"operationId": "other"}, "None": {}},
        "examples": {"E": {"value": {"$ref": "#/components/schemas/Unreached"}}},
        "callbacks": {"C": {"{$request.body#/url}": to("#/components/pathItems/I")}},
        "pathItems": {"I": {"post": {"requestBody": {"content": json("#/components/schemas/F")}}}},
        "schemas": {
            "A": {"properties": {"b": to("#/components/schemas/B")}},
            "B": {"allOf": [to("#/components/schemas/A")], "discriminator": {"propertyName": "k",
                "mapping": {"c": "#/components/schemas/C", "example": "example", "n": "None"}}},
            "C": {"items": {"not": to("#/components/schemas/C")}},
            "D": {}, "F": {}, "Unreached": {},
            // Named like a field that contains data.
            "example": {"additionalProperties": to("#/components/schemas/G")}, "G": {},
        },
    });
    let written = json!({"paths": {"/pets": {"post": operation}}, "components": components});
    let part = part(&document(&[(Method::Post, "/pets")], &written), "post-pets");
    assert_eq!(schemas(&part), ["A", "B", "C", "D", "F", "G", "example"]);
    let mut kinds: Vec<_> = part["components"].as_object().unwrap().keys().collect();
    kinds.retain(|kind| *kind != "schemas");
    let expected = [
        "callbacks",
        "examples",
        "headers",
        "links",
        "parameters",
        "pathItems",
        "requestBodies",
        "responses",
        "securitySchemes",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(
        part["components"]["links"],
        json!({"L": {"operationId": "other"}})
    );
    let schemes = part["components"]["securitySchemes"].as_object().unwrap();
    assert_eq!(schemes.keys().collect::<Vec<_>>(), ["api_key", "oauth2"]);
}

#[test]
fn references_are_followed_however_they_are_written() {
    let names = json!({"a/b": {}, "a~b": {}, "a b": {}, "100%": {}, "": {}, "Other": {}});
    for (reference, expected) in [
        ("#/components/schemas/a~1b", vec!["a/b"]),
        ("#/components/schemas/a%2Fb", vec!["a/b"]),
        ("#/components/schemas/a~0b", vec!["a~b"]),
        ("#/components/schemas/a%7E0b", vec!["a~b"]),
        ("#/components/schemas/a%20b", vec!["a b"]),
        ("#/components/schemas/100%", vec!["100%"]),
        ("#/components/schemas/", vec![""]),
        // A pointer beyond the named units: its unit is reached nevertheless.
        ("#/components/schemas/Other/properties/0", vec!["Other"]),
        ("#/components/schemas/Missing", vec![]),
        ("#/components/nothing", vec![]),
        (
            "#/components/schemas",
            vec!["", "100%", "Other", "a b", "a/b", "a~b"],
        ),
        ("#", vec![]),
        ("#/", vec![]),
        ("#anchor", vec![]),
        ("", vec![]),
    ] {
        let part = pets(&to(reference), &json!({"schemas": names}));
        assert_eq!(schemas(&part), expected, "{reference}");
    }
    // Objects that refer to another document are emptied.
    let part = pets(
        &to("other.json#/components/schemas/Other"),
        &json!({"schemas": names}),
    );
    assert_eq!(schemas(&part), Vec::<&str>::new());
}

#[test]
fn a_reference_into_another_path_includes_its_target() {
    let answer = "#/paths/~1pets~1{pet}/get/responses/200";
    let parameter = "#/paths/~1pets~1%7Bpet%7D/parameters/0";
    let own = json!({"parameters": [to(parameter)], "responses": {"200": to(answer)}});
    let other = json!({
        "parameters": [{"name": "of", "in": "query"}],
        "get": {"responses": {"200": {"description": "It", "content":
            {"a/b": {"schema": to("#/definitions/Pet")}}}}},
        "delete": {},
    });
    let written = json!({
        "paths": {"/pets": {"get": own}, "/pets/{pet}": other},
        "definitions": {"Pet": {"properties": {"next": to("#/definitions/Pet")}}, "Other": {}},
    });
    let operations = [
        (Method::Get, "/pets"),
        (Method::Get, "/pets/{pet}"),
        (Method::Delete, "/pets/{pet}"),
    ];
    let part = part(&document(&operations, &written), "get-pets");
    let item = &part["paths"]["/pets/{pet}"];
    assert_eq!(item["get"]["responses"]["200"]["description"], "It");
    assert_eq!(item["parameters"][0]["name"], "of");
    assert_eq!(item.get("delete"), None);
    let pet = json!({"Pet": {"properties": {"next": to("#/definitions/Pet")}}});
    assert_eq!(part["definitions"], pet);
}

#[test]
fn operations_are_listed_with_ids_that_stay() {
    let operations = [
        (Method::Head, "/pets/{pet}"),
        (Method::Get, "/pets/{pet}"),
        (Method::Get, "/pets/{pet}/"),
        (Method::Get, "/"),
        (Method::Get, "/v1.0/a_b.json"),
        (Method::Get, "/.hidden./"),
    ];
    let get = json!({"operationId": "show", "summary": "Show *it*", "tags": ["a", 1, "b"],
        "deprecated": true});
    let written = json!({
        "paths": {
            "/pets/{pet}": {"head": {}, "get": get}, "/pets/{pet}/": {"get": {}}, "/": {"get": {}},
            "/v1.0/a_b.json": {"get": {}}, "/.hidden./": {"get": {}},
        },
        "webhooks": {
            "Neues Tier": {"post": {"summary": "New"}}, "x-not": {"post": {}},
            "shared": to("#/components/pathItems/Shared"),
            "nowhere": to("#/components/pathItems/None"),
            "loop": to("#/webhooks/loop"), "bad": 5, "worse": {"post": []},
            "\u{1F43E}": {"put": {}},
        },
        "components": {"pathItems": {"Shared": {"post": {"summary": "Shared",
            "requestBody": to("#/components/requestBodies/B")}}}, "requestBodies": {"B": {}}},
    });
    let document = document(&operations, &written);
    let heads = document.index.operations();
    let ids: Vec<_> = heads.iter().map(|head| &*head.id).collect();
    let expected = [
        "get",
        "get-hidden",
        "get-pets-pet",
        "head-pets-pet",
        "get-pets-pet-2",
        "get-v1.0-a_b.json",
        "post-Neues-Tier",
        "post-shared",
        "put",
    ];
    assert_eq!(ids, expected);
    let show = &heads[2];
    assert_eq!((&*show.method, &*show.path), ("GET", "/pets/{pet}"));
    assert_eq!(show.operation_id.as_deref(), Some("show"));
    assert_eq!(show.summary.as_deref(), Some("Show *it*"));
    assert_eq!(show.tags, ["a", "b"]);
    assert!(show.deprecated && !show.webhook);
    assert!(heads[6].webhook && !heads[6].deprecated);
    let faults: Vec<_> = document
        .index
        .faults()
        .iter()
        .map(|it| &*it.field)
        .collect();
    let expected = [
        "/webhooks/bad",
        "/webhooks/loop",
        "/webhooks/nowhere",
        "/webhooks/worse/post",
    ];
    assert_eq!(faults, expected);
    let shared = part(&document, "post-shared");
    assert_eq!(
        shared["webhooks"],
        json!({"shared": to("#/components/pathItems/Shared")})
    );
    assert_eq!(
        shared["components"]["pathItems"]["Shared"]["post"]["summary"],
        "Shared"
    );
    assert_eq!(shared["components"]["requestBodies"], json!({"B": {}}));
    assert_eq!(shared.get("paths"), None);
}

#[test]
fn long_paths_have_ids_of_a_bounded_length_that_are_unique() {
    let long = format!("/{}", "é".repeat(300));
    let paths = [format!("{long}/a"), format!("{long}/b")];
    let webhooks = json!({&paths[0]: {"post": {}}, &paths[1]: {"post": {}}});
    let document = document(&[], &json!({ "webhooks": webhooks }));
    let [one, two] = document.index.operations() else {
        panic!("two webhooks");
    };
    assert_eq!(one.id.chars().count(), 160);
    assert_eq!(two.id, format!("{}-2", one.id));
}

#[test]
fn the_overview_has_the_general_fields_of_the_document() {
    let written = json!({
        "tags": [{"name": "pets", "description": "About *pets*"}],
        "externalDocs": {"url": "https://example.com"},
        "paths": {"/pets": {"get": {}}},
    });
    let document = document(&[(Method::Get, "/pets")], &written);
    let overview = document.index.overview(document.text.as_bytes());
    let overview: Value = serde_json::from_slice(&overview).unwrap();
    let expected = json!({
        "openapi": "3.1.0",
        "info": {"title": "Pets", "version": "1.0", "description": "All about pets"},
        "servers": [{"url": "https://api.example/pets/1.0"}],
        "tags": [{"name": "pets", "description": "About *pets*"}],
        "externalDocs": {"url": "https://example.com"},
    });
    assert_eq!(overview, expected);
}

#[test]
fn an_operation_that_reaches_ten_thousand_components_has_them_all_at_once() {
    // Each refers to the next ones, to the first, to itself and to all.
    let count = 10_000;
    let names = (0..count).map(|at| {
        let schema = json!({"anyOf": [
            to(&format!("#/components/schemas/S{}", (at + 1) % count)),
            to("#/components/schemas/S0"), to(&format!("#/components/schemas/S{at}")),
            to("#/components/schemas"), to("#/components"),
        ]});
        (format!("S{at}"), schema)
    });
    let components = json!({"schemas": names.collect::<serde_json::Map<_, _>>()});
    let get = json!({"requestBody": to("#/components/schemas/S7")});
    let written = json!({"paths": {"/pets": {"get": get}}, "components": components});
    let document = document(&[(Method::Get, "/pets")], &written);
    let start = Instant::now();
    let part = document
        .index
        .operation(document.text.as_bytes(), "get-pets")
        .unwrap();
    assert!(
        start.elapsed() < Duration::from_secs(3),
        "{:?}",
        start.elapsed()
    );
    assert!(part.len() <= document.text.len());
    let part: Value = serde_json::from_slice(&part).unwrap();
    assert_eq!(schemas(&part).len(), count);
}

#[test]
fn path_items_that_many_paths_refer_to_are_repeated_within_a_bound() {
    let large = json!({"get": {"description": "x".repeat(1024 * 1024), "responses": {}}});
    let paths = (0..100).map(|at| (format!("/p{at}"), to("#/components/pathItems/Large")));
    let paths = paths.collect::<serde_json::Map<_, _>>();
    let uploaded = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": paths, "components": {"pathItems": {"Large": large}}});
    let security = Security::default();
    let facts = Published {
        title: "Pets",
        version: "1.0",
        description: "",
        server: "https://api.example",
        security: &security,
        token_url: None,
        operations: &[],
    };
    let uploaded = uploaded.to_string();
    let fault = published(Some(uploaded.as_bytes()), &facts, Limits::default()).unwrap_err();
    assert_eq!(fault.code, "openapi.budget");
    let refused = crate::read(uploaded.as_bytes(), Limits::default()).unwrap_err();
    assert_eq!(refused[0].code, "openapi.budget");
}

#[test]
fn texts_of_a_webhook_that_thousands_share_are_listed_in_short() {
    let tags: Vec<_> = (0..1_000)
        .map(|at| format!("{at} {}", "t".repeat(1_000)))
        .collect();
    let summary = "s".repeat(1024 * 1024);
    let shared = json!({"post": {"summary": summary, "tags": tags, "responses": {}}});
    let webhooks = (0..5_000).map(|at| (format!("w{at}"), to("#/components/pathItems/Shared")));
    let webhooks = webhooks.collect::<serde_json::Map<_, _>>();
    let written = json!({"webhooks": webhooks, "components": {"pathItems": {"Shared": shared}}});
    let document = document(&[], &written);
    let bytes = document.index.bytes();
    assert!(bytes < 64 << 20, "{bytes}");
    assert_eq!(document.index.operations().len(), 5_000);
}

#[test]
fn an_operation_of_a_document_of_too_many_parts_is_served_with_all_of_them() {
    let many = (0..250_000).map(|at| (format!("S{at}"), json!(1)));
    let many = many.collect::<serde_json::Map<_, _>>();
    let get = json!({"responses": {}, "parameters": [to("#/components/schemas/S7")]});
    let written = json!({"paths": {"/pets": {"get": get}}, "components": {"schemas": many}});
    let document = document(&[(Method::Get, "/pets")], &written);
    let part = part(&document, "get-pets");
    assert_eq!(schemas(&part).len(), 250_000);
}

#[test]
fn paths_that_are_one_once_encoded_are_served_as_one() {
    let operation = json!({"responses": {}});
    let written = json!({"paths": {"/a b": {"get": operation}, "/a%20b": {"post": operation}}});
    let document = document(
        &[(Method::Get, "/a%20b"), (Method::Post, "/a%20b")],
        &written,
    );
    let ids: Vec<_> = document
        .index
        .operations()
        .iter()
        .map(|it| &*it.id)
        .collect();
    assert_eq!(ids, ["get-a-20b", "post-a-20b"]);
}

#[test]
fn no_host_of_the_provider_is_in_a_part() {
    let schema = json!({
        "$id": "http://hidden.internal/ids", "$schema": "http://hidden.internal/s",
        "$dynamicRef": "http://hidden.internal#n",
        "discriminator": {"propertyName": "kind", "mapping": {
            "a": "#/components/schemas/A", "b": "A", "c": "https://hidden.internal/s.json#/C",
        }},
        "properties": {"$id": {"type": "string"}, "mapping": {"type": "string"}},
    });
    let part = pets(&schema, &json!({"schemas": {"A": {}}}));
    assert!(!part.to_string().contains("hidden.internal"), "{part}");
    let content = "/paths/~1pets/get/responses/200/content/application~1json/schema";
    let shown = part.pointer(content).unwrap();
    assert_eq!(
        shown["discriminator"]["mapping"].as_object().unwrap().len(),
        2
    );
    assert_eq!(shown["properties"].as_object().unwrap().len(), 2);
    assert_eq!(schemas(&part), ["A"]);
}
