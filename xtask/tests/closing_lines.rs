//! Tests of the last lines of `make test`: runs `.ci/test` with stand-ins for cargo and for the
//! portals' tests, which print the same lines.

#![expect(clippy::unwrap_used, reason = "tests panic if a precondition fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const DOCS: &str = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
/// Of a crate without such tests; not among the last lines.
const NO_DOCS: &str = "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
const PROCESSES: &str = "     Summary [   4.323s] 5 tests run: 5 passed (1 flaky), 2 skipped";
const ALONE: &str = "     Summary [   0.269s] 2 tests run: 2 passed, 5 skipped";
const BROKEN: &str = "     Summary [   0.269s] 2 tests run: 1 passed, 1 failed, 5 skipped";
const FLAKY: &str = "   FLAKY 2/3 [   0.008s] (3/5) tollgate::product limits::a_limit_holds";
const FLAKY_FLOW: &str = "unsteady: portal flows/plans: a > limit passed at try 2";
const PORTAL: &str = "portal: 7 passed, 0 failed";
const GAUGE: [&str; 2] = ["gauge_get=17000", "gauge_get_three_limits=18000"];
/// The list of slow tests, with one that the portals' tests print.
const SLOW_TESTS: &str = "count = 1\n[[test]]\nname = \"portal flows/usage: a > week\"\n";

/// Runs `.ci/test` with a cargo script that contains these `case` branches for its arguments.
fn test(name: &str, cases: &str) -> (Output, String) {
    test_with(SLOW_TESTS, name, cases)
}

/// Like [`test`], with this list of slow tests.
fn test_with(listed: &str, name: &str, cases: &str) -> (Output, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let calls = folder.join("calls");
    let cargo = format!(
        "echo \"$*\" >>'{}'\ncase \"$*\" in\n{cases}\n\
         *--doc*) echo 'test a ... ok'; echo '{DOCS}'; echo '{NO_DOCS}';;\nesac\n",
        calls.display()
    );
    let cargo = script(&folder, "cargo", &cargo);
    let flaky = if name == "unsteady" { FLAKY_FLOW } else { "" };
    let portal =
        format!("echo 'test flows/usage: a > week: 30.2 s'; echo '{flaky}'; echo '{PORTAL}'\n");
    let portal = script(&folder, "portal", &portal);
    let status = i32::from(name == "grown");
    let gauge = format!("printf '%s\\n' {}; exit {status}", GAUGE.join(" "));
    let xtask = script(&folder, "xtask", &gauge);
    script(&folder, "valgrind", "");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let slow_tests = folder.join("slow-tests");
    fs::write(&slow_tests, listed).unwrap();
    let usual_s = if name == "busy" { "1" } else { "480" };
    let output = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/test"))
        .env("CARGO", cargo)
        .env("PORTAL", portal)
        .env("XTASK", xtask)
        .env("PATH", path)
        .env("SLOW_TESTS", slow_tests)
        .env("TESTS_S", usual_s)
        .env("TOLLGATE_FROM_NOTHING", "1")
        .env_remove("TOLLGATE_PHASES")
        .output()
        .unwrap();
    (output, fs::read_to_string(calls).unwrap())
}

fn script(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/usr/bin/env bash\n{text}")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Compares the last lines of the output, without those of durations.
fn assert_ends(output: &Output, expected: &[&str]) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let durations = ["slowest: ", "phase: "];
    let is_other = |line: &&str| !durations.iter().any(|start| line.starts_with(start));
    let lines: Vec<_> = text.lines().filter(is_other).collect();
    let from = lines.len().saturating_sub(expected.len());
    assert_eq!(lines[from..], *expected, "{text}");
}

#[test]
fn unsteady_tests_do_not_fail_the_run_and_are_listed_before_the_summaries() {
    let cases = format!(
        "*'-E test(/^alone'*) echo '{ALONE}';;\n\
         *'nextest run'*) echo '{PROCESSES}'; echo '{FLAKY}';;"
    );
    let (output, calls) = test("unsteady", &cases);
    assert!(output.status.success());
    assert_ends(
        &output,
        &[
            "unsteady: tollgate::product limits::a_limit_holds passed at try 2",
            FLAKY_FLOW,
            DOCS,
            PROCESSES,
            ALONE,
            PORTAL,
        ],
    );
    let last = calls.lines().rev().find(|it| it.contains("nextest run"));
    assert!(last.unwrap().contains("test(/^alone::/)"), "{calls}");
}

#[test]
fn a_failure_fails_the_run_but_does_not_stop_it() {
    let cases = format!(
        "*'-E test(/^alone'*) echo '{BROKEN}'; exit 100;;\n*'nextest run'*) echo '{PROCESSES}';;"
    );
    let (output, _) = test("broken", &cases);
    assert!(!output.status.success());
    let lines = [DOCS, PROCESSES, BROKEN, PORTAL, "failed: alone"];
    assert_ends(&output, &lines);
}

