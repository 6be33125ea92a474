//! In the steady state, the number of allocations per message does not depend on its number of
//! elements.

use std::fmt::Write as _;

use allocation_counter::measure;
use serde_json::Value;
use tollgate_soap::dispatch::{Callable, Dispatch, Found, Head, Memory, Prefix};
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::to_json::{Options, Outcome, Program, Scratch};
use tollgate_soap::to_xml::{self, Request, Settings};
use tollgate_xml::{Bounds, decode};

#[path = "support/shop.rs"]
mod shop;

/// Allocations of quick-xml per document, for its open elements.
const OF_A_DOCUMENT: u64 = 8;

/// Returns a response with a number of rows; some of their texts are split, and some rows come
/// late.
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

/// Returns a response with a number of elements that only a wildcard allows.
fn shapes(items: usize) -> String {
    let mut text = String::from(
        "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/' xmlns:u='urn:u'><e:Body>\
         <o:echoShapesResponse xmlns:o='http://shop.example/orders' \
         xmlns:f='http://shop.example/forms'><o:shapes><f:extra><f:label>all sorts</f:label>",
    );
    for number in 0..items {
        write!(
            text,
            "<u:thing n='{number}'><u:of a='&lt;'>x</u:of></u:thing>"
        )
        .expect("room");
    }
    text + "</f:extra></o:shapes></o:echoShapesResponse></e:Body></e:Envelope>"
}

/// Returns the number of allocations for a response once all buffers exist, and its JSON.
fn read(plan: &ServicePlan, operation: &str, envelope: &str) -> (u64, Vec<u8>) {
    let program = Program::load(plan, Options::default());
    let operation = shop::operation(plan, operation);
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let mut run = || {
        out.clear();
        let text = decode(envelope.as_bytes(), None, Bounds::default()).expect("sound text");
        let outcome = program.answer(operation, &text, &(), &mut scratch, &mut out);
        assert_eq!(outcome, Ok(Outcome::Json));
    };
    // The first run allocates the memory that the next ones reuse.
    run();
    let count = measure(run).count_total;
    (count, out)
}

/// Like [`read`], for a request; returns its envelope.
fn write(plan: &ServicePlan, operation: &str, json: &[u8]) -> (u64, String) {
    let program = to_xml::Program::load(plan, &Settings::default()).expect("a plan that loads");
    let operation = shop::operation(plan, operation);
    let (mut scratch, mut out) = (to_xml::Scratch::default(), Vec::new());
    let request = Request {
        body: Some(json),
        ..Request::default()
    };
    let mut run = || {
        out.clear();
        let written = program.write(operation, &request, &mut scratch, &mut out);
        assert_eq!(written, Ok(()));
    };
    run();
    let count = measure(run).count_total;
    (count, String::from_utf8(out).expect("UTF-8"))
}

#[test]
fn allocations_of_an_answer_do_not_grow_with_the_number_of_elements() {
    let plan = shop::plan();
    let count = |rows: usize| {
        let (count, json) = read(&plan, "echoReport", &report(rows));
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let found = json["report"]["row"].as_array().map(Vec::len);
        assert_eq!(found, Some(rows), "{json}");
        count
    };
    let (few, many) = (count(3), count(3_000));
    assert_eq!(few, many);
    assert!(many <= OF_A_DOCUMENT, "{many} allocations");
}

#[test]
fn nor_with_the_number_of_elements_that_stay_xml() {
    let plan = shop::plan();
    let count = |items: usize| {
        let (count, json) = read(&plan, "echoShapes", &shapes(items));
        let json: Value = serde_json::from_slice(&json).expect("JSON");
        let found = json["shapes"]["extra"]["any"].as_array().map(Vec::len);
        assert_eq!(found, Some(items), "{json}");
        count
    };
    let (few, many) = (count(3), count(3_000));
    assert_eq!(few, many);
    assert!(many <= OF_A_DOCUMENT, "{many} allocations");
}

#[test]
fn xml_in_a_request_allocates_as_much_as_its_reader() {
    let plan = shop::plan();
    let count = |items: usize| {
        let (_, json) = read(&plan, "echoShapes", &shapes(items));
        let (count, envelope) = write(&plan, "echoShapes", &json);
        assert_eq!(envelope.matches("</u:thing>").count(), items, "{envelope}");
        count
    };
    // Each is a separate document.
    let many = count(300);
    assert!(many <= 300 * OF_A_DOCUMENT, "{many} allocations");
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
        serde_json::from_slice::<Value>(&out).expect(name);
    }
}

#[test]
fn the_operation_of_a_consistent_call_is_found_without_an_allocation() {
    let operations = ["get", "put"].map(|name| Callable {
        body: Some(("urn:o", name)),
        action: name,
    });
    let dispatch = Dispatch::new(operations.into_iter());
    let head = Head {
        content_type: Some(b"text/xml"),
        soap_action: Some(b"\"put\""),
        ..Head::default()
    };
    // Requests with header blocks are not cached between calls.
    for header in ["", "<s:Header><o:id>7</o:id></s:Header>"] {
        let text = format!(
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/' xmlns:o='urn:o'>\
             {header}<s:Body><o:put/></s:Body></s:Envelope>"
        );
        let prefix = Prefix {
            bytes: text.as_bytes(),
            is_whole: true,
            bytes_max: 65_536,
        };
        let mut memory = Memory::default();
        let mut run = || {
            let found = dispatch.find(&mut memory, &head, prefix).expect("SOAP");
            let Found::Called { call, .. } = found else {
                panic!("{found:?}");
            };
            assert_eq!((call.operation, call.others.len()), (Some(1), 0));
        };
        // The first run allocates the memory that the next ones reuse.
        run();
        assert_eq!(measure(run).count_total, 0, "{header}");
    }
}
