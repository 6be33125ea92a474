use std::fmt::Write as _;

use super::*;
use crate::model::api::Method;

fn json(paths: &str) -> String {
    format!(r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},"paths":{paths}}}"#)
}

fn codes(document: impl AsRef<[u8]>) -> Vec<String> {
    let faults = read(document.as_ref(), Limits::default()).unwrap_err();
    let line = |fault: &Fault| format!("{} {}", fault.code, fault.field);
    faults
        .iter()
        .map(|fault| line(fault).trim_end().to_owned())
        .collect()
}

fn detail(document: impl AsRef<[u8]>) -> String {
    let faults = read(document.as_ref(), Limits::default()).unwrap_err();
    faults[0].detail.clone()
}

fn imported(document: impl AsRef<[u8]>) -> Imported {
    read(document.as_ref(), Limits::default()).unwrap()
}

fn calls(imported: &Imported) -> Vec<String> {
    let operations = imported.operations.iter();
    operations
        .map(|operation| format!("{} {}", operation.method, operation.path))
        .collect()
}

#[test]
fn a_realistic_document_is_taken_over_and_the_rest_is_noted() {
    let imported = imported(include_bytes!("tests/petstore.yaml"));
    insta::assert_debug_snapshot!(imported);
}

#[test]
fn json_and_yaml_are_read_equally() {
    let json = imported(
        r#"{"openapi":"3.0.3","info":{"title":"T","version":"1.10"},
            "servers":[{"url":"http://a:80/b"}],
            "paths":{"/x":{"get":{"summary":"one"},"post":{}},"/a":{"delete":{}}}}"#,
    );
    let yaml = imported(
        "openapi: 3.0.3\ninfo: {title: T, version: 1.10}\nservers: [{url: 'http://a:80/b'}]\n\
         paths:\n  /x:\n    get: {summary: one}\n    post: {}\n  /a:\n    delete: {}\n",
    );
    assert_eq!(json.format, Format::Json);
    assert_eq!(yaml.format, Format::Yaml);
    assert_eq!(json.version, "1.10");
    assert_eq!(calls(&json), ["GET /x", "POST /x", "DELETE /a"]);
    let format = json.format;
    assert_eq!(Imported { format, ..yaml }, json);
}

