//! `threat_protection`: which bodies and queries are refused, with which sentence.

use serde_json::json;
use tollgate_mediation::run::Stop;

use crate::steps::{Head, Memory, compiled};

#[test]
fn a_body_beyond_a_bound_is_refused_by_its_name() {
    let step = json!([{ "policy": "threat_protection", "depth": 2, "members": 2, "items": 3,
        "key_bytes": 4, "string_bytes": 5, "patterns": ["(?i)<script", "drop table"] }]);
    let steps = compiled("request", &step);
    let rows = [
        (r#"{"a":[1,2,3],"abcd":"12345"}"#.to_owned(), None),
        (
            r#"{"\u0041\u0041\u0041\u0041":"\u0041\u0041\u0041\u0041\u0041"}"#.into(),
            None,
        ),
        (
            "[[[]]]".into(),
            Some("the body is nested deeper than 2 levels"),
        ),
        (
            "[".repeat(70),
            Some("the body is nested deeper than 2 levels"),
        ),
        (
            r#"{"a":1,"b":2,"c":3}"#.into(),
            Some("an object of the body has more than 2 members"),
        ),
        (
            "[1,2,3,4]".into(),
            Some("an array of the body has more than 3 items"),
        ),
        (
            format!("[{}1]", "1,".repeat(100_000)),
            Some("an array of the body has more than 3 items"),
        ),
        (
            r#"{"secre":1}"#.into(),
            Some("a name in the body has more than 4 bytes"),
        ),
        (
            r#"["secret"]"#.into(),
            Some("a text of the body has more than 5 bytes"),
        ),
    ];
    for (body, expected) in rows {
        let stop = Memory::default().made(&steps, body.as_bytes()).map(|_| ());
        let expected = expected.map_or(Ok(()), |it| Err(Stop::Threat(it.into())));
        assert_eq!(stop, expected, "{}", &body[..body.len().min(80)]);
    }
}

#[test]
fn patterns_search_texts_names_and_the_query() {
    let step = json!([{ "policy": "threat_protection", "patterns": ["(?i)<script", "é'--"] }]);
    let steps = compiled("request", &step);
    let refused = |what: &str, number: u32| {
        let sentence = format!("{what} matches a pattern: number {number}");
        Err(Stop::Threat(sentence.into()))
    };
    let bodies = [
        (r#"{"a":["x<ScRiPt>"]}"#, refused("a text of the body", 1)),
        (r#"{"a":"\u003cscript"}"#, refused("a text of the body", 1)),
        (r#"{"\u00e9'--":1}"#, refused("a name in the body", 2)),
        (r#"{"a":"script"}"#, Ok(())),
    ];
    for (body, expected) in bodies {
        let stop = Memory::default().made(&steps, body.as_bytes()).map(|_| ());
        assert_eq!(stop, expected, "{body}");
    }
    let in_query = |number| refused("a parameter of the query", number);
    let queries = [
        ("a=<script", in_query(1)),
        ("a=b&c=x%3CSCRIPT%3E", in_query(1)),
        ("%3cscript", in_query(1)),
        ("a=%C3%A9%27--", in_query(2)),
        // What is malformed hides nothing.
        ("a=%&b=%zz%3Cscript%FF", in_query(1)),
        ("a=%3&b=+%3", Ok(())),
        ("", Ok(())),
    ];
    for (query, expected) in queries {
        // With a body the query is judged before the body is read.
        for has_body in [true, false] {
            let head = Head {
                query: query.as_bytes().to_vec(),
                has_body,
                ..Head::JSON
            };
            let stop = Memory::default().run(&steps, &head, b"{}").map(|_| ());
            assert_eq!(stop, expected, "{query}");
        }
    }
}

#[test]
fn a_condition_without_a_value_does_not_switch_it_off() {
    let step =
        |condition: &str| json!([{ "policy": "threat_protection", "if": condition, "depth": 1 }]);
    let judged = |condition: &str| {
        let steps = compiled("request", &step(condition));
        Memory::default().made(&steps, b"[[]]").map(|_| ()).is_ok()
    };
    assert_eq!(
        (judged("body.none"), judged("false"), judged("true")),
        (false, true, false)
    );
}
