//! Steps that change bodies: message in, bytes out.

#[path = "../../../soap/tests/support/fuzzing.rs"]
mod fuzzing;

mod coding;
mod compress;
mod edit;
mod fuzz;
mod fuzz_xml;
mod mask;
#[path = "../support/message.rs"]
mod message;
#[path = "../support/steps.rs"]
mod steps;
mod template;
mod threat;
mod work;
#[path = "../support/worst.rs"]
mod worst;
mod xml;

use serde_json::Value as Json;
use steps::{Head, Memory, compiled};
use tollgate_mediation::run::Stop;

/// Runs one step on a JSON body of a response; `None` if it stays as it is.
fn made(step: &Json, body: &str) -> Result<Option<String>, Stop> {
    let steps = compiled("response", &Json::Array(vec![step.clone()]));
    let mut memory = Memory::default();
    let made = memory.made(&steps, body.as_bytes())?;
    Ok(made.map(|made| String::from_utf8(made.to_vec()).expect("UTF-8")))
}

#[test]
fn what_two_readers_would_read_differently_is_refused() {
    let steps = serde_json::json!([
        { "policy": "json_template", "template": { "a": "{{ body.a }}" } },
        { "policy": "json_edit", "edits": [{ "remove": "$.a" }] },
        { "policy": "mask", "paths": ["$.a"] },
        { "policy": "threat_protection" },
    ]);
    let bodies: [&[u8]; 7] = [
        br#"{"a":1,"a":2}"#,
        br#"{"a":"\ud800"}"#,
        b"\xEF\xBB\xBF{}",
        b"{\0\"\0a\0\"\0:\0\x31\0}\0",
        br#"{"a":"#,
        br#"{"a":1} x"#,
        b"{\"a\":\"\xFF\"}",
    ];
    for step in steps.as_array().expect("steps") {
        let list = match step["policy"] == "mask" {
            true => "response",
            false => "request",
        };
        let steps = compiled(list, &Json::Array(vec![step.clone()]));
        for body in bodies {
            let stop = Memory::default()
                .made(&steps, body)
                .map(|it| it.map(<[u8]>::to_vec));
            assert!(
                matches!(stop, Err(Stop::NotWellFormed(_))),
                "{step} {body:?}: {stop:?}"
            );
        }
        for content_type in [
            Some("application/json; charset=utf-16"),
            Some("text/plain"),
            None,
        ] {
            let head = Head {
                content_type,
                ..Head::JSON
            };
            let mut memory = Memory::default();
            let stop = memory.run(&steps, &head, b"{}").map(|_| ());
            assert!(matches!(stop, Err(Stop::WrongType(_))), "{step}: {stop:?}");
            // A message without a body has nothing to refuse.
            let head = Head {
                content_type,
                has_body: false,
                ..Head::JSON
            };
            assert!(memory.run(&steps, &head, b"").is_ok(), "{step}");
        }
    }
}

#[test]
fn a_step_reads_what_the_step_before_made() {
    let steps = serde_json::json!([
        { "policy": "json_template", "template": { "n": "{{ body.a + 1 }}", "o": [1] } },
        { "policy": "let", "name": "n", "value": "body.n" },
        { "policy": "json_edit", "if": "body.n == 3", "edits": [
            { "set": "$.n", "value": "body.n * 2" },
            { "set": "$.m", "value": "body.n + var.n" },
            { "remove": "$.o" },
        ] },
        { "policy": "json_edit", "if": "body.n == 3", "edits": [{ "remove": "$.n" }] },
        { "policy": "mask", "if": "body.none", "paths": ["$.n"], "with": "null" },
    ]);
    let steps = compiled("response", &steps);
    let mut memory = Memory::default();
    let made = memory
        .made(&steps, br#"{"a":2}"#)
        .expect("a body")
        .map(<[u8]>::to_vec);
    assert_eq!(made.as_deref(), Some(&br#"{"n":null,"m":9}"#[..]));
}

#[test]
fn the_texts_of_all_steps_are_bounded_together() {
    let body = format!(r#"{{"s":"{}"}}"#, "s".repeat(4 << 20));
    let run = |steps: Vec<Json>| {
        let steps = compiled("response", &Json::Array(steps));
        let mut memory = Memory::default();
        memory.run(&steps, &Head::JSON, body.as_bytes()).map(drop)
    };
    let header =
        |name| serde_json::json!({ "policy": "set_header", "name": name, "value": "{{ body.s }}" });
    let kept = |name| serde_json::json!({ "policy": "let", "name": name, "value": "body.s" });
    assert_eq!(run(["x-a", "x-b"].map(header).into()), Ok(()));
    assert_eq!(
        run(["x-a", "x-b", "x-c"].map(header).into()),
        Err(Stop::TooLong)
    );
    assert_eq!(run(["a", "b"].map(kept).into()), Ok(()));
    assert_eq!(run(["a", "b", "c"].map(kept).into()), Err(Stop::TooLong));
}
