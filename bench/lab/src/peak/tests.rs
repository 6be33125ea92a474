use super::*;
use crate::kept::OpenLoop;
use crate::sample::{Sample, matrix};

/// Rounds of a side whose 99th percentile is above this bound, and of one where it is below.
fn rounds() -> (Round, Round, f64) {
    let sample = Sample {
        seed: 1,
        turns: 1,
        sides: vec![("direct", 0.0)],
        cells: matrix(&["get"], &[100, 1000], &[102]),
        noise: 0.0,
    };
    let cells = sample.run().cells;
    let p99_us = |round: &Round| round.outcome.latency.quantile_us(0.99) as f64;
    let [fast, slow] = [0, 1].map(|at| cells[at].rounds[0].clone());
    let bound_ms = f64::midpoint(p99_us(&fast), p99_us(&slow)) / 1e3;
    (fast, slow, bound_ms)
}

fn searched(borne: f64, spoilt: &[u32]) -> (Vec<Trial>, Option<f64>) {
    let (fast, slow, p99_ms_max) = rounds();
    let trials = search(100_000.0, p99_ms_max, |per_second, trial, _| {
        let is_fast = per_second <= borne && !spoilt.contains(&trial);
        let round = if is_fast { &fast } else { &slow };
        Ok(round.clone())
    });
    let found = OpenLoop {
        per_second: 0.0,
        p99_ms_max,
        trials: trials.unwrap(),
    };
    let peak = found.peak("direct");
    (found.trials, peak)
}

#[test]
fn the_highest_rate_is_found_to_a_thirtieth_of_the_ceiling() {
    for borne in [4_000.0, 31_000.0, 50_000.0, 77_777.0, 99_999.0] {
        let (_, peak) = searched(borne, &[]);
        let peak = peak.unwrap();
        let too_low = borne - peak;
        assert!((0.0..=3_125.0).contains(&too_low), "{peak} of {borne}");
    }
    let (trials, peak) = searched(0.0, &[]);
    assert_eq!((trials.len(), peak), (10, None), "each rate is tried twice");
}

#[test]
fn one_spoilt_trial_of_a_rate_does_not_count() {
    let (quiet, peak) = searched(77_777.0, &[]);
    let (disturbed, same) = searched(77_777.0, &[0]);
    assert_eq!(same, peak);
    assert_eq!(disturbed.len(), quiet.len() + 1);
}

#[test]
fn the_first_error_ends_the_search() {
    let ended = search(1_000.0, 10.0, |_, _, _| anyhow::bail!("stopped"));
    assert_eq!(ended.unwrap_err().to_string(), "stopped");
}
