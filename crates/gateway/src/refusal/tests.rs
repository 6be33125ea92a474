use super::*;
use tollgate_model::refusal::REFUSALS;

fn render(refused: &Refused, is_head: bool) -> String {
    let mut out = Vec::new();
    refused.render(
        &mut out,
        Frame {
            request: "ab12",
            is_head,
            closes: true,
        },
    );
    String::from_utf8(out).unwrap()
}

#[test]
fn every_refusal_is_a_problem_document_with_a_reason_phrase() {
    for &refusal in REFUSALS {
        let facts = refusal.facts();
        assert!(!reason(facts.status).is_empty(), "{}", facts.status);
        let answer = render(&refusal.into(), false);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())));
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(body["code"], facts.code);
        assert_eq!(body["request_id"], "ab12");
        assert_eq!(head.contains("www-authenticate"), facts.status == 401);
    }
}

#[test]
fn a_405_names_the_methods_and_a_head_request_gets_no_body() {
    let allowed = 1 << (tollgate_model::api::Method::Get as u8)
        | 1 << (tollgate_model::api::Method::Patch as u8);
    let answer = render(&Refused::method(allowed), true);
    assert!(answer.contains("allow: GET, PATCH\r\n"));
    assert!(answer.ends_with("\r\n\r\n"));
    assert!(!answer.contains("content-length: 0"));
}
