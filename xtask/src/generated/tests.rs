//! Tests of the comparison of generated files.

use anyhow::{Result, bail};

use crate::generated::{Generated, Program, check};
use crate::tree::Tree;

fn faults(kept: &[(&str, &str)], printed: impl Fn(&str) -> Result<String>) -> Vec<String> {
    let table = [Generated {
        path: "api/a.json".to_owned(),
        command: "print a".to_owned(),
    }];
    check(&Tree::of(kept), &table, printed)
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn prints(text: &str) -> impl Fn(&str) -> Result<String> {
    let text = text.to_owned();
    move |command| {
        assert_eq!(command, "print a");
        Ok(text.clone())
    }
}

#[test]
fn a_file_equal_to_the_output_of_its_command_is_up_to_date() {
    assert_eq!(faults(&[("api/a.json", "{}\n")], prints("{}\n")), [""; 0]);
}

#[test]
fn a_stale_file_is_a_fault_that_names_the_first_line() {
    let seen = faults(&[("api/a.json", "{\n}\n")], prints("{\n  1\n}\n"));
    assert_eq!(
        seen,
        ["api/a.json: is stale from line 2: run make codegen (now: 1)"]
    );
}

#[test]
fn a_missing_file_is_a_fault() {
    assert_eq!(
        faults(&[], prints("{}\n")),
        ["api/a.json: is missing: run make codegen"]
    );
}

#[test]
fn a_command_that_fails_is_a_fault_with_its_reason() {
    let seen = faults(&[("api/a.json", "{}\n")], |_| bail!("it broke"));
    assert_eq!(seen, ["api/a.json: it broke"]);
}

#[test]
fn a_real_command_is_run_and_its_failure_reported() {
    let program = |name: &str| Program(name.into());
    assert_eq!(program("echo").print("a b").expect("echo exists"), "a b\n");
    let error = program("ls")
        .print("/nowhere-at-all")
        .expect_err("there is no such folder");
    assert!(error.to_string().contains("/nowhere-at-all"), "{error}");
}
