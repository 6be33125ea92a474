//! Checks the line ends of text files, and that they contain no marks of unfinished work.

use crate::fault::Fault;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

/// Marks of unfinished work, in two halves so that this file does not contain them.
const MARKS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

/// Folders of test data, which are not checked.
const MATERIAL: [&str; 4] = ["data", "fixtures", "corpus", "snapshots"];

pub(crate) fn check(tree: &Tree) -> Vec<Fault> {
    tree.files
        .iter()
        .filter(|file| is_written_by_us(file))
        .flat_map(of_file)
        .collect()
}

fn is_written_by_us(file: &TextFile) -> bool {
    let extensions = "rs toml md mjs js ts tsx css html sh sql json yml yaml";
    let is_text = extensions
        .split(' ')
        .any(|extension| extension == file.extension())
        || file.name() == "Makefile"
        || file.path.starts_with(".ci/");
    is_text
        && !file
            .path
            .split('/')
            .any(|folder| MATERIAL.contains(&folder))
}

fn of_file(file: &TextFile) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (index, line) in file.text.split('\n').enumerate() {
        // A carriage return counts as white space: this repository uses Unix line ends.
        if line.trim_end() != line {
            faults.push(Fault::of_line(
                &file.path,
                index + 1,
                "trailing white space",
            ));
        }
        for mark in MARKS.iter().filter(|mark| has_word(line, mark)) {
            let text = format!("{mark}: finish it, or open an issue and remove the mark");
            faults.push(Fault::of_line(&file.path, index + 1, text));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        faults.push(Fault::of_file(
            &file.path,
            "no line end at the end of the file",
        ));
    }
    if file.text.ends_with("\n\n") {
        faults.push(Fault::of_file(
            &file.path,
            "empty lines at the end of the file",
        ));
    }
    faults
}

fn has_word(line: &str, word: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    line.match_indices(word).any(|(start, _)| {
        is_edge(line[..start].chars().next_back())
            && is_edge(line[start + word.len()..].chars().next())
    })
}
