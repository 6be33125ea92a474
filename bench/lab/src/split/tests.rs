use super::*;
use crate::published::Beside;
use crate::sample::{Sample, matrix};
use crate::{brief, report, summary};

/// Returns a run in which a call costs nginx 4 us of user time and 8 of system, and Tollgate 3 and
/// 9, by threads with their names; each turn is slower than the one before.
fn run() -> Run {
    let mut run = Sample {
        seed: 7,
        turns: 5,
        sides: vec![("direct", 0.0), ("nginx-plain", 13.0), ("tollgate", 13.0)],
        cells: matrix(&["get"], &[100, 1000], &[102]),
        noise: 0.0,
    }
    .run();
    run.split = Some(Split {
        to: "nginx-plain".to_owned(),
        threads: ["worker", "nginx"].map(str::to_owned).into(),
    });
    for round in run.cells.iter_mut().flat_map(|cell| &mut cell.rounds) {
        let (name, user_us, system_us) = match round.side.as_str() {
            "tollgate" => ("worker", 3, 9),
            _ => ("nginx", 4, 8),
        };
        let factor = round.outcome.successes * u64::from(1 + round.turn);
        if let Some(gateway) = round.processes.get_mut(GATEWAY) {
            let threads = [(name, user_us + system_us), ("slow", 100)];
            let named = |(name, us): (&str, u64)| (name.to_owned(), us * factor);
            gateway.threads_us = threads.map(named).into();
            gateway.threads_user_us = [(name, user_us), ("slow", 50)].map(named).into();
        }
    }
    run
}

#[test]
fn the_named_threads_are_compared_by_user_time_and_by_both_in_each_turn() {
    let run = run();
    let rows = all(&run);
    let described: Vec<_> = rows
        .iter()
        .map(|it| (it.side, it.place(), it.figures().join(" | ")))
        .collect();
    let ours = "9.00 | 27.0 | 36.0 | 0.750 (0.750 to 0.750) | 1.000 (1.000 to 1.000)";
    let theirs = "12.0 | 24.0 | 36.0 |  | ";
    let row =
        |side, users, figures: &str| (side, format!("102 B, {users} users"), figures.to_owned());
    // The back end has no gateway.
    let expected = [
        row("tollgate", 100, ours),
        row("nginx-plain", 100, theirs),
        row("tollgate", 1000, ours),
        row("nginx-plain", 1000, theirs),
    ];
    assert_eq!(described, expected);
}

#[test]
fn times_of_threads_are_in_all_outputs() {
    let mut run = run();
    let line = "thread_user_ratio_tollgate=0.750 (0.750 to 0.750) at 102 B, 1000 users\n";
    let row = "| get, 102 B, 100 users | tollgate | 9.00 | 27.0 | 36.0 | 0.750 (0.750 to 0.750) |";
    let texts = |run: &Run| {
        let html = report::html(run, &Beside::default());
        (
            brief::lines(run) + &brief::table(run),
            summary::markdown(run),
            html,
        )
    };
    let (brief, markdown, html) = texts(&run);
    assert!(brief.contains(line), "{brief}");
    assert!(brief.contains("user to nginx-plain (95 %)"), "{brief}");
    assert!(markdown.contains(row), "{markdown}");
    assert!(html.contains("<h2>User and system</h2>"));
    // A run that does not compare threads has none of it.
    run.split = None;
    let (brief, markdown, html) = texts(&run);
    assert!(!brief.contains("thread"), "{brief}");
    assert!(!markdown.contains("system us/request") && !html.contains("User and system"));
}

#[test]
fn a_side_without_such_threads_has_no_row_and_an_invalid_round_no_ratio() {
    let mut run = run();
    run.cells.truncate(1);
    for round in &mut run.cells[0].rounds {
        if round.turn < 4 && round.side == "nginx-plain" {
            round
                .outcome
                .errors
                .insert("refused".to_owned(), round.outcome.successes);
        }
    }
    let rows = all(&run);
    let ratio = rows[0].ratios.unwrap().user;
    assert_eq!((ratio.value, ratio.low, ratio.high), (0.75, 0.75, 0.75));
    assert_eq!(rows[1].median.user_us, 20.0, "only the last turn is valid");
    run.split.as_mut().unwrap().threads = vec!["worker".to_owned()];
    let rows = all(&run);
    assert_eq!(rows.len(), 1);
    assert!(rows[0].ratios.is_none());
}
