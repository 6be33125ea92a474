use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::model::api::{Configuration, Kind};
use crate::model::fault::Fault;
use crate::model::security::{Require, SCOPE_TEXT_MAX, SCOPES_MAX};
use crate::{Imported, Limits, Proposed, read};

/// Returns schemes of every form.
fn schemes() -> Value {
    json!({
        "head": {"type": "apiKey", "in": "header", "name": "X-Key"},
        "other": {"type": "apiKey", "in": "header", "name": "X-Other"},
        "same": {"type": "apiKey", "in": "header", "name": "x-KEY"},
        "line": {"type": "apiKey", "in": "query", "name": "key"},
        "line2": {"type": "apiKey", "in": "query", "name": "KEY"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
        "host": {"type": "apiKey", "in": "header", "name": "Host"},
        "own": {"type": "apiKey", "in": "header", "name": "authorization"},
        "spaced": {"type": "apiKey", "in": "query", "name": "a b"},
        "basic": {"type": "http", "scheme": "BASIC"},
        "bearer": {"type": "http", "scheme": "Bearer"},
        "digest": {"type": "http", "scheme": "digest"},
        "oauth": {"type": "oauth2", "flows": {
            "implicit": {"scopes": {"read": "", "long": "y".repeat(300)}},
            "password": {"scopes": {"read": " Read it ", "unused": "Nobody asks"}},
        }},
        "oidc": {"type": "openIdConnect", "openIdConnectUrl": "https://id.example"},
        "mtls": {"type": "mutualTLS"},
        "newer": {"type": "quantum"},
        "empty": {},
        "bare": {"type": "http"},
        "nameless": {"type": "apiKey", "in": "header"},
        "alias": {"$ref": "#/components/securitySchemes/basic"},
        "far": {"$ref": "other.yaml#/a"},
        "circle": {"$ref": "#/components/securitySchemes/circle"},
    })
}

/// Returns a document with these schemes; `security` of its own and of its operations is left out
/// if null. Operations are `GET /0`, `GET /1` and so on.
fn document(schemes: &Value, own: &Value, operations: &[Value]) -> Value {
    let operations = operations.iter().enumerate().map(|(index, security)| {
        let mut operation = json!({});
        if !security.is_null() {
            operation["security"] = security.clone();
        }
        (format!("/{index}"), json!({"get": operation}))
    });
    let mut document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
        "paths": operations.collect::<serde_json::Map<_, _>>(),
        "components": {"securitySchemes": schemes}});
    if !own.is_null() {
        document["security"] = own.clone();
    }
    document
}

fn imported(document: &Value) -> Result<Imported, Vec<Fault>> {
    let bytes = document.to_string();
    let imported = read(bytes.as_bytes(), Limits::default())?;
    if let Some(proposed) = &imported.security {
        let faults = faults(&imported, proposed);
        assert_eq!(faults, [], "{document:#}");
    }
    let open = |it: &crate::model::api::Operation| it.anonymous || !it.scopes.is_empty();
    assert!(!imported.operations.iter().any(open), "{document:#}");
    Ok(imported)
}

/// Returns the faults of a configuration that follows the proposal.
fn faults(imported: &Imported, proposed: &Proposed) -> Vec<Fault> {
    let mut operations = imported.operations.clone();
    assert_eq!(operations.len(), proposed.operations.len());
    for (operation, access) in operations.iter_mut().zip(&proposed.operations) {
        operation.scopes.clone_from(&access.scopes);
        operation.anonymous = access.anonymous;
    }
    let configuration = Configuration {
        operations,
        security: proposed.security.clone(),
        ..Configuration::default()
    };
    let mut faults = configuration.security().faults();
    faults.extend(configuration.faults(Kind::Rest));
    faults
}

