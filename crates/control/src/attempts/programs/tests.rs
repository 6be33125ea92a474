use super::super::WINDOW_US;
use super::*;

fn peer(text: &str) -> Peer {
    Peer(text.parse().unwrap())
}

#[test]
fn twenty_failures_lock_a_client_for_their_address_only_and_a_success_forgets_them() {
    let attempts = Attempts::default();
    let (here, elsewhere) = (peer("192.0.2.1"), peer("192.0.2.2"));
    for _ in 0..CLIENT_ATTEMPTS_MAX - 1 {
        attempts.fail_client("till", here, 0);
    }
    attempts.forget_client("till", here);
    for _ in 0..CLIENT_ATTEMPTS_MAX {
        assert_eq!(attempts.closed_client("till", here, 0), None);
        attempts.fail_client("till", here, 0);
    }
    let wait = |is_first| {
        let seconds = WINDOW_US / 1_000_000 + 1;
        Some(Wait { seconds, is_first })
    };
    assert_eq!(attempts.closed_client("till", here, 0), wait(true));
    assert_eq!(attempts.closed_client("till", here, 0), wait(false));
    assert_eq!(attempts.closed_client("till", elsewhere, 0), None);
    assert_eq!(attempts.closed_client("shop", here, 0), None);
    assert_eq!(attempts.closed_client("till", here, WINDOW_US), None);
    for _ in 0..=CLIENT_ATTEMPTS_MAX {
        assert_eq!(attempts.closed_client("", here, 0), None);
        attempts.fail_client("", here, 0);
    }
    assert_eq!(attempts.clients.read(), (60, 2));
}

#[test]
fn an_address_gets_ten_log_lines_for_any_number_of_clients() {
    let attempts = Attempts::default();
    let (here, elsewhere) = (peer("192.0.2.1"), peer("192.0.2.2"));
    let lines = (0..100).map(|number| attempts.fail_client(&format!("c{number}"), here, 0));
    let lines: Vec<_> = lines.filter(|line| *line != Line::Nothing).collect();
    assert_eq!(lines.len(), 10);
    assert_eq!(lines[9], Line::Last);
    assert_eq!(attempts.fail_client("c1", elsewhere, 0), Line::Whole);
    assert_eq!(attempts.fail_client("c1", here, WINDOW_US), Line::Whole);
}

#[test]
fn fifty_wrong_access_tokens_lock_their_address_only() {
    let attempts = Attempts::default();
    let (here, elsewhere) = (peer("192.0.2.1"), peer("192.0.2.2"));
    for number in 0..TOKEN_ATTEMPTS_MAX {
        let (line, wait) = attempts.fail_token(here, 0);
        assert_eq!(line == Line::Nothing, number >= LINES_MAX);
        assert_eq!(wait, None);
    }
    let (line, wait) = attempts.fail_token(here, 1);
    assert_eq!((line, wait.unwrap().is_first), (Line::Nothing, true));
    assert_eq!(attempts.fail_token(elsewhere, 1), (Line::Whole, None));
    assert_eq!(attempts.fail_token(here, WINDOW_US), (Line::Whole, None));
    assert_eq!(attempts.tokens.read(), (52, 1));
}
