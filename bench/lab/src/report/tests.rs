use super::*;
use crate::figures::{DIRECT, OURS};
use crate::kept::LeftOut;
use crate::sample::{Sample, matrix};

fn sample(cells: Vec<(&'static str, u32, u64, u64)>) -> Run {
    let sample = Sample {
        seed: 1,
        turns: 5,
        sides: vec![(DIRECT, 0.0), (OURS, 30.0), ("nginx-plain", 36.0)],
        cells,
        noise: 0.01,
    };
    sample.run()
}

/// Returns the text between `begin` and the next `end`.
fn between<'t>(text: &'t str, begin: &str, end: &str) -> &'t str {
    let (_, after) = text.split_once(begin).expect(begin);
    after.split_once(end).expect(end).0
}

#[test]
fn the_header_has_the_build_the_machine_and_what_was_left_out() {
    let mut run = sample(matrix(&["get"], &[100], &[102]));
    run.title = "A <plan> & more".to_owned();
    run.left_out.push(LeftOut {
        what: "rival tyk".to_owned(),
        why: "it is not installed".to_owned(),
    });
    let page = html(&run, &Beside::default());
    let header = between(&page, "<header>", "</header>");
    let digest = &run.binaries["tollgate"];
    let expected = [
        "<h1>A &lt;plan&gt; &amp; more</h1>",
        "a comparison of shares, not a claim of absolute speed",
        &run.commit,
        digest,
        "A processor of nowhere, 2 cores",
        "Linux 6.1",
        "The gateway has core 0",
        "The load average was 1.3",
        "Left out: 2",
        "<td>rival tyk</td><td>it is not installed</td>",
    ];
    for text in expected {
        assert!(header.contains(text), "{text} is not in {header}");
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = html(
        &sample(matrix(&["get"], &[100, 300], &[102])),
        &Beside::default(),
    );
    for outside in ["http:", "https:", "//", "@import", "url(", " src="] {
        let script = between(&page, "<script>", "</script>");
        let rest = page.replace(script, "");
        assert!(!rest.contains(outside), "{outside}");
    }
}

#[test]
fn a_verdict_is_next_to_its_ratio_and_interval() {
    let page = html(
        &sample(matrix(&["get"], &[100], &[102])),
        &Beside::default(),
    );
    let row = between(&page, "<td>CPU us/request</td>", "</tr>");
    let cells: Vec<&str> = row
        .split("</td>")
        .map(|td| td.rsplit('>').next().unwrap())
        .collect();
    let number = |index: usize| -> f64 { cells[index].parse().unwrap() };
    let (ours, theirs, ratio) = (number(0), number(1), number(2));
    assert!((ratio - ours / theirs).abs() < 0.05, "{row}");
    let (low, high) = cells[3].split_once(" to ").unwrap();
    assert!(low.parse::<f64>().unwrap() <= ratio && ratio <= high.parse().unwrap());
    assert!(
        row.contains("<span class=\"verdict better\">better</span>"),
        "{row}"
    );
}

#[test]
fn each_line_of_cost_against_size_has_its_slope() {
    let mut run = sample([1, 10, 100].map(|_| ("get", 100, 102, 0)).to_vec());
    for (cell, keys) in run.cells.iter_mut().zip([1, 10, 100]) {
        cell.parameters.insert("keys".to_owned(), keys);
        // Ours costs two microseconds more for ten times the keys, whatever the drift.
        for round in &mut cell.rounds {
            let cost_us = 20 + 2 * (keys as f64).log10() as u64;
            if let Some(gateway) = round.processes.get_mut("gateway") {
                gateway.cpu_user_us = cost_us * round.outcome.successes;
                gateway.cpu_system_us = 0;
            }
        }
    }
    let page = html(&run, &Beside::default());
    let note = between(&page, "For ten times the size: ", "</p>");
    assert!(
        note.starts_with("tollgate +2.00 us (+9.1 %); nginx-plain +2.00 us"),
        "{note}"
    );
    assert!(
        note.contains("; generator and back end, called directly "),
        "{note}"
    );
}

#[test]
fn drift_that_affects_direct_calls_too_is_no_slope() {
    let mut run = sample([1, 10, 100].map(|_| ("get", 100, 102, 0)).to_vec());
    for (cell, (keys, slowness)) in run.cells.iter_mut().zip([(1, 1.0), (10, 1.2), (100, 1.5)]) {
        cell.parameters.insert("keys".to_owned(), keys);
        for round in &mut cell.rounds {
            for (name, used) in &mut round.processes {
                let cost_us = if name == "gateway" { 20.0 } else { 8.0 };
                let cpu_us = slowness * cost_us * round.outcome.successes as f64;
                (used.cpu_user_us, used.cpu_system_us) = (cpu_us as u64, 0);
            }
        }
    }
    let page = html(&run, &Beside::default());
    let note = between(&page, "For ten times the size: ", "</p>");
    assert!(note.starts_with("tollgate +5.00 us (+20.3 %)"), "{note}");
    let freed = between(note, "; tollgate without the machine's drift ", " %");
    assert!(freed.parse::<f64>().unwrap().abs() < 0.1, "{note}");
}

#[test]
fn errors_are_listed_by_kind_and_make_a_cell_invalid() {
    let mut run = sample(matrix(&["get"], &[100, 300], &[102]));
    let none = html(&run, &Beside::default());
    assert!(none.contains("<p>None in "));
    for round in run.cells[1]
        .rounds
        .iter_mut()
        .filter(|round| round.side == OURS)
    {
        round.outcome.errors.insert("status 503".to_owned(), 9_000);
    }
    let page = html(&run, &Beside::default());
    let errors = between(&page, "<section id=\"errors\">", "</section>");
    assert!(
        errors.contains("<td>status 503</td><td class=\"number\">45,000</td>"),
        "{errors}"
    );
    assert!(errors.contains("<td>invalid</td>"));
    assert!(page.contains("mark tile invalid"));
    assert!(page.contains("mark invalid"));
}
