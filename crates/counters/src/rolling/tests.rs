use proptest::prelude::*;

use super::*;

const PART_US: i64 = 1_000_000;
const NOW_US: i64 = 1_800_000_000_000_000;

fn terms(amount: u64) -> Terms {
    Terms {
        amount,
        ceiling: amount,
        part_us: PART_US,
    }
}

fn wait_us(judgement: Judgement) -> i64 {
    match judgement.unwrap_err().wait {
        Wait::After(us) => us,
        wait => panic!("{wait:?}"),
    }
}

#[test]
fn what_was_used_is_given_back_part_by_part() {
    let mut rolling = Rolling::default();
    for second in 0..4 {
        rolling.take(terms(4), NOW_US + second * PART_US).unwrap();
    }
    let now_us = NOW_US + 3 * PART_US;
    let wait_us = wait_us(rolling.take(terms(4), now_us));
    assert_eq!(wait_us, 14 * PART_US, "when the first part has left");
    assert!(rolling.take(terms(4), now_us + wait_us - 1).is_err());
    let next = rolling.take(terms(4), now_us + wait_us).unwrap();
    assert_eq!((next.remaining, next.reset_us), (0, 17 * PART_US));
}

#[test]
fn a_call_is_put_back_only_while_its_part_counts() {
    let mut rolling = Rolling::default();
    let first = rolling.take(terms(9), NOW_US).unwrap().word;
    rolling.take(terms(9), NOW_US + PART_US).unwrap();
    rolling.put_back(first);
    rolling.put_back(first);
    assert_eq!(rolling.used(PART_US, NOW_US + PART_US), 1);
    let later_us = NOW_US + 17 * PART_US;
    rolling.take(terms(9), later_us).unwrap();
    rolling.put_back(first);
    assert_eq!(rolling.used(PART_US, later_us), 2);
}

#[test]
fn clocks_that_differ_use_the_same_part_and_one_set_back_is_followed() {
    let mut rolling = Rolling::default();
    rolling.take(terms(2), NOW_US).unwrap();
    rolling.take(terms(2), NOW_US - 5 * PART_US).unwrap();
    assert!(rolling.take(terms(2), NOW_US).is_err());
    assert!(rolling.take(terms(2), NOW_US - 300 * PART_US).is_ok());
    let a_day_later_us = NOW_US + 86_400 * PART_US;
    assert_eq!(rolling.take(terms(2), a_day_later_us).unwrap().remaining, 1);
}

#[test]
fn a_lowered_limit_refuses_until_enough_has_left() {
    let mut rolling = Rolling::default();
    for _ in 0..10 {
        rolling.take(terms(10), NOW_US).unwrap();
    }
    assert_eq!(wait_us(rolling.take(terms(3), NOW_US)), 17 * PART_US);
    assert!(rolling.take(terms(11), NOW_US).is_ok());
}

proptest! {
    #[test]
    fn no_window_admits_more_and_a_wait_suffices(
        steps in prop::collection::vec(0_i64..3 * PART_US, 1..300),
        amount in 1_u64..40,
    ) {
        let (mut rolling, mut now_us) = (Rolling::default(), NOW_US);
        let mut admitted: Vec<i64> = Vec::new();
        for step in steps {
            now_us += step;
            match rolling.take(terms(amount), now_us) {
                Ok(_) => admitted.push(now_us),
                Err(_) => {
                    let mut later = rolling.clone();
                    let wait_us = wait_us(later.take(terms(amount), now_us));
                    prop_assert!(later.take(terms(amount), now_us + wait_us).is_ok());
                }
            }
            let from_us = now_us - 16 * PART_US;
            let within = admitted.iter().filter(|&&at_us| at_us > from_us).count();
            prop_assert!(u64::try_from(within).unwrap() <= amount);
        }
    }
}
