//! Tests of the commands that read a kept run, and of the report in a browser. Chromium opens the
//! page and `bench/lab/browser/check.mjs` checks it, in wide and narrow windows, in light and dark
//! mode. Without the browser the tests are skipped with a message, unless TOLLGATE_REQUIRE_SERVICES
//! is 1.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::Deserialize;
// The sample refers to these by `crate::`, since the crate's own tests use it, too.
use tollgate_lab::published::Beside;
use tollgate_lab::report;
use tollgate_lab::{histogram, kept, load};

use self::kept::Run;
use self::sample::Sample;

#[path = "sample/runs.rs"]
mod sample;

/// The output of `check.mjs`.
#[derive(Debug, Deserialize)]
struct Seen {
    plots: Vec<Plot>,
    faults: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Plot {
    caption: String,
    marks: usize,
}

const USERS: [u32; 3] = [100, 300, 1000];
const TURNS: u32 = 2;

/// Returns a run with three sides, two scenarios, two sizes, a delay, varying keys, and errors in
/// one cell.
fn run() -> Run {
    let mut cells = sample::matrix(&["get", "post"], &USERS, &[102, 5120]);
    cells.extend(USERS.map(|users| ("get", users, 102, 30)));
    cells.extend([("get", 100, 102, 0); 4]);
    let made_up = Sample {
        seed: 1,
        turns: TURNS,
        sides: vec![("direct", 0.0), ("tollgate", 30.0), ("nginx-plain", 36.0)],
        cells,
        noise: 0.01,
    };
    let mut run = made_up.run();
    for (cell, keys) in run.cells[15..].iter_mut().zip([1, 10, 100, 1000]) {
        cell.parameters.insert("keys".to_owned(), keys);
    }
    for round in &mut run.cells[4].rounds {
        round.outcome.errors.insert("timeout".to_owned(), 9_000);
    }
    run
}

fn folder(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

/// Returns which parts of the browser are missing; panics if they are required.
fn missing_browser() -> Option<String> {
    let chromium = std::env::var("CHROMIUM");
    let chromium = chromium.unwrap_or_else(|_| "/usr/bin/chromium-headless-shell".to_owned());
    let node = Command::new("node").arg("--version").output();
    let needed = [
        ("node", node.is_ok()),
        ("chromium", Path::new(&chromium).exists()),
        (
            "playwright-core",
            folder("browser/node_modules/playwright-core").exists(),
        ),
    ];
    let missing: Vec<&str> = needed.iter().filter(|it| !it.1).map(|it| it.0).collect();
    if missing.is_empty() {
        return None;
    }
    let missing = format!("missing: {} (make deps installs it)", missing.join(", "));
    let is_required = std::env::var("TOLLGATE_REQUIRE_SERVICES").is_ok_and(|value| value == "1");
    assert!(!is_required, "{missing}");
    Some(missing)
}

fn look(html: &str) -> Seen {
    let page = tempfile::Builder::new().suffix(".html").tempfile();
    let page = page.expect("a temporary file");
    std::fs::write(page.path(), html).expect("writing the page");
    let mut check = Command::new("node");
    let output = check
        .arg(folder("browser/check.mjs"))
        .arg(page.path())
        .output()
        .expect("node starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).expect("what check.mjs prints")
}

#[test]
fn every_plot_has_its_marks_and_is_readable_on_wide_and_narrow_pages() {
    if let Some(missing) = missing_browser() {
        eprintln!("skipped: a report in a browser; {missing}");
        return;
    }
    let run = run();
    let beside = Beside::read(&folder("../published"), run.published.as_ref()).unwrap();
    let seen = look(&report::html(&run, &beside));
    assert_eq!(seen.faults, Vec::<String>::new());

    let marks: BTreeMap<&str, usize> = seen
        .plots
        .iter()
        .map(|plot| (plot.caption.as_str(), plot.marks))
        .collect();
    let (gateways, sides, users, cells) = (2, 3, USERS.len(), run.cells.len());
    let samples = 10 * TURNS as usize;
    let expected = [
        // A tile for each gateway in each cell.
        ("CPU per request", gateways * cells),
        ("Throughput", gateways * cells),
        ("Errors", gateways * cells),
        // By users, with Adobe's figures.
        ("CPU per request: get, 102 B", gateways * users),
        ("Throughput: get, 102 B", sides * users + users),
        ("Average response time: post, 5 KiB", sides * users + users),
        (
            "Percentiles of response time: tollgate, get, 102 B",
            4 * users,
        ),
        (
            "Percentiles of response time: nginx-plain, get, 102 B",
            4 * users,
        ),
        ("Added to the average: get, 102 B", gateways * users + users),
        // By size and by delay.
        ("Throughput: tollgate, post", 2 * users),
        ("99th percentile: tollgate, get, 102 B", 2 * users),
        // By size, with generator and back end.
        ("CPU per request: get, by keys", (gateways + 1) * 4),
        ("Peak memory: get, by keys", gateways * 4),
        // Of one cell.
        (
            "CPU per request, round by round: get, 102 B, 100 users",
            gateways * TURNS as usize,
        ),
        (
            "Processor time of the gateway: get, 102 B, 100 users",
            gateways * samples,
        ),
        (
            "Memory of the gateway: get, 102 B, 100 users",
            gateways * samples,
        ),
    ];
    for (caption, count) in expected {
        assert_eq!(marks.get(caption), Some(&count), "{caption}");
    }
    let curve = marks["Response time by percentile: get, 102 B, 100 users"];
    assert!(
        curve > sides * 4 * 12,
        "{curve} points for four nines and more"
    );
}

#[test]
fn the_tried_rates_are_drawn_and_the_highest_sustained_rate_is_listed() {
    if let Some(missing) = missing_browser() {
        eprintln!("skipped: a report in a browser; {missing}");
        return;
    }
    // Each number of users is slower than the previous one: they become rates of one cell.
    let mut run = run();
    let tried: Vec<kept::Cell> = run.cells.drain(..).take(USERS.len()).collect();
    let bound_ms = {
        let p99_ms = |at: usize| tried[at].rounds[1].outcome.latency.quantile_us(0.99) as f64 / 1e3;
        f64::midpoint(p99_ms(1), p99_ms(2))
    };
    let trials = tried.iter().zip([1e4, 2e4, 3e4]).flat_map(|(cell, rate)| {
        let rounds = cell.rounds.iter().filter(|round| round.turn == 0);
        rounds.map(move |round| kept::Trial {
            per_second: rate,
            round: round.clone(),
        })
    });
    let open_loop = kept::OpenLoop {
        per_second: Some(12_000.0),
        p99_ms_max: bound_ms,
        trials: trials.collect(),
    };
    let peak = open_loop.peak("tollgate").map(|trial| trial.per_second);
    assert_eq!(peak, Some(2e4));
    run.cells.push(kept::Cell {
        open_loop: Some(open_loop),
        ..tried[0].clone()
    });
    let page = report::html(&run, &Beside::default());
    assert!(page.contains("<td>tollgate</td><td class=\"number\">20,000</td>"));
    let seen = look(&page);
    assert_eq!(seen.faults, Vec::<String>::new());
    let caption = "99th percentile by rate: get, 102 B";
    let plot = seen.plots.iter().find(|plot| plot.caption == caption);
    assert_eq!(plot.map(|plot| plot.marks), Some(3 * USERS.len()));
}

#[test]
fn faults_of_a_broken_page_are_found() {
    if let Some(missing) = missing_browser() {
        eprintln!("skipped: a report in a browser; {missing}");
        return;
    }
    let seen = look(
        r#"<!doctype html><body style="width: 1400px"><script>nothing()</script>
        <img src="http://127.0.0.1:9/x.png" alt="">
        <figure class="plot"><figcaption>P</figcaption>
        <svg viewBox="0 0 400 200" width="400" data-points="3"><text class="label" y="20">ms</text>
        <text y="22" style="font-size: 5px">over it</text>
        <path class="mark" d="M10,10h5v5z"/><path class="mark" d="MNaN,10h5"/></svg></figure>"#,
    );
    let faults = seen.faults.join("\n");
    let expected = [
        "script error: nothing is not defined",
        "requests http://127.0.0.1:9/x.png",
        "at 400 pixels, dark: the page is 14",
        "P: 2 marks for 3 points",
        "P: a mark is outside or empty",
        "P: no title",
        "P: an axis has no label",
        "P: text of ",
        "P: \"ms\" overlaps \"over it\"",
    ];
    for fault in expected {
        assert!(faults.contains(fault), "{fault} is not among\n{faults}");
    }
}

fn stdout_of(arguments: &[&str]) -> String {
    let output = lab(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn lab(arguments: &[&str]) -> Output {
    let mut lab = Command::new(env!("CARGO_BIN_EXE_tollgate-lab"));
    lab.args(arguments).output().expect("the lab starts")
}

#[test]
fn the_commands_read_a_kept_run_and_write_its_derived_files() {
    let folder = tempfile::tempdir().unwrap();
    let text = serde_json::to_string(&run()).unwrap();
    std::fs::write(folder.path().join("run.json"), text).unwrap();
    let kept = folder.path().to_str().unwrap();
    let bench = folder_of_bench();

    let out = stdout_of(&["report", kept, "--bench", &bench]);
    assert_eq!(out, format!("report in {kept}/report.html\n"));
    for (file, begin) in [
        ("report.html", "<!doctype html>"),
        ("summary.csv", "Scenario Name,Heap Size,Concurrent Users,"),
        ("summary.json", "{\n  \"profile\": \"adobe-single\","),
        ("summary.md", "# Adobe's plan on one gateway\n"),
    ] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.starts_with(begin), "{file}: {}", &text[..100]);
    }

    let out = stdout_of(&["compare", kept, kept]);
    assert!(
        out.contains("divided by the same turn of: nginx-plain, direct"),
        "{out}"
    );
    assert!(
        !out.contains("  worse") && !out.contains("  better"),
        "{out}"
    );

    let out = stdout_of(&["compare", kept, "--to", "nginx-plain"]);
    assert!(out.starts_with("A: nginx-plain\nB: tollgate\n"), "{out}");
    let all = out.lines().find(|line| line.contains("cells together"));
    assert!(all.is_some_and(|it| it.ends_with("  better")), "{out}");
    for (arguments, refusal) in [
        (
            &["--to", "envoy"][..],
            "no side \"envoy\" was measured, only tollgate",
        ),
        (
            &["--to", "tollgate"],
            "cannot compare \"tollgate\" with itself",
        ),
        (&["--to", "direct", kept], "cannot be used with"),
        (
            &["--side", "direct"],
            "required arguments were not provided",
        ),
    ] {
        let refused = lab(&[&["compare", kept], arguments].concat());
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert!(
            !refused.status.success() && errors.contains(refusal),
            "{errors}"
        );
    }

    let out = stdout_of(&["capacity", "--rate", "100000", "--p99", "50", kept]);
    assert!(
        out.starts_with("100,000 requests/s with p99 at most 50.0 ms require"),
        "{out}"
    );
    assert!(
        out.contains("get, 5 KiB, 300 users: invalid, too many errors"),
        "{out}"
    );
}

fn folder_of_bench() -> String {
    folder("..").to_str().expect("a path in UTF-8").to_owned()
}
