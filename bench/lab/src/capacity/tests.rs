use super::*;
use crate::figures::{DIRECT, OURS};
use crate::kept::{OpenLoop, Trial};
use crate::sample::{Sample, matrix};

/// Returns a run in which a request costs 40 microseconds on one core, apart from the drift.
fn run() -> Run {
    let sample = Sample {
        seed: 1,
        turns: 3,
        sides: vec![(DIRECT, 0.0), (OURS, 40.0)],
        cells: matrix(&["get"], &[10, 100, 1000], &[102]),
        noise: 0.01,
    };
    sample.run()
}

#[test]
fn nodes_follow_from_cost_and_from_the_largest_load_within_the_bound() {
    let run = run();
    let capacity = plan(std::slice::from_ref(&run), 100_000.0, 20.0);
    let [need] = capacity.needs.as_slice() else {
        panic!("one kind of call: {capacity:?}");
    };
    assert_eq!((need.call.as_str(), need.cores_of_node), ("get, 102 B", 1));
    assert!((need.cores - 100_000.0 * need.cpu_us / 1e6 / 0.7).abs() < 1e-9);
    assert_eq!(need.nodes_by_throughput, need.cores.ceil() as u64);
    let ByLatency::Nodes {
        nodes,
        per_second,
        p99_ms,
        ..
    } = need.latency
    else {
        panic!("{need:?}");
    };
    assert!(p99_ms <= 20.0);
    assert_eq!(nodes, (100_000.0 / (0.7 * per_second)).ceil() as u64);
    assert_eq!(need.nodes(), Some(nodes.max(need.nodes_by_throughput)));
    let text = capacity.to_string();
    assert!(
        text.contains("share of a Redis: none: limits are local"),
        "{text}"
    );
    assert!(text.contains("- Nodes share nothing"), "{text}");
    let judge = "adobe-single quick of 2026-11-21T09:30:00Z, commit a39959a0c2f1, A processor of";
    assert!(text.contains(judge), "{text}");
    let row = text
        .lines()
        .find(|line| line.starts_with("get, 102 B"))
        .unwrap();
    assert!(row.contains(&short(need.memory_peak_mib)), "{row}");
}

#[test]
fn capacity_of_an_open_loop_uses_its_trials_instead_of_the_common_rate() {
    let closed = run();
    let with_users = plan(std::slice::from_ref(&closed), 100_000.0, 20.0);
    let mut open = closed;
    let rounds = open
        .cells
        .iter()
        .flat_map(|cell| cell.rounds.iter().cloned());
    let trials = rounds.map(|round| Trial {
        per_second: round.outcome.per_second(),
        round,
    });
    let open_loop = OpenLoop {
        per_second: Some(1_000.0),
        p99_ms_max: 20.0,
        trials: trials.collect(),
    };
    open.cells.truncate(1);
    open.cells[0].open_loop = Some(open_loop);
    open.cells[0].rounds.clear();
    let at_rates = plan(&[open], 100_000.0, 20.0);
    let nodes = |capacity: &Capacity| match capacity.needs[0].latency {
        ByLatency::Nodes { nodes, .. } => nodes,
        ByLatency::Never { p99_ms } => panic!("{p99_ms}"),
    };
    assert_eq!(nodes(&at_rates), nodes(&with_users));
}

#[test]
fn a_bound_that_every_load_exceeds_gives_no_number_of_nodes() {
    let capacity = plan(&[run()], 1_000.0, 0.1);
    assert_eq!(capacity.needs[0].nodes(), None);
    assert!(
        capacity
            .to_string()
            .contains("no load: the lowest p99 measured is")
    );
}

#[test]
fn a_small_load_needs_one_node_and_invalid_cells_are_named() {
    let mut run = run();
    for round in &mut run.cells[0].rounds {
        round
            .outcome
            .errors
            .insert("timeout".to_owned(), 50_000_000);
    }
    let capacity = plan(&[run], 10.0, 1_000.0);
    assert_eq!(capacity.needs[0].nodes(), Some(1));
    assert_eq!(
        capacity.left_out,
        ["get, 102 B, 10 users: invalid, too many errors"]
    );
}
