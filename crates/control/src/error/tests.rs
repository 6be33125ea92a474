use tollgate_model::lifecycle::{Readiness, State, transition};

use super::*;

#[test]
fn a_store_that_cannot_be_used_says_so_and_when_to_come_back() {
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
        assert!(problem.cause().is_some(), "{code} is for the log");
        let told = String::from_utf8(problem.render("id")).unwrap();
        assert!(!told.contains("cable"), "{told}");
        let has_retry = problem
            .into_response()
            .headers()
            .contains_key(header::RETRY_AFTER);
        assert_eq!(has_retry, status == 503);
    }
}

#[test]
fn a_refused_transition_tells_what_is_missing() {
    let has = Readiness {
        operations: true,
        upstream: false,
        plans: 0,
    };
    let refused = transition(State::Created, State::Published, has).unwrap_err();
    let problem = Problem::from(refused);
    let told: serde_json::Value = serde_json::from_slice(&problem.render("id")).unwrap();
    assert_eq!(told["status"], 409);
    assert_eq!(told["code"], "lifecycle.missing");
    assert_eq!(told["errors"][0]["field"], "/to");
    let detail = "a version needs an upstream and at least one plan to become published";
    assert_eq!(told["detail"], detail);
}
