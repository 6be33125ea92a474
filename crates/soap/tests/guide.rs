//! Checks the guide's page on contracts against the sources: it lists every code of an import, and
//! no others.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Codes of other crates: `control` gathers the documents and judges the address.
const OF_OTHERS: [&str; 2] = ["wsdl.address", "wsdl.not_read"];

fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests") {
            sources(&path, text);
        } else if path.is_file() && path.file_name().is_some_and(|name| name != "tests.rs") {
            text.push_str(&fs::read_to_string(&path).expect("a source"));
        }
    }
}

/// Returns the codes between two marks.
fn codes<'t>(text: &'t str, mark: char) -> BTreeSet<&'t str> {
    let is_code = |word: &&'t str| {
        let rest = word
            .strip_prefix("wsdl.")
            .or_else(|| word.strip_prefix("schema."));
        rest.is_some_and(|rest| {
            rest.bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_lowercase())
        })
    };
    text.split(mark).filter(is_code).collect()
}

#[test]
fn the_guide_names_every_code_of_an_import_and_no_other() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    sources(&here.join("src"), &mut text);
    let mut codes_used = codes(&text, '"');
    codes_used.extend(OF_OTHERS);
    let page = here.join("../../docs/guide/soap-contracts.md");
    let page = fs::read_to_string(page).expect("the page");
    let named = codes(&page, '`');
    let lacking: Vec<_> = codes_used.difference(&named).collect();
    let invented: Vec<_> = named.difference(&codes_used).collect();
    assert!(
        lacking.is_empty() && invented.is_empty(),
        "{lacking:?} {invented:?}"
    );
    assert!(codes_used.len() > 40, "{codes_used:?}");
}
