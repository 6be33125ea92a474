use super::*;
use crate::figures::DIRECT;
use crate::kept::OpenLoop;
use crate::sample::{Sample, matrix};

/// Returns a run of twenty gateway-bound cells, so that all three figures have verdicts.
fn sample(seed: u64, turns: u32, cost_us: f64) -> Run {
    let sample = Sample {
        seed,
        turns,
        sides: vec![(DIRECT, 0.0), ("nginx-plain", 36.0), (OURS, cost_us)],
        cells: matrix(&["get", "post"], &[50, 100, 300, 500, 1000], &[102, 5120]),
        noise: 0.015,
    };
    sample.run()
}

fn verdicts(comparison: &Comparison, figure: Figure) -> Vec<Verdict> {
    let rows = comparison.rows.iter().filter(|row| row.figure == figure);
    rows.filter_map(|row| match row.judged {
        Judged::Verdict(verdict) => Some(verdict),
        _ => None,
    })
    .collect()
}

fn count(comparison: &Comparison, figure: Figure, verdict: Verdict) -> usize {
    let verdicts = verdicts(comparison, figure);
    verdicts.iter().filter(|it| **it == verdict).count()
}

fn together(comparison: &Comparison, figure: Figure) -> &Together {
    let mut all = comparison.together.iter();
    all.find(|all| all.figure == figure).unwrap()
}

#[test]
fn two_runs_of_one_build_differ_in_at_most_one_of_twenty_cells() {
    for seed in 1..=4 {
        let comparison = compare(&sample(seed, 7, 30.0), &sample(100 + seed, 7, 30.0));
        for figure in Figure::ALL {
            let verdicts = verdicts(&comparison, figure);
            assert_eq!(verdicts.len(), 20, "{figure:?} of seed {seed}");
            let same = count(&comparison, figure, Verdict::NoChange);
            assert!(
                same >= 19,
                "{same} of {figure:?}, seed {seed}:\n{comparison}"
            );
        }
        assert_eq!(
            together(&comparison, Figure::Cpu).verdict,
            Verdict::NoChange
        );
    }
}

#[test]
fn a_build_that_is_slowed_by_a_tenth_is_found() {
    for seed in 1..=4 {
        let comparison = compare(&sample(seed, 7, 30.0), &sample(100 + seed, 7, 33.0));
        let worse = count(&comparison, Figure::Cpu, Verdict::Worse);
        assert!(worse >= 18, "{worse} cells, seed {seed}:\n{comparison}");
        assert_eq!(count(&comparison, Figure::Cpu, Verdict::Better), 0);
        let all = together(&comparison, Figure::Cpu);
        assert_eq!(all.verdict, Verdict::Worse);
        assert!((all.ratio.value - 1.1).abs() < 0.02, "{}", all.ratio.value);
        // Throughput falls as the cost rises; both verdicts are "worse".
        assert_eq!(
            together(&comparison, Figure::Throughput).verdict,
            Verdict::Worse
        );
    }
}

#[test]
fn five_rounds_suffice_for_all_cells_together_and_a_note_explains_why_not_for_each() {
    let comparison = compare(&sample(1, 5, 30.0), &sample(2, 5, 33.0));
    assert_eq!(count(&comparison, Figure::Cpu, Verdict::Worse), 0);
    assert_eq!(together(&comparison, Figure::Cpu).verdict, Verdict::Worse);
    let is_noted = comparison.notes.iter().any(|note| {
        note.starts_with("CPU us/request: 5 rounds a side cannot show a difference in one of 20")
    });
    assert!(is_noted, "{:?}", comparison.notes);
}

#[test]
fn runs_without_a_side_in_common_differ_only_beyond_the_drift() {
    let without_others = |seed, cost_us| {
        let mut run = sample(seed, 7, cost_us);
        for cell in &mut run.cells {
            cell.rounds.retain(|round| round.side == OURS);
        }
        run
    };
    let same = compare(&without_others(1, 30.0), &without_others(2, 30.0));
    assert_eq!(count(&same, Figure::Cpu, Verdict::NoChange), 20);
    assert!(same.notes[0].starts_with("the runs have no side in common"));
    let twice = compare(&without_others(1, 30.0), &without_others(2, 90.0));
    assert!(count(&twice, Figure::Cpu, Verdict::Worse) >= 18, "{twice}");
}

#[test]
fn a_rival_whose_binary_changed_is_no_yardstick() {
    let (a, mut b) = (sample(1, 5, 30.0), sample(2, 5, 30.0));
    assert_eq!(yardstick(&a, &b, &[OURS]), ["nginx-plain", DIRECT]);
    b.binaries
        .insert("nginx-plain".to_owned(), "other".to_owned());
    assert_eq!(yardstick(&a, &b, &[OURS]), [DIRECT]);
    // Nor is one with a different file besides its program.
    let mut b = sample(2, 5, 30.0);
    let name = "nginx-plain/module.so".to_owned();
    b.binaries.insert(name, "other".to_owned());
    assert_eq!(yardstick(&a, &b, &[OURS]), [DIRECT]);
}

