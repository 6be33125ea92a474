use tollgate_model::plan::{Algorithm, Limit, Per, Window};

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
        algorithm,
        ..Limit::requests(Per::SUBSCRIPTION, amount, window)
    };
    ServedLimit::compile(&limit, NOW_US)
}

fn after_us(wait: Wait) -> i64 {
    match wait {
        Wait::After(us) => us,
        Wait::Release | Wait::Never => panic!("{wait:?}"),
    }
}

/// Takes one call; returns the new word.
fn taken(limit: &ServedLimit, word: Word, now_us: i64) -> Word {
    judge(limit, word, 1, now_us).unwrap().word
}

#[test]
fn a_window_holds_its_amount_and_the_next_begins_at_its_end() {
    let limit = limit(Window::MINUTE, 2);
    let now = NOW_US + 20_000_000;
    let first = judge(&limit, EMPTY, 1, now).unwrap();
    assert_eq!((first.remaining, first.reset_us), (1, 40_000_000));
    let second = judge(&limit, first.word, 1, now).unwrap();
    assert_eq!(second.remaining, 0);
    let wait_us = after_us(judge(&limit, second.word, 1, now).unwrap_err().wait);
    assert_eq!(wait_us, 40_000_000);
    assert!(judge(&limit, second.word, 1, now + wait_us - 1).is_err());
    assert_eq!(
        judge(&limit, second.word, 1, now + wait_us)
            .unwrap()
            .remaining,
        1
    );
}

#[test]
fn a_call_with_a_clock_behind_is_charged_to_the_window_that_has_begun() {
    let limit = limit(Window::MINUTE, 2);
    let begun = taken(&limit, EMPTY, NOW_US);
    let late = judge(&limit, begun, 1, NOW_US - 5).unwrap();
    assert_eq!((late.remaining, late.reset_us), (0, MINUTE_US + 5));
    let shortfall = judge(&limit, late.word, 1, NOW_US - 5).unwrap_err();
    assert_eq!(after_us(shortfall.wait), MINUTE_US + 5);
}

#[test]
fn a_clock_set_far_back_is_followed() {
    let minute = limit(Window::MINUTE, 2);
    let full = taken(&minute, taken(&minute, EMPTY, NOW_US), NOW_US);
    assert!(judge(&minute, full, 1, NOW_US - 60_000_000).is_err());
    assert!(judge(&minute, full, 1, NOW_US - 61_000_000).is_ok());
    // A quota is not granted twice because a clock steps back over midnight.
    let day = limit(Window::DAY, 1);
    let full = taken(&day, EMPTY, NOW_US);
    assert!(judge(&day, full, 1, NOW_US - 3_000_000_000).is_err());
    assert!(judge(&day, full, 1, NOW_US - 4_000_000_000).is_ok());
}

#[test]
fn a_unit_is_returned_to_its_own_window_only() {
    let limit = limit(Window::MINUTE, 10);
    let one = taken(&limit, EMPTY, NOW_US);
    let two = taken(&limit, one, NOW_US);
    assert_eq!(returned(two, one, 1), Some(one));
    let next = taken(&limit, two, NOW_US + MINUTE_US);
    assert_eq!(returned(next, two, 1), None);
}

#[test]
fn the_largest_amount_and_index_fit() {
    let most = AMOUNT_MAX;
    let limit = limit(Window::SECOND, most);
    for index in [0, 1_728_000_000, tollgate_model::limit::INDEX_MAX] {
        let now_us = i64::from(index) * 1_000_000;
        let last = judge(&limit, join(index, most - 1), 1, now_us).unwrap();
        assert_eq!((last.remaining, last.word), (0, join(index, most)));
        assert_eq!(split(last.word), (index + 1, most));
        assert!(judge(&limit, last.word, 1, now_us).is_err());
        assert_eq!(u128::from(last.word) % (1 << 48), 0, "no unit is granted");
    }
}

#[test]
fn a_lowered_limit_refuses_until_the_window_ends() {
    let minute = limit(Window::MINUTE, 3);
    let word = join(minute.span(NOW_US).unwrap().index, 1 << 40);
    let shortfall = judge(&minute, word, 1, NOW_US).unwrap_err();
    assert_eq!(after_us(shortfall.wait), MINUTE_US);
    assert_eq!(
        judge(&minute, word, 1, NOW_US + MINUTE_US)
            .unwrap()
            .remaining,
        2
    );
}

#[test]
fn the_greater_word_is_the_later_window_or_has_more_usage() {
    let words = [
        EMPTY,
        join(0, 0),
        join(0, 1),
        join(0, 1 << 47),
        join(1, 0),
        join(u32::MAX - 1, 0),
    ];
    assert!(words.is_sorted_by(|one, other| one < other));
}
