//! The ratchet turns one way.

use crate::ratchet::Ratchet;
use crate::sizes::{Measure, Measures, Rule, Subject};

const LISTED: &str = "[[excused]]\nrule = 'function_lines'\npath = 'a.rs'\nname = 'f'\nsize = 90\n";

fn faults(list: &str, size: usize) -> Vec<String> {
    let subject = Subject {
        rule: Rule::FunctionLines,
        path: "a.rs".to_owned(),
        name: "f".to_owned(),
    };
    let measures = Measures::from([(subject, Measure { size, line: 7 })]);
    let ratchet = Ratchet::parse(list).expect("the list is well-formed");
    ratchet
        .check(&measures)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn what_fits_its_bound_needs_no_entry() {
    assert_eq!(faults("", 70), [""; 0]);
}

#[test]
fn what_is_too_big_and_not_listed_is_a_fault() {
    assert_eq!(
        faults("", 71),
        ["a.rs:7: FunctionLines of f: 71 lines; the bound is 70"]
    );
}

#[test]
fn what_is_listed_with_its_size_is_excused() {
    assert_eq!(faults(LISTED, 90), [""; 0]);
}

#[test]
fn what_grew_is_a_fault() {
    let grew = "a.rs:7: FunctionLines of f: grew from 90 to 91; the ratchet may only shrink";
    assert_eq!(faults(LISTED, 91), [grew]);
}

#[test]
fn an_entry_that_could_be_lower_is_a_fault() {
    let lower =
        "a.rs:7: FunctionLines of f: shrank to 80: lower its entry in xtask/src/ratchet.toml";
    assert_eq!(faults(LISTED, 80), [lower]);
}

#[test]
fn an_entry_that_is_not_needed_is_a_fault() {
    let gone =
        "xtask/src/ratchet.toml: FunctionLines of f: needs no excuse any more: take a.rs out";
    assert_eq!(faults(LISTED, 70), [gone]);
    assert_eq!(
        Ratchet::parse(LISTED)
            .expect("well-formed")
            .check(&Measures::new())
            .len(),
        1
    );
}

#[test]
fn an_entry_for_an_unknown_rule_or_twice_the_same_is_an_error() {
    assert!(Ratchet::parse("[[excused]]\nrule = 'words'\npath = 'a'\nsize = 1\n").is_err());
    assert!(Ratchet::parse(&LISTED.repeat(2)).is_err());
}
