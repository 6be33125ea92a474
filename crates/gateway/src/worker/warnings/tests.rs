use super::*;

fn refused(refusal: Refusal, cause: &str) -> Refused {
    Refused::from(refusal).caused_by(cause.to_owned())
}

#[test]
fn repetitions_of_a_line_are_counted_in_its_quiet_time() {
    let warnings = Warnings::default();
    let more = || {
        let logged = warnings.0.borrow();
        logged
            .get(&Key {
                version: None,
                refusal: Refusal::UpstreamBroken,
            })
            .map(|it| it.more)
    };
    warnings.refused(0, None, &refused(Refusal::UpstreamBroken, "one"));
    assert_eq!(more(), Some(0));
    for _ in 0..5 {
        warnings.refused(1, None, &refused(Refusal::UpstreamBroken, "more"));
    }
    assert_eq!(more(), Some(5));
    warnings.tick(QUIET_US - 1);
    assert_eq!(more(), Some(5));
    // Logged with its count, and quiet again.
    warnings.tick(QUIET_US);
    assert_eq!(more(), Some(0));
    warnings.tick(QUIET_US * 2);
    assert_eq!(more(), None);
}

#[test]
fn only_upstreams_and_cut_transfers_are_logged_within_bounds() {
    let warnings = Warnings::default();
    warnings.refused(0, None, &refused(Refusal::Missing, "no key"));
    assert!(warnings.0.borrow().is_empty());
    for cut in [Refusal::BodyTime, Refusal::AnswerTime] {
        warnings.refused(0, None, &refused(cut, "too slow"));
        let key = Key {
            version: None,
            refusal: cut,
        };
        assert!(warnings.0.borrow_mut().remove(&key).is_some());
    }
    let mut logged = warnings.0.borrow_mut();
    for index in 1..=KEYS_MAX {
        let version = VersionId::new(index as u64 + 1_577_836_800_000, 1);
        let quiet = Logged {
            at_us: 0,
            more: 0,
            cause: String::new(),
        };
        let key = Key {
            version: Some(version),
            refusal: Refusal::UpstreamConnect,
        };
        logged.insert(key, quiet);
    }
    drop(logged);
    warnings.refused(0, None, &refused(Refusal::UpstreamBroken, "one more"));
    assert_eq!(warnings.0.borrow().len(), KEYS_MAX);
}
