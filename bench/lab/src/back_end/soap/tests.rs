use std::path::Path;

use super::*;
use crate::back_end::answer::head_bytes;
use crate::scenario::{Callee, Scenario};

/// Splits a response into head and body.
fn answered(request: &str) -> (String, String) {
    let mut answer = String::from_utf8(answer(request.as_bytes())).unwrap();
    let body = answer.split_off(head_bytes(answer.as_bytes()));
    (answer, body)
}

#[test]
fn both_soap_scenarios_get_exactly_the_expected_response() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scenario = Scenario::read(&bench, "soap-proxy").unwrap();
    for message_bytes in [102, 5120, 102_400] {
        let call = scenario.call(Callee::BackEnd, message_bytes, 0);
        let (head, body) = answered(&call.body.unwrap());
        let content = scenario.answers.as_ref().unwrap();
        assert_eq!(body, scenario.text(content, message_bytes));
        assert_eq!(call.expect.body_bytes, Some(body.len() as u64));
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", body.len())));
    }
}

#[test]
fn the_text_is_found_under_any_prefix_and_its_absence_is_a_fault() {
    let (_, body) = answered("<a:Body><n1:echo><n1:text>mm</n1:text></n1:echo></a:Body>");
    assert!(body.contains("<text>mm</text>"), "{body}");
    for wrong in ["", "<e:Body/>", "<text>", "{\"text\":\"mm\"}"] {
        let (head, body) = answered(wrong);
        assert!(head.starts_with("HTTP/1.1 500 "), "{wrong}");
        assert!(body.contains("<e:Fault>"), "{wrong}");
    }
}
