use serde_json::{Value, json};

use super::{Published, PublishedOperation, published};
use crate::Limits;
use crate::model::api::Method;
use crate::model::security::{ApiKey, Basic, OAuth2, Require, Security};
use crate::model::template::PathTemplate;

fn security() -> Security {
    Security {
        api_key: Some(ApiKey {
            header: "x-key".to_owned(),
            query: Some("key".to_owned()),
        }),
        oauth2: Some(OAuth2 {}),
        scopes: [("read".to_owned(), "May read".into())].into(),
        ..Security::default()
    }
}

/// Returns the text of the published document, with `GET /pets` deployed.
fn text(uploaded: Option<&str>, security: &Security, token_url: Option<&str>) -> String {
    let path = PathTemplate::parse("/pets").unwrap();
    let facts = Published {
        title: "Pets",
        version: "1.0",
        description: "All about pets",
        server: "https://api.example/pets/1.0",
        security,
        token_url,
        operations: &[PublishedOperation {
            method: Method::Get,
            path: &path,
            summary: Some("List pets"),
            scopes: &[],
            anonymous: false,
        }],
    };
    published(uploaded.map(str::as_bytes), &facts, Limits::default())
        .unwrap()
        .text
}

fn shown(uploaded: &str) -> Value {
    serde_json::from_str(&text(Some(uploaded), &security(), None)).unwrap()
}

/// Returns the published form of this `GET /pets`, in a document with these other members.
fn operation(written: &Value) -> Value {
    let document = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": {"/pets": {"get": written}},
    });
    shown(&document.to_string())["paths"]["/pets"]["get"].clone()
}

#[test]
fn without_a_document_the_version_is_described_by_its_own_properties() {
    let shown: Value = serde_json::from_str(&text(None, &security(), None)).unwrap();
    let info = json!({"title": "Pets", "version": "1.0", "description": "All about pets"});
    assert_eq!(shown["info"], info);
    assert_eq!(shown["openapi"], "3.1.0");
    let get = &shown["paths"]["/pets"]["get"];
    assert_eq!(get["summary"], "List pets");
    assert_eq!(
        get["responses"]["default"]["description"],
        "The response of the API"
    );
}

#[test]
fn parts_of_the_provider_are_removed_and_data_is_kept() {
    for (written, expected) in [
        (
            json!({"x-gateway": {"url": "http://a.internal"}, "servers": [{"url": "http://b"}],
                "security": [], "summary": "S"}),
            json!({"summary": "S"}),
        ),
        // Names that begin with `x-` are not extensions, nor are members of an example.
        (
            json!({"responses": {"200": {"headers": {"x-rate": {"x-a": 1}},
                "content": {"x-a/b": {"schema": {"x-b": 1, "properties": {
                    "x-c": {"x-d": 1, "default": {"x-e": 1}}, "servers": {"type": "string"}}},
                    "example": {"x-f": 1, "servers": []},
                    "examples": {"x-g": {"x-h": 1, "value": {"x-i": 1}}}}}}}}),
            json!({"responses": {"200": {"headers": {"x-rate": {}},
                "content": {"x-a/b": {"schema": {"properties": {
                    "x-c": {"default": {"x-e": 1}}, "servers": {"type": "string"}}},
                    "example": {"x-f": 1, "servers": []},
                    "examples": {"x-g": {"value": {"x-i": 1}}}}}}}}),
        ),
        (
            json!({"responses": {"200": {"links": {"next": {"operationRef": "http://a.internal#/x",
                "server": {"url": "http://b.internal"}, "description": "D"}}}}}),
            json!({"responses": {"200": {"links": {"next": {"description": "D"}}}}}),
        ),
        (
            json!({"callbacks": {"done": {"{$request.body#/url}": {"post": {"x-a": 1}},
                "http://a.internal/done": {"post": {}}}}}),
            json!({"callbacks": {"done": {"{$request.body#/url}": {"post": {}}}}}),
        ),
        (
            json!({"externalDocs": {"url": "https://docs.example"}}),
            json!({"externalDocs": {"url": "https://docs.example"}}),
        ),
        (json!({"externalDocs": {"url": "file:///etc"}}), json!({})),
        // References to other documents are removed everywhere.
        (
            json!({"parameters": [{"$ref": "http://a.internal/p"},
                {"$ref": "#/components/parameters/p"}],
                "requestBody": {"$ref": "b.yaml"}}),
            json!({"parameters": [{"$ref": "#/components/parameters/p"}], "requestBody": {}}),
        ),
        (
            json!({"parameters": [{"name": "q", "in": "query", "schema": {
                "enum": [{"x-a": 1, "$ref": "z"}], "const": {"x-b": 1},
                "examples": [{"x-c": 1}], "allOf": [{"$ref": "z"}, {"type": "string"}]}}]}),
            json!({"parameters": [{"name": "q", "in": "query", "schema": {
                "enum": [{"x-a": 1, "$ref": "z"}], "const": {"x-b": 1},
                "examples": [{"x-c": 1}], "allOf": [{"type": "string"}]}}]}),
        ),
    ] {
        assert_eq!(operation(&written), expected, "{written}");
    }
}

