//! Tests of the filter.

use crate::narrow::filter;
use crate::survey::Survey;
use crate::tree::Tree;

const MANIFEST: &str = "[package]\nname = \"tollgate-a\"\n";

fn found(path: &str, text: &str) -> Option<String> {
    let tree = Tree::of(&[("crates/a/Cargo.toml", MANIFEST), (path, text)]);
    let (surveys, faults) = Survey::of_tree(&tree);
    assert!(faults.is_empty());
    filter(&tree, &surveys)
}

fn found_in_tests(text: &str) -> Option<String> {
    found("crates/a/src/b/tests.rs", text)
}

#[test]
fn a_test_with_a_duration_below_three_seconds_is_narrow() {
    let text = "#[test]\nfn one() { sleep(Duration::from_millis(2_999)); }\n\
        #[tokio::test(flavor = \"multi_thread\")]\n\
        async fn two() { wait(Duration::from_secs(1)).await; }\n\
        #[test]\nfn wide() { wait(Duration::from_secs(3)); }\n\
        #[test]\nfn none() {}\n";
    let filter = "package(=tollgate-a) & test(/(^|::)(one|two)$/)";
    assert_eq!(found_in_tests(text).as_deref(), Some(filter));
}

#[test]
fn constants_and_functions_of_the_file_count_for_their_users() {
    let text = "const QUIET: Duration = Duration::from_millis(5);\n\
        fn quiet() { sleep(QUIET); }\nfn outer() { quiet(); }\n\
        #[test]\nfn by_constant() { assert!(took < QUIET); }\n\
        #[test]\nfn by_function() { outer(); }\n\
        #[test]\nfn neither() { inner(); }\n";
    let filter = "package(=tollgate-a) & test(/(^|::)(by_constant|by_function)$/)";
    assert_eq!(found_in_tests(text).as_deref(), Some(filter));
}

#[test]
fn ignored_tests_and_other_functions_are_not_listed() {
    let short = "{ sleep(Duration::from_millis(5)); }";
    let text = format!("#[test]\n#[ignore = \"measures\"]\nfn one() {short}\nfn two() {short}\n");
    assert_eq!(found_in_tests(&text), None);
    let text = format!("#[test]\nfn one() {short}\n");
    assert_eq!(found("crates/a/src/b.rs", &text), None);
    assert!(found("crates/a/tests/product/b.rs", &text).is_some());
}
