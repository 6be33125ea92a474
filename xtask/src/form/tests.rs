//! Tests of the form of text files.

use crate::form::check;
use crate::tree::Tree;

fn faults(path: &str, text: &str) -> Vec<String> {
    check(&Tree::of(&[(path, text)]))
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn clean_text_is_fine() {
    assert_eq!(faults("a.rs", "fn a() {}\n"), [""; 0]);
    assert_eq!(faults("a.rs", ""), [""; 0]);
}

#[test]
fn trailing_white_space_is_a_fault() {
    assert_eq!(faults("a.md", "a \nb\n"), ["a.md:1: trailing white space"]);
    assert_eq!(
        faults("Makefile", "a:\r\n"),
        ["Makefile:1: trailing white space"]
    );
}

#[test]
fn a_file_ends_with_one_line_end() {
    assert_eq!(
        faults(".ci/run", "a"),
        [".ci/run: no line end at the end of the file"]
    );
    assert_eq!(
        faults("a.toml", "a\n\n"),
        ["a.toml: empty lines at the end of the file"]
    );
}

#[test]
fn a_mark_of_unfinished_work_is_a_fault() {
    let mark = concat!("TO", "DO");
    let seen = faults(
        "a.sql",
        &format!("-- {mark}: index\n-- X{mark} is a word\n"),
    );
    assert_eq!(
        seen,
        [format!(
            "a.sql:1: {mark}: finish it, or open an issue and remove the mark"
        )]
    );
}

#[test]
fn test_data_is_not_checked() {
    assert_eq!(faults("crates/a/tests/data/request.yaml", "a: \n"), [""; 0]);
    assert_eq!(faults("a.bin", "a "), [""; 0]);
}
