use proptest::prelude::*;

use super::*;

const NOW_US: i64 = 1_800_000_000_000_000;
/// 100 calls a second, 20 at once.
const BUCKET: (u64, u64) = (10_000_000, 20);
const NS: u64 = 1_000_000_000;

fn bucket() -> Bucket {
    Bucket::new(NS, 100, BUCKET.1)
}

fn after_us(wait: Wait) -> i64 {
    match wait {
        Wait::After(us) => us,
        Wait::Release | Wait::Never => panic!("{wait:?}"),
    }
}

/// Takes calls at `now_us` until one is refused; returns how many, the word, and the wait.
fn emptied(bucket: &Bucket, mut word: Word, now_us: i64) -> (u64, Word, i64) {
    for count in 0.. {
        match bucket.judge(word, 1, now_us) {
            Ok(admission) => word = admission.word,
            Err(shortfall) => return (count, word, after_us(shortfall.wait)),
        }
    }
    unreachable!("a bucket has a bottom")
}

#[test]
fn a_full_bucket_admits_its_burst_and_then_its_rate() {
    let (burst, word, wait_us) = emptied(&bucket(), Word::default(), NOW_US);
    assert_eq!((burst, wait_us), (20, 10_000));
    assert!(bucket().judge(word, 1, NOW_US + wait_us - 1).is_err());
    assert_eq!(emptied(&bucket(), word, NOW_US + wait_us).0, 1);
    assert_eq!(emptied(&bucket(), word, NOW_US + 50_000).0, 5);
    assert_eq!(emptied(&bucket(), word, NOW_US + 10_000_000).0, 20);
}

#[test]
fn calls_of_several_units_take_the_burst_and_no_more() {
    // Units a second, units of a call, the burst, and how many calls are admitted at once.
    let rows = [
        (100, 1, 20, 20),
        (100, 7, 20, 2),
        (3, 1, 7, 7),
        // A call costs a nanosecond at most more than its share.
        (700_000_000, 1_000, 1_000_000, 999),
        (1 << 40, 10_000, 1_000_000, 91),
        (1 << 40, 1_000_000, 1_000_000, 1),
    ];
    for (amount, units, burst, expected) in rows {
        let bucket = Bucket::of_units(NS, amount, burst);
        let mut word = Word::default();
        let mut calls = 0;
        while let Ok(admission) = bucket.judge(word, units, NOW_US) {
            (word, calls) = (admission.word, calls + 1);
        }
        assert_eq!(
            calls, expected,
            "{amount} a second, {units} each, {burst} at once"
        );
    }
}

#[test]
fn the_remaining_calls_can_be_taken_and_no_more() {
    let first = bucket().judge(Word::default(), 1, NOW_US).unwrap();
    assert_eq!((first.remaining, first.reset_us), (19, 10_000));
    assert_eq!(emptied(&bucket(), first.word, NOW_US).0, first.remaining);
    assert_eq!(full_us(first.word), NOW_US + first.reset_us);
}

#[test]
fn a_raised_limit_acts_within_a_second() {
    // Ten calls a minute, used up, is a minute of debt. Then the limit becomes 600 a minute.
    let (_, word, wait_us) = emptied(&Bucket::new(60 * NS, 10, 10), Word::default(), NOW_US);
    assert_eq!(wait_us, 6_000_000);
    let raised = Bucket::new(60 * NS, 600, 10);
    let shortfall = raised.judge(word, 1, NOW_US).unwrap_err();
    let settled = shortfall
        .settled
        .expect("more debt than the new limit allows");
    assert_eq!(after_us(shortfall.wait), 100_000);
    let (admitted, ..) = emptied(&raised, settled, NOW_US + 1_000_000);
    assert_eq!(admitted, 10);
}

#[test]
fn extreme_buckets_fit_a_word() {
    for (interval_ns, burst) in [(u64::MAX, 1), (31_556_952_000_000_000, 1_000_000), (1, 1)] {
        let bucket = Bucket::new(interval_ns, 1, burst);
        assert!(bucket.judge(Word::default(), 1, i64::MAX).is_ok());
        assert!(
            bucket
                .judge(
                    Word {
                        high: 0,
                        low: u64::MAX
                    },
                    1,
                    -1
                )
                .is_err()
        );
    }
}

#[test]
fn a_call_is_returned_unless_the_bucket_was_full_since() {
    let one = bucket().judge(Word::default(), 1, NOW_US).unwrap().word;
    let two = bucket().judge(one, 1, NOW_US + 3).unwrap().word;
    assert_eq!(bucket().returned(two, one, 1), Some(one));
    // Full since, and by chance after a whole number of intervals: returning it would mint a call.
    for later_us in [10_500, 20_000, 30_000] {
        let later = bucket().judge(one, 1, NOW_US + later_us).unwrap().word;
        assert_eq!(bucket().returned(later, one, 1), None);
    }
}

#[test]
fn a_call_with_forgiven_debt_is_not_returned() {
    let (_, taken, _) = emptied(&Bucket::new(60 * NS, 10, 10), Word::default(), NOW_US);
    let raised = Bucket::new(60 * NS, 600, 10);
    let settled = raised.judge(taken, 1, NOW_US).unwrap_err().settled.unwrap();
    assert_eq!(raised.returned(settled, taken, 1), None);
}

proptest! {
    #[test]
    fn no_interval_admits_more_than_burst_and_rate(
        steps in prop::collection::vec(0_i64..30_000, 1..300),
    ) {
        let (mut word, mut now_us) = (Word::default(), NOW_US);
        let mut admitted = Vec::new();
        for step in steps {
            now_us += step;
            if let Ok(admission) = bucket().judge(word, 1, now_us) {
                word = admission.word;
                admitted.push(now_us);
            }
        }
        for (first, &from_us) in admitted.iter().enumerate() {
            for (last, &to_us) in admitted.iter().enumerate().skip(first) {
                let count = u64::try_from(last - first + 1).unwrap();
                let earned = u64::try_from(to_us - from_us).unwrap() * 1_000 / BUCKET.0;
                prop_assert!(count <= BUCKET.1 + earned);
            }
        }
    }
}
