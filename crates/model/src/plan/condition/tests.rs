use serde_json::json;

use super::*;

#[test]
fn conditions_that_match_the_same_calls_have_one_text() {
    let condition = |it| serde_json::from_value::<Condition>(it).unwrap();
    let one = condition(json!({
        "addresses": {"not": ["2001:DB8::/32", "10.0.0.0/8", "192.0.2.7/32"]},
        "headers": {"X-Tier": ["free*", "Trial"]},
        "query": {"V": ["1"]},
    }));
    let same = condition(json!({
        "query": {"V": ["1", "1"]},
        "headers": {"x-tier": ["Trial", "free*"]},
        "addresses": {"not": ["10.0.0.0/8", "192.0.2.7", "2001:db8:0::/32", "10.0.0.0/8"]},
    }));
    assert_eq!(one.text(), same.text());
    for other in [
        json!({"headers": {"X-Tier": ["free*", "trial"]}}),
        json!({"headers": {"X-Tier": {"not": ["free*", "Trial"]}}}),
    ] {
        let headers = condition(json!({"headers": {"X-Tier": ["free*", "Trial"]}}));
        assert_ne!(condition(other.clone()).text(), headers.text(), "{other}");
    }
}

#[test]
fn a_test_is_a_list_or_its_negation() {
    for (json, test) in [
        (json!(["a"]), Some(Test::In(vec!["a".into()]))),
        (
            json!({"not": ["a"]}),
            Some(Test::Not {
                not: vec!["a".into()],
            }),
        ),
        (json!("a"), None),
        (json!([1]), None),
        (json!({}), None),
        (json!({"not": "a"}), None),
        (json!({"not": ["a"], "in": ["b"]}), None),
    ] {
        assert_eq!(serde_json::from_value(json.clone()).ok(), test, "{json}");
        if let Some(test) = test {
            assert_eq!(serde_json::to_value(test).unwrap(), json);
        }
    }
}

#[test]
fn a_name_has_one_test() {
    for (json, is_valid) in [
        (r#"{"headers": {"X-A": ["a"], "X-B": ["b"]}}"#, true),
        (r#"{"headers": {"X-A": ["a"], "X-A": ["b"]}}"#, false),
        (r#"{"query": {"a": ["1"], "b": ["2"]}}"#, true),
        (r#"{"query": {"a": ["1"], "a": {"not": ["2"]}}}"#, false),
    ] {
        let condition = serde_json::from_str::<Condition>(json);
        assert_eq!(condition.is_ok(), is_valid, "{json}");
    }
}