#[test]
fn paths_follow_what_is_deployed_and_references_are_followed() {
    let shown = shown(
        r##"{"openapi": "3.0.0", "info": {"title": "T", "version": "1"},
        "paths": {
            "/z": {"get": {}},
            "/pets": {"$ref": "#/components/pathItems/pets", "summary": "Near"},
            "x-a": {"get": {}}, "no": {"get": {}}},
        "components": {"pathItems": {"pets": {"$ref": "#/paths/~1pets", "summary": "Far",
            "description": "D", "servers": [], "parameters": [{"x-a": 1, "name": "p"}],
            "get": {"operationId": "g"}, "delete": {}}}},
        "x-internal": "http://a.internal", "tags": [{"name": "t", "x-a": 1}],
        "externalDocs": {"url": "http://docs.example"}}"##,
    );
    let item = json!({"summary": "Near", "description": "D", "parameters": [{"name": "p"}],
        "get": {"operationId": "g"}});
    assert_eq!(shown["paths"], json!({"/pets": item}));
    assert_eq!(shown["tags"], json!([{"name": "t"}]));
    assert_eq!(shown["externalDocs"]["url"], "http://docs.example");
    assert_eq!(shown.get("x-internal"), None);
}

#[test]
fn the_order_of_the_document_stays() {
    let text = text(
        Some(
            "openapi: 3.1.0\ninfo: {title: T, version: 1.10}\npaths:\n  /pets:\n    get:\n      \
             responses: {200: {description: Z}, 404: {description: A}}\n      description: last\n",
        ),
        &security(),
        None,
    );
    let places = ["\"200\"", "\"404\"", "\"last\"", "securitySchemes"];
    let places = places.map(|word| text.find(word).unwrap_or_else(|| panic!("{word}: {text}")));
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn security_is_the_versions() {
    let basic = Security {
        basic: Some(Basic {}),
        ..Security::default()
    };
    let all = Security {
        require: Require::All,
        ..security()
    };
    for (security, token_url, ways, oauth2) in [
        (&basic, None, json!([{"basic": []}]), Value::Null),
        (
            &security(),
            None,
            json!([{"api_key": []}, {"oauth2": []}, {"api_key_in_query": []}]),
            json!({"type": "http", "scheme": "bearer"}),
        ),
        (
            &all,
            Some("https://t.example/oauth2/token"),
            json!([
                {"api_key": [], "oauth2": []},
                {"api_key_in_query": [], "oauth2": []},
            ]),
            json!({"type": "oauth2", "flows": {"clientCredentials": {
                "tokenUrl": "https://t.example/oauth2/token", "scopes": {"read": "May read"}}}}),
        ),
    ] {
        let shown: Value = serde_json::from_str(&text(None, security, token_url)).unwrap();
        assert_eq!(shown["security"], ways);
        assert_eq!(shown["components"]["securitySchemes"]["oauth2"], oauth2);
        assert_eq!(shown["paths"]["/pets"]["get"].get("security"), None);
    }
}

/// Returns the published paths of a document, with these templates deployed for GET.
fn paths(written: &Value, deployed: &[&str]) -> Value {
    let deployed: Vec<_> = deployed.iter().map(|path| format!("GET {path}")).collect();
    let deployed: Vec<_> = deployed.iter().map(String::as_str).collect();
    let text = text_of_paths(written, &deployed);
    serde_json::from_str::<Value>(&text).unwrap()["paths"].take()
}

/// Returns the published text of a document with these paths, with these operations deployed.
fn text_of_paths(written: &Value, deployed: &[&str]) -> String {
    let document = json!({
        "openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "paths": written,
        "components": {"parameters": {"P": {"name": "proxy", "in": "path", "required": true}}},
    });
    let operations = deployed.iter().map(|operation| {
        let (method, path) = operation.split_once(' ').unwrap();
        let method = Method::from_token(method.as_bytes()).unwrap();
        (method, PathTemplate::parse(path).unwrap())
    });
    let operations: Vec<_> = operations.collect();
    let operations = operations.iter().map(|(method, path)| PublishedOperation {
        method: *method,
        path,
        summary: None,
        scopes: &[],
        anonymous: false,
    });
    let facts = Published {
        title: "T",
        version: "1.0",
        description: "",
        server: "https://api.example/t/1.0",
        security: &security(),
        token_url: None,
        operations: &operations.collect::<Vec<_>>(),
    };
    let document = document.to_string();
    let published = published(Some(document.as_bytes()), &facts, Limits::default());
    published.unwrap().text
}

/// Returns the operations of a document that is imported, sorted.
fn imported(text: &str) -> Vec<String> {
    // It refuses repeated keys.
    let imported = crate::read(text.as_bytes(), Limits::default()).unwrap();
    let operations = imported.operations.iter();
    let mut operations: Vec<_> = operations
        .map(|it| format!("{} {}", it.method, it.path))
        .collect();
    operations.sort_unstable();
    operations
}

#[test]
fn a_published_document_is_valid_and_is_imported_as_what_is_deployed() {
    let get = json!({"get": {}});
    let shared = |names: [&str; 2]| {
        let parameters = names.map(|name| json!({"name": name, "in": "query"}));
        json!(parameters)
    };
    for (written, deployed) in [
        // The parameter of a rest with its sign is there once.
        (
            json!({}),
            vec!["GET /b/{x}", "GET /b/{p+}", "POST /b/{p+}", "PUT /b/{p+}"],
        ),
        (
            json!({"/b/{x}": get}),
            vec!["GET /b/{p*}", "GET /b/{x}", "GET /c/{x%2B}/{p*}"],
        ),
        // Two spellings of one path.
        (
            json!({
                "/*": {"get": {}, "parameters": shared(["a", "b"])},
                "/**": {"post": {}, "parameters": shared(["b", "c"])},
            }),
            vec!["GET /{rest*}", "POST /{rest*}"],
        ),
        (
            json!({"/a b/{x}": {"get": {}, "parameters": []},
                "/a%20b/{x}": {"post": {}, "parameters": []}}),
            vec!["GET /a%20b/{x}", "POST /a%20b/{x}"],
        ),
        // Names that themselves end with a sign.
        (json!({}), vec!["GET /a/{proxy%2B*}", "POST /b/{proxy%2B+}"]),
        (
            json!({"/b/{proxy+}": {"get": {}, "post": {}}}),
            vec!["GET /b/{x}", "POST /b/{proxy+}"],
        ),
        // An extension in the uploaded document, and the same path without it.
        (
            json!({
                "/f/{p}": {"get": {}, "x-tollgate-rest": "*"},
                "/f/{q*}": {"get": {}}, "/g/{p}": {"get": {}, "x-tollgate-rest": "**"},
            }),
            vec!["GET /f/{p*}", "GET /g/{p}"],
        ),
    ] {
        let text = text_of_paths(&written, &deployed);
        let mut expected = deployed.clone();
        expected.sort_unstable();
        assert_eq!(imported(&text), expected, "{text}");
        let shown: Value = serde_json::from_str(&text).unwrap();
        for (path, item) in shown["paths"].as_object().unwrap() {
            for (field, value) in item.as_object().unwrap() {
                let list = match field.as_str() {
                    "parameters" => value,
                    _ => &value["parameters"],
                };
                let names = list.as_array().into_iter().flatten();
                let mut names: Vec<_> = names.map(|it| it["name"].as_str().unwrap()).collect();
                names.sort_unstable();
                assert!(
                    names.is_sorted_by(|one, other| one < other),
                    "{path}: {text}"
                );
            }
        }
    }
    // A segment with a sign, from before there were rests, and a rest of the same name.
    let text = text_of_paths(&json!({}), &["GET /b/{proxy%2B}", "GET /b/{proxy+}"]);
    let shown: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(shown["paths"]["/b/{proxy+}"].get("x-tollgate-rest"), None);
    assert_eq!(shown["paths"]["/b/{proxy2+}"]["x-tollgate-rest"], "+");
    let parameter = &shown["paths"]["/b/{proxy2+}"]["parameters"][0];
    assert_eq!(parameter["name"], "proxy2+");
}

#[test]
fn the_rest_of_a_path_is_a_parameter_with_an_extension() {
    let schema = json!({"type": "string"});
    let parameter =
        |name: &str| json!({"name": name, "in": "path", "required": true, "schema": schema});
    let own = json!({"$ref": "#/components/parameters/P"});
    let written = json!({
        "/*": {"get": {"operationId": "any"}},
        "/a/{proxy+}": {"get": {"parameters": [own]}},
        "/b/{x}": {"get": {}},
        "/b/{proxy+}": {"get": {"parameters": [own]}},
    });
    let deployed = [
        "/{rest*}",
        "/a/{proxy+}",
        "/b/{x}",
        "/b/{proxy+}",
        "/c/{more+}",
    ];
    let shown = paths(&written, &deployed);
    let item = |path: &str| &shown[path];
    assert_eq!(item("/{rest}")["x-tollgate-rest"], "*");
    assert_eq!(item("/{rest}")["parameters"], json!([parameter("rest")]));
    assert_eq!(item("/{rest}")["get"]["operationId"], "any");
    assert_eq!(item("/a/{proxy}")["x-tollgate-rest"], "+");
    assert_eq!(item("/a/{proxy}")["get"]["parameters"], json!([own]));
    assert_eq!(item("/a/{proxy}").get("parameters"), None);
    // Without its sign, it would be the path of another operation.
    assert_eq!(item("/b/{x}").get("x-tollgate-rest"), None);
    assert_eq!(
        item("/b/{proxy+}")["parameters"],
        json!([parameter("proxy+")])
    );
    assert_eq!(item("/b/{proxy+}")["get"]["parameters"], json!([]));
    assert_eq!(item("/c/{more}")["parameters"], json!([parameter("more")]));
    assert_eq!(shown.as_object().unwrap().len(), 5);
    // As releases without rests read the same document.
    let shown = paths(&written, &["/*", "/a/{proxy%2B}"]);
    assert_eq!(shown["/*"]["get"]["operationId"], "any");
    assert_eq!(shown["/a/{proxy+}"]["get"]["parameters"], json!([own]));
    assert_eq!(shown.as_object().unwrap().len(), 2);
}

#[test]
fn any_method_is_published_as_each_deployed_one() {
    let any = json!({"operationId": "any", "x-amazon-apigateway-integration": {"uri": "http://b"}});
    let written = json!({"/{proxy+}": {"x-amazon-apigateway-any-method": any, "post": {}}});
    let shown = paths(&written, &["/{proxy+}"]);
    assert_eq!(shown["/{proxy}"]["get"]["operationId"], "any");
    let mut members = shown["/{proxy}"].as_object().unwrap().keys();
    assert!(members.all(|key| ["get", "parameters", "x-tollgate-rest"].contains(&&**key)));
    // Ids are unique (OpenAPI 3.1, Operation Object).
    let text = text_of_paths(&written, &["GET /{proxy+}", "PUT /{proxy+}"]);
    assert!(!text.contains("operationId"), "{text}");
}