/// Formats a proposal in one line: the number of each scheme, then each operation: `-` without
/// scopes, `open` if anonymous.
fn line(proposed: &Proposed) -> String {
    let security = proposed.security.clone().unwrap_or_default();
    let mut line = match (&proposed.security, security.require) {
        (None, _) => "no scheme".to_owned(),
        (_, Require::Any) => "any".to_owned(),
        (_, Require::All) => "all".to_owned(),
    };
    if let Some(key) = &security.api_key {
        let _ = write!(line, " {}", key.header);
        if let Some(query) = &key.query {
            let _ = write!(line, "?{query}");
        }
    }
    let names = [
        (security.oauth2.is_some(), " oauth2"),
        (security.basic.is_some(), " basic"),
    ];
    line.extend(names.iter().filter(|(is, _)| *is).map(|(_, name)| *name));
    for (name, scope) in &security.scopes {
        assert!(!scope.is_by_approval(), "no document says so");
        let _ = write!(line, " {name}={:?}", scope.text);
    }
    for access in &proposed.operations {
        line.push_str(" | ");
        match (&*access.scopes, access.anonymous) {
            ([], true) => line.push_str("open"),
            ([], false) => line.push('-'),
            (scopes, _) => line.push_str(&scopes.join(",")),
        }
    }
    line
}

const PROPOSED: &str = "openapi.security: the document's security is proposed: it has an \
    effect only if the import applies it";

/// Returns the line of the proposal, or `none`, followed by notes on security, except for those
/// that every proposal has and those on schemes that nothing requires.
fn outcome(document: &Value) -> Vec<String> {
    let imported = match imported(document) {
        Ok(imported) => imported,
        Err(faults) => {
            let faults = faults.iter();
            return faults
                .map(|it| format!("{} {}", it.code, it.field))
                .collect();
        }
    };
    let mut outcome = vec![imported.security.as_ref().map_or("none".to_owned(), line)];
    for note in imported.notes {
        let is_usual = note.detail.starts_with("schemes that nothing requires")
            || format!("{}: {}", note.code, note.detail) == PROPOSED;
        if let (Some(code), false) = (note.code.strip_prefix("openapi.security"), is_usual) {
            let field = note.field.replace("/components/securitySchemes/", "");
            let detail: String = note.detail.chars().take(40).collect();
            outcome.push(format!("{code} {field}: {detail}").trim_start().to_owned());
        }
    }
    outcome
}

fn check(rows: &[(Value, &[Value], &[&str])]) {
    for (own, operations, expected) in rows {
        let document = document(&schemes(), own, operations);
        assert_eq!(outcome(&document), *expected, "{own} {operations:?}");
    }
}

#[test]
fn a_document_without_security_proposes_none() {
    let document = document(&json!({}), &Value::Null, &[Value::Null]);
    assert_eq!(outcome(&document), ["none"]);
}

#[test]
fn each_form_of_a_scheme_is_used_or_noted() {
    let of = |name: &str| json!([{name: []}]);
    let two = |one: &str, two: &str| json!([{one: []}, {two: []}]);
    check(&[
        (of("head"), &[Value::Null], &["any X-Key | -"]),
        (of("line"), &[Value::Null], &["any apikey?key | -"]),
        (two("head", "line"), &[], &["any X-Key?key"]),
        (two("head", "same"), &[], &["any X-Key"]),
        (
            two("other", "head"),
            &[],
            &[
                "any X-Key",
                "_scheme other/name: \"X-Other\" is not used: keys come in \"X-K",
            ],
        ),
        (
            two("line", "line2"),
            &[],
            &[
                "any apikey?key",
                "_scheme line2/name: \"KEY\" is not used: keys come in \"key\"",
            ],
        ),
        (
            of("host"),
            &[],
            &[
                "any apikey",
                "_scheme host/name: \"Host\" is not used: the key's header mus",
            ],
        ),
        (
            two("host", "other"),
            &[],
            &[
                "any X-Other",
                "_scheme host/name: \"Host\" is not used: the key's header mus",
            ],
        ),
        (
            of("spaced"),
            &[],
            &[
                "any apikey",
                "_scheme spaced/name: \"a b\" is not used: a query parameter mus",
            ],
        ),
        (of("own"), &[], &["any authorization"]),
        (
            two("own", "bearer"),
            &[],
            &[
                "any apikey oauth2",
                "_scheme own/name: \"authorization\" is not used: tokens and ",
            ],
        ),
        (of("basic"), &[], &["any basic"]),
        (of("alias"), &[], &["any basic"]),
        (of("bearer"), &[], &["any oauth2"]),
        (of("oauth"), &[], &["any oauth2"]),
        (of("oidc"), &[], &["any oauth2"]),
    ]);
}

