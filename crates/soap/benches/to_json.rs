//! Responses of the shop to JSON: the work of a gateway for each, with its buffers allocated. The
//! parser alone is measured on the same bytes: compare machines by the ratios.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use quick_xml::events::Event;
use tollgate_soap::to_json::{Options, Program, Scratch};
use tollgate_xml::{Bounds, decode};

#[path = "../tests/support/shop.rs"]
mod shop;

fn main() {
    let plan = shop::plan();
    let program = Program::load(&plan, Options::default());
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("to_json");
    for (name, bytes) in shop::ANSWERS {
        let operation = shop::operation(&plan, name);
        let (mut scratch, mut out) = (Scratch::default(), Vec::new());
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(format!("{name} {} B", bytes.len()), |bencher| {
            bencher.iter(|| {
                out.clear();
                let text = decode(black_box(bytes), Some("UTF-8"), Bounds::default());
                let text = text.expect("sound text");
                let outcome = program.answer(operation, &text, &(), &mut scratch, &mut out);
                black_box(outcome.expect("a sound answer"))
            });
        });
        let yardstick = format!("{name} {} B, quick_xml_events", bytes.len());
        group.bench_function(yardstick, |bencher| {
            bencher.iter(|| events(black_box(bytes)));
        });
    }
    group.finish();
    criterion.final_summary();
}

fn events(bytes: &[u8]) -> usize {
    let text = str::from_utf8(bytes).expect("UTF-8");
    let mut reader = quick_xml::Reader::from_str(text);
    let mut count = 0;
    loop {
        match reader.read_event().expect("sound XML") {
            Event::Eof => return count,
            event => {
                black_box(&event);
                count += 1;
            }
        }
    }
}
