//! Fuzz targets without a fuzzer, run with every test: random mutations of recorded responses.
//! Nothing panics, all output is JSON, and a rejected input leaves no output.

use fuzzing::fuzz;
use serde_json::Value;
use tollgate_soap::multipart::{self, Multipart};
use tollgate_soap::to_json::{Options, Program, Scratch};
use tollgate_xml::{Bounds, decode};

#[path = "support/fuzzing.rs"]
mod fuzzing;
#[path = "support/mutation.rs"]
mod mutation;
#[path = "support/shop.rs"]
mod shop;

#[test]
fn the_output_for_any_answer_is_json() {
    let plan = shop::plan();
    let lenient = Program::load(&plan, Options::default());
    let strict = Program::load(
        &plan,
        Options {
            is_strict: true,
            ..Options::default()
        },
    );
    let (mut scratch, mut out) = (Scratch::default(), Vec::new());
    let fault = (
        "getOrder",
        &include_bytes!("messages/fault.response.xml")[..],
    );
    fuzz(|random| {
        let row = random.below(shop::ANSWERS.len());
        let (name, bytes) = shop::ANSWERS
            .get(row)
            .copied()
            .filter(|it| it.1.len() < 9_000)
            .unwrap_or(fault);
        let mut bytes = bytes.to_vec();
        random.mutated(&mut bytes);
        let Ok(text) = decode(&bytes, None, Bounds::default()) else {
            return false;
        };
        let operation = shop::operation(&plan, name);
        out.clear();
        out.extend_from_slice(b"before");
        let outcome = lenient.answer(operation, &text, &(), &mut scratch, &mut out);
        let is_sound = scratch.mismatches().count == 0;
        let json = out[6..].to_vec();
        match outcome {
            Ok(_) => {
                let read = serde_json::from_slice::<Value>(&json);
                assert!(read.is_ok(), "{}\n{}", text.as_str(), json.escape_ascii());
            }
            Err(_) => assert!(json.is_empty()),
        }
        // The result does not depend on what was read before.
        out.clear();
        let first = lenient.answer(operation, &text, &(), &mut Scratch::default(), &mut out);
        assert_eq!(first, outcome);
        assert!(out == json);
        // Strict reading gives the same or nothing.
        out.clear();
        let again = strict.answer(operation, &text, &(), &mut scratch, &mut out);
        match (&outcome, again) {
            (Ok(_), Ok(_)) => assert!(is_sound && out == json),
            (_, Err(_)) => assert!(out.is_empty() && (!is_sound || outcome.is_err())),
            (Err(_), Ok(_)) => panic!("strict is laxer: {}", text.as_str()),
        }
        outcome.is_ok()
    });
}

#[test]
fn parts_lie_within_their_message() {
    let sound =
        b"--b\r\nContent-ID: <r>\r\nContent-Type: a/b\r\n\r\n<a/>\r\n--b\r\nContent-ID: <p>\r\n\
                  \r\nbytes\r\n--b--\r\n";
    let bounds = multipart::Bounds::default();
    fuzz(|random| {
        let mut bytes = sound.to_vec();
        random.mutated(&mut bytes);
        let start = (random.below(2) == 0).then_some("<r>");
        Multipart::read(&bytes, "b", start, bounds).is_ok()
    });
}