#[test]
fn unsupported_schemes_are_noted_and_alone_propose_nothing() {
    for (name, why) in [
        ("cookie", "keys in cookies are not s"),
        ("digest", "the HTTP scheme \"digest"),
        ("mtls", "client certificates are n"),
        ("newer", "\"quantum\" is not a type o"),
        ("empty", "it has no type"),
        ("bare", "it names no HTTP scheme"),
        ("nameless", "it has no name"),
        ("far", "\"other.yaml#/a\" is in ano"),
        ("circle", "\"#/components/securitySch"),
    ] {
        let start = format!("{name} is left out: ");
        let left_out: String = format!("{start}{why}").chars().take(40).collect();
        let alone = outcome(&document(&schemes(), &json!([{name: []}]), &[Value::Null]));
        assert_eq!(alone.len(), 3, "{alone:?}");
        assert_eq!(alone[0], "none");
        assert!(
            alone[1].starts_with(&format!("_scheme {name}: {left_out}")),
            "{alone:?}"
        );
        assert!(
            alone[2].starts_with("/security: no security scheme that"),
            "{alone:?}"
        );
        let beside = outcome(&document(
            &schemes(),
            &json!([{name: []}, {"head": []}]),
            &[],
        ));
        assert_eq!(beside[0], "any X-Key");
        assert_eq!(beside[1], alone[1]);
        assert_eq!(beside.len(), 2, "{beside:?}");
    }
}

#[test]
fn alternatives_of_one_scheme_each_are_any_and_the_same_several_are_all() {
    let several = "alternatives of several schemes are not ";
    let lessened = "of a requirement with several schemes on";
    let others = "a version's schemes apply to all of its ";
    let line = |code: &str, field: &str, detail: &str| format!("{code} {field}: {detail}");
    let several = line("_requirement", "/security/0", several);
    let lessened = line("_requirement", "/security/0", lessened);
    let both = line(
        "_requirement",
        "/security/0",
        "tokens and HTTP Basic both use Authoriza",
    );
    let mtls = "_scheme mtls: mtls is left out: client certificates ar";
    let others = |field: &str| line("_requirement", field, others);
    check(&[
        (
            json!([{"head": []}, {"oauth": []}, {"basic": []}]),
            &[Value::Null],
            &["any X-Key oauth2 basic | -"],
        ),
        (
            json!([{"head": [], "oauth": []}]),
            &[json!([{"other": [], "bearer": []}, {}]), json!([])],
            &[
                "all X-Key oauth2 | - | open",
                "_scheme other/name: \"X-Other\" is not used: keys come in \"X-K",
                &line(
                    "_requirement",
                    "/paths/~10/get/security/1",
                    "optional security is not taken over: a c",
                ),
            ],
        ),
        (
            json!([{"line": [], "basic": []}]),
            &[],
            &["all apikey?key basic"],
        ),
        (
            json!([{"oauth": [], "basic": []}]),
            &[],
            &["any oauth2 basic", &both],
        ),
        (
            json!([{"oauth": [], "basic": [], "head": []}]),
            &[],
            &["any X-Key oauth2 basic", &both],
        ),
        (
            json!([{"head": [], "oauth": []}, {"basic": []}]),
            &[],
            &["any X-Key oauth2 basic", &several],
        ),
        (
            json!([{"head": [], "line": []}]),
            &[],
            &["any X-Key?key", &several],
        ),
        (
            json!([{"head": [], "line": [], "basic": []}]),
            &[],
            &["all X-Key?key basic", &lessened],
        ),
        (
            json!([{"mtls": [], "basic": []}]),
            &[],
            &["any basic", mtls, &several],
        ),
        (
            json!([{"head": [], "basic": []}, {"mtls": []}]),
            &[],
            &["all X-Key basic", mtls],
        ),
        (
            json!([{"head": []}]),
            &[
                Value::Null,
                json!([{"basic": []}]),
                json!([{"head": []}, {"basic": []}]),
            ],
            &["any X-Key basic | - | - | -", &others("/paths/~10/get")],
        ),
        (
            Value::Null,
            &[json!([{"head": []}]), json!([{"mtls": []}]), json!([])],
            &[
                "any X-Key | - | - | open",
                mtls,
                &others("/paths/~11/get/security"),
            ],
        ),
    ]);
}

