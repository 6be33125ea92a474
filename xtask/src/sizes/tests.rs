//! Tests of what is measured.

use crate::sizes::{Measures, Rule, Subject, measures};
use crate::survey::Survey;
use crate::tree::Tree;

fn measured(path: &str, text: &str) -> Measures {
    let tree = Tree::of(&[(path, text)]);
    let (surveys, faults) = Survey::of_tree(&tree);
    assert_eq!(faults, []);
    measures(&tree, &surveys)
}

fn size(measures: &Measures, rule: Rule, name: &str) -> Option<usize> {
    let of = |subject: &Subject| subject.rule == rule && subject.name == name;
    measures
        .iter()
        .find(|(subject, _)| of(subject))
        .map(|(_, measure)| measure.size)
}

#[test]
fn a_function_has_lines_and_parameters() {
    let seen = measured("src/a.rs", "fn a(x: u8, y: u8) {\n    b();\n}\n");
    assert_eq!(size(&seen, Rule::FunctionLines, "a"), Some(3));
    assert_eq!(size(&seen, Rule::FunctionParameters, "a"), Some(2));
}

#[test]
fn a_tuple_as_a_parameter_is_counted() {
    let text = "fn a(pair: &(u8, u8), x: u8) {}\nfn b(x: u8, y: u8) {}\n";
    let seen = measured("src/a.rs", text);
    assert_eq!(size(&seen, Rule::FunctionTuples, "a"), Some(1));
    assert_eq!(size(&seen, Rule::FunctionParameters, "a"), Some(3));
    assert_eq!(size(&seen, Rule::FunctionTuples, "b"), Some(0));
}

#[test]
fn the_largest_of_several_functions_with_one_name_counts() {
    let seen = measured(
        "src/a.rs",
        "struct A;\nimpl A { fn f() {\n}\n}\nimpl A { fn f() {} }\n",
    );
    assert_eq!(size(&seen, Rule::FunctionLines, "A::f"), Some(2));
}

#[test]
fn a_file_is_measured_without_its_tests() {
    let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n";
    assert_eq!(
        size(&measured("src/a.rs", text), Rule::FileLines, ""),
        Some(1)
    );
}

#[test]
fn only_the_line_width_of_a_test_file_is_measured() {
    for path in ["src/a/tests.rs", "tests/walk.rs"] {
        let seen = measured(path, "fn a() {}\n");
        assert_eq!(size(&seen, Rule::FileLines, ""), None);
        assert_eq!(size(&seen, Rule::FunctionLines, "a"), None);
        assert_eq!(size(&seen, Rule::LineColumns, ""), Some(9));
    }
}

#[test]
fn a_line_that_cannot_be_wrapped_has_no_width() {
    let address = format!("// https://example.org/{}\nfn a() {{}}\n", "x".repeat(100));
    assert_eq!(
        size(&measured("src/a.rs", &address), Rule::LineColumns, ""),
        Some(9)
    );
}

#[test]
fn a_script_has_lines_too_and_a_document_has_none() {
    assert_eq!(
        size(&measured("bench/run.mjs", "a\nb\n"), Rule::FileLines, ""),
        Some(2)
    );
    assert_eq!(measured("README.md", "a\nb\n"), Measures::new());
}
