//! `json_template`: templates and bodies in, bodies out.

use serde_json::{Value as Json, json};
use tollgate_mediation::run::Stop;

use crate::steps::{Head, Memory, compiled};

fn filled(template: &Json, missing: &str, body: &str) -> Result<String, Stop> {
    let step = json!({ "policy": "json_template", "template": template, "missing": missing });
    crate::made(&step, body).map(|made| made.expect("a template always makes a body"))
}

#[test]
fn templates_are_filled() {
    let digits = "1234567890123456789012345678901234567890";
    let each = json!({ "$each": "body.a", "$as": "x", "$do": "{{ x }}" });
    let items = json!({ "$each": "body.a", "$as": "x", "$do": { "n": "{{ x.n }}", "k": 1 } });
    let inner = json!({ "$each": "y", "$as": "z", "$do": "{{ z }}-{{ y }}" });
    let nested = json!({ "$each": "body.a", "$as": "x", "$do":
        { "$each": "x", "$as": "y", "$do": inner } });
    let rows = [
        (
            json!({ "a": "{{ body.n }}" }),
            format!(r#"{{"n":{digits}}}"#),
            format!(r#"{{"a":{digits}}}"#),
        ),
        (
            json!(["{{ body.n }}", 1]),
            "{\"n\":1.50e-7}".into(),
            "[1.50e-7,1]".into(),
        ),
        (
            json!("{{ body }}"),
            r#" {"a" : [ ] } "#.into(),
            r#"{"a":[]}"#.into(),
        ),
        (
            json!({ "a": "x {{ body.n }} \"y\" {{ body.m }}" }),
            r#"{"n":1,"m":"\"}\\"}"#.into(),
            r#"{"a":"x 1 \"y\" \"}\\"}"#.into(),
        ),
        (
            json!({ "a": "{{ body.s }}" }),
            r#"{"s":"</script>\u0000\"\\\u007f\ud83d\ude00"}"#.into(),
            r#"{"a":"</script>\u0000\"\\\u007f\ud83d\ude00"}"#.into(),
        ),
        (
            json!({ "a": null, "b": true, "c": [], "d": {}, "e": "}}", "f": -1.5 }),
            "{}".into(),
            r#"{"a":null,"b":true,"c":[],"d":{},"e":"}}","f":-1.5}"#.into(),
        ),
        (
            json!({ "{{ body.n }}": 1, "a\"b": "{{ caller.plan }}" }),
            "{}".into(),
            r#"{"a\"b":"gold","{{ body.n }}":1}"#.into(),
        ),
        (
            json!({ "a": "{{ body.n }}" }),
            r#"{"n":null}"#.into(),
            r#"{"a":null}"#.into(),
        ),
        // Arrays of none and of one stay arrays.
        (each.clone(), r#"{"a":[]}"#.into(), "[]".into()),
        (each.clone(), r#"{"a":[[]]}"#.into(), "[[]]".into()),
        (
            each,
            r#"{"a":[1,{"b":"c"},"d",null]}"#.into(),
            r#"[1,{"b":"c"},"d",null]"#.into(),
        ),
        (
            json!({ "b": items }),
            r#"{"a":[{"n":1},{},{"n":3}]}"#.into(),
            r#"{"b":[{"k":1,"n":1},{"k":1},{"k":1,"n":3}]}"#.into(),
        ),
        (
            nested,
            r#"{"a":[[[1,2]],[],[["x"]]]}"#.into(),
            r#"[[["1-[1,2]","2-[1,2]"]],[],[["x-[\"x\"]"]]]"#.into(),
        ),
    ];
    for (template, body, expected) in rows {
        assert_eq!(filled(&template, "drop", &body), Ok(expected), "{template}");
    }
}

#[test]
fn what_is_missing_is_left_out_or_null_or_refuses() {
    let each = |of: &str| json!({ "$each": of, "$as": "x", "$do": { "b": "{{ x.b }}" } });
    let rows = [
        (
            json!({ "a": 1, "b": "{{ body.x }}", "c": 2 }),
            r#"{"a":1,"c":2}"#,
            r#"{"a":1,"b":null,"c":2}"#,
            "/b",
        ),
        (
            json!({ "a": "{{ body.x }}", "b": "{{ body.n }}", "c": "{{ body.x }}" }),
            r#"{"b":1}"#,
            r#"{"a":null,"b":1,"c":null}"#,
            "/a",
        ),
        (
            json!([
                "{{ body.x }}",
                ["{{ body.x }}"],
                "{{ body.n }}",
                "{{ body.x }}"
            ]),
            "[[],1]",
            "[null,[null],1,null]",
            "/0",
        ),
        (
            json!({ "a~/b": "{{ body.n }} {{ body.x }}" }),
            "{}",
            r#"{"a~/b":null}"#,
            "/a~0~1b",
        ),
        (json!("{{ body.x }}"), "null", "null", ""),
        // Only an array is mapped.
        (
            json!({ "a": each("body.o"), "b": [each("body.x")] }),
            r#"{"b":[]}"#,
            r#"{"a":null,"b":[null]}"#,
            "/a",
        ),
        (
            json!({ "a": each("body.a") }),
            r#"{"a":[{}]}"#,
            r#"{"a":[{"b":null}]}"#,
            "/a/$do/b",
        ),
        (
            json!({ "a": { "b": { "c": "{{ body.x }}" } }, "d": 1 }),
            r#"{"a":{"b":{}},"d":1}"#,
            r#"{"a":{"b":{"c":null}},"d":1}"#,
            "/a/b/c",
        ),
    ];
    let body = r#"{"n":1,"o":{"b":2},"a":[{"c":1}]}"#;
    for (template, dropped, null, refused) in rows {
        assert_eq!(
            filled(&template, "drop", body).as_deref(),
            Ok(dropped),
            "{template}"
        );
        assert_eq!(
            filled(&template, "null", body).as_deref(),
            Ok(null),
            "{template}"
        );
        let missing = Err(Stop::Missing(refused.into()));
        assert_eq!(filled(&template, "refuse", body), missing, "{template}");
    }
}

#[test]
fn members_are_those_of_their_object() {
    let rows = json!({ "$each": "body.rows", "$as": "row", "$do": {
        "cells": { "$each": "row.cells", "$as": "cell", "$do": {
            "key": "{{ body.key }}", "n": "{{ row.n }}", "m": "{{ cell.n }}",
            "deep": "{{ row.deep.er.n }}", "same": "{{ row.n }}",
        } },
    } });
    let body = r#"{"key":"k","n":0,"rows":[
        {"n":1,"cells":[{"n":10},{"x":1,"n":11},7,{}],"deep":{"er":{"n":[1, 2]},"n":5}},
        {"cells":[{"n":20}],"deep":{"er":3}},
        8]}"#;
    let expected = concat!(
        r#"[{"cells":[{"deep":[1,2],"key":"k","m":10,"n":1,"same":1},"#,
        r#"{"deep":[1,2],"key":"k","m":11,"n":1,"same":1},"#,
        r#"{"deep":[1,2],"key":"k","n":1,"same":1},{"deep":[1,2],"key":"k","n":1,"same":1}]},"#,
        r#"{"cells":[{"key":"k","m":20}]},{}]"#,
    );
    assert_eq!(filled(&rows, "drop", body), Ok(expected.into()));
    // Their first eight bytes are the same.
    let alike = json!({ "1": "{{ body.customer_id }}", "2": "{{ body.customer_name }}",
        "3": "{{ body.customer }}" });
    let body = r#"{"customer_no":1,"customer_name":2,"customer":3,"customer_id":4}"#;
    let expected = r#"{"1":4,"2":2,"3":3}"#;
    assert_eq!(filled(&alike, "drop", body), Ok(expected.into()));
    let fourth = r#"{"customer_no":1}"#;
    let missing = Stop::Missing("/1".into());
    assert_eq!(filled(&alike, "refuse", fourth), Err(missing));
}

#[test]
fn work_and_output_are_bounded() {
    let cube = json!({ "$each": "body", "$as": "x", "$do": { "$each": "body", "$as": "y", "$do":
        { "$each": "body", "$as": "z", "$do": 1 } } });
    let body = format!("[{}1]", "1,".repeat(999));
    assert_eq!(
        filled(&cube, "drop", &body),
        Err(Stop::TooMuchWork(Some("/policies/response/0".into())))
    );
    // Quadratic: each item searches an object with many members.
    let keys: Vec<_> = (0..30_000).map(|key| format!("\"{key}\":0")).collect();
    let body = format!(
        r#"{{"a":[{}1],"o":{{{}}}}}"#,
        "1,".repeat(30_000),
        keys.join(",")
    );
    let search = json!({ "$each": "body.a", "$as": "x", "$do": "{{ has(body.o.none) }}" });
    assert_eq!(
        filled(&search, "drop", &body),
        Err(Stop::TooMuchWork(Some("/policies/response/0".into())))
    );
    // What is not kept counts too.
    let body = format!(
        r#"{{"a":[{}1],"s":"{}"}}"#,
        "1,".repeat(30_000),
        "s".repeat(100_000)
    );
    let text = json!({ "$each": "body.a", "$as": "x", "$do": "{{ body.s }}{{ x.none }}" });
    assert_eq!(
        filled(&text, "drop", &body),
        Err(Stop::TooMuchWork(Some("/policies/response/0".into())))
    );
    let long = json!({ "$each": "body.a", "$as": "x", "$do": "{{ body.s }}" });
    assert_eq!(filled(&long, "drop", &body), Err(Stop::TooLong));
    let made = json!({ "$each": "body.a", "$as": "x", "$do": "{{ size(body.s.upperAscii()) }}" });
    assert_eq!(filled(&made, "drop", &body), Err(Stop::TooLong));
}

#[test]
fn the_new_body_is_declared_as_json() {
    let step = json!([{ "policy": "json_template", "template": {} }]);
    let steps = compiled("request", &step);
    let rows = [
        ("application/json", None),
        ("application/json; charset=UTF-8", None),
        (
            "application/json;charset=us-ascii",
            Some("application/json"),
        ),
        ("application/problem+json", Some("application/json")),
    ];
    for (content_type, expected) in rows {
        let head = Head {
            content_type: Some(content_type),
            ..Head::JSON
        };
        let mut memory = Memory::default();
        let edits = memory.run(&steps, &head, b"1").expect("a body");
        let set: Vec<_> = edits.fields().collect();
        let expected = expected.map(|expected| ("content-type", expected.as_bytes()));
        assert_eq!(
            set,
            expected.into_iter().collect::<Vec<_>>(),
            "{content_type}"
        );
    }
}