#[test]
fn other_versions_are_refused_with_a_sentence() {
    for version in ["\"1.2\"", "1.2", "\"2.1\"", "\"two\"", "[]", "null"] {
        let swagger = format!(r#"{{"swagger":{version},"paths":{{}}}}"#);
        assert_eq!(codes(&swagger), ["openapi.version /swagger"], "{version}");
    }
    assert!(detail(r#"{"swagger":"1.2"}"#).contains("Swagger \"1.2\" is not supported; use 2.0"));
    for version in ["2", "2.0", "\"2.0\""] {
        let swagger =
            json("{}").replace("\"openapi\":\"3.1.0\"", &format!("\"swagger\":{version}"));
        assert_eq!(imported(swagger).title, "T", "{version}");
    }
    for version in ["\"3.2.0\"", "\"4.0\"", "\"3\"", "\"three\"", "null"] {
        let document = format!(r#"{{"openapi":{version}}}"#);
        assert_eq!(codes(&document), ["openapi.version /openapi"], "{version}");
    }
    let old = r#"{"swaggerVersion":"1.2","apis":[]}"#;
    assert_eq!(codes(old), ["openapi.version /swaggerVersion"]);
    assert!(detail(old).starts_with("Swagger \"1.2\" is not supported; use 2.0"));
    assert_eq!(codes("a: b"), ["openapi.version /openapi"]);
    for foreign in [
        "a: b",
        r#"{"info":{"_postman_id":"a"},"item":[]}"#,
        r#"{"openapi":"3.2.0"}"#,
    ] {
        assert!(detail(foreign).contains("Swagger 2.0"), "{foreign}");
    }
}

#[test]
fn faults_of_broken_documents_have_line_and_column() {
    for (document, code, place) in [
        ("", "openapi.form", ""),
        ("just text", "openapi.form", ""),
        ("- a\n- b\n", "openapi.form", ""),
        ("{", "openapi.syntax", "line 1, column 1: "),
        (
            "{\n  \"openapi\": 3.1,",
            "openapi.syntax",
            "line 2, column 16: ",
        ),
        ("{} {}", "openapi.syntax", "line 1, column 4: "),
        (
            "openapi: 3.1.0\ninfo:\n\ttitle: T\n",
            "openapi.syntax",
            "line 3, ",
        ),
        ("openapi: 3.1.0\ninfo: [a\n", "openapi.syntax", "line "),
        (
            "openapi: 3.1.0\n---\nopenapi: 3.1.0\n",
            "openapi.syntax",
            "line 2, ",
        ),
        (
            "openapi: !include other.yaml\n",
            "openapi.syntax",
            "line 1, ",
        ),
        ("openapi: *nowhere\n", "openapi.syntax", "line 1, "),
    ] {
        assert_eq!(codes(document), [code], "{document:?}");
        let detail = detail(document);
        assert!(detail.starts_with(place), "{document:?}: {detail}");
    }
}

#[test]
fn a_byte_order_mark_is_stepped_over_and_other_encodings_are_refused() {
    let document = format!("\u{feff}{}", json("{}"));
    assert_eq!(imported(document).title, "T");
    let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let text = format!("\u{feff}{}", json("{}"));
        text.encode_utf16().flat_map(order).collect()
    };
    assert_eq!(codes(utf16(u16::to_le_bytes)), ["openapi.encoding"]);
    assert_eq!(codes(utf16(u16::to_be_bytes)), ["openapi.encoding"]);
    assert_eq!(codes(b"{\n \"a\": \"\xff\"}"), ["openapi.encoding"]);
    assert!(detail(b"{\n \"a\": \"\xff\"}").starts_with("line 2, column 8: "));
}

#[test]
fn a_key_that_occurs_twice_is_a_fault_in_both_formats() {
    let json = json(r#"{"/a":{"get":{}},"/a":{"post":{}}}"#);
    assert_eq!(codes(&json), ["openapi.duplicate_key"]);
    assert!(detail(&json).contains("\"/a\""));
    let yaml = "openapi: 3.1.0\npaths:\n  /a: {}\n  /a: {}\n";
    assert_eq!(codes(yaml), ["openapi.duplicate_key"]);
    assert!(detail(yaml).starts_with("line 4, "), "{}", detail(yaml));
}

#[test]
fn every_fault_of_content_has_its_pointer() {
    let document = r##"{"openapi":"3.0.0","info":{"title":" "},"servers":[{"uri":"a"}],
        "components":[],
        "paths":{"/a":7,"/b":{"get":[]},"/c":{"$ref":"#/x-none"},"/d":{"$ref":"other.yaml#/a"}}}"##;
    assert_eq!(
        codes(document),
        [
            "openapi.form /components",
            "openapi.form /info/title",
            "openapi.form /info/version",
            "openapi.form /servers/0/url",
            "openapi.form /paths/~1a",
            "openapi.form /paths/~1b/get",
            "openapi.reference /paths/~1c/$ref",
            "openapi.reference /paths/~1d/$ref",
        ]
    );
}

#[test]
fn path_items_are_followed_through_the_document_and_their_own_fields_win() {
    let document = r##"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
        "x-items":{"deep":{"patch":{}}},
        "components":{"pathItems":{"one":{"get":{"summary":"far"},"$ref":"#/paths/~1b~1%7Bc%7D"}}},
        "paths":{"/a":{"$ref":"#/components/pathItems/one","get":{"summary":"near"}},
                 "/b/{c}":{"put":{}}, "/d":{"$ref":"#/x-items/deep"}}}"##;
    let imported = imported(document);
    assert_eq!(
        calls(&imported),
        ["GET /a", "PUT /a", "PUT /b/{c}", "PATCH /d"]
    );
    assert_eq!(imported.operations[0].summary.as_deref(), Some("near"));
}

#[test]
fn references_lead_over_a_bounded_number_of_others() {
    let chain = |length: usize| {
        let items = (1..length).map(|at| format!(r##""/{at}":{{"$ref":"#/paths/~1{}"}}"##, at + 1));
        let items: Vec<_> = items.collect();
        json(&format!(
            r#"{{{},"/{length}":{{"get":{{}}}}}}"#,
            items.join(",")
        ))
    };
    assert_eq!(calls(&imported(chain(21))).len(), 21);
    assert_eq!(codes(chain(22)), ["openapi.reference /paths/~11/$ref"]);
}

#[test]
fn path_items_that_lead_back_to_themselves_are_refused() {
    let own = json(r##"{"/a":{"$ref":"#/paths/~1a"}}"##);
    let both = json(r##"{"/a":{"$ref":"#/paths/~1b"},"/b":{"$ref":"#/paths/~1a"}}"##);
    assert_eq!(codes(own), ["openapi.recursive /paths/~1a/$ref"]);
    assert_eq!(
        codes(both),
        [
            "openapi.recursive /paths/~1a/$ref",
            "openapi.recursive /paths/~1b/$ref"
        ]
    );
    let anchors = "openapi: 3.1.0\npaths: &paths\n  /a: *paths\n";
    assert_eq!(codes(anchors), ["openapi.recursive"]);
}

#[test]
fn recursive_schemas_are_fine() {
    let document = r##"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
        "components":{"schemas":{"Tree":{"properties":{"next":{"$ref":"#/components/schemas/Tree"}}}}},
        "paths":{"/a":{"get":{"responses":{"200":{"description":"ok","content":{
            "application/json":{"schema":{"$ref":"#/components/schemas/Tree"}}}}}}}}}"##;
    assert_eq!(calls(&imported(document)), ["GET /a"]);
}

#[test]
fn a_yaml_bomb_is_refused_before_it_expands() {
    let mut bomb =
        "openapi: 3.1.0\nx-0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..10 {
        let before = format!("*x{}", level - 1);
        let _ = writeln!(
            bomb,
            "x-{level}: &x{level} [{}]",
            vec![before; 9].join(", ")
        );
    }
    assert_eq!(codes(bomb), ["openapi.budget"]);
    let mut keys = "openapi: 3.1.0\nx-a: &a {b: c}\n".to_owned();
    for index in 0..2_000 {
        let _ = writeln!(keys, "x-{index}: *a");
    }
    assert_eq!(codes(keys), ["openapi.budget"]);
}

#[test]
fn anchors_in_measure_are_read() {
    let document = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nx-common: &common\n  \
                    get: {summary: one}\npaths:\n  /a: *common\n  /b:\n    <<: *common\n";
    assert_eq!(calls(&imported(document)), ["GET /a", "GET /b"]);
}

#[test]
fn deep_nesting_is_refused_wherever_it_is() {
    let nest = |open: &str, close: &str| open.repeat(200_000) + &close.repeat(200_000);
    for key in ["x-kept", "tags"] {
        let json = format!(r#"{{"openapi":"3.1.0","{key}":{}}}"#, nest("[", "]"));
        assert_eq!(codes(&json), ["openapi.depth"], "{key}");
        let yaml = format!("openapi: 3.1.0\n{key}: {}\n", nest("[", "]"));
        assert_eq!(codes(&yaml), ["openapi.depth"], "{key}");
        let objects = format!(r#"{{"openapi":"3.1.0","{key}":{}"#, nest("{\"a\":", "}"));
        assert_eq!(codes(&objects), ["openapi.depth"], "{key}");
    }
    let blocks = (0..500).fold("openapi: 3.1.0\n".to_owned(), |text, level| {
        text + &" ".repeat(level) + "a:\n"
    });
    assert_eq!(codes(blocks), ["openapi.depth"]);
}

#[test]
fn a_document_is_read_whole_within_a_bound_on_memory() {
    let yaml = "openapi: 3.1.0\ninfo: {title: T}\npaths: {/a: {get: {x: [0, 0, abc]}}}\n";
    let json = json(r#"{"/a":{"get":{"responses":{"200":{"x":[0,0,"abc"]}}}}}"#);
    for document in [yaml, &json] {
        let read = |memory_max| {
            let limits = Limits {
                memory_max,
                ..Limits::default()
            };
            examples(document.as_bytes(), limits)
        };
        let whole = source::whole(document.as_bytes(), Limits::default()).unwrap();
        let memory = value::Value::Map(whole).memory();
        read(memory).unwrap();
        assert_eq!(read(memory - 1).unwrap_err().code, "openapi.budget");
    }
}

#[test]
fn the_bounds_on_size_and_number_hold() {
    let limits = Limits {
        bytes_max: 100,
        ..Limits::default()
    };
    let faults = read(&[b' '; 101], limits).unwrap_err();
    assert_eq!(faults[0].code, "openapi.too_large");
    let limits = Limits {
        operations_max: 2,
        ..Limits::default()
    };
    for paths in [
        r#"{"/a":{"get":{},"put":{},"post":{}}}"#,
        r#"{"/a":{},"/b":{},"/c":{}}"#,
    ] {
        let faults = read(json(paths).as_bytes(), limits).unwrap_err();
        assert_eq!(faults[0].code, "openapi.operations", "{paths}");
    }
}

#[test]
fn what_has_no_effect_is_noted() {
    let document = r#"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"unheard":1,"x-a":1,
        "security":[],"tags":[],
        "servers":[{"url":"ftp://a"},{"url":"/relative"},{"url":"http://{h}:{p}",
            "variables":{"h":{"default":"b"},"p":{"default":81}}},{"url":"http://c"}],
        "components":{"securitySchemes":{"s":{"type":"http"}},"callbacks":{"c":{}}},
        "webhooks":{"w":{}},
        "paths":{"x-p":1,"/a{b}c":{"get":{}},"/d/{e}":{"get":{"deprecated":true,"callbacks":{}}},
            "/d/{f}":{"get":{"security":[],"servers":[]},"query":{}},"/g?h=1":{"get":{}}}}"#;
    let imported = imported(document);
    assert_eq!(imported.upstream.as_deref(), Some("http://b:81"));
    assert_eq!(calls(&imported), ["GET /a{b}c", "GET /d/{e}"]);
    let notes = imported.notes.iter();
    let notes: Vec<_> = notes
        .map(|note| format!("{} {}", note.code, note.field))
        .collect();
    insta::assert_snapshot!(notes.join("\n"));
}

#[test]
fn a_server_is_relative_to_where_the_document_was_found() {
    let cases = [
        ("/v1", "https://a.example:8443/v1"),
        ("../v2", "https://a.example:8443/v2"),
        ("//b.example/v1", "https://b.example/v1"),
        ("http://c/v1", "http://c/v1"),
    ];
    for (server, expected) in cases {
        let document = format!(
            r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},
            "servers":[{{"url":"{server}"}}],"paths":{{"/a":{{"get":{{}}}}}}}}"#
        );
        let place = Some("https://a.example:8443/docs/openapi.json");
        let found = read_at(document.as_bytes(), place, Limits::default()).unwrap();
        assert_eq!(found.upstream.as_deref(), Some(expected));
        assert_eq!(found.servers, [expected]);
    }
}

#[test]
fn a_document_of_5_mb_is_read_in_both_formats() {
    let large = large();
    let yaml = large_yaml();
    assert!(large.len() > 5_000_000 && yaml.len() > 5_000_000);
    for document in [large, yaml] {
        let before = std::time::Instant::now();
        let imported = imported(&document);
        assert_eq!(imported.operations.len(), 2_000);
        // Under a second in release; a debug build on a busy machine takes a multiple.
        let bound = if cfg!(debug_assertions) { 30 } else { 1 };
        assert!(before.elapsed().as_secs() < bound, "{:?}", before.elapsed());
    }
}

fn large() -> String {
    let field = r#""name":{"type":"string","description":"what it is called","maxLength":100},"#;
    let schema = format!(r#"{{"properties":{{{}"z":{{}}}}}}"#, numbered(field, 36));
    let operation = format!(r#"{{"responses":{{"200":{{"schema":{schema}}}}}}}"#);
    let paths: Vec<_> = (0..2_000)
        .map(|index| format!(r#""/items{index}/{{id}}":{{"get":{operation}}}"#))
        .collect();
    json(&format!("{{{}}}", paths.join(",\n")))
}

fn numbered(field: &str, count: usize) -> String {
    let rename = |index| field.replacen("name", &format!("name{index}"), 1);
    (0..count).map(rename).collect()
}

fn large_yaml() -> String {
    let mut text = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n".to_owned();
    for index in 0..2_000 {
        let _ = writeln!(text, "  /items{index}/{{id}}:\n    get:\n      responses:");
        for status in 200..225 {
            let _ = writeln!(
                text,
                "        {status}:\n          description: An answer of some length, as people \
                 write them\n          content: {{application/json: {{schema: {{type: object}}}}}}"
            );
        }
    }
    text
}

#[test]
fn a_parameter_in_matrix_style_lets_semicolons_pass() {
    let parameter = r#"{"name":"p","in":"path","required":true,"style":"matrix"}"#;
    let at = |place: &str| match place {
        "operation" => json(&format!(
            r#"{{"/a/{{p}}":{{"get":{{"parameters":[{parameter}]}}}}}}"#
        )),
        "item" => json(&format!(
            r#"{{"/a/{{p}}":{{"parameters":[{parameter}],"get":{{}}}}}}"#
        )),
        _ => format!(
            r#"{{"openapi":"3.1.0","info":{{"title":"T","version":"1"}},
                "components":{{"parameters":{{"P":{parameter}}}}},"paths":{{"/a":{{"get":{{}}}}}}}}"#
        ),
    };
    for place in ["operation", "item", "components"] {
        let found = imported(at(place));
        assert_eq!(found.semicolon, Semicolon::Pass, "{place}");
        assert!(found.notes.iter().any(|note| note.code == "openapi.matrix"));
    }
    // The style of another object does not count.
    let example = r#"{"/a":{"get":{"x-style":"matrix","parameters":[{"name":"q","in":"query",
        "style":"form","example":{"style":"matrix"}}]}}}"#;
    let found = imported(json(example));
    assert_eq!(found.semicolon, Semicolon::Check);
}

