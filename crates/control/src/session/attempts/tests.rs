use super::*;

#[test]
fn ten_failures_close_a_name_until_the_window_is_over() {
    let attempts = Attempts::default();
    for _ in 0..ATTEMPTS_MAX {
        attempts.begin("ann", 0).unwrap();
    }
    let closed = attempts.begin("ann", WINDOW_US - 1).unwrap_err();
    assert_eq!(closed.code(), "session.too_many");
    attempts.begin("bob", WINDOW_US - 1).unwrap();
    attempts.begin("ann", WINDOW_US).unwrap();
}

#[test]
fn a_success_forgets_what_failed_before() {
    let attempts = Attempts::default();
    for _ in 0..3 * ATTEMPTS_MAX {
        attempts.begin("ann", 0).unwrap();
        attempts.forget("ann");
    }
}

#[test]
fn a_flood_of_names_stays_bounded_and_reopens_none() {
    let attempts = Attempts::default();
    for _ in 0..ATTEMPTS_MAX {
        attempts.begin("ann", 0).unwrap();
    }
    for number in 0..NAMES_MAX + 100 {
        attempts.begin(&format!("made up {number}"), 1).unwrap();
    }
    assert!(attempts.begin("ann", 2).is_err());
    assert_eq!(attempts.by_name.lock().unwrap().len(), NAMES_MAX);
}
