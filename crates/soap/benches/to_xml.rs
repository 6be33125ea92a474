//! Requests of three sizes: JSON to envelopes.
//!
//! The messages are orders of the shop's contract (`crates/tollgate/tests/peers`).

use std::path::Path;

use criterion::{Criterion, Throughput};
use tollgate_soap::compile::{Choice, compile};
use tollgate_soap::import::{Documents, read};
use tollgate_soap::to_xml::{Program, Request, Scratch, Settings};

const DOCUMENTS: [&str; 8] = [
    "shop.wsdl",
    "interface/shop.wsdl",
    "interface/till.wsdl",
    "schema/catalog.xsd",
    "schema/common.xsd",
    "schema/forms.xsd",
    "schema/measures.xsd",
    "schema/orders.xsd",
];

/// Lines of an order: JSON of about 0.3, 3 and 100 KB.
const LINES: [usize; 3] = [1, 18, 600];

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tollgate/tests/peers/contract");
    let mut documents = Documents::default();
    for name in DOCUMENTS {
        let bytes = std::fs::read(folder.join(name)).expect("a document");
        documents
            .add(name, &bytes)
            .expect("a document that can be read");
    }
    let imported = read(&documents, "shop.wsdl").expect("a contract");
    let plan = compile(&imported, &Choice::default()).expect("a plan").plan;
    let program = Program::load(&plan, &Settings::default()).expect("a plan that loads");
    let operation = plan
        .operations
        .iter()
        .position(|of| &*of.name == "createOrder");
    let operation = operation.expect("the operation");

    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("to_xml");
    for lines in LINES {
        let json = order(lines);
        let request = Request {
            body: Some(json.as_bytes()),
            ..Request::default()
        };
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        group.throughput(Throughput::Bytes(json.len() as u64));
        group.bench_function(format!("createOrder {} B", json.len()), |bencher| {
            bencher.iter(|| {
                let written = program.write(operation, &request, &mut scratch, &mut out);
                written.expect("a request that fits");
                out.len()
            });
        });
    }
    group.finish();
    criterion.final_summary();
}

fn order(lines: usize) -> String {
    let line = concat!(
        r#"{"number":1,"product":{"@type":"Gadget","sku":"AB-1234","name":"Tea & biscuits","#,
        r#""stock":7,"volts":230},"quantity":2,"price":{"value":12.50,"currency":"EUR"},"part":[]}"#
    );
    format!(
        concat!(
            r#"{{"order":{{"reference":"r-1","customer":{{"number":"007","name":"Jo Doe"}},"#,
            r#""lines":{{"line":[{}]}},"transfer":"DE00"}}}}"#
        ),
        vec![line; lines].join(",")
    )
}
