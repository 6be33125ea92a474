//! Tests of forbidden arrows and names.

use std::path::Path;

use crate::layers::{LayerTable, check, packages_of};
use crate::survey::Survey;
use crate::tree::Tree;

const TABLE: &str = r#"
groups.io = { packages = ["tokio"], paths = ["std::fs", "Instant::now"] }
crate = [
  { name = "model", layer = 0, may_use = [], never = ["@io"] },
  { name = "store", layer = 1, may_use = ["model"] },
  { name = "tollgate", layer = 4, may_use = ["model"], dev_may_use = ["testkit"] },
  { name = "testkit", layer = 5, may_use = ["tollgate"] },
]
"#;

/// Returns the faults of a workspace with one crate, `(name, folder, dependencies)`. A dependency
/// is written as `name` or `name (dev)`, with the prefix if it is ours.
fn faults_of(
    table: &str,
    (name, folder, uses): (&str, &str, &[&str]),
    source: &str,
) -> Vec<String> {
    let dependency = |used: &&str| {
        let (name, kind) = used
            .strip_suffix(" (dev)")
            .map_or((*used, None), |n| (n, Some("dev")));
        let path = name
            .starts_with("tollgate")
            .then_some("/repository/crates/x");
        serde_json::json!({ "name": name, "kind": kind, "path": path })
    };
    let metadata = serde_json::json!({ "packages": [{
        "name": name,
        "manifest_path": format!("/repository/{folder}/Cargo.toml"),
        "dependencies": uses.iter().map(dependency).collect::<Vec<_>>(),
    }] });
    let packages = packages_of(metadata.to_string().as_bytes(), Path::new("/repository"));
    let table: LayerTable = toml::from_str(table).expect("the table is well-formed");
    let tree = Tree::of(&[(&format!("{folder}/src/lib.rs"), source)]);
    let (surveys, _) = Survey::of_tree(&tree);
    let faults = check(
        &table,
        &packages.expect("the metadata are well-formed"),
        &surveys,
    );
    faults.iter().map(ToString::to_string).collect()
}

fn faults(package: (&str, &str, &[&str]), source: &str) -> Vec<String> {
    faults_of(TABLE, package, source)
}

#[test]
fn an_arrow_of_the_table_is_fine() {
    let store = (
        "tollgate-store",
        "crates/store",
        &["tollgate-model", "sqlx"][..],
    );
    assert_eq!(faults(store, "use std::fs;"), [""; 0]);
}

#[test]
fn an_arrow_missing_from_the_table_is_a_fault() {
    let store = (
        "tollgate-store",
        "crates/store",
        &["tollgate-model", "tollgate"][..],
    );
    let refused = "crates/store/Cargo.toml: `store` may not use `tollgate`: a new arrow is a \
                   decision (xtask/src/layers.toml)";
    assert_eq!(faults(store, ""), [refused]);
}

#[test]
fn the_binarys_tests_may_use_the_testkit_and_the_binary_may_not() {
    assert_eq!(
        faults(
            (
                "tollgate",
                "crates/tollgate",
                &["tollgate-model", "tollgate-testkit (dev)"],
            ),
            ""
        ),
        [""; 0]
    );
    assert_eq!(
        faults(
            (
                "tollgate",
                "crates/tollgate",
                &["tollgate-model", "tollgate-testkit"]
            ),
            ""
        )
        .len(),
        1
    );
    assert_eq!(
        faults(
            (
                "tollgate-store",
                "crates/store",
                &["tollgate-model", "tollgate-testkit (dev)"]
            ),
            ""
        )
        .len(),
        1
    );
}

#[test]
fn an_arrow_that_a_crate_does_not_use_is_a_fault() {
    let unused = |name: &str, used: &str| {
        format!("xtask/src/layers.toml: `{name}` does not use `{used}`: remove the arrow")
    };
    assert_eq!(
        faults(("tollgate-store", "crates/store", &["sqlx"]), ""),
        [unused("store", "model")]
    );
    assert_eq!(
        faults(("tollgate", "crates/tollgate", &["tollgate-model"]), ""),
        [unused("tollgate", "testkit")]
    );
}

#[test]
fn a_package_of_a_refused_group_is_a_fault() {
    let model = ("tollgate-model", "crates/model", &["serde", "tokio"][..]);
    let refused = "crates/model/Cargo.toml: `model` must never use `tokio` (xtask/src/layers.toml)";
    assert_eq!(faults(model, ""), [refused]);
}

#[test]
fn a_refused_path_in_the_source_is_a_fault_and_in_tests_is_not() {
    let model = ("tollgate-model", "crates/model", &[][..]);
    let seen = faults(
        model,
        "use std::{fs, fmt};\nfn a() { time::Instant::now(); }\n",
    );
    assert_eq!(
        seen,
        [
            "crates/model/src/lib.rs:1: `model` must never use `std::fs` (xtask/src/layers.toml)",
            "crates/model/src/lib.rs:2: `model` must never use `Instant::now` \
             (xtask/src/layers.toml)",
        ]
    );
    assert_eq!(
        faults(model, "#[cfg(test)]\nmod tests { use std::fs; }\n"),
        [""; 0]
    );
}

#[test]
fn a_crate_without_a_row_or_in_a_folder_with_another_name_is_a_fault() {
    let unknown = faults(("tollgate-new", "crates/new", &[]), "");
    assert_eq!(
        unknown,
        ["crates/new/Cargo.toml: `new` has no row in xtask/src/layers.toml"]
    );
    let moved = faults(("tollgate-model", "crates/nouns", &[]), "");
    assert_eq!(
        moved,
        ["crates/nouns/Cargo.toml: the folder of `model` must have its name"]
    );
}

#[test]
fn arrows_of_the_table_that_point_up_or_nowhere_are_faults() {
    let table = r#"
        groups = {}
        crate = [
          { name = "a", layer = 1, may_use = ["b", "c"], never = ["@io"] },
          { name = "b", layer = 1, may_use = [] },
        ]
    "#;
    assert_eq!(
        faults_of(table, ("tollgate-b", "crates/b", &[]), ""),
        [
            "xtask/src/layers.toml: the arrow `a` to `b` does not go down",
            "xtask/src/layers.toml: `a` may use `c`, which has no row",
            "xtask/src/layers.toml: `a` refers to an unknown group: @io",
        ]
    );
}

#[test]
fn the_table_of_this_repository_has_no_fault_of_its_own() {
    let table = LayerTable::of_this_repository().expect("layers.toml is well-formed");
    assert_eq!(check(&table, &[], &[]), []);
}
