use super::*;

/// Returns the peak found for a side that sustains `sustained`.
fn found(closed: f64, sustained: f64) -> f64 {
    let mut search = Search::below(closed);
    let mut peak = 0.0_f64;
    for _ in 0..RATES {
        let rate = search.rate();
        search.note(rate <= sustained);
        if rate <= sustained {
            peak = peak.max(rate);
        }
    }
    peak
}

#[test]
fn the_highest_rate_is_found_to_a_few_hundredths() {
    for sustained in [45_000.0, 79_000.0, 81_000.0, 99_000.0, 120_000.0, 160_000.0] {
        let peak = found(100_000.0, sustained);
        assert!(
            (0.94..=1.0).contains(&(peak / sustained)),
            "{peak} of {sustained}"
        );
    }
}

#[test]
fn a_slow_closed_loop_does_not_limit_the_peak() {
    let peak = found(100_000.0, 250_000.0);
    assert!(peak > 220_000.0, "{peak}");
}

#[test]
fn a_side_that_sustains_nothing_is_still_tried_at_positive_rates() {
    let mut search = Search::below(0.0);
    for _ in 0..RATES {
        assert!(search.rate() > 1e-3);
        search.note(false);
    }
}
