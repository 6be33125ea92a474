//! `cargo xtask narrow`: prints a cargo-nextest filter of the tests that depend on less than 3 s of
//! the clock. `make unsteady` runs them on a busy machine.
//!
//! A test counts if it refers to a shorter duration: directly, by a constant of its file, or by a
//! function of its file. A pause counts like a timeout: the text does not show on which of them the
//! outcome depends, and an unnecessary test costs only its time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stdout};

use anyhow::{Context, Result};

use crate::survey::{Function, Survey};
use crate::tree::{TextFile, Tree, root};

#[cfg(test)]
mod tests;

/// Nanoseconds below which a duration is narrow.
const BOUND_NS: u128 = 3_000_000_000;
/// Constructors of `Duration` and related types, with their unit in nanoseconds.
const UNITS: [(&str, u128); 4] = [
    ("from_secs(", 1_000_000_000),
    ("from_millis(", 1_000_000),
    ("from_micros(", 1_000),
    ("from_nanos(", 1),
];

pub(crate) fn print() -> Result<()> {
    let tree = Tree::read(&root())?;
    let (surveys, _) = Survey::of_tree(&tree);
    let filter = filter(&tree, &surveys).context("no test is narrow")?;
    writeln!(stdout(), "{filter}")?;
    Ok(())
}

/// Returns the filter, or `None` if no test is narrow.
fn filter(tree: &Tree, surveys: &[Survey]) -> Option<String> {
    let mut tests: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for survey in surveys {
        // The tests of this crate contain durations as text.
        let reads_clock = |file: &&TextFile| file.is_test() && !file.path.starts_with("xtask/");
        let file = tree.file(&survey.path).filter(reads_clock);
        let Some((file, package)) = file.and_then(|it| Some((it, package(tree, it)?))) else {
            continue;
        };
        let names = narrow_tests(file, &survey.functions);
        tests.entry(package).or_default().extend(names);
    }
    tests.retain(|_, names| !names.is_empty());
    let of_package = |(package, names): (&String, &BTreeSet<String>)| {
        let names = names.iter().map(String::as_str).collect::<Vec<_>>();
        format!("package(={package}) & test(/(^|::)({})$/)", names.join("|"))
    };
    let parts: Vec<_> = tests.iter().map(of_package).collect();
    (!parts.is_empty()).then(|| parts.join(" | "))
}

/// Returns the name of the package that the file belongs to.
fn package(tree: &Tree, file: &TextFile) -> Option<String> {
    let folders = file
        .path
        .match_indices('/')
        .map(|(end, _)| &file.path[..end]);
    let manifest = folders
        .rev()
        .find_map(|folder| tree.file(&format!("{folder}/Cargo.toml")))?;
    let name = manifest
        .text
        .lines()
        .find_map(|line| line.strip_prefix("name = "))?;
    Some(name.trim_matches('"').to_owned())
}

/// Returns the names of the file's narrow tests, without their modules.
fn narrow_tests(file: &TextFile, functions: &[Function]) -> Vec<String> {
    let lines: Vec<&str> = file.text.lines().collect();
    let is_constant = |line: &&&str| line.contains("const ") || line.contains("static ");
    let mut narrow: BTreeSet<&str> = lines
        .iter()
        .filter(is_constant)
        .filter(|line| is_short(line))
        .filter_map(|line| {
            words(line)
                .skip_while(|word| !matches!(*word, "const" | "static"))
                .nth(1)
        })
        .collect();
    let bodies: Vec<_> = functions
        .iter()
        .map(|it| {
            (
                it,
                last_name(it),
                lines[it.line - 1..][..it.lines].join("\n"),
            )
        })
        .collect();
    loop {
        let known = narrow.len();
        for (_, name, body) in &bodies {
            let names_one =
                |body: &str| words(body).any(|word| word != *name && narrow.contains(word));
            if is_short(body) || names_one(body) {
                narrow.insert(name);
            }
        }
        if narrow.len() == known {
            break;
        }
    }
    bodies
        .iter()
        .filter(|(function, name, _)| narrow.contains(name) && is_run(&lines, function))
        .map(|(_, name, _)| (*name).to_owned())
        .collect()
}

fn last_name(function: &Function) -> &str {
    function.name.rsplit("::").next().unwrap_or(&function.name)
}

/// Whether an attribute above makes it a test that is not ignored.
fn is_run(lines: &[&str], function: &Function) -> bool {
    let above = lines[..function.line - 1]
        .iter()
        .rev()
        .map(|line| line.trim());
    let attributes: Vec<_> = above
        .take_while(|line| line.starts_with("#[") || line.starts_with("//"))
        .collect();
    let has = |start: &str| attributes.iter().any(|line| line.starts_with(start));
    (has("#[test]") || has("#[tokio::test")) && !has("#[ignore")
}

/// Whether the text contains a duration below the bound, other than zero.
fn is_short(text: &str) -> bool {
    let durations = UNITS.iter().flat_map(|(constructor, unit)| {
        text.match_indices(constructor).map(move |(at, _)| {
            let rest = &text[at + constructor.len()..];
            let digits = rest.chars().take_while(|c| c.is_ascii_digit() || *c == '_');
            let digits: String = digits.filter(char::is_ascii_digit).collect();
            digits
                .parse::<u128>()
                .unwrap_or_default()
                .saturating_mul(*unit)
        })
    });
    let mut durations = durations;
    durations.any(|ns| ns > 0 && ns < BOUND_NS)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}
