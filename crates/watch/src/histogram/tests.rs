use super::*;

#[test]
fn a_time_is_counted_at_the_first_bound_that_is_not_shorter() {
    for bounds in [&Bounds::WHOLE, &Bounds::OWN] {
        let mut histogram = Histogram::new(bounds);
        let last = bounds.us[bounds.us.len() - 1];
        for us in [0, bounds.us[0], bounds.us[0] + 1, last, last + 1] {
            histogram.add(us);
        }
        let buckets: Vec<_> = histogram.buckets().map(|(_, count)| count).collect();
        assert_eq!(buckets[..2], [2, 3]);
        assert_eq!(buckets.last(), Some(&4));
        assert_eq!(histogram.count(), 5);
    }
}

#[test]
fn labels_are_the_bounds_in_seconds() {
    for bounds in [&Bounds::WHOLE, &Bounds::OWN] {
        assert_eq!(bounds.us.len(), bounds.labels.len());
        for (&us, label) in bounds.us.iter().zip(bounds.labels) {
            assert_eq!(label.parse(), Ok(seconds(us)));
        }
    }
}
