use super::*;
use crate::sample::{Sample, matrix};

fn run() -> Run {
    let sample = Sample {
        seed: 1,
        turns: 5,
        sides: vec![("direct", 0.0), ("nginx-plain", 25.0), (OURS, 30.0)],
        cells: matrix(&["get"], &[100], &[102]),
        noise: 0.01,
    };
    sample.run()
}

#[test]
fn sides_are_ordered_ours_first_and_direct_last() {
    assert_eq!(sides(&run()), [OURS, "nginx-plain", DIRECT]);
}

#[test]
fn the_added_time_is_the_difference_of_neighbours() {
    let run = run();
    let cell = &run.cells[0];
    let ours = Measured::from_cell(cell, OURS).unwrap();
    let added = ours.added.unwrap();
    let differences = neighbours(cell, OURS, DIRECT)
        .iter()
        .map(|(through, direct)| {
            through.outcome.latency.mean_us() - direct.outcome.latency.mean_us()
        })
        .collect::<Vec<f64>>();
    assert_eq!(differences.len(), 5);
    assert_eq!(Some(added.mean_us), median(&differences));
    assert!(added.mean_us > 0.0 && added.p99_us > added.p50_us);
    assert!(Measured::from_cell(cell, DIRECT).unwrap().added.is_none());
}

#[test]
fn an_invalid_round_is_left_out_of_the_figures_and_counted_in_the_errors() {
    let mut run = run();
    let before = Measured::from_cell(&run.cells[0], OURS).unwrap().per_second;
    let spoiled = run.cells[0]
        .rounds
        .iter_mut()
        .find(|round| round.side == OURS)
        .unwrap();
    // As in WSO2's table: many responses per second, all of them errors.
    spoiled
        .outcome
        .errors
        .insert("status 500".to_owned(), 241_540);
    spoiled.outcome.successes = 1;
    let ours = Measured::from_cell(&run.cells[0], OURS).unwrap();
    assert_eq!(ours.state, State::Invalid);
    assert_eq!((ours.rounds.len(), ours.rounds_all), (4, 5));
    assert_eq!(ours.error_count(), 241_540);
    assert!((ours.per_second / before - 1.0).abs() < 0.1);
}

#[test]
fn a_stall_is_latency_beyond_the_median_plus_a_millisecond() {
    let mut latency = Histogram::default();
    for _ in 0..99 {
        latency.note(2_000);
    }
    assert!(stalled(&latency) < 1e-9);
    latency.note(100_000);
    // 97 of 298 milliseconds, apart from the histogram's error.
    assert!((stalled(&latency) - 97.0 / 298.0).abs() < 0.001);
}

#[test]
fn a_busy_generator_and_back_end_make_a_round_load_bound() {
    let run = run();
    let state = |side| Measured::from_cell(&run.cells[0], side).unwrap().state;
    // Together they cost 18 microseconds on one core, and the gateway 30 on another.
    assert_eq!(state(OURS), State::Sound);
    assert_eq!(state("nginx-plain"), State::LoadBound);
    assert_eq!(state(DIRECT), State::LoadBound);
}

#[test]
fn the_name_of_a_cell_contains_all_its_conditions() {
    let mut cell = run().cells.remove(0);
    assert_eq!(cell_name(&cell), "get, 102 B, 100 users");
    cell.message_bytes = 10_240;
    cell.delay_ms = 30;
    cell.parameters.insert("keys".to_owned(), 1000);
    assert_eq!(
        cell_name(&cell),
        "get, 10 KiB, 100 users, delay 30 ms, keys 1000"
    );
}
