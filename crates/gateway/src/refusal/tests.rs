use std::rc::Rc;

use tollgate_http1::buffer_pool::BufferPool;
use tollgate_model::refusal::{Blame, REFUSALS};
use tollgate_model::soap::FaultStatus;
use tollgate_soap::version::SoapVersion;

use super::*;
use crate::exchange::answer::closing;
use crate::reply::reason;

fn render(refused: &Refused, is_head: bool) -> String {
    render_as(refused, is_head, Form::Problem)
}

fn render_as(refused: &Refused, is_head: bool, form: Form) -> String {
    let head = Rc::<BufferPool>::default().scratch();
    let answer = closing(refused.reply("ab12", form, head), b"ab12", is_head);
    String::from_utf8(answer.to_vec()).unwrap()
}

/// A refusal as the rooms create it.
fn refused(refusal: Refusal) -> Refused {
    let refused = Refused::from(refusal);
    match refusal.facts().status {
        401 => refused.challenged("ApiKey".to_owned()),
        _ => refused,
    }
}

#[test]
fn every_refusal_is_a_problem_document_with_a_reason_phrase() {
    for &refusal in REFUSALS {
        let facts = refusal.facts();
        assert!(!reason(facts.status).is_empty(), "{}", facts.status);
        let answer = render(&refused(refusal), false);
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

#[test]
fn every_refusal_is_a_fault_of_either_version_by_either_rule() {
    use FaultStatus::{Http, Soap as BySoap};
    use SoapVersion::{V1_1, V1_2};
    for &refusal in REFUSALS {
        let facts = refusal.facts();
        let is_senders = facts.blame == Blame::Caller;
        let rows = [
            (V1_1, Http, facts.status),
            (V1_2, Http, facts.status),
            (V1_1, BySoap, 500),
            (V1_2, BySoap, if is_senders { 400 } else { 500 }),
        ];
        for (version, status, expected) in rows {
            let expected = if facts.status == 401 { 401 } else { expected };
            let answer = render_as(&refused(refusal), false, Form::Fault(version, status));
            let (head, body) = answer.split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {expected} ")), "{head}");
            let media_type = format!("content-type: {}; charset=utf-8\r\n", version.media_type());
            assert!(head.contains(&media_type), "{head}");
            assert!(head.contains(&format!("content-length: {}\r\n", body.len())));
            assert!(
                body.contains(&format!("<code>{}</code>", facts.code)),
                "{body}"
            );
            assert!(
                body.contains(&format!("<status>{}</status>", facts.status)),
                "{body}"
            );
            assert_eq!(head.contains("www-authenticate"), facts.status == 401);
        }
    }
}

#[test]
fn a_fault_over_the_limit_has_retry_after() {
    let exhausted = Exhausted {
        policy: "p".into(),
        wait_s: Some(7),
    };
    let refused = Refused::exhausted(Refusal::OperationLimit, exhausted)
        .with_limits(b"ratelimit: x\r\n".to_vec());
    let form = Form::Fault(SoapVersion::V1_1, FaultStatus::Soap);
    let answer = render_as(&refused, false, form);
    assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
    assert!(
        answer.contains("\r\nretry-after: 7\r\nratelimit: x\r\n"),
        "{answer}"
    );
    assert!(answer.contains("<policy>p</policy>"), "{answer}");
}

#[test]
fn an_invalid_request_gets_all_its_errors() {
    let invalid = vec![
        Invalid::at("/a/0", "is missing"),
        Invalid::at("/b", "is not known").in_parameter("query", "b"),
    ];
    let answer = render(&Refused::invalid(invalid), false);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        body["errors"],
        serde_json::json!([
            { "pointer": "/a/0", "detail": "is missing" },
            { "pointer": "/b", "detail": "is not known", "in": "query", "name": "b" },
        ])
    );
    let wait = Refused::wait(Refusal::UpstreamUnavailable, Some(b"17"));
    assert!(render(&wait, false).contains("\r\nretry-after: 17\r\n"));
}
