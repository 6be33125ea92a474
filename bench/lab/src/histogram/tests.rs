use super::*;

#[test]
fn a_histogram_is_read_back_as_it_was_written() {
    let mut histogram = Histogram::default();
    for latency_us in [0, 1, 250, 251, 1_000_000, LATENCY_US_MAX * 2] {
        histogram.note(latency_us);
    }
    let text = serde_json::to_string(&histogram).unwrap();
    let read: Histogram = serde_json::from_str(&text).unwrap();
    assert_eq!(read, histogram);
    assert_eq!((read.count(), read.shortest_us()), (6, 1));
    assert!(read.longest_us() >= LATENCY_US_MAX);
    assert_eq!(read.occurring().map(|(_, count)| count).sum::<u64>(), 6);
    for broken in ["\"\"", "\"AAAA\"", "\"not base64!\"", "7"] {
        assert!(
            serde_json::from_str::<Histogram>(broken).is_err(),
            "{broken}"
        );
    }
}