#[test]
fn only_an_explicit_empty_list_opens_an_operation() {
    let line = |field: &str, detail: &str| format!("_requirement {field}: {detail}");
    let optional = |field: &str| line(field, "optional security is not taken over: a c");
    check(&[
        (
            json!([{"head": []}]),
            &[json!([]), Value::Null],
            &["any X-Key | open | -"],
        ),
        (
            json!([]),
            &[Value::Null, json!([{"head": []}])],
            &["any X-Key | open | -"],
        ),
        (
            Value::Null,
            &[json!([{"head": []}]), Value::Null],
            &[
                "any X-Key | - | -",
                &line("/paths/~11/get", "operations without security require a cr"),
            ],
        ),
        (
            json!([{"head": []}]),
            &[json!([{}])],
            &["any X-Key | -", &optional("/paths/~10/get/security/0")],
        ),
        (
            json!([{}, {"head": []}]),
            &[Value::Null],
            &["any X-Key | -", &optional("/security/0")],
        ),
    ]);
}

#[test]
fn where_nothing_is_required_none_is_proposed() {
    let none = "the document requires no security scheme";
    let at = |field: &str| format!("{field}: {none}");
    check(&[
        (
            Value::Null,
            &[Value::Null],
            &["none", &at("/components/securitySchemes")],
        ),
        (json!([]), &[json!([{}])], &["none", &at("/security")]),
    ]);
}

#[test]
fn empty_lists_open_operations_where_no_scheme_is_required() {
    let absent = "_requirement /paths/~10/get: operations without security require a cr";
    check(&[
        (
            json!([]),
            &[Value::Null, Value::Null],
            &["no scheme | open | open"],
        ),
        (
            Value::Null,
            &[json!([]), json!([])],
            &["no scheme | open | open"],
        ),
        (
            Value::Null,
            &[Value::Null, json!([])],
            &["no scheme | - | open", absent],
        ),
        (
            json!([{"mtls": []}]),
            &[Value::Null, json!([])],
            &[
                "no scheme | - | open",
                "_scheme mtls: mtls is left out: client certificates ar",
                "_requirement /security: no security scheme that the document req",
            ],
        ),
    ]);
    let document = document(&json!({}), &Value::Null, &[json!([])]);
    assert_eq!(outcome(&document), ["no scheme | open"]);
}

#[test]
fn scopes_are_those_of_the_first_alternative_that_has_any() {
    let long = format!("any oauth2 long={:?}", "y".repeat(SCOPE_TEXT_MAX));
    let line = |field: &str, detail: &str| format!("_scope {field}: {detail}");
    let other = "an operation requires the scopes of its ";
    check(&[
        (
            json!([{"oauth": ["read", "write", "read"]}]),
            &[Value::Null, json!([{"oauth": []}]), json!([])],
            &["any oauth2 read=\"Read it\" write=\"\" | read,write | - | open"],
        ),
        (
            json!([{"oidc": ["read"], "oauth": ["write", "read"]}]),
            &[Value::Null],
            &[
                "any oauth2 read=\"Read it\" write=\"\" | write,read",
                "_requirement /security/0: alternatives of several schemes are not ",
            ],
        ),
        (json!([{"oauth": ["long"]}]), &[], &[&long]),
        (
            json!([{"head": []}, {"oidc": ["b"]}, {"oauth": ["a"]}]),
            &[Value::Null],
            &[
                "any X-Key oauth2 a=\"\" b=\"\" | b",
                &line("/security", other),
            ],
        ),
        (
            json!([{"oauth": ["a b", "c", "\u{e4}"]}]),
            &[Value::Null],
            &[
                "any oauth2 c=\"\" | c",
                &line(
                    "/security/0/oauth/0",
                    "names that a scope cannot have are left ",
                ),
            ],
        ),
        (
            json!([{"bearer": ["admin"]}, {"head": ["x"]}]),
            &[Value::Null],
            &[
                "any X-Key oauth2 | -",
                &line(
                    "/security/0/bearer",
                    "only schemes of type oauth2 and openIdCo",
                ),
            ],
        ),
    ]);
}

