use super::*;

/// The highest rate that is found to be borne of a side that bears this much.
fn found(closed: f64, borne: f64) -> f64 {
    let mut search = Search::below(closed);
    let mut peak = 0.0_f64;
    for _ in 0..RATES {
        let rate = search.rate();
        search.note(rate <= borne);
        if rate <= borne {
            peak = peak.max(rate);
        }
    }
    peak
}

#[test]
fn the_highest_rate_is_found_to_a_few_hundredths() {
    for borne in [45_000.0, 79_000.0, 81_000.0, 99_000.0, 120_000.0, 160_000.0] {
        let peak = found(100_000.0, borne);
        assert!((0.94..=1.0).contains(&(peak / borne)), "{peak} of {borne}");
    }
}

#[test]
fn a_slow_moment_at_the_beginning_does_not_bound_what_is_found() {
    let peak = found(100_000.0, 250_000.0);
    assert!(peak > 220_000.0, "{peak}");
}

#[test]
fn a_side_that_does_nothing_is_still_asked_for_a_possible_rate() {
    let mut search = Search::below(0.0);
    for _ in 0..RATES {
        assert!(search.rate() > 1e-3);
        search.note(false);
    }
}