#[test]
fn header_parameters_are_named_wherever_they_are_described() {
    let document = r##"{"openapi":"3.1.0","info":{"title":"T","version":"1"},
        "components":{"parameters":{"Shared":{"name":"X-Shared","in":"header"}},
            "schemas":{"S":{"properties":{"in":{"const":"header"},"name":{"type":"string"}}}},
            "headers":{"Answer":{"schema":{"type":"string"}}}},
        "paths":{"/a":{"parameters":[{"in":"header","name":"X-Item"},{"in":"query","name":"q"}],
            "get":{"parameters":[{"name":"If-Match","in":"header","example":{"name":"X-No"}},
                {"$ref":"#/components/parameters/Shared"},{"in":"cookie","name":"c"}]}}}}"##;
    let headers = ["If-Match", "X-Item", "X-Shared"];
    assert_eq!(imported(document).headers, headers);
    let yaml = "openapi: 3.0.4\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get:\n      \
        parameters:\n      - name: X-Yaml\n        in: header\n      responses: {}\n";
    assert_eq!(imported(yaml).headers, ["X-Yaml"]);
    let swagger = r#"{"swagger":"2.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{
        "parameters":[{"name":"X-Old","in":"header","type":"string"}],"responses":{}}}}}"#;
    assert_eq!(imported(swagger).headers, ["X-Old"]);
}

