//! What steps on JSON bodies cost per message, the reading of the body included.

use std::hint::black_box;

use criterion::Criterion;
use serde_json::{Value, json};
use steps::{Memory, compiled};
use tollgate_json::tape::{Bounds, Tape};

#[path = "../tests/support/steps.rs"]
mod steps;

/// Returns an order with a number of lines of about 80 bytes.
fn order(lines: usize) -> String {
    let line = r#"{"sku":"AB-1234","name":"Tea and biscuits","price":12.50,"count":2,"tax":"7"}"#;
    format!(
        r#"{{"id":4711,"customer":{{"name":"Jo Doe","address":{{"city":"Bonn","country":"DE"}}}},
        "lines":[{}],"total":{{"value":137.50,"currency":"EUR"}},"note":"by noon","tag":"a"}}"#,
        vec![line; lines].join(",")
    )
}

fn steps() -> [(&'static str, Value); 4] {
    [
        (
            "a template of 8 paths",
            json!({ "policy": "json_template", "template": {
                "id": "{{ body.id }}",
                "customer": { "name": "{{ body.customer.name }}",
                    "country": "{{ body.customer.address.country }}" },
                "first": "{{ body.lines[0].sku }}", "price": "{{ body.lines[2].price }}",
                "count": "{{ body.lines[5].count }}", "total": "{{ body.total.value }}",
                "note": "{{ body.note }}",
            } }),
        ),
        (
            "a dense template",
            json!({ "policy": "json_template", "template": {
                "order": "{{ body.id }}", "currency": "{{ body.total.currency }}",
                "lines": { "$each": "body.lines", "$as": "line", "$do": {
                    "article": "{{ line.sku }}", "title": "{{ line.name }}",
                    "amount": "{{ line.price }}", "pieces": "{{ line.count }}",
                    "tax": "{{ line.tax }} %", "country": "{{ body.customer.address.country }}",
                    "note": "{{ body.note }}", "kind": "{{ body.tag }}",
                } },
            } }),
        ),
        (
            "an edit",
            json!({ "policy": "json_edit", "edits": [{ "remove": "$.customer.address" }] }),
        ),
        (
            "a mask of two paths",
            json!({ "policy": "mask", "paths": ["$.customer.name", "$..sku"], "with": "last4" }),
        ),
    ]
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("bodies");
    for (size, lines) in [("1 KiB", 10), ("10 KiB", 128)] {
        let order = order(lines);
        let mut tape = Tape::default();
        group.bench_function(format!("tape of {size}"), |bencher| {
            bencher.iter(|| {
                let read = tape.read(black_box(order.as_bytes()), Bounds::default());
                read.map(str::len)
            });
        });
        for (name, step) in steps() {
            let steps = compiled("response", &json!([step]));
            let mut memory = Memory::default();
            group.bench_function(format!("{name}, {size}"), |bencher| {
                bencher.iter(|| {
                    let made = memory.made(&steps, black_box(order.as_bytes()));
                    made.expect("a body").map(<[u8]>::len)
                });
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
