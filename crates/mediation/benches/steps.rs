//! What a version with 10,000 steps costs: to compile when it is saved and when a gateway's feed
//! starts, and to load in the gateway.

use std::hint::black_box;

use criterion::Criterion;
use serde_json::{Value, json};
use tollgate_mediation::compile::compile;
use tollgate_mediation::program::Compiled;
use tollgate_model::api::{Configuration, Kind};

/// Operations with 64 steps for requests and 64 for responses each: 10,112 steps.
const OPERATIONS: usize = 79;
const STEPS_EACH: usize = 64;

fn list() -> Vec<Value> {
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
        json!({ "policy": "json_edit", "edits": [
            { "set": "$.lines[*].count", "value": "body.id + 1" },
            { "rename": "$..sku", "to": "article" },
        ] }),
        json!({ "policy": "json_template", "template": {
            "order": "{{ body.id }}",
            "lines": { "$each": "body.lines", "$as": "line", "$do": { "name": "{{ line.name }}" } },
        } }),
    ];
    steps.iter().cycle().take(STEPS_EACH).cloned().collect()
}

fn configuration() -> Configuration {
    let names = (0..OPERATIONS).map(|number| format!("/orders/{number}/{{id}}"));
    let operations = names.clone();
    let operations = operations.map(|path| json!({ "method": "POST", "path": path }));
    let policies = names.map(|path| {
        let named = [format!("POST {path}")];
        json!({ "operations": named, "request": list(), "response": list() })
    });
    let configuration = json!({
        "operations": operations.collect::<Vec<_>>(),
        "policies": { "operations": policies.collect::<Vec<_>>() },
    });
    serde_json::from_value(configuration).expect("a configuration")
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let configuration = configuration();
    let compiled = compile(&configuration, Kind::Rest).expect("valid steps");
    let bytes = compiled.to_bytes().expect("plain data");
    let mut group = criterion.benchmark_group("10,112 steps");
    group.bench_function("compile", |bencher| {
        bencher.iter(|| compile(black_box(&configuration), Kind::Rest).map(|it| it.to_bytes()));
    });
    group.bench_function("load", |bencher| {
        bencher.iter(|| Compiled::from_bytes(black_box(&bytes)).map(|it| it.is_some()));
    });
    group.finish();
    criterion.final_summary();
}
