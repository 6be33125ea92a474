//! Tests of circles between modules.

use super::*;
use crate::tree::Tree;

fn faults(excused: &str, files: &[(&str, &str)]) -> Vec<String> {
    let (surveys, _) = Survey::of_tree(&Tree::of(files));
    let package = Package {
        folder: "crates/a".to_owned(),
        ..Package::default()
    };
    let excused = Excused::parse(excused).unwrap();
    let faults = check(&excused, &[package], &surveys);
    faults.iter().map(ToString::to_string).collect()
}

const CIRCLE: [(&str, &str); 3] = [
    ("crates/a/src/b.rs", "use crate::c::C;\n"),
    ("crates/a/src/c/d.rs", "fn a() { super::super::e::f(); }\n"),
    ("crates/a/src/e.rs", "\nuse super::b;\n"),
];

#[test]
fn modules_that_use_each_other_indirectly_are_a_circle() {
    assert_eq!(
        faults("", &CIRCLE),
        [
            "crates/a/src/b.rs:1: modules in a circle: b uses c (crates/a/src/b.rs:1), \
             c uses e (crates/a/src/c/d.rs:1), e uses b (crates/a/src/e.rs:2)"
        ]
    );
    assert_eq!(faults("", &CIRCLE[..2]), [""; 0]);
}

#[test]
fn a_name_of_the_root_is_that_of_its_module() {
    let files = [
        ("crates/a/src/lib.rs", "pub use c::C;\n"),
        ("crates/a/src/b.rs", "use crate::C;\n"),
        ("crates/a/src/c.rs", "fn c(it: crate::b::B) {}\n"),
    ];
    assert_eq!(faults("", &files).len(), 1);
}

#[test]
fn tests_and_a_modules_own_folder_are_no_arrows() {
    let files = [
        ("crates/a/src/b.rs", "mod d;\nuse d::D;\n"),
        ("crates/a/src/b/d.rs", "use super::B;\n"),
        ("crates/a/src/b/tests.rs", "use crate::c::C;\n"),
        ("crates/a/src/c.rs", "use crate::b::B;\n"),
    ];
    assert_eq!(faults("", &files), [""; 0]);
}

#[test]
fn the_modules_of_each_folder_may_form_a_circle() {
    let files = [
        ("crates/a/src/b.rs", "mod c;\nmod d;\npub use self::c::C;\n"),
        ("crates/a/src/b/c.rs", "use super::d::D;\n"),
        ("crates/a/src/b/d.rs", "use crate::b::C;\n"),
    ];
    assert_eq!(
        faults("", &files),
        [
            "crates/a/src/b/c.rs:1: modules in a circle: c uses d (crates/a/src/b/c.rs:1), \
             d uses c (crates/a/src/b/d.rs:1)"
        ]
    );
    let excused = "[[circle]]\nfolder = 'crates/a/src/b'\nmodules = ['c', 'd']\nreason = 'so'\n";
    assert_eq!(faults(excused, &files), [""; 0]);
    assert_eq!(faults("", &files[..2]), [""; 0]);
}

#[test]
fn a_circle_with_a_reason_is_accepted_while_it_exists() {
    let excused = "[[circle]]\nfolder = 'crates/a/src'\nmodules = ['b', 'c', 'e']\nreason = 'so'\n";
    assert_eq!(faults(excused, &CIRCLE), [""; 0]);
    assert_eq!(
        faults(excused, &CIRCLE[..2]),
        ["xtask/src/circles.toml: crates/a/src: b, c, e is no longer a circle: remove the entry"]
    );
    let bare = "[[circle]]\nfolder = 'crates/a/src'\nmodules = ['b', 'c']\nreason = ''\n";
    assert!(Excused::parse(bare).is_err());
}
