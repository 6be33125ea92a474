use proptest::prelude::*;
use tollgate_model::record::Answered;
use tollgate_model::refusal::Refusal;

use super::*;

/// A call made of numbers.
fn record(numbers: [u32; 6]) -> Record {
    let [a, b, c, d, e, f] = numbers;
    Record {
        status: (a % 600) as u16,
        upstream_status: (b % 2 * 200) as u16,
        refusal: (c % 3 == 0).then_some(Refusal::NoApi),
        answered: Answered::new(
            AnsweredBy::ALL[(d % 5) as usize],
            CacheUse::ALL[(e % 6) as usize],
        ),
        flags: Flags::from_bits((f % 16) as u8).unwrap(),
        bytes_in: a.into(),
        bytes_out: b.into(),
        total_us: c,
        before_us: d,
        upstream_us: e % 3,
        mediate_us: (f >> 8) as u16,
        ..Record::default()
    }
}

/// A call of which only these parts were read.
fn partial(record: &Record, parts: &[Part]) -> Record {
    let mut partial = Record::default();
    if parts.contains(&Part::Outcome) {
        partial.status = record.status;
        partial.upstream_status = record.upstream_status;
        partial.refusal = record.refusal;
        partial.answered = record.answered;
        partial.flags = record.flags;
    }
    if parts.contains(&Part::Bytes) {
        (partial.bytes_in, partial.bytes_out) = (record.bytes_in, record.bytes_out);
    }
    if parts.contains(&Part::Times) {
        partial.total_us = record.total_us;
        partial.before_us = record.before_us;
        partial.upstream_us = record.upstream_us;
        partial.mediate_us = record.mediate_us;
    }
    partial
}

proptest! {
    #[test]
    fn several_calls_with_the_same_measures_are_counted_at_once(
        numbers in any::<[u32; 6]>(), calls in 1_u64..5,
    ) {
        let one = Measures::from_call(&Measured::new(&record(numbers)));
        let mut sums = Measures::default();
        (0..calls).for_each(|_| sums.add(&one));
        prop_assert_eq!(one.times(calls), sums);
    }

    #[test]
    fn a_measure_is_made_of_its_parts(numbers in any::<[u32; 6]>()) {
        let record = record(numbers);
        let whole = Measures::from_call(&Measured::new(&record)).values();
        for (at, measure) in MEASURES.iter().enumerate() {
            let partial = partial(&record, measure.parts);
            let value = Measures::from_call(&Measured::new(&partial)).values()[at];
            prop_assert_eq!(value, whole[at], "{}", measure.name);
        }
    }
}
