use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn sketch_of(times: &[u32]) -> Sketch {
    let mut sketch = Sketch::default();
    times.iter().for_each(|us| sketch.add(*us));
    sketch
}

fn bytes_of(sketch: &Sketch) -> Vec<u8> {
    let mut bytes = Vec::new();
    sketch.push_to(&mut bytes);
    bytes
}

/// Times of any magnitude.
fn time() -> impl Strategy<Value = u32> {
    (any::<u32>(), 0..32_u32).prop_map(|(us, shift)| us >> shift)
}

proptest! {
    #[test]
    fn a_percentile_is_within_two_percent(
        mut times in vec(time(), 1..500),
        share in prop::sample::select(vec![0.001, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0]),
    ) {
        let seen = sketch_of(&times).quantile(share).unwrap();
        times.sort_unstable();
        let rank = (times.len() as f64 * share).ceil() as usize;
        let exact = times[rank.max(1) - 1];
        let difference = f64::from(seen.abs_diff(exact));
        prop_assert!(difference <= f64::from(exact) * 0.02, "{seen} for {exact}");
    }

    #[test]
    fn sketches_merge_exactly_also_as_bytes(
        one in vec(time(), 0..200),
        other in vec(time(), 0..200),
    ) {
        let all: Vec<u32> = one.iter().chain(&other).copied().collect();
        let mut merged = sketch_of(&one);
        merged.merge(&sketch_of(&other));
        prop_assert_eq!(&merged, &sketch_of(&all));
        let mut read = Sketch::default();
        for sketch in [sketch_of(&one), sketch_of(&other)] {
            read.merge_bytes(&bytes_of(&sketch)).unwrap();
        }
        prop_assert_eq!(read, merged);
    }

    #[test]
    fn other_bytes_are_a_sketch_or_none(bytes in vec(any::<u8>(), 0..40)) {
        let mut read = Sketch::default();
        if read.merge_bytes(&bytes).is_some() {
            let mut again = Sketch::default();
            again.merge_bytes(&bytes_of(&read)).unwrap();
            prop_assert_eq!(again, read);
        }
    }
}

#[test]
fn a_bucket_counts_more_calls_than_32_bits() {
    let times: Vec<u32> = (0..40).collect();
    let mut sketch = sketch_of(&times);
    let many = u64::from(u32::MAX) - 1;
    for (bucket, calls) in [(7, many), (7, 1), (60, many), (7, 1), (7, u64::MAX >> 1)] {
        sketch.merge_bucket(bucket, calls);
    }
    let mut counted = Vec::new();
    sketch.each(|bucket, calls| counted.push((bucket, calls)));
    let calls = |bucket| match bucket {
        7 => 1 + many + 2 + (u64::MAX >> 1),
        60 => many,
        _ => 1,
    };
    let expected: Vec<_> = (0..40).chain([60]).map(|it| (it, calls(it))).collect();
    assert_eq!(counted, expected);
    let mut read = Sketch::default();
    read.merge_bytes(&bytes_of(&sketch)).unwrap();
    assert_eq!(read, sketch);
}

#[test]
fn a_sketch_of_much_the_same_times_is_small() {
    let times: Vec<u32> = (0..10_000).map(|at| 900 + at % 200).collect();
    assert!(bytes_of(&sketch_of(&times)).len() < 40);
    let all: Vec<u32> = (0..32).flat_map(|shift| [1 << shift, 3 << shift]).collect();
    assert!(bytes_of(&sketch_of(&all)).len() < 200);
    assert_eq!(BUCKETS, 896);
    assert_eq!(Sketch::default().quantile(0.5), None);
}
