use super::*;

fn peer(text: &str) -> Peer {
    Peer(text.parse().unwrap())
}

#[test]
fn ten_failures_close_a_name_to_their_address_until_the_window_is_over() {
    let attempts = Attempts::default();
    let (here, elsewhere) = (peer("192.0.2.1"), peer("192.0.2.2"));
    for _ in 0..ATTEMPTS_MAX {
        attempts.begin("ann", here, 0).unwrap();
    }
    let closed = attempts.begin("ann", here, WINDOW_US - 1).unwrap_err();
    assert_eq!(closed.code(), "session.too_many");
    let mapped = peer("::ffff:192.0.2.1");
    assert!(attempts.begin("ann", mapped, WINDOW_US - 1).is_err());
    attempts.begin("ann", elsewhere, WINDOW_US - 1).unwrap();
    attempts.begin("bob", here, WINDOW_US - 1).unwrap();
    attempts.begin("ann", here, WINDOW_US).unwrap();
}

#[test]
fn who_has_a_whole_ipv6_network_has_no_more_attempts() {
    let attempts = Attempts::default();
    for number in 0..ATTEMPTS_MAX {
        let address = peer(&format!("2001:db8::{number}:1"));
        attempts.begin("ann", address, 0).unwrap();
    }
    assert!(attempts.begin("ann", peer("2001:db8::ffff"), 0).is_err());
    attempts.begin("ann", peer("2001:db8:0:1::1"), 0).unwrap();
}

#[test]
fn a_success_forgets_what_failed_before() {
    let attempts = Attempts::default();
    let here = peer("192.0.2.1");
    for _ in 0..3 * ATTEMPTS_MAX {
        attempts.begin("ann", here, 0).unwrap();
        attempts.forget("ann", here);
    }
}

#[test]
fn a_flood_of_names_stays_bounded_and_reopens_none() {
    let attempts = Attempts::default();
    let here = peer("192.0.2.1");
    for _ in 0..ATTEMPTS_MAX {
        attempts.begin("ann", here, 0).unwrap();
    }
    for number in 0..PAIRS_MAX + 100 {
        let name = format!("made up {number}");
        attempts.begin(&name, here, 1).unwrap();
    }
    assert!(attempts.begin("ann", here, 2).is_err());
    assert_eq!(attempts.by_pair.lock().unwrap().len(), PAIRS_MAX);
}
