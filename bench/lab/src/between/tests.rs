use super::*;
use crate::published::Beside;
use crate::sample::{Sample, matrix};
use crate::{brief, report, summary};

/// Returns a run with `post` and a scenario that costs 1.2 times as much in each turn, for two
/// sizes.
fn run() -> Run {
    let cells = matrix(&["post", "soap-proxy"], &[20], &[102, 5120]);
    let sample = Sample {
        seed: 7,
        turns: 5,
        sides: vec![("direct", 0.0), ("tollgate", 13.0)],
        cells,
        noise: 0.0,
    };
    let mut run = sample.run();
    run.ratios = vec![Pair {
        name: "soap_proxy_cpu_ratio".to_owned(),
        of: "soap-proxy".to_owned(),
        to: "post".to_owned(),
        message_bytes: 5120,
        plus: None,
        threads: None,
    }];
    let (post, proxy) = run.cells.split_at_mut(2);
    for (post, proxy) in post.iter().zip(proxy) {
        proxy.rounds.clone_from(&post.rounds);
        for round in &mut proxy.rounds {
            if let Some(gateway) = round.processes.get_mut("gateway") {
                gateway.cpu_user_us = gateway.cpu_us() * 6 / 5;
                gateway.cpu_system_us = 0;
            }
        }
    }
    run
}

#[test]
fn a_scenario_is_compared_with_another_of_the_same_size() {
    let run = run();
    let all = all(&run);
    let places: Vec<String> = all.iter().map(Between::place).collect();
    assert_eq!(places, ["102 B, 20 users", "5 KiB, 20 users"]);
    assert!(all.iter().all(|it| it.value() == "1.200 (1.200 to 1.200)"));
}

#[test]
fn a_scenario_is_compared_with_the_sum_of_two_others() {
    let mut run = run();
    run.ratios[0].plus = Some("post".to_owned());
    let all = all(&run);
    assert_eq!(all[0].what(), "soap-proxy to post and post");
    assert_eq!(all[0].value(), "0.600 (0.600 to 0.600)");
    // Without a measurement of one of them there is no result.
    run.ratios[0].plus = Some("get".to_owned());
    assert_eq!(super::all(&run).len(), 0);
}

#[test]
fn ratios_are_in_all_outputs_and_the_last_line_is_the_last_ratio_at_its_size() {
    let mut run = run();
    let text = brief::lines(&run);
    let last = "soap_proxy_cpu_ratio=1.200 (1.200 to 1.200) at 5 KiB, 20 users";
    assert_eq!(text.lines().last(), Some(last));
    let table = brief::table(&run);
    assert!(table.contains("soap-proxy to post, 102 B, 20 users: 1.200 (1.200 to 1.200)"));
    let row = "| soap-proxy to post | 5 KiB, 20 users | 1.200 (1.200 to 1.200) |";
    assert!(summary::markdown(&run).contains(row));
    assert!(report::html(&run, &Beside::default()).contains("Between scenarios"));
    // Without a measurement there is no result.
    run.cells.retain(|cell| cell.scenario == "post");
    assert!(!brief::lines(&run).contains("soap_proxy"));
}

#[test]
fn a_comparison_may_be_a_difference_or_be_limited_to_some_threads_of_the_gateway() {
    let mut run = run();
    let [mut difference, mut workers] = [run.ratios[0].clone(), run.ratios[0].clone()];
    difference.name = "soap_proxy_us".to_owned();
    workers.threads = Some("worker".to_owned());
    (run.ratios, run.differences) = (vec![workers], vec![difference]);
    for (cell, worker_us) in run.cells.iter_mut().zip([10, 10, 15, 15]) {
        for round in &mut cell.rounds {
            let worker_us = worker_us * round.outcome.successes;
            if let Some(gateway) = round.processes.get_mut("gateway") {
                let threads = [("worker", worker_us), ("slow", 7)];
                gateway.threads_us = threads.map(|(name, it)| (name.to_owned(), it)).into();
            }
        }
    }
    let described: Vec<String> = all(&run)
        .iter()
        .map(|it| it.what() + ": " + &it.value())
        .collect();
    let workers = "soap-proxy to post, threads \"worker\": 1.500 (1.500 to 1.500)";
    assert_eq!(&described[..2], [workers, workers]);
    assert!(
        described[2].starts_with("soap-proxy less post: 2."),
        "{}",
        described[2]
    );
    assert!(
        brief::lines(&run).contains("\nsoap_proxy_us="),
        "{}",
        brief::lines(&run)
    );
    // Runs without times by thread have no such result.
    for round in run.cells.iter_mut().flat_map(|cell| &mut cell.rounds) {
        round
            .processes
            .values_mut()
            .for_each(|it| it.threads_us.clear());
    }
    assert!(all(&run).iter().all(|it| it.by == By::Difference));
}
