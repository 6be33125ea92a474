use serde_json::{Value as Json, json};

use crate::model::api::Method;
use crate::model::security::Security;
use crate::{Imported, Limits, Published, PublishedOperation, published, read};

/// The shape of Swagger's petstore, with features of other documents: shared parameters, a form
/// with files, a discriminator, headers, examples.
const PETS: &str = include_str!("tests/pets.yaml");

fn imported(document: &str) -> Imported {
    read(document.as_bytes(), Limits::default()).unwrap()
}

/// Returns the published document, with all of its operations.
fn shown(document: &str) -> Json {
    let imported = imported(document);
    let operations = imported.operations.iter().map(|it| PublishedOperation {
        method: it.method,
        path: &it.path,
        summary: it.summary.as_deref(),
        scopes: &it.scopes,
        anonymous: it.anonymous,
    });
    let operations: Vec<_> = operations.collect();
    let security = Security::default();
    let facts = Published {
        title: &imported.title,
        version: &imported.version,
        description: "",
        server: "https://gateway.example/pets/1",
        security: &security,
        token_url: None,
        operations: &operations,
    };
    let published = published(Some(document.as_bytes()), &facts, Limits::default());
    serde_json::from_str(&published.unwrap().text).unwrap()
}

#[test]
fn operations_servers_and_security_are_taken_over() {
    let imported = imported(PETS);
    assert_eq!(
        imported.servers,
        [
            "https://petstore.example:8443/v2",
            "http://petstore.example:8443/v2"
        ]
    );
    let calls = imported.operations.iter();
    let calls: Vec<_> = calls
        .map(|it| format!("{} {}", it.method, it.path))
        .collect();
    assert_eq!(
        calls,
        [
            "GET /pets",
            "POST /pets",
            "POST /pets/{id}/photo",
            "POST /pets/{id}",
            "GET /pets/{id}.png"
        ]
    );
    let security = imported.security.unwrap();
    let schemes = security.security.unwrap();
    assert_eq!(schemes.api_key.unwrap().header, "api_key");
    assert!(schemes.oauth2.is_some());
    assert_eq!(security.operations[1].scopes, ["write:pets"]);
    let codes: Vec<_> = imported.notes.iter().map(|note| note.code).collect();
    assert!(codes.contains(&"openapi.swagger"), "{codes:?}");
}

