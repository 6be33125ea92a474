use super::*;

const READY: Readiness = Readiness {
    operations: true,
    upstream: true,
    plans: 1,
};

/// The product's table: state, next states, at the gateway, catalogue, new, existing.
#[test]
fn the_table_of_states_holds() {
    use State::{Blocked, Created, Deprecated, Prototyped, Published, Retired};
    type Row = (
        State,
        &'static [State],
        AtGateway,
        InCatalogue,
        bool,
        Existing,
    );
    let rows: [Row; 6] = [
        (
            Created,
            &[Prototyped, Published],
            AtGateway::Absent,
            InCatalogue::Hidden,
            false,
            Existing::None,
        ),
        (
            Prototyped,
            &[Created, Published],
            AtGateway::Open,
            InCatalogue::Prototype,
            false,
            Existing::None,
        ),
        (
            Published,
            &[Prototyped, Created, Blocked, Deprecated],
            AtGateway::Served,
            InCatalogue::Shown,
            true,
            Existing::Work,
        ),
        (
            Blocked,
            &[Published, Deprecated],
            AtGateway::Refused,
            InCatalogue::Hidden,
            false,
            Existing::Refused,
        ),
        (
            Deprecated,
            &[Published, Retired],
            AtGateway::Served,
            InCatalogue::WhenAsked,
            false,
            Existing::Work,
        ),
        (
            Retired,
            &[],
            AtGateway::Absent,
            InCatalogue::Gone,
            false,
            Existing::Ended,
        ),
    ];
    for (state, next, gateway, catalogue, new, existing) in rows {
        assert_eq!(state.at_gateway(), gateway, "{state:?}");
        assert_eq!(state.in_catalogue(), catalogue, "{state:?}");
        assert_eq!(state.takes_subscriptions(), new, "{state:?}");
        assert_eq!(state.existing_subscriptions(), existing, "{state:?}");
        assert_eq!(State::from_word(state.word()), Some(state));
        for to in STATES {
            let allowed = transition(state, to, READY).is_ok();
            assert_eq!(allowed, next.contains(&to), "{state:?} to {to:?}");
        }
    }
}

#[test]
fn publishing_names_everything_that_is_missing() {
    let nothing = Readiness {
        operations: false,
        upstream: false,
        plans: 0,
    };
    let error = transition(State::Created, State::Published, nothing).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a version needs at least one callable operation, an upstream and at least one plan to \
         become \
         published"
    );
    let no_plan = Readiness {
        operations: true,
        upstream: true,
        plans: 0,
    };
    assert!(transition(State::Created, State::Prototyped, no_plan).is_ok());
    let faults = error.faults();
    let faults: Vec<_> = faults
        .iter()
        .map(|fault| (fault.field.as_str(), fault.code.as_str()))
        .collect();
    let expected = [
        ("/to", "lifecycle.no_operation"),
        ("/to", "lifecycle.no_upstream"),
        ("/to", "lifecycle.no_plan"),
    ];
    assert_eq!(faults, expected);
    let error = transition(State::Created, State::Published, no_plan).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a version needs at least one plan to become published"
    );
}

#[test]
fn demoting_and_retiring_end_subscriptions_and_blocking_does_not() {
    let ends = |from, to| transition(from, to, READY).unwrap().ends_subscriptions;
    assert!(ends(State::Published, State::Created));
    assert!(ends(State::Published, State::Prototyped));
    assert!(ends(State::Deprecated, State::Retired));
    assert!(!ends(State::Published, State::Blocked));
    assert!(!ends(State::Published, State::Deprecated));
    assert!(!ends(State::Blocked, State::Deprecated));
    assert!(!ends(State::Deprecated, State::Published));
    assert!(!ends(State::Blocked, State::Published));
    assert!(!ends(State::Created, State::Published));
}

#[test]
fn a_refused_transition_lists_the_allowed_ones() {
    let error = transition(State::Retired, State::Published, READY).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a version that is retired cannot become published; it can become nothing else"
    );
}