#[test]
fn missing_parts_are_noted_first_with_the_number_of_operations() {
    let document = json(
        r##"{
        "/a": {"get": {"deprecated": true, "tags": ["t"]}, "post": {"tags": ["t"], "x-a": 1},
            "parameters": []},
        "/a?beta": {"get": {}, "put": {}, "post": {}},
        "/{a}{b}": {"get": {}},
        "/x{a}": {"get": {}}, "/{a}y": {"get": {}, "put": {}},
        "/out": {"get": {"$ref": "resources/out.yml"},
            "post": {"responses": {"200": {"content": {"a/b": {"schema":
                {"type": "array", "items": {"$ref": "https://x.example/pet.json"}}}}}}},
            "put": {"requestBody": {"$ref": "#/components/requestBodies/Out"}}}
    }"##,
    );
    let imported = imported(document);
    assert_eq!((imported.described, imported.operations.len()), (12, 6));
    let notes = imported.notes.iter();
    let notes = notes.map(|note| format!("{} {} {}", note.operations, note.code, note.detail));
    let notes: Vec<_> = notes.collect();
    let expected = [
        "3 openapi.path /a?beta is left out: a query is not part of a path; describe it \
         as query parameters",
        "2 openapi.path /{a}y is left out: some paths match both it and /x{a}, equally closely",
        "2 openapi.outside operations refer to other files, which are not read, so their content \
         is missing; bundle the files into one document: GET /out (resources/out.yml), \
         POST /out (https://x.example/pet.json) (found: 2)",
        "1 openapi.path /{a}{b} is left out: text must separate the parameters of a segment: \
         \"{a}-{b}\", not \"{a}{b}\"",
    ];
    assert_eq!(notes[..4], expected);
    assert!(notes[4].starts_with("5 openapi.content "), "{notes:?}");
    assert!(notes[5].starts_with("1 openapi."), "{notes:?}");
}

