use tollgate_model::lifecycle::{Readiness, State, transition};

use super::*;

#[test]
fn an_unavailable_store_is_reported_with_retry_after() {
    let io = || Box::new(std::io::Error::other("the cable is out"));
    let cases = [
        (StoreError::Full, 503, "store.full"),
        (StoreError::Busy, 503, "store.busy"),
        (StoreError::Io(io()), 503, "store.io"),
        (StoreError::Other(io()), 500, "internal"),
    ];
    for (error, status, code) in cases {
        let problem = Problem::from(error);
        assert_eq!((problem.status().as_u16(), problem.code()), (status, code));
        assert!(problem.cause().is_some(), "{code} is logged");
        let body = String::from_utf8(problem.render("id")).unwrap();
        assert!(!body.contains("cable"), "{body}");
        let has_retry = problem
            .into_response()
            .headers()
            .contains_key(header::RETRY_AFTER);
        assert_eq!(has_retry, status == 503);
    }
}

#[test]
fn a_rejected_transition_lists_what_is_missing() {
    let has = Readiness {
        operations: true,
        upstream: false,
        plans: 0,
    };
    let refused = transition(State::Created, State::Published, has).unwrap_err();
    let problem = Problem::from(refused);
    let body: serde_json::Value = serde_json::from_slice(&problem.render("id")).unwrap();
    assert_eq!(body["status"], 409);
    assert_eq!(body["code"], "lifecycle.missing");
    assert_eq!(body["errors"][0]["field"], "/to");
    let detail = "a version needs an upstream and at least one plan to become published";
    assert_eq!(body["detail"], detail);
}
