//! In the steady state, an answer costs the same allocations however many elements it has.

use std::fmt::Write as _;

use allocation_counter::measure;
use tollgate_soap::to_json::{Options, Outcome, Program, Scratch};
use tollgate_soap::xml::{Bounds, decode};

#[path = "support/shop.rs"]
mod shop;

/// An answer with so many rows, some of whose texts are cut, and rows that come late.
fn report(rows: usize) -> String {
    let mut text = String::from(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>\
         <o:echoReportResponse xmlns:o='http://shop.example/orders'><o:report>\
         <o:title>a &amp; b</o:title>",
    );
    for number in 0..rows {
        write!(
            text,
            "<o:row number='{number}'><o:day>2026-02-02</o:day><o:sku>BK-<![CDATA[0001]]></o:sku>\
             <o:sold>{number}</o:sold><o:turnover currency='&#69;UR'>1.50</o:turnover></o:row>\
             <o:unknown xmlns:u='urn:u'/>"
        )
        .expect("room");
    }
    text + "</o:report></o:echoReportResponse></e:Body></e:Envelope>"
}

#[test]
fn allocations_do_not_grow_with_the_number_of_elements() {
    let plan = shop::plan();
    let program = Program::load(&plan, Options::default());
    let operation = shop::operation(&plan, "echoReport");
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let mut count = |rows: usize| {
        let bytes = report(rows);
        let mut run = || {
            out.clear();
            let text = decode(bytes.as_bytes(), None, Bounds::default()).expect("sound text");
            let outcome = program.answer(operation, &text, &(), &mut scratch, &mut out);
            assert_eq!(outcome, Ok(Outcome::Json));
        };
        // The first takes the memory that the next ones find.
        run();
        let count = measure(run).count_total;
        let json: serde_json::Value = serde_json::from_slice(&out).expect("JSON");
        let found = json["report"]["row"].as_array().map(Vec::len);
        assert_eq!(found, Some(rows), "{json}");
        count
    };
    let (few, many) = (count(3), count(3_000));
    assert_eq!(few, many);
    // quick-xml remembers the open elements of each document anew.
    assert!(many <= 8, "{many} allocations");
}

#[test]
fn recorded_answers_are_read_without_a_mismatch() {
    let plan = shop::plan();
    let program = Program::load(
        &plan,
        Options {
            is_strict: true,
            ..Options::default()
        },
    );
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    for (name, bytes) in shop::ANSWERS {
        out.clear();
        let text = decode(bytes, None, Bounds::default()).expect("sound text");
        let operation = shop::operation(&plan, name);
        let outcome = program.answer(operation, &text, &(), &mut scratch, &mut out);
        assert_eq!(outcome, Ok(Outcome::Json), "{name}");
        serde_json::from_slice::<serde_json::Value>(&out).expect(name);
    }
}