#[test]
fn a_call_that_costs_more_fails_the_run_with_the_figures_in_its_output() {
    let cases =
        format!("*'-E test(/^alone'*) echo '{ALONE}';;\n*'nextest run'*) echo '{PROCESSES}';;");
    for (name, is_green) in [("grown", false), ("as_before", true)] {
        let (output, _) = test(name, &cases);
        assert_eq!(output.status.success(), is_green);
        let text = String::from_utf8(output.stdout).unwrap();
        for line in GAUGE {
            assert!(text.lines().any(|it| it == line), "{text}");
        }
        assert_eq!(text.lines().any(|it| it == "failed: gauge"), !is_green);
    }
}

#[test]
fn without_nextest_cargo_runs_the_tests_that_need_the_whole_machine_last() {
    let result = "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out";
    let cases = format!("nextest*) exit 101;;\n*alone*) echo '{result}';;");
    let (output, calls) = test("without", &cases);
    assert!(output.status.success());
    assert_ends(&output, &[DOCS, result, result, PORTAL]);
    let (rest, alone) = (calls.find("--skip alone::"), calls.find("-- alone::"));
    assert!(rest.unwrap() < alone.unwrap(), "{calls}");
    assert!(calls.contains("alone:: --test-threads 1"), "{calls}");
}

#[test]
fn phases_and_slowest_tests_come_before_the_closing_lines() {
    let pass = |seconds: u32| {
        format!("echo '        PASS [  {seconds}.123s] (  3/523) tollgate::product a::t{seconds}';")
    };
    let many: String = (1..=10).rev().map(pass).collect();
    let cases = format!(
        "*'-E test(/^alone'*) echo '    PASS [ 40.000s] (1/1) tollgate::product alone::waits'; \
         echo '{ALONE}';;\n*'nextest run'*) {many} echo '{PROCESSES}';;"
    );
    let (output, _) = test("phases", &cases);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let (before, closing) = text.split_once(DOCS).unwrap();
    assert!(closing.contains(PORTAL), "{text}");
    let slowest: Vec<_> = before
        .lines()
        .filter_map(|line| line.strip_prefix("slowest: "))
        .collect();
    assert_eq!(slowest.len(), 10, "{text}");
    assert_eq!(slowest[0], "  40.0 s  tollgate::product alone::waits");
    assert_eq!(slowest[1], "  30.2 s  portal flows/usage: a > week");
    assert_eq!(slowest[2], "  10.1 s  tollgate::product a::t10");
    let phases = before.lines().filter(|line| line.starts_with("phase: "));
    let phases: Vec<_> = phases.map(|it| it.split(" s  ").nth(1).unwrap()).collect();
    for name in ["build of the tests", "tests of Rust", "documentation tests"] {
        assert!(phases.contains(&name), "{text}");
    }
    // Neither the listed one nor the one of `alone`.
    let slow = "slow: tollgate::product a::t10 takes 10.1 s and is not in .ci/slow-tests";
    let named: Vec<_> = before
        .lines()
        .filter(|it| it.starts_with("slow: "))
        .collect();
    assert_eq!(named, [slow]);
}

#[test]
fn a_test_above_20_seconds_that_is_not_listed_fails_the_run() {
    let slow = "echo '    TRY 2 PASS [ 20.100s] ( 3/523) tollgate::product limits::waits';";
    let cases = format!(
        "*'-E test(/^alone'*) echo '{ALONE}';;\n*'nextest run'*) {slow} echo '{PROCESSES}';;"
    );
    let (output, _) = test("slow", &cases);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "slow: tollgate::product limits::waits takes 20.1 s and is not in .ci/slow-tests";
    assert!(text.lines().any(|it| it == line), "{text}");
    assert!(text.lines().any(|it| it == "failed: slow"), "{text}");
}

#[test]
fn where_all_tests_take_long_a_slow_one_takes_longer() {
    let slow = "echo '        PASS [ 20.100s] ( 3/523) tollgate::product limits::waits';";
    let cases = format!(
        "*'-E test(/^alone'*) echo '{ALONE}';;\n\
         *'nextest run'*) sleep 3; {slow} echo '{PROCESSES}';;"
    );
    let (output, _) = test("busy", &cases);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("slow: "), "{text}");
}

#[test]
fn without_a_listed_test_every_slow_one_is_judged() {
    let cases =
        format!("*'-E test(/^alone'*) echo '{ALONE}';;\n*'nextest run'*) echo '{PROCESSES}';;");
    let (output, _) = test_with("count = 0\n", "none_listed", &cases);
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let line = "slow: portal flows/usage: a > week takes 30.2 s and is not in .ci/slow-tests";
    assert!(text.lines().any(|it| it == line), "{text}");
}
