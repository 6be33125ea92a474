//! One API in three versions of OpenAPI.

use super::*;

const SWAGGER: &str = r##"{
  "swagger": "2.0", "info": {"title": "T", "version": "1"}, "host": "a.example",
  "basePath": "/v1", "schemes": ["https"],
  "consumes": ["application/json"], "produces": ["application/json"],
  "securityDefinitions": {
    "basic": {"type": "basic"},
    "oauth": {"type": "oauth2", "flow": "application", "tokenUrl": "https://a.example/token",
      "scopes": {"read": "Read"}}},
  "security": [{"oauth": ["read"]}],
  "parameters": {"limit": {"name": "limit", "in": "query", "type": "integer", "minimum": 0,
    "exclusiveMinimum": true}},
  "paths": {
    "/pets": {
      "get": {"operationId": "list", "parameters": [{"$ref": "#/parameters/limit"},
          {"name": "tags", "in": "query", "type": "array", "items": {"type": "string"},
            "collectionFormat": "multi"}],
        "responses": {"200": {"description": "Pets",
          "headers": {"X-Total": {"type": "integer"}},
          "schema": {"type": "array", "items": {"$ref": "#/definitions/Pet"}}}}},
      "post": {"operationId": "make", "security": [{"basic": []}],
        "parameters": [{"name": "pet", "in": "body", "required": true,
          "schema": {"$ref": "#/definitions/Pet"}}],
        "responses": {"201": {"description": "Made"}}}},
    "/pets/{pet}/photo": {
      "put": {"consumes": ["multipart/form-data"],
        "parameters": [{"name": "pet", "in": "path", "required": true, "type": "string"},
          {"name": "title", "in": "formData", "type": "string"},
          {"name": "photo", "in": "formData", "type": "file", "required": true}],
        "responses": {"204": {"description": "Kept"}}}}},
  "definitions": {"Pet": {"type": "object", "required": ["name"], "example": {"name": "Rex"},
    "properties": {"name": {"type": "string", "x-nullable": true},
      "parent": {"$ref": "#/definitions/Pet"}, "born": {"type": "string", "format": "date"}}}}
}"##;

const V3_0: &str = r"
openapi: 3.0.3
info: {title: T, version: '2'}
servers: [{url: https://b.example/v2}]
security: [{token: [read]}]
paths:
  /pets:
    get:
      operationId: list
      parameters:
      - {$ref: '#/components/parameters/limit'}
      - {name: tags, in: query, schema: {type: array, items: {type: string}}}
      responses:
        '200':
          description: Pets
          headers: {X-Total: {schema: {type: integer}}}
          content:
            application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}
    post:
      operationId: make
      security: [{basic: []}]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}
      responses: {'201': {description: Made}}
  /pets/{id}/photo:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    put:
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [photo]
              properties: {title: {type: string}, photo: {type: string, format: binary}}
      responses: {'204': {description: Kept}}
components:
  parameters:
    limit: {name: limit, in: query, schema: {type: integer, minimum: 0, exclusiveMinimum: true}}
  schemas:
    Pet:
      type: object
      required: [name]
      example: {name: Tom}
      properties:
        name: {type: string, nullable: true}
        parent: {$ref: '#/components/schemas/Pet'}
        born: {type: string, format: date}
  securitySchemes:
    basic: {type: http, scheme: Basic}
    token:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: 'https://a.example/token', scopes: {read: Reads}}}
";

fn v3_1() -> String {
    V3_0.replace("3.0.3", "3.1.0")
        .replace("minimum: 0, exclusiveMinimum: true", "exclusiveMinimum: 0")
        .replace("type: string, nullable: true", "type: ['null', string]")
        .replace("example: {name: Tom}", "examples: [{name: Tom}]")
        .replace(
            "{type: string, format: binary}",
            "{type: string, contentMediaType: application/octet-stream}",
        )
}

/// The sentences of all changes but those of names of path parameters.
fn changes(old: &str, new: &str) -> Vec<String> {
    let difference = of(old, new);
    let sentences = sentences(&difference).into_iter();
    let others = sentences.filter(|it| !it.starts_with("The path is"));
    others.map(str::to_owned).collect()
}

#[test]
fn one_api_in_three_versions_has_no_difference() {
    let v3_1 = v3_1();
    let all = [SWAGGER, V3_0, &v3_1];
    for old in all {
        for new in all {
            assert_eq!(changes(old, new), [""; 0]);
        }
        assert!(of(old, old).is_empty());
    }
}

#[test]
fn one_change_is_the_same_change_in_all_versions() {
    let v3_1 = v3_1();
    let edit = |text: &str| match text.starts_with('{') {
        true => text.replace(r#""required": ["name"]"#, r#""required": ["name", "born"]"#),
        false => text.replace("required: [name]", "required: [name, born]"),
    };
    let all = [SWAGGER, V3_0, &v3_1];
    for old in all {
        for new in all {
            let difference = of(old, &edit(new));
            assert_eq!(broken(&difference), BTreeSet::from(["property_required"]));
            let pointer = "/components/schemas/Pet/properties/born";
            assert!(difference.changes().any(|it| it.pointer == pointer));
        }
    }
}

#[test]
fn swagger_forms_and_media_types_are_request_bodies() {
    let without = SWAGGER.replace(r#""type": "file", "required": true"#, r#""type": "file""#);
    let difference = of(&without, V3_0);
    let expected = BTreeSet::from(["property_required", "body_required"]);
    assert_eq!(broken(&difference), expected);
    let xml = SWAGGER.replace(
        r#""consumes": ["application/json"]"#,
        r#""consumes": ["application/json", "application/xml"]"#,
    );
    assert_eq!(
        broken(&of(&xml, V3_0)),
        BTreeSet::from(["media_type_removed"])
    );
    assert_eq!(broken(&of(V3_0, &xml)), BTreeSet::new());
}
