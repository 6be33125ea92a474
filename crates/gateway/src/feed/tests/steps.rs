//! The time from a configuration with many steps to a snapshot that serves it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tollgate_mediation::compile::compile as compile_steps;

use super::*;

/// Operations with 64 steps for requests and 64 for responses each: 10,112 steps.
const OPERATIONS: usize = 79;
const STEPS_EACH: usize = 64;
/// The bound for a release build is two seconds; this one is not optimized, and not alone.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Returns a list of steps of several kinds.
fn list(last: &Value) -> Vec<Value> {
    let steps = [
        json!({
            "if": "request.headers[\"x-tenant\"] == \"a\" && request.path.startsWith(\"/v1\")",
            "policy": "set_header", "name": "x-plan",
            "value": "{{ caller.plan.upperAscii() }} of {{ api.name }} {{ path.id }}",
        }),
        json!({
            "if": "request.query[\"q\"].matches(\"^[a-z]{2,8}$\")",
            "policy": "remove_header", "names": ["x-internal-*", "server"],
        }),
        json!({
            "policy": "json_edit", "edits": [
                { "set": "$.lines[*].count", "value": "body.id + 1" },
                { "rename": "$..sku", "to": "article" },
            ],
        }),
        last.clone(),
    ];
    steps.iter().cycle().take(STEPS_EACH).cloned().collect()
}

fn configuration() -> Configuration {
    let template = json!({ "policy": "json_template", "template": {
        "order": "{{ body.id }}",
        "lines": { "$each": "body.lines", "$as": "line", "$do": { "name": "{{ line.name }}" } },
    } });
    let mask = json!({ "policy": "mask", "paths": ["$.card", "$..iban"], "with": "last4" });
    let (request, response) = (list(&template), list(&mask));
    let names = (0..OPERATIONS).map(|number| format!("/orders/{number}/{{id}}"));
    let operations = names.clone();
    let operations = operations.map(|path| json!({ "method": "POST", "path": path }));
    let policies = names.map(|path| {
        let named = [format!("POST {path}")];
        json!({ "operations": named, "request": request, "response": response })
    });
    let configuration = json!({
        "operations": operations.collect::<Vec<_>>(),
        "policies": { "operations": policies.collect::<Vec<_>>() },
    });
    serde_json::from_value(configuration).unwrap()
}

#[test]
fn ten_thousand_steps_are_compiled_and_loaded_in_time() {
    let configuration = configuration();
    let began = Instant::now();
    let compiled = compile_steps(&configuration, Kind::Rest).unwrap();
    let counts = compiled.programs.iter();
    let counts = counts.map(|program| program.request.len() + program.response.len());
    assert_eq!(counts.sum::<usize>(), OPERATIONS * STEPS_EACH * 2);
    let bytes = compiled.to_bytes().unwrap();
    let version = compile::Version {
        id: VERSION,
        api: ApiId::from_raw(1),
        kind: Kind::Rest,
        api_name: "Orders".to_owned(),
        context: "/shop".into(),
        name: "1.0".into(),
        is_default: false,
        other_versions: Vec::new(),
        state: State::Published,
        revision: RevisionId::from_raw(1),
        deprecation: None,
    };
    let documents = Documents {
        steps: &bytes,
        ..Documents::default()
    };
    let served = compile(&version, &configuration, documents, NOW_US);
    let event = Event::Version(Box::new(served.unwrap().unwrap()));
    let compiled_in = began.elapsed();
    let mut reader = reader();
    reader.apply(change(0, 1, vec![event]));
    let took = began.elapsed();
    assert_eq!(found(&reader, b"/shop/1.0/orders/1/a"), Some(VERSION));
    assert_eq!(refused(&reader), []);
    assert!(
        took < TIME_MAX,
        "{compiled_in:?} to compile, {took:?} in all"
    );
}
