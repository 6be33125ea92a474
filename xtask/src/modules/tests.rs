//! Tests of the documentation of modules and crates.

use crate::layers::Package;
use crate::modules::check;
use crate::survey::Survey;
use crate::tree::Tree;

const LIBRARY: &str = "//! A crate.\n#![doc = include_str!(\"../README.md\")]\n";

fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let tree = Tree::of(files);
    let (surveys, _) = Survey::of_tree(&tree);
    let package = Package {
        folder: "crates/a".to_owned(),
        ..Package::default()
    };
    check(&tree, &[package], &surveys)
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_crate_with_heads_and_a_readme_is_fine() {
    let files = [
        ("crates/a/README.md", "# a\n"),
        ("crates/a/src/lib.rs", LIBRARY),
    ];
    assert_eq!(faults(&files), [""; 0]);
}

#[test]
fn a_crate_without_a_readme_is_a_fault() {
    let without = faults(&[("crates/a/src/lib.rs", LIBRARY)]);
    assert_eq!(without, ["crates/a/README.md: the crate has no README"]);
}

#[test]
fn a_readme_without_a_title_or_outside_the_documentation_is_a_fault() {
    let untitled = faults(&[
        ("crates/a/README.md", "a\n"),
        ("crates/a/src/lib.rs", LIBRARY),
    ]);
    assert_eq!(untitled, ["crates/a/README.md:1: no title"]);
    let apart = faults(&[
        ("crates/a/README.md", "# a\n"),
        ("crates/a/src/lib.rs", "//! A.\n"),
    ]);
    assert_eq!(
        apart,
        ["crates/a/src/lib.rs: the README is not the crate's documentation: use include_str!"]
    );
}

#[test]
fn a_mod_rs_a_missing_head_and_a_bare_ignore_are_faults() {
    let seen = faults(&[
        ("crates/a/README.md", "# a\n"),
        ("crates/a/src/lib.rs", LIBRARY),
        ("crates/a/src/b.rs", "// A comment.\n"),
        ("crates/a/src/c/mod.rs", "//! A head.\n"),
        (
            "crates/a/src/d/tests.rs",
            "//! Tests.\n\n#[test]\n#[ignore]\nfn a() {}\n",
        ),
    ]);
    assert_eq!(
        seen,
        [
            "crates/a/src/b.rs:1: no //! header: describe the module and its neighbours",
            "crates/a/src/c/mod.rs: no mod.rs: name the module's file like its folder, next \
             to it",
            "crates/a/src/d/tests.rs:4: #[ignore] without a reason",
        ]
    );
}
