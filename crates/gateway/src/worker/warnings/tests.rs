use super::*;

fn refused(refusal: Refusal, cause: &str) -> Refused {
    Refused::from(refusal).caused_by(cause.to_owned())
}

#[test]
fn a_line_has_a_quiet_time_in_which_its_like_are_counted() {
    let warnings = Warnings::default();
    let more = || {
        let told = warnings.0.borrow();
        told.get(&(None, Refusal::UpstreamBroken)).map(|it| it.more)
    };
    warnings.refused(0, None, &refused(Refusal::UpstreamBroken, "one"));
    assert_eq!(more(), Some(0));
    for _ in 0..5 {
        warnings.refused(1, None, &refused(Refusal::UpstreamBroken, "more"));
    }
    assert_eq!(more(), Some(5));
    warnings.tick(QUIET_US - 1);
    assert_eq!(more(), Some(5));
    // Told with its count, and quiet again.
    warnings.tick(QUIET_US);
    assert_eq!(more(), Some(0));
    warnings.tick(QUIET_US * 2);
    assert_eq!(more(), None);
}

#[test]
fn only_upstreams_and_cut_transfers_are_warned_of_and_not_without_bound() {
    let warnings = Warnings::default();
    warnings.refused(0, None, &refused(Refusal::Missing, "no key"));
    assert!(warnings.0.borrow().is_empty());
    for cut in [Refusal::BodyTime, Refusal::AnswerTime] {
        warnings.refused(0, None, &refused(cut, "too slow"));
        assert!(warnings.0.borrow_mut().remove(&(None, cut)).is_some());
    }
    let mut told = warnings.0.borrow_mut();
    for index in 1..=KEYS_MAX {
        let version = VersionId::new(index as u64 + 1_577_836_800_000, 1);
        let quiet = Told {
            at_us: 0,
            more: 0,
            cause: String::new(),
        };
        told.insert((Some(version), Refusal::UpstreamConnect), quiet);
    }
    drop(told);
    warnings.refused(0, None, &refused(Refusal::UpstreamBroken, "one more"));
    assert_eq!(warnings.0.borrow().len(), KEYS_MAX);
}