#[test]
fn the_first_scopes_are_declared_and_more_are_noted() {
    let many: Vec<_> = (0..SCOPES_MAX + 2)
        .map(|index| format!("s{index}"))
        .collect();
    let document = document(&schemes(), &json!([{"oauth": many}]), &[Value::Null]);
    let imported = imported(&document).unwrap();
    let proposed = imported.security.unwrap();
    let security = proposed.security.unwrap();
    assert_eq!(security.scopes.len(), SCOPES_MAX);
    assert_eq!(proposed.operations[0].scopes, many[..SCOPES_MAX]);
    let note = imported
        .notes
        .iter()
        .find(|note| note.code == "openapi.security_scope");
    let note = note.unwrap();
    assert_eq!(note.field, format!("/security/0/oauth/{SCOPES_MAX}"));
    assert_eq!(
        note.detail,
        "only the first 200 scopes are taken over (found: 2)"
    );
}

#[test]
fn undeclared_names_and_unrequired_schemes_are_noted() {
    check(&[(
        json!([{"head": []}, {"no/such": []}]),
        &[Value::Null],
        &[
            "any X-Key | -",
            "_requirement /security/1/no~1such: requirements name schemes that are not d",
        ],
    )]);
    let document = document(&schemes(), &json!([{"head": []}]), &[]);
    let notes = imported(&document).unwrap().notes;
    let details: Vec<_> = notes.iter().map(|note| note.detail.as_str()).collect();
    assert!(details.contains(&"schemes that nothing requires are left out (found: 21)"));
    let proposed = notes
        .iter()
        .any(|note| format!("{}: {}", note.code, note.detail) == PROPOSED);
    assert!(proposed, "{notes:?}");
}

#[test]
fn wrong_forms_are_faults_with_their_pointer() {
    let at = |schemes: Value, own: Value, operation: Value| {
        outcome(&document(&schemes, &own, &[operation]))
    };
    let null = || Value::Null;
    for (wrong, field) in [
        (json!(7), "/security"),
        (json!({}), "/security"),
        (json!([7]), "/security/0"),
        (json!([null]), "/security/0"),
        (json!([{}, {"a/b": "x"}]), "/security/1/a~1b"),
        (json!([{"head": [[]]}]), "/security/0/head"),
        (json!([{"head": [1]}]), "/security/0/head"),
    ] {
        let expected = [format!("openapi.form {field}")];
        assert_eq!(at(schemes(), wrong.clone(), null()), expected, "{wrong}");
        let expected = [format!("openapi.form /paths/~10/get{field}")];
        assert_eq!(at(schemes(), null(), wrong.clone()), expected, "{wrong}");
    }
    for (wrong, field) in [
        (json!([]), ""),
        (json!({"a": 7}), "/a"),
        (json!({"a": {"type": []}}), "/a/type"),
        (json!({"a": {"type": "http", "scheme": 1}}), "/a/scheme"),
        (json!({"a": {"type": "apiKey", "in": {}}}), "/a/in"),
        (
            json!({"a": {"type": "apiKey", "in": "query", "name": true}}),
            "/a/name",
        ),
        (json!({"a": {"type": "oauth2", "flows": []}}), "/a/flows"),
        (
            json!({"a": {"type": "oauth2", "flows": {"implicit": 1}}}),
            "/a/flows/implicit",
        ),
        (
            json!({"a": {"type": "oauth2", "flows": {"implicit": {"scopes": []}}}}),
            "/a/flows/implicit/scopes",
        ),
        (
            json!({"a": {"type": "oauth2", "flows": {"implicit": {"scopes": {"s": []}}}}}),
            "/a/flows/implicit/scopes/s",
        ),
    ] {
        let expected = [format!("openapi.form /components/securitySchemes{field}")];
        assert_eq!(
            at(wrong.clone(), json!([{"a": ["s"]}]), null()),
            expected,
            "{wrong}"
        );
    }
}

