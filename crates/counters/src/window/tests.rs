use tollgate_model::plan::{Algorithm, Limit, Per};

use super::*;

const MINUTE_US: i64 = 60_000_000;
const DAY_US: i64 = 86_400_000_000;
const NOW_US: i64 = 20_000 * DAY_US;

fn limit(window: Window, amount: u64) -> ServedLimit {
    let algorithm = Algorithm::Fixed {
        zone: None,
        anchor: None,
    };
    let limit = Limit {
        per: Per::Subscription,
        amount,
        window,
        algorithm,
    };
    ServedLimit::compile(&limit, NOW_US)
}

/// Takes one call; returns the new word.
fn taken(limit: &ServedLimit, word: u64, now_us: i64) -> u64 {
    judge(limit, word.into(), now_us).unwrap().word.used
}

#[test]
fn a_window_holds_its_amount_and_the_next_begins_at_its_end() {
    let limit = limit(Window::MINUTE, 2);
    let now = NOW_US + 20_000_000;
    let first = judge(&limit, EMPTY.into(), now).unwrap();
    assert_eq!((first.remaining, first.reset_us), (1, 40_000_000));
    let second = judge(&limit, first.word, now).unwrap();
    assert_eq!(second.remaining, 0);
    let wait_us = judge(&limit, second.word, now).unwrap_err().retry_after_us;
    assert_eq!(wait_us, 40_000_000);
    assert!(judge(&limit, second.word, now + wait_us - 1).is_err());
    assert_eq!(
        judge(&limit, second.word, now + wait_us).unwrap().remaining,
        1
    );
}

#[test]
fn a_call_with_a_clock_behind_is_charged_to_the_window_that_has_begun() {
    let limit = limit(Window::MINUTE, 2);
    let begun = taken(&limit, EMPTY, NOW_US);
    let late = judge(&limit, begun.into(), NOW_US - 5).unwrap();
    assert_eq!((late.remaining, late.reset_us), (0, MINUTE_US + 5));
    let shortfall = judge(&limit, late.word, NOW_US - 5).unwrap_err();
    assert_eq!(shortfall.retry_after_us, MINUTE_US + 5);
}

#[test]
fn a_clock_set_far_back_is_followed() {
    let minute = limit(Window::MINUTE, 2);
    let full = taken(&minute, taken(&minute, EMPTY, NOW_US), NOW_US);
    assert!(judge(&minute, full.into(), NOW_US - 60_000_000).is_err());
    assert!(judge(&minute, full.into(), NOW_US - 61_000_000).is_ok());
    // A quota is not granted twice because a clock steps back over midnight.
    let day = limit(Window::DAY, 1);
    let full = taken(&day, EMPTY, NOW_US);
    assert!(judge(&day, full.into(), NOW_US - 3_000_000_000).is_err());
    assert!(judge(&day, full.into(), NOW_US - 4_000_000_000).is_ok());
}

#[test]
fn a_unit_is_returned_to_its_own_window_only() {
    let limit = limit(Window::MINUTE, 10);
    let one = taken(&limit, EMPTY, NOW_US);
    let two = taken(&limit, one, NOW_US);
    assert_eq!(returned(two.into(), one.into()), Some(one.into()));
    let next = taken(&limit, two, NOW_US + MINUTE_US);
    assert_eq!(returned(next.into(), two.into()), None);
}

#[test]
fn the_largest_amount_fits() {
    let most = tollgate_model::plan::AMOUNT_MAX;
    let limit = limit(Window::DAY, most);
    let word = join(20_000, most - 1);
    let last = judge(&limit, word.into(), NOW_US).unwrap();
    assert_eq!((last.remaining, split(last.word.used)), (0, (20_000, most)));
    assert!(judge(&limit, last.word, NOW_US).is_err());
}

#[test]
fn an_even_window_ends_like_its_limit_even_when_ids_wrap() {
    for window in [Window::SECOND, Window::MINUTE] {
        let limit = limit(window, 10);
        for now_us in [NOW_US, NOW_US + 200 * DAY_US, NOW_US + 40 * 365 * DAY_US] {
            let word = taken(&limit, EMPTY, now_us);
            let expected = limit.span(now_us).unwrap().end_us;
            for near_us in [now_us, now_us - DAY_US, now_us + 90 * DAY_US] {
                assert_eq!(even_end_us(window, word, near_us), expected);
                assert_eq!(end_us(&limit, word, near_us), expected);
            }
        }
    }
}
