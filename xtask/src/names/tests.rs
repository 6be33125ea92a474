//! Tests of rejected names.

use crate::names::check;
use crate::survey::Survey;
use crate::tree::Tree;

fn faults(path: &str, text: &str) -> Vec<String> {
    let tree = Tree::of(&[(path, text)]);
    let (surveys, _) = Survey::of_tree(&tree);
    check(&tree, &surveys)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_plain_name_is_fine() {
    let text = "struct Pool;\nimpl Pool { fn target(&self) {} fn getter(&self) {} }\n";
    assert_eq!(faults("crates/a/src/pool.rs", text), [""; 0]);
}

#[test]
fn a_get_before_a_noun_is_a_fault() {
    let seen = faults("a.rs", "struct A;\nimpl A { fn get_b(&self) {} }\n");
    assert_eq!(seen, ["a.rs:2: `get_b`: drop the get_"]);
}

#[test]
fn a_name_from_a_foreign_trait_is_fine() {
    assert_eq!(
        faults("a.rs", "impl Read for A { fn get_b(&self) {} }\n"),
        [""; 0]
    );
}

#[test]
fn a_catch_all_is_a_fault_as_a_file_and_as_a_type() {
    let file = faults("crates/a/src/utils.rs", "//! Drawer.\n");
    assert_eq!(
        file,
        ["crates/a/src/utils.rs: `utils` means nothing: name its content"]
    );
    let page = faults("portal/src/helpers.ts", "");
    assert_eq!(
        page,
        ["portal/src/helpers.ts: `helpers` means nothing: name its content"]
    );
    let type_ = faults("a.rs", "struct PoolManager;\nstruct Wager;\n");
    assert_eq!(
        type_,
        ["a.rs:1: `PoolManager` means nothing: name its purpose"]
    );
}
