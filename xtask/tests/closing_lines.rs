//! Tests of the closing lines of `make test`: runs `.ci/test` with stand-ins for cargo and the
//! portals' tests that print the same lines.

#![expect(clippy::unwrap_used, reason = "tests panic if a precondition fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const UNITS: &str = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out";
const DOCS: &str = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";
const PROCESSES: &str = "     Summary [   4.323s] 5 tests run: 5 passed (1 flaky), 2 skipped";
const ALONE: &str = "     Summary [   0.269s] 2 tests run: 2 passed, 5 skipped";
const BROKEN: &str = "     Summary [   0.269s] 2 tests run: 1 passed, 1 failed, 5 skipped";
const FLAKY: &str = "   FLAKY 2/3 [   0.008s] (3/5) tollgate::product limits::a_limit_holds";
const PORTAL: &str = "portal: 7 passed, 0 failed";

/// Runs `.ci/test` with a cargo script that contains these `case` branches for its arguments.
fn test(name: &str, cases: &str) -> (Output, String) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let calls = folder.join("calls");
    let cargo = format!(
        "echo \"$*\" >>'{}'\ncase \"$*\" in\n{cases}\n\
         *--doc*) echo '{DOCS}';;\n*--lib*) echo 'test a ... ok'; echo '{UNITS}';;\nesac\n",
        calls.display()
    );
    let cargo = script(&folder, "cargo", &cargo);
    let portal = script(&folder, "portal", &format!("echo '{PORTAL}'\n"));
    let output = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.ci/test"))
        .env("CARGO", cargo)
        .env("PORTAL", portal)
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

/// Compares the last lines of the output.
fn assert_ends(output: &Output, expected: &[&str]) {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let lines: Vec<_> = text.lines().collect();
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
            UNITS,
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
    let lines = ["failed: alone", UNITS, DOCS, PROCESSES, BROKEN, PORTAL];
    assert_ends(&output, &lines);
}

#[test]
fn without_nextest_cargo_runs_the_tests_that_need_the_whole_machine_last() {
    let result = "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 9 filtered out";
    let cases = format!("nextest*) exit 101;;\n*alone*) echo '{result}';;");
    let (output, calls) = test("without", &cases);
    assert!(output.status.success());
    assert_ends(&output, &[UNITS, DOCS, result, result, PORTAL]);
    let (rest, alone) = (calls.find("--skip alone::"), calls.find("-- alone::"));
    assert!(rest.unwrap() < alone.unwrap(), "{calls}");
    assert!(calls.contains("alone:: --test-threads 1"), "{calls}");
}