#[test]
fn parameters_bodies_and_responses_move_to_where_3_0_has_them() {
    let document = shown(PETS);
    assert_eq!(document["openapi"], "3.0.3");
    assert_eq!(
        document["servers"][0]["url"],
        "https://gateway.example/pets/1"
    );
    let list = &document["paths"]["/pets"]["get"];
    assert_eq!(
        list["parameters"],
        json!([
            { "$ref": "#/components/parameters/limit" },
            { "name": "tags", "in": "query", "style": "form", "explode": true, "schema":
                { "type": "array", "items": { "type": "string" } } },
            { "name": "ids", "in": "query", "style": "pipeDelimited", "explode": false, "schema":
                { "type": "array", "items": { "type": "integer" }, "maxItems": 5 } },
            { "name": "status", "in": "query", "style": "form", "explode": false, "schema":
                { "type": "array", "items": { "type": "string", "enum": ["new", "sold"] } } },
        ])
    );
    let ok = &list["responses"]["200"];
    let pets = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Pet" } });
    assert_eq!(
        ok["content"],
        json!({
            "application/json": { "schema": pets, "example": [{ "name": "Rex" }] },
            "application/xml": { "schema": pets },
        })
    );
    assert_eq!(
        ok["headers"]["X-Total"],
        json!({ "description": "All of them", "schema": { "type": "integer" } })
    );
    assert_eq!(
        list["responses"]["default"],
        json!({ "$ref": "#/components/responses/Error" })
    );
    let add = &document["paths"]["/pets"]["post"]["requestBody"];
    assert_eq!(
        *add,
        json!({ "description": "The pet", "required": true, "content": {
            "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } } })
    );
    let photo = &document["paths"]["/pets/{id}/photo"]["post"]["requestBody"];
    assert_eq!(
        *photo,
        json!({ "required": true, "content": { "multipart/form-data": { "schema": {
            "type": "object", "required": ["file"], "properties": {
                "note": { "type": "string", "description": "What it shows" },
                "file": { "type": "string", "format": "binary" },
            } } } } })
    );
    let change = &document["paths"]["/pets/{id}"]["post"]["requestBody"]["content"];
    let form = &change["application/x-www-form-urlencoded"];
    assert_eq!(
        form["encoding"],
        json!({ "tags": { "style": "form", "explode": false } })
    );
    let png = &document["paths"]["/pets/{id}.png"]["get"];
    assert_eq!(
        png["responses"]["200"]["content"],
        json!({ "image/png": { "schema": { "type": "string", "format": "binary" } } })
    );
    assert_eq!(png["deprecated"], true);
}

#[test]
fn schemas_become_those_of_3_0_and_data_in_them_stays() {
    let document = shown(PETS);
    let schemas = &document["components"]["schemas"];
    assert_eq!(
        schemas["Pet"]["discriminator"],
        json!({ "propertyName": "kind" })
    );
    assert_eq!(schemas["Pet"]["properties"]["born"]["nullable"], true);
    assert_eq!(
        schemas["Pet"]["properties"]["chip"],
        json!({ "type": "string", "nullable": true })
    );
    assert_eq!(schemas["Pet"]["required"], json!(["kind"]));
    assert_eq!(
        schemas["Pet"]["properties"]["discriminator"],
        json!({ "type": "string" })
    );
    assert_eq!(
        schemas["Cat"]["allOf"][0],
        json!({ "$ref": "#/components/schemas/Pet" })
    );
    assert_eq!(
        schemas["Cat"]["example"],
        json!({ "type": "file", "$ref": "#/definitions/Pet" })
    );
}

#[test]
fn missing_and_odd_parts_are_converted_sensibly() {
    let document = |more: &str| {
        format!(r#"{{"swagger": "2.0", "info": {{"title": "T", "version": "1"}}, {more}}}"#)
    };
    let servers = |more: &str| imported(&document(&format!(r#"{more} "paths": {{}}"#))).servers;
    assert_eq!(servers(r#""host": "a", "#), ["https://a"]);
    assert_eq!(
        servers(r#""host": "a", "schemes": ["ws", "http"], "#),
        ["http://a"]
    );
    assert_eq!(servers(r#""basePath": "/v1", "#), ["/v1"]);
    assert_eq!(servers(""), [""; 0]);
    // Like Slack's document: only form fields, a body without a media type, parameters of a path
    // item.
    let slack = document(
        r##""consumes": ["application/json"], "paths": {"/chat": {
            "parameters": [{"name": "token", "in": "header", "type": "string"},
                {"name": "as", "in": "formData", "type": "string", "required": true}],
            "post": {"parameters": [], "responses": {"200": {}}},
            "get": {"parameters": [{"in": "body", "name": "b", "schema": {"type": "object"}}],
                "responses": {}}}}"##,
    );
    let shown = shown(&slack);
    let chat = &shown["paths"]["/chat"];
    assert_eq!(chat["parameters"].as_array().unwrap().len(), 1);
    let form = &chat["post"]["requestBody"]["content"]["application/x-www-form-urlencoded"];
    assert_eq!(form["schema"]["required"], json!(["as"]));
    assert_eq!(
        chat["post"]["responses"]["200"],
        json!({ "description": "" })
    );
    let body = &chat["get"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(*body, json!({ "type": "object" }));
    let yaml = "swagger: 2.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {}}}\n";
    assert_eq!(imported(yaml).operations[0].method, Method::Get);
}

#[test]
fn a_document_that_conversion_would_make_huge_is_refused() {
    let words: Vec<_> = (0..5_000).map(|it| format!("\"{it}\"")).collect();
    let paths = (0..1_000).map(|it| {
        format!(r##""/{it}": {{"post": {{"parameters": [{{"$ref": "#/parameters/b"}}]}}}}"##)
    });
    let document = format!(
        r#"{{"swagger": "2.0", "info": {{"title": "T", "version": "1"}},
            "parameters": {{"b": {{"in": "body", "name": "b", "schema": {{"enum": [{}]}}}}}},
            "paths": {{{}}}}}"#,
        words.join(","),
        paths.collect::<Vec<_>>().join(","),
    );
    let faults = read(document.as_bytes(), Limits::default()).unwrap_err();
    assert_eq!(faults[0].code, "openapi.budget");
}

/// These took seconds or minutes: references and fields of a form were found one by one.
#[test]
fn many_references_and_fields_are_found_at_once() {
    let document = |more: &str| {
        let info = r#"{"title": "T", "version": "1"}"#;
        let document = format!(r#"{{"swagger": "2.0", "info": {info}, {more}}}"#);
        let read = read(document.as_bytes(), Limits::default());
        read.map_or_else(|faults| faults[0].code.clone(), |_| "read".to_owned())
    };
    let numbered = |count: usize, member: &dyn Fn(usize) -> String| {
        let members: Vec<_> = (0..count).map(member).collect();
        members.join(",")
    };
    let referring = |it| format!(r##""/{it}": {{"$ref": "#/paths/~1last"}}"##);
    let paths = numbered(60_000, &referring);
    let last = r##""/last": {"$ref": "#/paths/~1last"}"##;
    assert_eq!(
        document(&format!(r#""paths": {{{paths}, {last}}}"#)),
        "openapi.operations"
    );
    // Chains of ten objects at the end of a large one.
    let others = numbered(50_000, &|it| format!("\"{it}\": 0"));
    let chain = numbered(10, &|it| match it {
        9 => r#""c9": {}"#.to_owned(),
        it => format!(r##""c{it}": {{"$ref": "#/x-all/c{}"}}"##, it + 1),
    });
    let referring = |it| format!(r##""/{it}": {{"$ref": "#/x-all/c0"}}"##);
    let paths = numbered(4_900, &referring);
    let all = format!(r#""x-all": {{{others}, {chain}}}"#);
    assert_eq!(document(&format!(r#"{all}, "paths": {{{paths}}}"#)), "read");
    let named = |it| format!(r#""p{it}": {{"name": "p{it}", "in": "query", "type": "string"}}"#);
    let parameters = numbered(20_000, &named);
    let referring = |it: usize| format!(r##"{{"$ref": "#/parameters/p{}"}}"##, it % 20_000);
    let list = numbered(60_000, &referring);
    let paths = format!(r#""/a": {{"get": {{"parameters": [{list}]}}}}"#);
    let parameters = format!(r#""parameters": {{{parameters}}}"#);
    assert_eq!(
        document(&format!(r#"{parameters}, "paths": {{{paths}}}"#)),
        "read"
    );
    let field = |it| format!(r#"{{"name": "f{it}", "in": "formData", "type": "string"}}"#);
    let fields = numbered(15_000, &field);
    let paths = format!(r#""/a": {{"post": {{"parameters": [{fields}]}}}}"#);
    assert_eq!(document(&format!(r#""paths": {{{paths}}}"#)), "read");
}

#[test]
fn the_last_of_two_fields_of_a_form_with_one_name_counts() {
    let shown = shown(
        r#"{"swagger": "2.0", "info": {"title": "T", "version": "1"}, "paths": {"/a": {"post": {
            "parameters": [{"name": "a", "in": "formData", "type": "string"},
                {"name": "b", "in": "formData", "type": "string"},
                {"name": "a", "in": "formData", "type": "integer"}]}}}}"#,
    );
    let content = &shown["paths"]["/a"]["post"]["requestBody"]["content"];
    let form = &content["application/x-www-form-urlencoded"]["schema"];
    assert_eq!(
        form["properties"],
        json!({ "a": { "type": "integer" }, "b": { "type": "string" } })
    );
}
