use super::*;
use crate::lifecycle::STATES;

const NOW_US: i64 = 1_790_000_000_000_000;
const DAY_US: i64 = 86_400_000_000;

fn id(number: i64) -> VersionId {
    VersionId::from_raw(number)
}

fn successor(number: i64, state: State) -> Successor {
    Successor {
        id: id(number),
        name: number.to_string(),
        state,
    }
}

fn code(fault: Option<Fault>, field: &str) -> Option<String> {
    fault.map(|fault| {
        assert_eq!(fault.field, field);
        fault.code
    })
}

#[test]
fn a_sunset_is_in_the_next_ten_years() {
    let rows = [
        (i64::MIN, Some("deprecation.sunset_past")),
        (NOW_US, Some("deprecation.sunset_past")),
        (NOW_US + 1, None),
        (NOW_US + 3_653 * DAY_US, None),
        (NOW_US + 3_653 * DAY_US + 1, Some("deprecation.sunset_far")),
        (i64::MAX, Some("deprecation.sunset_far")),
    ];
    for (sunset_us, expected) in rows {
        let code = code(sunset_fault(sunset_us, NOW_US), "/sunset");
        assert_eq!(code.as_deref(), expected, "{sunset_us}");
    }
}

#[test]
fn a_successor_is_another_version_that_callers_can_find() {
    let none = HashMap::new();
    for state in STATES {
        let fault = successor_fault(id(1), &successor(2, state), &none);
        let is_found = matches!(
            state,
            State::Prototyped | State::Published | State::Deprecated
        );
        let expected = (!is_found).then_some("deprecation.successor_state");
        assert_eq!(code(fault, "/successor").as_deref(), expected, "{state:?}");
        let deprecation = Deprecation {
            successor: Some(successor(2, state)),
            ..Deprecation::default()
        };
        assert_eq!(deprecation.announced().successor.is_some(), is_found);
    }
    let itself = successor_fault(id(1), &successor(1, State::Published), &none);
    let expected = Some("deprecation.successor_self".to_owned());
    assert_eq!(code(itself, "/successor"), expected);
}

#[test]
fn a_circle_of_successors_is_refused_at_any_length() {
    let chain = |length: i64| (2..=length).map(move |at| (id(at), id(at % length + 1)));
    for length in [2, 3, 100] {
        let successors: HashMap<_, _> = chain(length).collect();
        let fault = successor_fault(id(1), &successor(2, State::Deprecated), &successors);
        let expected = Some("deprecation.successor_circle".to_owned());
        assert_eq!(code(fault, "/successor"), expected, "{length}");
        let outside = successor_fault(
            id(length + 1),
            &successor(2, State::Deprecated),
            &successors,
        );
        assert_eq!(outside, None, "{length}");
    }
    // A circle of others is no circle of this one, and ends.
    let others = HashMap::from([(id(2), id(3)), (id(3), id(2))]);
    let fault = successor_fault(id(1), &successor(2, State::Deprecated), &others);
    assert_eq!(fault, None);
}
