//! Requests of several sizes: JSON to envelopes. `serde_json` is measured too, reading the same
//! bytes and keeping nothing: compare machines by the ratios.
//!
//! The messages are orders, and reports as they were recorded with the shop's service
//! (`crates/tollgate/tests/peers`).

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use serde::de::IgnoredAny;
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::to_json::{self, Options};
use tollgate_soap::to_xml::{Program, Request, Scratch, Settings};
use tollgate_xml::{Bounds, decode};

#[path = "../tests/support/shop.rs"]
mod shop;

/// Lines of an order: JSON of about 0.3, 3 and 100 KB.
const LINES: [usize; 3] = [1, 18, 600];

fn main() {
    let plan = shop::plan();
    let program = Program::load(&plan, &Settings::default()).expect("a plan that loads");
    let orders = LINES.map(|lines| ("createOrder", order(lines)));
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("to_xml");
    for (name, json) in orders.into_iter().chain(reports(&plan)) {
        let operation = shop::operation(&plan, name);
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        group.throughput(Throughput::Bytes(json.len() as u64));
        group.bench_function(format!("{name} {} B", json.len()), |bencher| {
            bencher.iter(|| {
                let request = Request {
                    body: Some(black_box(&json)),
                    ..Request::default()
                };
                out.clear();
                let written = program.write(operation, &request, &mut scratch, &mut out);
                written.expect("a request that fits");
                out.len()
            });
        });
        let yardstick = format!("{name} {} B, ignored_any", json.len());
        group.bench_function(yardstick, |bencher| {
            bencher.iter(|| serde_json::from_slice::<IgnoredAny>(black_box(&json)).expect("JSON"));
        });
    }
    group.finish();
    criterion.final_summary();
}

fn order(lines: usize) -> Vec<u8> {
    let line = concat!(
        r#"{"number":1,"product":{"@type":"Gadget","sku":"AB-1234","name":"Tea & biscuits","#,
        r#""stock":7,"volts":230},"quantity":2,"price":{"value":12.50,"currency":"EUR"},"part":[]}"#
    );
    let order = format!(
        concat!(
            r#"{{"order":{{"reference":"r-1","customer":{{"number":"007","name":"Jo Doe"}},"#,
            r#""lines":{{"line":[{}]}},"transfer":"DE00"}}}}"#
        ),
        vec![line; lines].join(",")
    );
    order.into_bytes()
}

/// The recorded reports. The service echoes a report, so their JSON is also that of the requests,
/// whose XML has 3 and 100 KB.
fn reports(plan: &ServicePlan) -> Vec<(&'static str, Vec<u8>)> {
    let program = to_json::Program::load(plan, Options::default());
    let answers = shop::ANSWERS.into_iter();
    let reports = answers.filter(|(name, _)| *name == "echoReport");
    let json = reports.map(|(name, bytes)| {
        let text = decode(bytes, None, Bounds::default()).expect("sound text");
        let (mut scratch, mut out) = (to_json::Scratch::default(), Vec::new());
        let operation = shop::operation(plan, name);
        let outcome = program.answer(operation, &text, &(), &mut scratch, &mut out);
        outcome.expect("a sound answer");
        (name, out)
    });
    json.collect()
}
