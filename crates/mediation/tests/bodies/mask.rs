//! `mask`: what becomes of values, and of the bytes beside them.

use serde_json::json;

#[test]
fn values_are_hidden_and_other_bytes_stay() {
    let body = r#"{ "card":"4111111111111111", "n": 12345678901234567890, "short":"12345678",
        "list":[{"iban":"DE\u00e9\"\u00e9\u00e9\u00e9\u00e9"},{"iban":{"x":1}},{"iban":true}] }"#;
    let rows = [
        (
            "remove",
            r#"{ "short":"12345678",
        "list":[{},{},{}] }"#,
        ),
        (
            "null",
            r#"{ "card":null, "n": null, "short":"12345678",
        "list":[{"iban":null},{"iban":null},{"iban":null}] }"#,
        ),
        (
            "***",
            r#"{ "card":"***", "n": "***", "short":"12345678",
        "list":[{"iban":"***"},{"iban":"***"},{"iban":"***"}] }"#,
        ),
        (
            "last4",
            r#"{ "card":"***1111", "n": "***7890", "short":"12345678",
        "list":[{"iban":"***"},{"iban":"***"},{"iban":"***"}] }"#,
        ),
    ];
    for (with, expected) in rows {
        let step = json!({ "policy": "mask", "paths": ["$.card", "$..iban", "$.n"], "with": with });
        assert_eq!(
            crate::made(&step, body),
            Ok(Some(expected.into())),
            "{with}"
        );
    }
    let step = |path: &str| json!({ "policy": "mask", "paths": [path], "with": "last4" });
    let row = r#"["12345678","123456789","ééééé\"\"\"é"]"#;
    let expected = r#"["***","***6789","***\"\"\"é"]"#;
    assert_eq!(crate::made(&step("$[*]"), row), Ok(Some(expected.into())));
    assert_eq!(crate::made(&step("$.x"), row), Ok(None));
}
