use serde_json::{Value, json};

use super::*;
use crate::api::Kind;

fn configuration(json: Value) -> Configuration {
    serde_json::from_value(json).unwrap()
}

#[test]
fn limits_of_all_parts_of_a_version_are_found() {
    let limit = |per: &str| json!([{"per": per, "amount": 9, "window": "day"}]);
    let upstream = json!({
        "url": "http://a", "limits": [{"metric": "concurrent", "amount": 9}],
    });
    let rest = configuration(json!({
        "operations": [
            {"method": "GET", "path": "/a"},
            {"method": "GET", "path": "/b", "limits": limit("operation")},
        ],
        "limits": limit("api"),
        "upstream": upstream,
        "sandbox_upstream": upstream,
    }));
    let fields = |it: &Configuration| it.limit_lists().map(|it| it.0).collect::<Vec<_>>();
    let expected = [
        "/limits",
        "/operations/1/limits",
        "/upstream/limits",
        "/sandbox_upstream/limits",
    ];
    assert_eq!(fields(&rest), expected);
    assert_eq!(rest.every_limit().count(), 4);
    assert_eq!(rest.faults(Kind::Rest), []);

    let soap = configuration(json!({"soap": {
        "contract": "00", "service": "S", "port": "P",
        "operations": [{"name": "find", "limits": limit("operation")}],
        "unknown": {"limits": limit("operation")},
    }}));
    let expected = ["/soap/operations/0/limits", "/soap/unknown/limits"];
    assert_eq!(fields(&soap), expected);
}

#[test]
fn no_condition_tests_the_key_of_its_version() {
    let condition = json!({
        "headers": {"X_Key": ["a"], "x-other": ["a"], "apikey": ["a"]},
        "query": {"key": ["a"], "Key": ["a"]},
    });
    let limit = json!({"per": ["api", "operation"], "amount": 9, "window": "day", "if": condition});
    let faults = configuration(json!({
        "operations": [{"method": "GET", "path": "/a", "limits": [limit]}],
        "security": {"api_key": {"header": "x-key", "query": "key"}},
    }));
    let faults = faults.faults(Kind::Rest);
    let fields: Vec<_> = faults.iter().map(|it| &*it.field).collect();
    let place = "/operations/0/limits/0/if";
    let expected = ["headers/apikey", "headers/X_Key", "query/key"];
    assert_eq!(fields, expected.map(|it| format!("{place}/{it}")));
    assert!(faults.iter().all(|it| it.code == "limit.if"));
}

#[test]
fn weights_have_bounds() {
    for (weight, is_valid) in [(0, false), (1, true), (10_000, true), (10_001, false)] {
        let rest = json!({"operations": [{"method": "GET", "path": "/a", "weight": weight}]});
        let expected = if is_valid { "" } else { "/operations/0/weight" };
        let faults = configuration(rest).faults(Kind::Rest);
        assert_eq!(
            faults.iter().map(|it| &*it.field).collect::<String>(),
            expected
        );
        let soap = json!({"soap": {
            "contract": "0".repeat(64), "service": "S", "port": "P",
            "operations": [{"name": "find", "weight": weight}],
        }});
        let expected = if is_valid {
            ""
        } else {
            "/soap/operations/0/weight"
        };
        let faults = configuration(soap).faults(Kind::Soap);
        assert_eq!(
            faults.iter().map(|it| &*it.field).collect::<String>(),
            expected
        );
    }
}
