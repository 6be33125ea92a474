//! Tests of unused dependencies.

use super::*;
use crate::tree::Tree;

fn faults(excused: &str, uses: &[(&str, bool)], files: &[(&str, &str)]) -> Vec<String> {
    let (surveys, _) = Survey::of_tree(&Tree::of(files));
    let dependency = |(package, is_dev): &(&str, bool)| Dependency {
        package: (*package).to_owned(),
        is_dev: *is_dev,
        ..Dependency::default()
    };
    let package = Package {
        folder: "crates/a".to_owned(),
        dependencies: uses.iter().map(dependency).collect(),
        ..Package::default()
    };
    let excused = Excused::parse(excused).unwrap();
    let faults = check(&excused, &[package], &surveys);
    faults.iter().map(ToString::to_string).collect()
}

const USES: [(&str, bool); 2] = [("quick-xml", false), ("insta", true)];

#[test]
fn an_unused_dependency_is_a_fault() {
    let files = [("crates/b/src/lib.rs", "use quick_xml::Reader;\n")];
    assert_eq!(
        faults("", &USES, &files),
        [
            "crates/a/Cargo.toml: `quick-xml` is not used: no code outside of tests refers to it",
            "crates/a/Cargo.toml: `insta` is not used: no code refers to it",
        ]
    );
}

#[test]
fn a_dependency_is_used_by_an_import_a_path_a_macro_or_an_attribute() {
    for named in [
        "use quick_xml::Reader;",
        "use quick_xml as xml;",
        "fn a() -> quick_xml::Reader { loop {} }",
        "fn a() { format!(\"{}\", quick_xml::VERSION); }",
        "fn a() { quick_xml::trace!(); }",
        "#[derive(quick_xml::Read)]\nstruct A;",
        "#[quick_xml::main]\nfn a() {}",
    ] {
        let files = [("crates/a/src/lib.rs", named)];
        assert_eq!(faults("", &USES[..1], &files), [""; 0], "{named}");
    }
}

#[test]
fn a_dependency_used_only_in_tests_is_a_dev_dependency() {
    for test in [
        ("crates/a/tests/b.rs", "use NAME::b;"),
        ("crates/a/benches/b.rs", "use NAME::b;"),
        ("crates/a/src/b/tests.rs", "#[test]\nfn b() { NAME::b!(); }"),
        (
            "crates/a/src/b.rs",
            "#[cfg(test)]\nmod tests { use NAME::b; }",
        ),
        ("crates/a/src/b.rs", "#[cfg(test)]\nuse NAME::b;"),
    ] {
        let named = |name| test.1.replace("NAME", name);
        let dev = [(test.0, &*named("insta"))];
        assert_eq!(faults("", &USES[1..], &dev), [""; 0], "{test:?}");
        let normal = [(test.0, &*named("quick_xml"))];
        assert_eq!(faults("", &USES[..1], &normal).len(), 1, "{test:?}");
    }
}

#[test]
fn a_dependency_with_a_reason_is_accepted_until_it_is_used() {
    let excused = "[[dependency]]\nfolder = 'crates/a'\nname = 'insta'\nreason = 'its build'\n";
    assert_eq!(faults(excused, &USES[1..], &[]), [""; 0]);
    let files = [("crates/a/tests/b.rs", "use insta::b;")];
    assert_eq!(
        faults(excused, &USES[1..], &files),
        [
            "xtask/src/dependencies.toml: crates/a: `insta` is used, or is not a dependency: \
             remove the entry"
        ]
    );
    let bare = "[[dependency]]\nfolder = 'crates/a'\nname = 'insta'\nreason = ''\n";
    assert!(Excused::parse(bare).is_err());
}
