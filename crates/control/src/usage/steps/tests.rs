use tollgate_model::id::{ApiId, ApplicationId, OperationId, PlanId, VersionId};
use tollgate_model::record::{Answered, RefusedBy};
use tollgate_model::refusal::REFUSALS;

use super::*;

/// A call that came as far as the upstream.
fn called() -> Record {
    Record {
        api: Some(ApiId::from_raw(1)),
        version: Some(VersionId::from_raw(2)),
        operation: Some(OperationId::from_raw(3)),
        application: Some(ApplicationId::from_raw(4)),
        plan: Some(PlanId::from_raw(5)),
        status: 200,
        total_us: 900,
        before_us: 100,
        upstream_us: 700,
        upstream_status: 200,
        answered: Answered::new(AnsweredBy::Upstream, CacheUse::None),
        ..Record::default()
    }
}

fn names(steps: &[CallStep]) -> Vec<Step> {
    steps.iter().map(|it| it.step).collect()
}

#[test]
fn each_refusal_is_the_last_step() {
    for &refusal in REFUSALS {
        let facts = refusal.facts();
        let record = Record {
            refusal: Some(refusal),
            status: facts.status,
            answered: Answered::default(),
            ..called()
        };
        let steps = of(&record, true);
        let last = steps.last().unwrap();
        let expected = match refusal {
            Refusal::AnswerTime | Refusal::AnswerRoom => Decision::Cut,
            _ => Decision::Refused,
        };
        assert_eq!(last.decision, expected, "{}", facts.code);
        let (_, before) = steps.split_last().unwrap();
        assert!(before.iter().all(|it| it.decision == Decision::Passed));
        assert!(names(&steps).is_sorted_by(|one, other| one < other));
    }
}

#[test]
fn the_step_of_a_refusal_follows_its_code_or_what_refused() {
    let at = |refusal, refused_by| {
        let record = Record {
            refusal: Some(refusal),
            refused_by,
            ..called()
        };
        of(&record, true).last().unwrap().step
    };
    for (refusal, step) in [
        (Refusal::NoOperation, Step::Route),
        (Refusal::Cors, Step::Preflight),
        (Refusal::Invalid, Step::Authenticate),
        (Refusal::Scope, Step::Authorize),
        (Refusal::ApiLimit, Step::Admit),
        (Refusal::BodyTooLarge, Step::Request),
        (Refusal::OnlyIfCached, Step::Cache),
        (Refusal::UpstreamTimeout, Step::Upstream),
        (Refusal::UpstreamLimit, Step::Upstream),
        (Refusal::AnswerTime, Step::Send),
    ] {
        assert_eq!(at(refusal, None), step, "{refusal:?}");
    }
    let by_response = Some(RefusedBy::new(Owner::Response, 2));
    assert_eq!(at(Refusal::Policy, by_response), Step::Response);
}

#[test]
fn a_call_has_the_steps_that_it_passed_and_their_times() {
    let steps = of(&called(), true);
    let all = [
        Step::Listener,
        Step::Route,
        Step::Authenticate,
        Step::Authorize,
        Step::Admit,
        Step::Request,
        Step::Upstream,
        Step::Response,
        Step::Send,
    ];
    assert_eq!(names(&steps), all);
    assert_eq!(steps[6].decision, Decision::Answered);
    assert_eq!(steps[6].ns, Some(700_000));
    assert_eq!(steps[8].ns, Some(100_000));
}

#[test]
fn what_answers_instead_of_the_upstream_ends_the_way() {
    let answered = |by, cache| {
        let record = Record {
            answered: Answered::new(by, cache),
            upstream_us: 0,
            upstream_status: 0,
            ..called()
        };
        let steps = of(&record, true);
        let answered = steps.iter().find(|it| it.decision == Decision::Answered);
        (
            answered.unwrap().step,
            names(&steps).contains(&Step::Upstream),
        )
    };
    for (by, cache, step) in [
        (AnsweredBy::Upstream, CacheUse::Hit, Step::Cache),
        (AnsweredBy::Policy, CacheUse::None, Step::Request),
        (AnsweredBy::Mock, CacheUse::None, Step::Request),
        (AnsweredBy::Preflight, CacheUse::None, Step::Preflight),
        (AnsweredBy::Gateway, CacheUse::None, Step::Route),
    ] {
        assert_eq!(answered(by, cache), (step, false), "{by:?}");
    }
}

#[test]
fn a_client_that_left_is_where_the_call_was_cut() {
    let cut = Record {
        status: 0,
        answered: Answered::default(),
        ..called()
    };
    let last = |record: &Record| *of(record, true).last().unwrap();
    assert_eq!(last(&cut).step, Step::Upstream);
    assert_eq!(last(&cut).decision, Decision::Cut);
    let mut sending = called();
    sending.flags.set(Flags::CUT, true);
    assert_eq!(last(&sending).step, Step::Send);
    assert_eq!(last(&sending).decision, Decision::Cut);
}

#[test]
fn words_are_those_of_answers() {
    for step in ALL {
        assert_eq!(serde_json::json!(step), step.word());
    }
}

#[test]
fn who_does_not_see_the_upstream_does_not_see_its_time() {
    let times = |sees_upstream| {
        let steps = of(&called(), sees_upstream);
        let timed = steps.into_iter().filter(|it| it.ns.is_some());
        timed.map(|it| it.step).collect::<Vec<_>>()
    };
    assert_eq!(times(true), [Step::Upstream, Step::Send]);
    assert_eq!(times(false), []);
}
