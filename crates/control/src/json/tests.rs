use serde_json::Value;
use tollgate_model::plan::PlanTerms;

use super::*;

/// Returns the status, the field and the detail of the problem with a body of plan terms.
fn refused(body: &str) -> (u16, String, String) {
    let problem = parse::<PlanTerms>(body.as_bytes()).expect_err(body);
    let rendered: Value = serde_json::from_slice(&problem.render("")).unwrap();
    let text = |pointer: &str| {
        let value = rendered.pointer(pointer).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let status = problem.status().as_u16();
    (status, text("/errors/0/field"), text("/detail"))
}

#[test]
fn json_of_another_form_is_a_fault_of_its_field() {
    for (body, field, detail) in [
        ("[[], true]", "", "invalid type: list, expected an object"),
        ("null", "", "invalid type: null, expected an object"),
        (
            r#"{"limits": {}}"#,
            "/limits",
            "invalid type: object, expected a list",
        ),
        (
            r#"{"limits": [["api", 5, "day"]]}"#,
            "/limits/0",
            "invalid type: list, expected an object",
        ),
        (
            r#"{"limits": [{"per": 5}]}"#,
            "/limits/0/per",
            "invalid type: integer `5`, expected a word or a list of words",
        ),
        (
            r#"{"limits": [{"per": null}]}"#,
            "/limits/0/per",
            "invalid type: null, expected a word or a list of words",
        ),
        (
            r#"{"limits": [{"per": "api", "amount": -1}]}"#,
            "/limits/0/amount",
            "invalid value: integer `-1`, expected a whole number that is not negative",
        ),
        (
            r#"{"limits": [{"per": "api", "window": "day"}]}"#,
            "/limits/0/amount",
            "missing field `amount`",
        ),
        (
            r#"{"colour": 1}"#,
            "/colour",
            "unknown field `colour`, expected one of `limits`, `unlimited`, `count_failures`",
        ),
    ] {
        let expected = (422, field.to_owned(), detail.to_owned());
        assert_eq!(refused(body), expected, "{body}");
    }
}

#[test]
fn a_body_that_is_not_json_is_rejected() {
    for body in [
        "",
        "{",
        "{} {}",
        "{'limits': []}",
        r#"{"unlimited": true,}"#,
    ] {
        let (status, field, detail) = refused(body);
        assert_eq!((status, field.as_str()), (400, ""), "{body}");
        assert!(detail.starts_with("the body is not JSON: "), "{detail}");
    }
}
