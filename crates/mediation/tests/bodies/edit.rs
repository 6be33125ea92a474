//! `json_edit`: a body in, the changed bytes out.

use serde_json::{Value as Json, json};
use tollgate_mediation::run::Stop;

fn edited(edits: &Json, body: &str) -> Result<Option<String>, Stop> {
    crate::made(&json!({ "policy": "json_edit", "edits": edits }), body)
}

fn check(rows: &[(Json, &str, Option<&str>)]) {
    for (edit, body, expected) in rows {
        let made = edited(&Json::Array(vec![edit.clone()]), body);
        assert_eq!(made, Ok(expected.map(str::to_owned)), "{edit} {body}");
    }
}

#[test]
fn values_are_set_and_last_members_added() {
    let set = |path: &str, value: &str| json!({ "set": path, "value": value });
    let order = r#"{ "a" : 1.50 , "b":[ {"c":"\u0041"} , {} ], "d":{ } }"#;
    check(&[
        (
            set("$.a", "'x\"'"),
            order,
            Some(r#"{ "a" : "x\"" , "b":[ {"c":"\u0041"} , {} ], "d":{ } }"#),
        ),
        (
            set("$.e", "1"),
            order,
            Some(r#"{ "a" : 1.50 , "b":[ {"c":"\u0041"} , {} ], "d":{ },"e":1 }"#),
        ),
        (
            set("$.d.x", "body.b"),
            order,
            Some(r#"{ "a" : 1.50 , "b":[ {"c":"\u0041"} , {} ], "d":{"x":[{"c":"\u0041"},{}] } }"#),
        ),
        (
            set("$.b[*].c", "1"),
            order,
            Some(r#"{ "a" : 1.50 , "b":[ {"c":1} , {"c":1} ], "d":{ } }"#),
        ),
        (
            set("$..c", "1"),
            order,
            Some(r#"{ "a" : 1.50 , "b":[ {"c":1} , {} ], "d":{ } }"#),
        ),
        (
            set("$.b[-1]", "null"),
            order,
            Some(r#"{ "a" : 1.50 , "b":[ {"c":"\u0041"} , null ], "d":{ } }"#),
        ),
        (set("$['x','y']", "2"), "{}", Some(r#"{"x":2,"y":2}"#)),
        (
            set("$['a','y']", "2"),
            r#"{"a":1}"#,
            Some(r#"{"a":2,"y":2}"#),
        ),
        (
            set("$['\\u0061\\n']", "2"),
            r#"{"a\u000a":1}"#,
            Some(r#"{"a\u000a":2}"#),
        ),
        (
            set("$.*", "2"),
            r#"{"a":{"a":1},"b":[]}"#,
            Some(r#"{"a":2,"b":2}"#),
        ),
        (set("$..*", "2"), r#"[[1],{"a":{}}]"#, Some("[2,2]")),
        // Nothing to set, or no place for it.
        (set("$.a", "body.none"), order, None),
        (set("$.x.y", "1"), order, None),
        (set("$.a.y", "1"), order, None),
        (set("$.b[2]", "1"), order, None),
        (set("$.b[-3]", "1"), order, None),
        (set("$[0]", "1"), order, None),
        (set("$.a", "1"), "[1]", None),
        (set("$.a", "1"), "1", None),
    ]);
}

#[test]
fn members_and_items_are_removed_with_one_comma() {
    let remove = |path: &str| json!({ "remove": path });
    check(&[
        (remove("$.a"), r#"{"a":1}"#, Some("{}")),
        (
            remove("$.a"),
            r#"{ "a" : 1 , "b" : 2 }"#,
            Some(r#"{ "b" : 2 }"#),
        ),
        (
            remove("$.b"),
            r#"{ "a" : 1 , "b" : 2 }"#,
            Some(r#"{ "a" : 1 }"#),
        ),
        (
            remove("$.b"),
            r#"{"a":1,"b":{"c":[]},"c":2}"#,
            Some(r#"{"a":1,"c":2}"#),
        ),
        (
            remove("$['a','c']"),
            r#"{"a":1,"b":2,"c":3}"#,
            Some(r#"{"b":2}"#),
        ),
        (
            remove("$['b','c']"),
            r#"{"a":1,"b":2,"c":3}"#,
            Some(r#"{"a":1}"#),
        ),
        (remove("$[*]"), "[ 1 , 2 , 3 ]", Some("[  ]")),
        (remove("$[0,1]"), "[1,2,3]", Some("[3]")),
        (remove("$[1,-1]"), "[1,2,3]", Some("[1]")),
        (
            remove("$..a"),
            r#"{"a":[{"a":1}],"b":[{"a":1,"c":{"a":2,"d":3}}]}"#,
            Some(r#"{"b":[{"c":{"d":3}}]}"#),
        ),
        (
            remove("$..a..b"),
            r#"{"b":0,"a":{"b":1,"c":[{"b":2},{"a":{"b":3}}]}}"#,
            Some(r#"{"b":0,"a":{"c":[{},{"a":{}}]}}"#),
        ),
        (remove("$..[0]"), "[[1,2],[3,[4,5]]]", Some("[[[5]]]")),
        (remove("$.x"), r#"{"a":1}"#, None),
    ]);
}

#[test]
fn members_are_renamed_and_stay_unique() {
    let rename = |path: &str, to: &str| json!({ "rename": path, "to": to });
    check(&[
        (
            rename("$.a", "b\""),
            r#"{ "a" : 1.0 }"#,
            Some(r#"{ "b\"" : 1.0 }"#),
        ),
        (
            rename("$.a", "b"),
            r#"{"a":1,"c":3,"b":2}"#,
            Some(r#"{"b":1,"c":3}"#),
        ),
        (rename("$.a", "b"), r#"{"b":2,"a":1}"#, Some(r#"{"b":1}"#)),
        (
            rename("$.a", "b"),
            r#"{"\u0062":2,"\u0061":1}"#,
            Some(r#"{"b":1}"#),
        ),
        (
            rename("$..a", "b"),
            r#"{"a":{"a":{"b":1}},"b":{"a":2}}"#,
            Some(r#"{"b":{"b":{"b":1}}}"#),
        ),
        (rename("$.x", "b"), r#"{"a":1,"b":2}"#, None),
        (
            rename("$[*].a", "b"),
            r#"[{"a":1},{"b":1}]"#,
            Some(r#"[{"b":1},{"b":1}]"#),
        ),
    ]);
}

#[test]
fn an_edit_reads_the_result_of_the_one_before() {
    let edits = json!([
        { "rename": "$.a", "to": "b" },
        { "set": "$.c", "value": "body.b" },
        { "set": "$.none", "value": "body.a" },
        { "remove": "$.b" },
        { "set": "$.c", "value": "body.c + 1" },
    ]);
    assert_eq!(edited(&edits, r#"{"a":1}"#), Ok(Some(r#"{"c":2}"#.into())));
}

#[test]
fn work_and_output_are_bounded() {
    let body = format!(
        r#"{{"s":"{}","a":[{}1]}}"#,
        "s".repeat(1_000),
        "1,".repeat(20_000)
    );
    let edits = json!([{ "set": "$.a[*]", "value": "body.s" }]);
    assert_eq!(edited(&edits, &body), Err(Stop::TooLong));
    let path = format!("${}.x", "..*".repeat(15));
    let nested = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let body = format!("[{}]", vec![nested; 5_000].join(","));
    let edits = json!(vec![json!({ "rename": path, "to": "y" }); 64]);
    assert_eq!(
        edited(&edits, &body),
        Err(Stop::TooMuchWork(Some("/policies/response/0".into())))
    );
}
