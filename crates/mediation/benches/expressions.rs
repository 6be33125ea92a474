//! What policies cost per message: a condition on the head, values of a body, a template.

use std::hint::black_box;

use call::{CONDITION, Call};
use criterion::Criterion;
use tollgate_json::tape::{Bounds, Tape};
use tollgate_mediation::expression::Expression;
use tollgate_mediation::name::Available;
use tollgate_mediation::scope::Scratch;
use tollgate_mediation::text::{Place, Template};

#[path = "../tests/support/call.rs"]
mod call;

const AVAILABLE: Available<'_> = Available {
    response: false,
    body: true,
    error: false,
    locals: &[],
};

const PATHS: [&str; 8] = [
    "body.id",
    "body.customer.name",
    "body.customer.address.country",
    "body.lines[0].sku",
    "body.lines[2].price",
    "body.lines[5].count",
    "body.total.value",
    "body.note",
];

/// Returns an order of about 1 KiB.
fn order() -> String {
    let line = r#"{"sku":"AB-1234","name":"Tea and biscuits","price":12.50,"count":2,"tax":"7"}"#;
    let order = format!(
        r#"{{"id":4711,"customer":{{"name":"Jo Doe","address":{{"city":"Bonn","country":"DE"}}}},
        "lines":[{}],"total":{{"value":137.50,"currency":"EUR"}},"note":"by noon","tag":"a"}}"#,
        [line; 10].join(",")
    );
    assert!((900..1200).contains(&order.len()), "{}", order.len());
    order
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("expressions");
    let parse = |text| Expression::parse(text, &AVAILABLE).expect("an expression");
    let mut scratch = Scratch::default();

    let condition = parse(CONDITION);
    let empty = Tape::default();
    let view = empty.view("");
    let head = Call { body: &view };
    group.bench_function("condition of three terms", |bencher| {
        bencher.iter(|| {
            scratch.reset();
            black_box(&condition).condition(&head, &scratch)
        });
    });

    let header = "{{ caller.plan }}-{{ request.headers[\"x-tenant\"].upperAscii() }}";
    let template = Template::parse(header, Place::Header, &AVAILABLE).expect("a template");
    let mut out = Vec::new();
    group.bench_function("header of two holes", |bencher| {
        bencher.iter(|| {
            out.clear();
            scratch.reset();
            template.render(&head, &scratch, &mut out)
        });
    });

    let order = order();
    let paths = PATHS.map(parse);
    let mut tape = Tape::default();
    group.bench_function("tape and 8 paths of 1 KiB", |bencher| {
        bencher.iter(|| {
            out.clear();
            scratch.reset();
            let json = tape.read(black_box(order.as_bytes()), Bounds::default());
            let view = tape.view(json.expect("JSON"));
            let call = Call { body: &view };
            for path in &paths {
                let value = path.evaluate(&call, &scratch);
                scratch.write_json(value, &mut out).expect("a short value");
            }
            out.len()
        });
    });
    group.finish();
    criterion.final_summary();
}