#[test]
fn yaml_is_read_equally() {
    let document = b"openapi: 3.0.3\ninfo: {title: T, version: '1'}\nsecurity:\n  - head:\n  \
        - oauth: [read]\npaths:\n  /a:\n    get: {}\n    put: {security: []}\ncomponents:\n  \
        securitySchemes:\n    head: {type: apiKey, in: header, name: X-Key}\n    oauth:\n      \
        type: oauth2\n      flows: {password: {scopes: {read: 1}}}\n";
    let imported = read(document, Limits::default()).unwrap();
    let proposed = imported.security.unwrap();
    assert_eq!(line(&proposed), "any X-Key oauth2 read=\"1\" | read | open");
}

#[test]
fn work_is_bounded_where_operations_share_requirements() {
    let shared: Vec<_> = (0..100).map(|_| json!({"oauth": ["read"]})).collect();
    let many: Vec<_> = (0..200_001).map(|_| json!({})).collect();
    let note = "/security: the document's security is too large: no";
    for (item, own, expected) in [
        (json!([]), json!(many), ["none", note].as_slice()),
        // With the shared requirements the document would be too large for its readers.
        (json!(shared), json!([]), &["openapi.budget /paths"]),
    ] {
        let paths = (0..5_000).map(|index| {
            let item = json!({"$ref": "#/x-item"});
            (format!("/{index}"), item)
        });
        let document = json!({"openapi": "3.1.0", "info": {"title": "T", "version": "1"},
            "x-item": {"get": {"security": item}}, "security": own,
            "paths": paths.collect::<serde_json::Map<_, _>>(),
            "components": {"securitySchemes": schemes()}});
        let before = std::time::Instant::now();
        let outcome = outcome(&document);
        assert_eq!(outcome, expected);
        assert!(before.elapsed().as_secs() < 30, "{:?}", before.elapsed());
    }
}

#[test]
fn only_the_first_schemes_of_very_many_are_read() {
    let many: serde_json::Map<_, _> = (0..101)
        .map(|index| {
            (
                format!("s{index:03}"),
                json!({"type": "http", "scheme": "basic"}),
            )
        })
        .collect();
    let outcome = outcome(&document(&json!(many), &json!([{"s000": []}]), &[]));
    assert_eq!(
        outcome,
        [
            "any basic",
            "_scheme /components/securitySchemes: only the first 100 schemes are read",
        ]
    );
}

/// Generates lists of requirements, most of them well-formed.
fn requirements() -> impl Strategy<Value = Value> {
    let names: Vec<_> = schemes().as_object().unwrap().keys().cloned().collect();
    let name = prop_oneof![30 => proptest::sample::select(names), 1 => "[a-z/~]{0,3}"];
    let scope = prop_oneof![
        proptest::sample::select(vec!["read", "write", "long", "a b", ""]).prop_map(str::to_owned),
        "[a-z\u{e4}]{0,120}",
    ];
    let scopes = proptest::collection::vec(scope, 0..4);
    let member = proptest::collection::btree_map(name, scopes, 0..4);
    let list = proptest::collection::vec(member, 0..4).prop_map(|list| json!(list));
    let wrong = proptest::sample::select(vec![json!(1), json!({}), json!([[]]), json!([{"a": 1}])]);
    prop_oneof![3 => Just(Value::Null), 30 => list, 1 => wrong]
}

proptest! {
    #[test]
    fn every_proposal_is_one_that_a_version_can_have(
        own in requirements(),
        operations in proptest::collection::vec(requirements(), 0..5),
        left_out in proptest::collection::vec(0..22_usize, 0..20),
    ) {
        let mut schemes = schemes();
        let names: Vec<_> = schemes.as_object().unwrap().keys().cloned().collect();
        for index in left_out {
            schemes.as_object_mut().unwrap().remove(&names[index]);
        }
        let document = document(&schemes, &own, &operations);
        let is_open = |security: &Value| {
            security.as_array().is_some_and(Vec::is_empty)
                || security.is_null() && own.as_array().is_some_and(Vec::is_empty)
        };
        if let Some(proposed) = imported(&document).ok().and_then(|it| it.security) {
            for (access, security) in proposed.operations.iter().zip(&operations) {
                prop_assert_eq!(access.anonymous, is_open(security));
            }
        }
    }
}
