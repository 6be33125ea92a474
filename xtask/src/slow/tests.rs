//! Tests of the list of slow tests.

use crate::layers::Package;
use crate::slow::check;
use crate::survey::Survey;
use crate::tree::Tree;

const RUST: &str = "#[test]\nfn a_limit_holds() {}\nfn no_test() {}\n";
const PROPERTY: &str = "proptest! {\n#[test]\nfn any_body_ends(body in any()) {}\n}\n";
const PORTAL: &str = "describe(\"charts\", () => { test(\"show a week\", () => {}) })";

fn faults(list: &str) -> Vec<String> {
    let tree = Tree::of(&[
        (".ci/slow-tests", list),
        ("crates/tollgate/tests/product/main.rs", RUST),
        ("crates/tollgate/tests/product/limits/terms.rs", RUST),
        ("crates/http1/tests/fuzz.rs", RUST),
        ("crates/http1/src/parse/tests.rs", RUST),
        ("crates/tollgate/src/main.rs", RUST),
        ("crates/http1/tests/framing.rs", PROPERTY),
        ("portal/tests/flows/usage.test.ts", PORTAL),
    ]);
    let (surveys, _) = Survey::of_tree(&tree);
    let package = |name: &str| Package {
        name: name.to_owned(),
        folder: format!("crates/{name}"),
        ..Package::default()
    };
    check(&tree, &["tollgate", "http1"].map(package), &surveys)
        .iter()
        .map(|fault| fault.to_string().replacen(".ci/slow-tests: ", "", 1))
        .collect()
}

fn list(count: usize, names: &[&str]) -> String {
    let tests = names
        .iter()
        .map(|name| format!("[[test]]\nname = \"{name}\"\nreason = \"it waits\"\n"));
    format!("count = {count}\n{}", tests.collect::<String>())
}

#[test]
fn tests_in_each_place_are_found() {
    let names = [
        "tollgate::product a_limit_holds",
        "tollgate::product limits::terms::a_limit_holds",
        "tollgate-http1::fuzz a_limit_holds",
        "tollgate-http1 parse::tests::a_limit_holds",
        "tollgate::bin/tollgate a_limit_holds",
        "tollgate-http1::framing any_body_ends",
        "portal flows/usage: charts > show a week",
    ];
    assert_eq!(faults(&list(7, &names)), [""; 0]);
}

#[test]
fn names_that_no_test_has_are_faults() {
    for name in [
        "tollgate::product limits::a_limit_holds",
        "tollgate::product limits::terms::no_test",
        "tollgate::other a_limit_holds",
        "tollgate-soap::product a_limit_holds",
        "a_limit_holds",
        "portal flows/usage: charts > show a month",
        "portal usage: charts > show a week",
        "portal flows/usage: charts > a week",
        "tollgate-http1 tests::a_limit_holds",
    ] {
        let expected = format!("{name}: there is no such test");
        assert_eq!(faults(&list(1, &[name])), [expected]);
    }
}

#[test]
fn the_count_may_only_fall() {
    let name = "tollgate-http1::fuzz a_limit_holds";
    assert_eq!(
        faults(&list(0, &[name])),
        ["1 tests, but its count is 0 and may only fall: make them faster"]
    );
    assert_eq!(faults(&list(2, &[name])), ["lower its count from 2 to 1"]);
    assert_eq!(
        faults(&list(2, &[name, name])),
        [format!("{name}: is listed twice")]
    );
}

#[test]
fn a_test_without_a_reason_is_a_fault() {
    let name = "tollgate-http1::fuzz a_limit_holds";
    let list = list(1, &[name]).replace("it waits", " ");
    assert_eq!(faults(&list), [format!("{name}: has no reason")]);
}
