//! Checks that every declared dependency is used in the crate's code: `[dependencies]` outside of
//! tests, `[dev-dependencies]` anywhere.
//!
//! A dependency may be declared for its features or for its build script. `dependencies.toml` lists
//! these, each with the reason; an unnecessary entry is a fault.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::fault::Fault;
use crate::layers::{Dependency, Package};
use crate::survey::Survey;

#[cfg(test)]
mod tests;

const TABLE: &str = "xtask/src/dependencies.toml";

/// The accepted dependencies that no code uses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Excused {
    #[serde(default, rename = "dependency")]
    dependencies: Vec<Unnamed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unnamed {
    /// The folder of the declaring crate, such as `crates/http1`.
    folder: String,
    /// Name of the package.
    name: String,
    reason: String,
}

impl Excused {
    pub(crate) fn of_this_repository() -> Result<Self> {
        Self::parse(include_str!("dependencies.toml")).context(TABLE)
    }

    fn parse(text: &str) -> Result<Self> {
        let excused: Self = toml::from_str(text)?;
        for Unnamed { name, reason, .. } in &excused.dependencies {
            ensure!(!reason.is_empty(), "the dependency `{name}` has no reason");
        }
        Ok(excused)
    }
}

pub(crate) fn check(excused: &Excused, packages: &[Package], surveys: &[Survey]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut left: Vec<_> = excused.dependencies.iter().collect();
    for package in packages {
        let named = Named::by(package, surveys);
        for unused in package.dependencies.iter().filter(|it| !named.has(it)) {
            let before = left.len();
            left.retain(|it| it.folder != package.folder || it.name != unused.package);
            if left.len() == before {
                let manifest = format!("{}/Cargo.toml", package.folder);
                faults.push(Fault::of_file(&manifest, sentence(unused)));
            }
        }
    }
    let gone = |it: &Unnamed| {
        let text = format!(
            "{}: `{}` is used, or is not a dependency: remove the entry",
            it.folder, it.name
        );
        Fault::of_file(TABLE, text)
    };
    faults.extend(left.into_iter().map(gone));
    faults
}

fn sentence(unused: &Dependency) -> String {
    let place = if unused.is_dev {
        "no code"
    } else {
        "no code outside of tests"
    };
    format!("`{}` is not used: {place} refers to it", unused.package)
}

/// The first segments of the paths in a package's code.
struct Named<'a> {
    outside_tests: BTreeSet<&'a str>,
    anywhere: BTreeSet<&'a str>,
}

impl<'a> Named<'a> {
    fn by(package: &Package, surveys: &'a [Survey]) -> Self {
        let folder = format!("{}/", package.folder);
        let mut named = Self {
            outside_tests: BTreeSet::new(),
            anywhere: BTreeSet::new(),
        };
        for survey in surveys {
            let Some(below) = survey.path.strip_prefix(&folder) else {
                continue;
            };
            let names = survey.first_names.iter().map(String::as_str);
            let is_dev = ["tests/", "benches/", "examples/"].map(|it| below.starts_with(it));
            if is_dev.contains(&true) || below.ends_with("/tests.rs") || below.contains("/tests/") {
                named.anywhere.extend(names);
            } else {
                named.outside_tests.extend(names);
            }
            let of_tests = survey.first_names_in_tests.iter();
            named.anywhere.extend(of_tests.map(String::as_str));
        }
        named.anywhere.extend(&named.outside_tests);
        named
    }

    fn has(&self, dependency: &Dependency) -> bool {
        let name = dependency.package.replace('-', "_");
        let names = if dependency.is_dev {
            &self.anywhere
        } else {
            &self.outside_tests
        };
        names.contains(name.as_str())
    }
}