#[test]
fn a_reference_to_another_file_is_found_in_yaml_too() {
    let document = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n  /a:\n    get:\n      \
                    responses:\n        200: {$ref: ./ok.yaml}\n        true: {}\n        ~: {}\n";
    let imported = imported(document);
    assert_eq!(imported.notes[0].code, "openapi.outside");
    assert_eq!(imported.notes[0].operations, 1);
}

#[test]
fn a_document_of_webhooks_alone_has_no_operation() {
    let document = r#"{"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "webhooks": {"made": {"post": {}}}}"#;
    let imported = imported(document);
    assert_eq!((imported.described, imported.operations.len()), (0, 0));
    assert_eq!(imported.notes[0].code, "openapi.no_operation");
}

#[test]
fn odd_paths_are_taken_over_or_noted() {
    let imported = imported(include_str!("tests/odd-paths.yaml"));
    let notes = imported.notes.iter();
    let notes = notes.filter(|note| note.code == "openapi.path");
    let notes = notes.map(|note| format!("{}: {}", note.operations, note.detail));
    let lines: Vec<_> = calls(&imported).into_iter().chain(notes).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn reserved_expansion_in_swagger_2_is_the_rest_of_a_path() {
    let imported = imported(include_str!("tests/reserved-expansion.yaml"));
    assert_eq!(calls(&imported), ["GET /v1/{name+}"]);
    let codes = imported.notes.iter().map(|note| note.code);
    assert_eq!(
        codes.collect::<Vec<_>>(),
        ["openapi.content", "openapi.rest", "openapi.swagger"]
    );
}

#[test]
fn the_rest_of_a_path_is_read_and_other_signs_are_noted() {
    let document = json(
        r#"{
        "/*": {"get": {}, "post": {}}, "/menu": {"get": {}}, "/a/{proxy+}": {"get": {}},
        "/v1/{+name}": {"get": {}}, "/b/**": {"get": {}}, "/c/{path:.*}": {"get": {}},
        "/d*": {"get": {}}, "/{+parent}/e": {"get": {}}, "/a/{other*}": {"get": {}}
    }"#,
    );
    let imported = imported(document);
    assert_eq!(
        calls(&imported),
        [
            "GET /{rest*}",
            "POST /{rest*}",
            "GET /menu",
            "GET /a/{proxy+}",
            "GET /v1/{name+}",
            "GET /b/{rest*}",
            "GET /c/{path*}",
            "GET /d*",
            "GET /{+parent}/e",
        ]
    );
    let notes: Vec<_> = imported
        .notes
        .iter()
        .map(|note| (note.code, &*note.detail))
        .collect();
    let has = |code: &str, begin: &str| {
        let found = notes
            .iter()
            .any(|it| it.0 == code && it.1.starts_with(begin));
        assert!(found, "{begin}: {notes:?}");
    };
    has(
        "openapi.rest",
        "read as /{rest*}: it matches none, one or more further segments",
    );
    has(
        "openapi.rest",
        "read as /v1/{name+}: it matches one or more further segments",
    );
    has("openapi.rest", "/d*: the star matches only itself");
    has(
        "openapi.rest",
        "/{+parent}/e: a parameter matches one segment",
    );
    has(
        "openapi.path",
        "/a/{other*} is left out: some paths match both",
    );
    assert_eq!(
        notes.iter().filter(|note| note.0 == "openapi.rest").count(),
        8
    );
}

