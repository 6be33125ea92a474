use tollgate_model::id::UserId;

use super::*;

fn peer(text: &str) -> Peer {
    Peer(text.parse().unwrap())
}

fn guesser(digest: u8, address: &str) -> Guesser<u8> {
    Guesser {
        means: digest,
        user: UserId::from_raw(1),
        peer: peer(address),
    }
}

#[test]
fn ten_failures_lock_a_name_for_their_address_until_the_window_ends() {
    let attempts = Attempts::default();
    let (here, elsewhere) = (peer("192.0.2.1"), peer("192.0.2.2"));
    for _ in 0..ATTEMPTS_MAX {
        attempts.begin("ann", here, 0).unwrap();
    }
    let closed = attempts.begin("ann", here, WINDOW_US - 1).unwrap_err();
    assert_eq!(closed.problem.code(), "session.too_many");
    assert_eq!(closed.event, Some(LOCKED));
    let mapped = peer("::ffff:192.0.2.1");
    let closed = attempts.begin("ann", mapped, WINDOW_US - 1).unwrap_err();
    assert_eq!(closed.event, None, "only logged once");
    attempts.begin("ann", elsewhere, WINDOW_US - 1).unwrap();
    attempts.begin("bob", here, WINDOW_US - 1).unwrap();
    attempts.begin("ann", here, WINDOW_US).unwrap();
}

#[test]
fn an_ipv6_network_has_no_more_attempts_than_one_address() {
    let attempts = Attempts::default();
    for number in 0..ATTEMPTS_MAX {
        let address = peer(&format!("2001:db8::{number}:1"));
        attempts.begin("ann", address, 0).unwrap();
    }
    assert!(attempts.begin("ann", peer("2001:db8::ffff"), 0).is_err());
    attempts.begin("ann", peer("2001:db8:0:1::1"), 0).unwrap();
}

#[test]
fn a_success_forgets_earlier_failures_for_its_name() {
    let attempts = Attempts::default();
    let here = peer("192.0.2.1");
    for _ in 0..3 * ADDRESS_ATTEMPTS_MAX {
        attempts.begin("ann", here, 0).unwrap();
        attempts.succeed("ann", here);
        attempts.begin("ann", here, 0).unwrap();
        attempts.abandon("ann", here);
    }
}

#[test]
fn fifty_failures_lock_an_address_for_all_names_and_a_success_uncounts_only_itself() {
    let attempts = Attempts::default();
    let (here, elsewhere) = (peer("192.0.2.1"), peer("192.0.2.2"));
    for number in 1..ADDRESS_ATTEMPTS_MAX {
        let name = format!("user {number}");
        attempts.begin(&name, here, 0).unwrap();
    }
    attempts.begin("ann", here, 0).unwrap();
    attempts.succeed("ann", here);
    attempts.begin("bob", here, 0).unwrap();
    let closed = attempts.begin("ann", here, WINDOW_US - 1).unwrap_err();
    assert_eq!(closed.problem.code(), "session.too_many");
    assert_eq!(closed.event, Some(ADDRESS_LOCKED));
    attempts.begin("ann", elsewhere, WINDOW_US - 1).unwrap();
    attempts.begin("ann", here, WINDOW_US).unwrap();
}

#[test]
fn unlocking_a_name_unlocks_it_for_all_addresses_and_no_other_name() {
    let attempts = Attempts::default();
    let homes = [peer("192.0.2.1"), peer("192.0.2.2")];
    for here in homes {
        for _ in 0..ATTEMPTS_MAX {
            attempts.begin("ann", here, 0).unwrap();
            attempts.begin("bob", here, 0).unwrap();
        }
    }
    attempts.unlock("ann");
    for here in homes {
        attempts.begin("ann", here, 1).unwrap();
        assert!(attempts.begin("bob", here, 1).is_err());
    }
}

#[test]
fn guesses_count_for_their_session_only() {
    let attempts = Attempts::default();
    let (one, other) = (guesser(1, "192.0.2.1"), guesser(2, "192.0.2.1"));
    for guess in 1..=GUESSES_MAX {
        assert_eq!(attempts.begin_guess(one, 0).unwrap(), guess == GUESSES_MAX);
    }
    assert!(attempts.begin_guess(one, 1).is_err());
    assert!(!attempts.begin_guess(other, 1).unwrap());
    attempts.forget_guesses(one);
    assert!(!attempts.begin_guess(one, 1).unwrap());
}

#[test]
fn many_sessions_of_a_user_have_no_more_guesses_from_an_address() {
    let attempts = Attempts::default();
    for guess in 0..USER_GUESSES_MAX {
        let digest = u8::try_from(guess).unwrap();
        attempts
            .begin_guess(guesser(digest, "192.0.2.1"), 0)
            .unwrap();
    }
    let fresh = |address| attempts.begin_guess(guesser(99, address), 1);
    assert_eq!(fresh("192.0.2.1").unwrap_err().code(), "session.too_many");
    // The user is not locked out at other addresses.
    fresh("192.0.2.2").unwrap();
}

#[test]
fn a_flood_of_names_and_addresses_stays_bounded_and_unlocks_none() {
    let attempts = Attempts::default();
    let here = peer("192.0.2.1");
    for _ in 0..ATTEMPTS_MAX {
        attempts.begin("ann", here, 0).unwrap();
    }
    for number in 0..ROWS_MAX + 100 {
        let there = Peer(std::net::Ipv4Addr::from_bits(u32::try_from(number).unwrap()).into());
        let name = format!("made up {number}");
        attempts.begin(&name, there, 1).unwrap();
    }
    assert!(attempts.begin("ann", here, 2).is_err());
    let tables = attempts.tables();
    let rows = (tables.pairs.rows.len(), tables.addresses.rows.len());
    assert_eq!(rows, (ROWS_MAX, ROWS_MAX));
}

#[test]
fn another_form_of_a_name_allows_no_more_attempts() {
    let attempts = Attempts::default();
    let here = peer("192.0.2.1");
    for number in 0..ATTEMPTS_MAX {
        let name = if number % 2 == 0 { "ann" } else { "\u{ff41}nn" };
        attempts.begin(name, here, 0).unwrap();
    }
    assert!(attempts.begin("\u{ff41}\u{ff4e}n", here, 0).is_err());
    attempts.unlock("\u{ff41}nn");
    attempts.begin("ann", here, 0).unwrap();
}
