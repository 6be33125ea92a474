//! Checks `.ci/slow-tests`, the list of slow tests that `.ci/test` accepts: each of them exists and
//! has a reason, and there are as many as its own count, which may only fall.
//!
//! A name is the one that the runner prints. For cargo-nextest it begins with the package
//! (`tollgate-soap`), or with a program of it (`tollgate::bin/tollgate`, `tollgate::product`),
//! followed by a space and the path of the test; for the portals it is `portal`, the file and the
//! titles.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::fault::Fault;
use crate::layers::Package;
use crate::survey::Survey;
use crate::tree::Tree;

#[cfg(test)]
mod tests;

const TABLE: &str = ".ci/slow-tests";
/// Separates the titles of a test of the portals.
const TITLES: &str = " > ";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlowTests {
    count: usize,
    #[serde(default, rename = "test")]
    tests: Vec<SlowTest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlowTest {
    name: String,
    reason: String,
}

pub(crate) fn check(tree: &Tree, packages: &[Package], surveys: &[Survey]) -> Vec<Fault> {
    let Some(file) = tree.file(TABLE) else {
        return vec![Fault::of_file(TABLE, "is missing")];
    };
    let listed: SlowTests = match toml::from_str(&file.text) {
        Ok(listed) => listed,
        Err(error) => return vec![Fault::of_file(TABLE, error.to_string())],
    };
    let mut texts = Vec::new();
    let (entries, count) = (listed.tests.len(), listed.count);
    if entries > count {
        texts.push(format!(
            "{entries} tests, but its count is {count} and may only fall: make them faster"
        ));
    } else if entries < count {
        texts.push(format!("lower its count from {count} to {entries}"));
    }
    let mut names = BTreeSet::new();
    for SlowTest { name, reason } in &listed.tests {
        if reason.trim().is_empty() {
            texts.push(format!("{name}: has no reason"));
        }
        if !names.insert(name) {
            texts.push(format!("{name}: is listed twice"));
        }
        let exists = match name.strip_prefix("portal ") {
            Some(test) => is_portal_test(tree, test),
            None => is_rust_test(tree, packages, surveys, name),
        };
        if !exists {
            texts.push(format!("{name}: there is no such test"));
        }
    }
    texts
        .into_iter()
        .map(|text| Fault::of_file(TABLE, text))
        .collect()
}

/// Whether there is a test such as `tollgate::product limits::terms::a_limit_holds`.
fn is_rust_test(tree: &Tree, packages: &[Package], surveys: &[Survey], name: &str) -> bool {
    let Some((program, test)) = name.split_once(' ') else {
        return false;
    };
    let (package, program) = program.split_once("::").unwrap_or((program, ""));
    let package = package.strip_prefix("tollgate-").unwrap_or(package);
    let Some(package) = packages.iter().find(|it| it.name == package) else {
        return false;
    };
    let source = if program.is_empty() || program.starts_with("bin/") {
        format!("{}/src", package.folder)
    } else {
        format!("{}/tests/{program}", package.folder)
    };
    surveys.iter().any(|survey| {
        let module = module(&survey.path, &source);
        module.is_some_and(|module| {
            let is_it = |name: &str| [&module[..], &[name]].concat().join("::") == test;
            let mut tests = survey.functions.iter().filter(|it| it.is_test);
            tests.any(|it| is_it(&it.name)) || is_it(property(tree, &survey.path, test))
        })
    })
}

/// Returns the name of a test if the macro `proptest!` of this file defines it, otherwise nothing.
fn property<'t>(tree: &Tree, path: &str, test: &'t str) -> &'t str {
    let name = test.rsplit("::").next().unwrap_or(test);
    let text = tree.file(path).map_or("", |file| &file.text);
    let has_it = text.contains("proptest! {") && text.contains(&format!("fn {name}("));
    if has_it { name } else { "" }
}

/// Returns the modules that lead to a file of a program; none for its root.
fn module<'s>(path: &'s str, program: &str) -> Option<Vec<&'s str>> {
    let below = path.strip_prefix(program)?.strip_suffix(".rs")?;
    match below {
        "" | "/main" | "/lib" => Some(Vec::new()),
        _ => Some(below.strip_prefix('/')?.split('/').collect()),
    }
}

/// Whether there is a test such as `flows/usage: charts > show a week`.
fn is_portal_test(tree: &Tree, test: &str) -> bool {
    let Some((file, titles)) = test.split_once(": ") else {
        return false;
    };
    let file = tree.file(&format!("portal/tests/{file}.test.ts"));
    let has = |text: &str, title: &str| {
        ['"', '`']
            .iter()
            .any(|quote| text.contains(&format!("{quote}{title}{quote}")))
    };
    file.is_some_and(|file| titles.split(TITLES).all(|title| has(&file.text, title)))
}