#[test]
fn sides_of_one_run_are_compared_by_neighbouring_rounds() {
    let run = sample(3, 7, 30.0);
    let comparison = sides(&run, OURS, "nginx-plain");
    assert!(
        count(&comparison, Figure::Cpu, Verdict::Better) >= 18,
        "{comparison}"
    );
    let all = together(&comparison, Figure::Cpu);
    assert!((all.ratio.value - 30.0 / 36.0).abs() < 0.01);
    // The same cost: no side of a run is better than itself.
    let mut same = sample(4, 7, 36.0);
    same.binaries.clear();
    let comparison = sides(&same, OURS, "nginx-plain");
    assert!(
        count(&comparison, Figure::Cpu, Verdict::NoChange) >= 19,
        "{comparison}"
    );
}

/// As in the profile `rivals`: a turn takes minutes, and the machine drifts within it.
#[test]
fn many_sides_do_not_hide_a_difference_and_do_not_make_one() {
    let (mut found, mut made_up) = (0, 0);
    for seed in 1..=5 {
        let sample = Sample {
            seed,
            turns: 5,
            sides: vec![
                (OURS, 30.0),
                ("nginx-plain", 34.5),
                ("nginx-secured", 41.0),
                ("same", 30.0),
                ("envoy", 86.0),
                ("nginx-lua", 51.0),
                ("haproxy", 27.0),
            ],
            cells: matrix(&["get", "post"], &[100], &[102, 10_240]),
            noise: 0.02,
        };
        let run = sample.run();
        found += count(
            &sides(&run, OURS, "nginx-plain"),
            Figure::Cpu,
            Verdict::Better,
        );
        let same = sides(&run, OURS, "same");
        made_up += 4 - count(&same, Figure::Cpu, Verdict::NoChange);
    }
    assert!(found >= 15, "{found} of 20 found");
    assert!(made_up <= 1, "{made_up} of 20 made up");
}

#[test]
fn load_bound_cells_are_compared_by_cost_alone_and_invalid_ones_not_at_all() {
    let mut run = sample(5, 5, 10.0);
    run.cells.truncate(2);
    for round in &mut run.cells[1].rounds {
        round.outcome.errors.insert("timeout".to_owned(), 9_999);
    }
    let comparison = sides(&run, OURS, "nginx-plain");
    let rows: Vec<_> = comparison
        .rows
        .iter()
        .map(|row| (row.figure, row.judged))
        .collect();
    let better = Judged::Verdict(Verdict::Better);
    assert_eq!(
        rows,
        [
            (Figure::Cpu, better),
            (Figure::Throughput, Judged::LoadBound),
            (Figure::P99, Judged::LoadBound),
        ]
    );
    assert!(
        comparison.notes[0]
            .contains("invalid, too many errors: nginx-plain in get, 102 B, 100 users")
    );
}

#[test]
fn cells_that_one_run_lacks_and_rounds_that_are_too_few_are_named() {
    let (a, mut b) = (sample(6, 4, 30.0), sample(7, 4, 30.0));
    b.cells.remove(0);
    let comparison = compare(&a, &b);
    let is_few = |row: &Row| row.judged == Judged::TooFewRounds;
    assert!(comparison.rows.iter().all(is_few));
    assert!(
        comparison
            .notes
            .contains(&"only in A: get, 102 B, 50 users".to_owned())
    );
    let text = comparison.to_string();
    assert!(text.contains("too few rounds"), "{text}");
    assert_eq!(
        together(&comparison, Figure::Cpu).verdict,
        Verdict::NoChange
    );
}

#[test]
fn open_loops_are_not_compared_with_closed_ones_or_at_different_rates() {
    let open = |per_second: f64| {
        let mut run = sample(1, 7, 30.0);
        for cell in &mut run.cells {
            cell.open_loop = Some(OpenLoop {
                per_second: Some(per_second),
                p99_ms_max: 10.0,
                trials: Vec::new(),
            });
        }
        run
    };
    let comparison = compare(&sample(1, 7, 30.0), &open(1_000.0));
    assert_eq!(comparison.rows, [], "a closed and an open loop");
    let judged = |a: f64, b: f64| {
        let comparison = compare(&open(a), &open(b));
        let of_other_rates = comparison.rows.iter();
        let count = of_other_rates.filter(|row| row.judged == Judged::OtherRate);
        let notes = comparison.notes.iter();
        let notes_on_rate = notes.filter(|it| it.contains("--per-second"));
        (
            count.count(),
            notes_on_rate.count(),
            comparison.together.len(),
        )
    };
    let (same, notes_on_rate, together) = judged(1_000.0, 1_010.0);
    assert_eq!((same, notes_on_rate), (0, 0));
    assert!(together > 0);
    assert_eq!(judged(1_000.0, 1_100.0), (60, 1, 0), "three figures of 20");
}
