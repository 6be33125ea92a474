use serde_json::{Value, json};

use super::*;

/// Returns the fields at fault of a limit with this condition.
fn fields(condition: &Value) -> Vec<String> {
    let limit = json!({"per": "api", "amount": 9, "window": "day", "if": condition});
    let limit = serde_json::from_value(limit).unwrap();
    let faults = faults(&limit, Owner::Plan, true).into_iter();
    let fields = faults.map(|it| {
        assert_eq!(it.code, "limit.if");
        it.field
    });
    fields.collect()
}

#[test]
fn a_condition_tests_what_calls_have() {
    let many = |count: u32| {
        let addresses = (0..count).map(|it| format!("10.0.{}.{}", it / 256, it % 256));
        addresses.collect::<Vec<_>>()
    };
    let headers = |test: Value| json!({"headers": {"x-tier": test}});
    let names = |count: usize| {
        let names = (0..count).map(|it| (format!("x-{it}"), json!(["a"])));
        json!(names.collect::<serde_json::Map<_, _>>())
    };
    for (condition, expected) in [
        (json!({}), "/if"),
        (json!({"headers": {}}), "/if"),
        (json!({"addresses": many(1_000)}), ""),
        (json!({"addresses": many(1_001)}), "/if/addresses"),
        (
            json!({"addresses": {"not": many(1_001)}}),
            "/if/addresses/not",
        ),
        (json!({"addresses": []}), "/if/addresses"),
        (
            json!({"addresses": {"not": ["10.0.0.0/8", "10.0.0.1/8"]}}),
            "/if/addresses/not/1",
        ),
        (json!({"addresses": ["example.com"]}), "/if/addresses/0"),
        (json!({"environment": ["production", "sandbox"]}), ""),
        (
            json!({"environment": {"not": ["test"]}}),
            "/if/environment/not/0",
        ),
        (headers(json!(["free*", "", "*"])), ""),
        (headers(json!([])), "/if/headers/x-tier"),
        (headers(json!({"not": []})), "/if/headers/x-tier/not"),
        (headers(json!(vec!["a"; 100])), ""),
        (headers(json!(vec!["a"; 101])), "/if/headers/x-tier"),
        (headers(json!(["a".repeat(200)])), ""),
        (
            headers(json!(["a", "a".repeat(201)])),
            "/if/headers/x-tier/1",
        ),
        (json!({"headers": {"a b": ["a"]}}), "/if/headers/a b"),
        (json!({"headers": {"": ["a"]}}), "/if/headers/"),
        (
            json!({"headers": {"X-A": ["a"], "x-a": ["b"]}}),
            "/if/headers/x-a",
        ),
        (
            json!({"headers": {"Authorization": ["Bearer*"]}}),
            "/if/headers/Authorization",
        ),
        (json!({"headers": {"cookie": ["a"]}}), "/if/headers/cookie"),
        (
            json!({"headers": {"Proxy_Authorization": ["a"]}}),
            "/if/headers/Proxy_Authorization",
        ),
        (
            json!({"headers": {"x-tollgate-try-it": ["a"]}}),
            "/if/headers/x-tollgate-try-it",
        ),
        (json!({"headers": {"ApiKey": ["a"]}}), "/if/headers/ApiKey"),
        (json!({"headers": names(16)}), ""),
        (json!({"headers": names(17)}), "/if/headers"),
        (json!({"query": {"a~/b": {"not": ["1"]}}}), ""),
        (json!({"query": {"a~/b": []}}), "/if/query/a~0~1b"),
        (json!({"query": {"": ["1"]}}), "/if/query/"),
    ] {
        let expected = Vec::from_iter((!expected.is_empty()).then_some(expected));
        assert_eq!(fields(&condition), expected, "{condition}");
    }
}

#[test]
fn otherwise_needs_an_if_of_another_limit() {
    let places = |owner: Owner, has_if: bool, has_conditions: bool| {
        let mut limit = json!({"amount": 9, "window": "day", "otherwise": true});
        if has_if {
            limit["if"] = json!({"environment": ["sandbox"]});
        }
        let limit = serde_json::from_value(limit).unwrap();
        let faults = faults(&limit, owner, has_conditions).into_iter();
        faults.map(|it| it.field).collect::<Vec<_>>()
    };
    assert_eq!(places(Owner::Plan, false, true), [""; 0]);
    assert_eq!(places(Owner::Plan, false, false), ["/otherwise"]);
    assert_eq!(places(Owner::Plan, true, true), ["/otherwise"]);
    assert_eq!(places(Owner::Upstream, false, true), ["/otherwise"]);
    assert_eq!(places(Owner::Upstream, true, true), ["/if", "/otherwise"]);
}