#[test]
fn a_published_rest_is_read_by_its_extension_alone() {
    let extension = |path: &str, value: &str| {
        let document = json(&format!(
            r#"{{"{path}": {{"get": {{}}, "x-tollgate-rest": {value}}}}}"#
        ));
        let imported = imported(document);
        let ignored = imported.notes.iter();
        let ignored = ignored.filter(|note| note.code == "openapi.extension");
        (calls(&imported).join(" "), ignored.count())
    };
    let rest = |path: &str| (format!("GET {path}"), 0);
    assert_eq!(extension("/files/{p}", r#""*""#), rest("/files/{p*}"));
    assert_eq!(extension("/files/{p+}", r#""+""#), rest("/files/{p+}"));
    assert_eq!(extension("/files/{p+}", r#""*""#), rest("/files/{p%2B*}"));
    // Anything else is an extension like any other.
    for (path, value) in [
        ("/files/{p}", r#""**""#),
        ("/files/{p}", "true"),
        ("/files/{p}", r#"{"get": {}}"#),
        ("/files/{p}", r#"["*"]"#),
        ("/{p}/files", r#""*""#),
        ("/files/{p}.json", r#""*""#),
        ("/files/{p}/", r#""*""#),
        ("/files", r#""*""#),
    ] {
        let ignored = (format!("GET {path}"), 1);
        assert_eq!(extension(path, value), ignored, "{path} {value}");
    }
}

#[test]
fn any_method_of_amazon_api_gateway_is_its_seven_methods() {
    let document = json(
        r#"{"/{proxy+}": {
        "x-amazon-apigateway-any-method": {"summary": "Any", "security": []},
        "get": {"summary": "Own"}}}"#,
    );
    let imported = imported(document);
    let expected = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"];
    let mut called = calls(&imported);
    called.sort_unstable();
    let mut expected = expected.map(|method| format!("{method} /{{proxy+}}"));
    expected.sort_unstable();
    assert_eq!(called, expected);
    assert_eq!(imported.described, 7);
    let summary = |method| {
        let mut operations = imported.operations.iter();
        operations
            .find(|it| it.method == method)
            .unwrap()
            .summary
            .as_deref()
    };
    assert_eq!(summary(Method::Get), Some("Own"));
    assert_eq!(summary(Method::Patch), Some("Any"));
    assert!(
        imported
            .notes
            .iter()
            .all(|it| it.code != "openapi.extension")
    );
}
