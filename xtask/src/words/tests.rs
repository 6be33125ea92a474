//! What counts as a comment or a text, and when a rate is a fault.

use super::{Rates, check};
use crate::tree::Tree;

const RUST: &str =
    "// What is told\nlet told = \"told\";\n/// Told by whoever.\nlet a = 1; // told\n";
const NONE: &str = "[comments]\n[texts]\n";

fn faults(listed: &str, files: &[(&str, &str)]) -> Vec<String> {
    let rates: Rates = toml::from_str(listed).expect("the table is well-formed");
    let faults = check(&rates, &Tree::of(files));
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn words_count_in_comments_that_have_their_line_for_themselves() {
    let told = "xtask/src/words.toml: comments: \"told\" occurs 1000 times per 1,000 lines, \
        0 are listed; the first places are [(\"a.rs\", 1), (\"a.rs\", 3)]";
    let whoever = "xtask/src/words.toml: comments: \"whoever\" occurs 500 times per 1,000 lines, \
        0 are listed; the first places are [(\"a.rs\", 3)]";
    assert_eq!(faults(NONE, &[("a.rs", RUST)]), [told, whoever]);
    let listed = "[comments]\ntold = 1000\nwhoever = 500\n[texts]\n";
    assert_eq!(faults(listed, &[("a.rs", RUST)]), [""; 0]);
}

#[test]
fn words_count_in_texts_for_users_and_not_in_other_files() {
    let text = "So that it stands.\n\nIt is said.\n";
    let found = faults(NONE, &[("docs/guide/a.md", text), ("CHANGELOG.md", text)]);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(
        found
            .iter()
            .all(|it| it.contains("texts") && it.contains("500 times"))
    );
}

#[test]
fn an_entry_that_could_be_lower_or_that_nobody_counts_is_a_fault() {
    let listed = "[comments]\ntold = 1000.6\nwhoever = 500.4\ntelling = 1\n[texts]\n";
    let lower = "xtask/src/words.toml: comments: \"told\" fell to 1000: lower its entry";
    let unknown = "xtask/src/words.toml: comments: \"telling\" is not counted";
    assert_eq!(faults(listed, &[("a.rs", RUST)]), [lower, unknown]);
}
