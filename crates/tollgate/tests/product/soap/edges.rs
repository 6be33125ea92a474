//! The lists of edge cases, checked against the tests: each edge has its rows, and each row its
//! edge.
//!
//! An id begins with its subject and is written in full in the source of its test: in a string, at
//! the head of a row of a page, or of a comment if the edge is more than a row.

use std::collections::BTreeSet;
use std::path::Path;

/// The first word of ids, and the list of its edges.
const LISTS: &[(&str, &str)] = &[
    ("proxy", include_str!("edges/proxy.md")),
    ("rest", include_str!("edges/rest.md")),
];

/// The characters before an id in a test.
const MARKS: &[&str] = &["\"", "// ", "\n| "];

/// Returns the ids with this first word in a text, after one of these marks.
fn ids(text: &str, first: &str, marks: &[&str]) -> BTreeSet<String> {
    let beginning = format!("{first}.");
    let starts = text.match_indices(&beginning).map(|(at, _)| at);
    let starts = starts.filter(|&at| marks.iter().any(|mark| text[..at].ends_with(mark)));
    let ids = starts.map(|at| {
        let is_part =
            |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || "_.".contains(it);
        let end = text[at..].find(|it| !is_part(it));
        text[at..][..end.unwrap_or(text.len() - at)].to_owned()
    });
    // A string that is assembled in a test is not an id.
    ids.filter(|id| !id.ends_with('.')).collect()
}

/// Appends the text of every test in a folder, and of the pages that tests read.
fn tests(folder: &Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests(&path, into);
        } else if path.extension().is_some_and(|it| it == "rs" || it == "md") {
            *into += &std::fs::read_to_string(path).unwrap();
        }
    }
}

#[test]
fn every_edge_case_has_its_rows_and_every_row_its_edge_case() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    tests(&here.join("tests/product/soap"), &mut sources);
    tests(&here.join("../soap/src"), &mut sources);
    tests(&here.join("../soap/tests"), &mut sources);
    for (first, list) in LISTS {
        let edges = list.lines().filter(|line| line.starts_with("| "));
        for edge in edges.filter(|line| *line != "| edge | rows |") {
            assert!(!ids(edge, first, &["`"]).is_empty(), "no row: {edge}");
        }
        let listed = ids(list, first, &["`"]);
        let written = ids(&sources, first, MARKS);
        let nowhere: Vec<_> = listed.difference(&written).collect();
        assert!(nowhere.is_empty(), "in no test: {nowhere:?}");
        let forgotten: Vec<_> = written.difference(&listed).collect();
        assert!(forgotten.is_empty(), "in no list: {forgotten:?}");
    }
}
