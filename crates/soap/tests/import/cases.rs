//! Contracts that failed once, and what is found in each: `cases/README.md` has them as a table.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::{corpus, soundness};

const PAGE: &str = include_str!("../cases/README.md");

/// Returns the cells of a contract: its operations, those that can be called as REST, and the codes
/// of the notes; or why it is refused.
fn found(folder: &Path, main: &str) -> String {
    let compiled = corpus::imported(folder, main)
        .and_then(|(imported, compiled)| Ok((imported, compiled.map_err(|it| it.to_string())?)));
    let (imported, compiled) = match compiled {
        Ok(both) => both,
        Err(error) => return format!("| - | - | {error} |"),
    };
    soundness::check(&compiled.plan);
    let notes = imported.report.notes.iter().chain(&compiled.warnings);
    let codes: BTreeSet<_> = notes.map(|note| format!("`{}`", note.code)).collect();
    let codes: Vec<_> = codes.into_iter().collect();
    let operations = &compiled.plan.operations;
    let rest = operations.iter().filter(|of| of.proxy_only.is_none());
    format!(
        "| {} | {} | {} |",
        operations.len(),
        rest.count(),
        codes.join(" ")
    )
}

#[test]
fn every_contract_that_failed_once_is_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let files = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let files: BTreeSet<_> = files
        .map(|name| name.into_string().unwrap())
        .filter(|name| name.ends_with(".wsdl"))
        .collect();
    let expected = PAGE.lines().filter_map(|line| line.strip_prefix("| `"));
    let expected: Vec<_> = expected.collect();
    let found = files.iter().map(|main| (main, found(&folder, main)));
    for (main, cells) in found {
        let row = format!("{main}` {cells}");
        let is_expected = expected.iter().any(|line| line.starts_with(&row));
        assert!(is_expected, "no row begins with | `{row}");
    }
    assert_eq!(expected.len(), files.len());
}
