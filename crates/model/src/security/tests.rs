use serde_json::json;

use super::*;

fn faults(security: serde_json::Value) -> Vec<(String, String)> {
    let security: Security = serde_json::from_value(security).unwrap();
    let faults = security.faults().into_iter();
    faults.map(|fault| (fault.field, fault.code)).collect()
}

fn one(field: &str, code: &str) -> Vec<(String, String)> {
    vec![(field.to_owned(), code.to_owned())]
}

#[test]
fn each_fault_of_a_security_names_its_field() {
    let cases = [
        (json!({}), one("", "security.none")),
        (
            json!({"require": "all", "oauth2": {}, "basic": {}}),
            one("/require", "security.all"),
        ),
        (
            json!({"api_key": {"header": "Host"}}),
            one("/api_key/header", "version.key_header"),
        ),
        (
            json!({"api_key": {"query": "a%20b"}}),
            one("/api_key/query", "security.query"),
        ),
        (
            json!({"oauth2": {}, "scopes": {"a b": ""}}),
            one("/scopes/a b", "security.scope"),
        ),
        (
            json!({"oauth2": {}, "scopes": {"a/b": "x".repeat(201)}}),
            one("/scopes/a~1b", "security.scope_text"),
        ),
        (
            json!({"require": "all", "api_key": {"query": "k"}, "oauth2": {}}),
            Vec::new(),
        ),
    ];
    for (security, expected) in cases {
        assert_eq!(faults(security.clone()), expected, "{security}");
    }
}

#[test]
fn a_key_is_in_the_header_apikey_by_default() {
    let security: Security = serde_json::from_value(json!({"api_key": {}})).unwrap();
    assert_eq!(security, Security::api_key("apikey"));
    assert!(serde_json::from_value::<Security>(json!({"api_key": {"heder": "x"}})).is_err());
}

#[test]
fn operations_require_only_scopes_that_tokens_can_have() {
    let security: Security =
        serde_json::from_value(json!({"oauth2": {}, "scopes": {"a": "A"}})).unwrap();
    let of = |scopes: &[&str], anonymous| {
        let scopes: Vec<_> = scopes.iter().map(|&it| it.to_owned()).collect();
        let faults = access_faults(&security, &scopes, anonymous).into_iter();
        faults.map(|fault| fault.field).collect::<Vec<_>>()
    };
    assert_eq!(of(&["a"], false), [""; 0]);
    assert_eq!(of(&["a", "b", "a"], false), ["/scopes/1", "/scopes/2"]);
    assert_eq!(of(&["a"], true), ["/anonymous"]);
    let keys = Security::api_key("apikey");
    let faults = access_faults(&keys, &["a".to_owned()], false);
    assert_eq!(faults.len(), 2, "{faults:?}");
}
