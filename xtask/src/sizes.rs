//! Measures functions, parameters, files and lines. `ratchet.rs` judges the sizes.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::survey::Survey;
use crate::tree::{TextFile, Tree};

#[cfg(test)]
mod tests;

/// The measured sizes. Only the line width applies to test code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Rule {
    FunctionLines,
    FunctionParameters,
    FunctionTuples,
    FileLines,
    LineColumns,
}

impl Rule {
    /// Returns the largest size allowed without an entry in the ratchet.
    pub(crate) fn bound(self) -> usize {
        match self {
            Self::FunctionLines => 70,
            Self::FunctionParameters => 5,
            Self::FunctionTuples => 0,
            Self::FileLines => 400,
            Self::LineColumns => 100,
        }
    }

    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::FunctionLines | Self::FileLines => "lines",
            Self::FunctionParameters => "parameters",
            Self::FunctionTuples => "parameters that are tuples",
            Self::LineColumns => "columns",
        }
    }
}

/// The measured item: a function by name, a file (empty name), or the widest line of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Subject {
    pub(crate) rule: Rule,
    pub(crate) path: String,
    pub(crate) name: String,
}

/// The size of a subject, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) size: usize,
    /// Number of the line; 0 for a whole file.
    pub(crate) line: usize,
}

/// The largest counts if several items in a file share a name.
pub(crate) type Measures = BTreeMap<Subject, Measure>;

pub(crate) fn measures(tree: &Tree, surveys: &[Survey]) -> Measures {
    let mut measures = Measures::new();
    for survey in surveys {
        let Some(file) = tree.file(&survey.path) else {
            continue;
        };
        if !file.is_test() {
            functions(survey, &mut measures);
        }
    }
    let test_lines: BTreeMap<&str, usize> = surveys
        .iter()
        .map(|survey| (survey.path.as_str(), survey.test_lines))
        .collect();
    for file in tree.files.iter().filter(|file| is_program(file)) {
        let lines = file.text.lines().count();
        if !file.is_test() {
            let without_tests = lines - test_lines.get(file.path.as_str()).unwrap_or(&0);
            let measure = Measure {
                size: without_tests,
                line: 0,
            };
            note(&mut measures, Rule::FileLines, &file.path, "", measure);
        }
        for (index, line) in file
            .text
            .lines()
            .enumerate()
            .filter(|(_, line)| can_break(line) && !is_prettiers(file, line))
        {
            let measure = Measure {
                size: line.chars().count(),
                line: index + 1,
            };
            note(&mut measures, Rule::LineColumns, &file.path, "", measure);
        }
    }
    measures
}

fn functions(survey: &Survey, measures: &mut Measures) {
    for function in survey.functions.iter().filter(|function| !function.is_test) {
        let sizes = [
            (Rule::FunctionLines, function.lines),
            (Rule::FunctionParameters, function.parameters),
            (Rule::FunctionTuples, function.tuples),
        ];
        for (rule, size) in sizes {
            let line = function.line;
            let measure = Measure { size, line };
            note(measures, rule, &survey.path, &function.name, measure);
        }
    }
}

fn note(measures: &mut Measures, rule: Rule, path: &str, name: &str, measure: Measure) {
    let subject = Subject {
        rule,
        path: path.to_owned(),
        name: name.to_owned(),
    };
    let largest = measures.entry(subject).or_insert(measure);
    if measure.size > largest.size {
        *largest = measure;
    }
}

fn is_program(file: &TextFile) -> bool {
    // The types of the HTTP API are generated.
    !file.path.ends_with(".d.ts")
        && matches!(file.extension(), "rs" | "mjs" | "js" | "ts" | "tsx" | "sh")
}

/// Prettier wraps the code of the portals; what remains wider is an unbroken sentence of a page.
fn is_prettiers(file: &TextFile, line: &str) -> bool {
    let is_comment = ["//", "/*", "*"]
        .iter()
        .any(|it| line.trim_start().starts_with(it));
    file.path.starts_with("portal/") && !is_comment
}

/// A long address in a comment is one word and cannot be wrapped.
fn can_break(line: &str) -> bool {
    let text = line.trim_start_matches([' ', '/', '!', '*', '#']);
    text.contains(char::is_whitespace)
}
