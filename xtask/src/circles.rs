//! Checks that the modules of a folder depend on each other in one direction: no two of them use
//! each other, directly or indirectly.
//!
//! Every folder of a crate is checked separately. A module is a file with everything in its own
//! folder; tests are ignored, and so is what the parent module defines. `circles.toml` lists the
//! accepted circles, with the reason; the list may only shrink.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::fault::Fault;
use crate::layers::Package;
use crate::survey::Survey;

#[cfg(test)]
mod tests;

const TABLE: &str = "xtask/src/circles.toml";

/// The accepted circles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Excused {
    #[serde(default, rename = "circle")]
    circles: Vec<Circle>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Circle {
    /// The folder of the modules, such as `crates/http1/src`.
    folder: String,
    modules: BTreeSet<String>,
    reason: String,
}

impl Excused {
    pub(crate) fn of_this_repository() -> Result<Self> {
        Self::parse(include_str!("circles.toml")).context(TABLE)
    }

    fn parse(text: &str) -> Result<Self> {
        let excused: Self = toml::from_str(text)?;
        for Circle { folder, reason, .. } in &excused.circles {
            ensure!(!reason.is_empty(), "a circle of {folder} has no reason");
        }
        Ok(excused)
    }
}

pub(crate) fn check(excused: &Excused, packages: &[Package], surveys: &[Survey]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut left: Vec<_> = excused.circles.iter().collect();
    for package in packages {
        let files = modules_of(&package.folder, surveys);
        let parents: BTreeSet<_> = files
            .iter()
            .filter_map(|(module, _)| Some(module.split_last()?.1))
            .collect();
        for parent in parents {
            let source = [package.folder.as_str(), "src"];
            let folder = [&source, parent].concat().join("/");
            let arrows = Arrows::within(parent, &files);
            for circle in arrows.circles() {
                let before = left.len();
                left.retain(|it| it.folder != folder || it.modules != circle);
                if left.len() == before {
                    faults.push(arrows.fault(&circle));
                }
            }
        }
    }
    let gone = |it: &Circle| {
        let modules: Vec<_> = it.modules.iter().map(String::as_str).collect();
        let text = format!(
            "{}: {} is no longer a circle: remove the entry",
            it.folder,
            modules.join(", ")
        );
        Fault::of_file(TABLE, text)
    };
    faults.extend(left.into_iter().map(gone));
    faults
}

/// The uses between the modules of a folder, each with its first occurrence.
struct Arrows(BTreeMap<String, BTreeMap<String, (String, usize)>>);

impl Arrows {
    /// Collects the uses between the direct child modules of `parent`.
    fn within<'a>(parent: &[&'a str], files: &[(Vec<&'a str>, &'a Survey)]) -> Self {
        let below: Vec<_> = files
            .iter()
            .filter(|(module, _)| module.len() > parent.len() && module.starts_with(parent))
            .collect();
        let depth = parent.len();
        let modules: BTreeSet<&str> = below.iter().map(|(module, _)| module[depth]).collect();
        let named = names_of_parent(parent, &modules, files);
        let mut arrows = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (module, survey) in below {
            let used = arrows.entry(module[depth].to_owned()).or_default();
            for (path, line) in &survey.paths {
                let path = from_root(module, path);
                let Some(name) = path.strip_prefix(parent).and_then(|names| names.first()) else {
                    continue;
                };
                let to = modules.get(name).or_else(|| named.get(name)).copied();
                if let Some(to) = to.filter(|to| *to != module[depth]) {
                    let place = (survey.path.clone(), *line);
                    used.entry(to.to_owned()).or_insert(place);
                }
            }
        }
        Self(arrows)
    }

    /// Returns everything that a module uses, directly or indirectly.
    fn reached<'a>(&'a self, from: &'a str) -> BTreeSet<&'a str> {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(module) = next.pop() {
            let used = self.0.get(module).into_iter().flatten();
            next.extend(
                used.map(|(to, _)| to.as_str())
                    .filter(|to| reached.insert(*to)),
            );
        }
        reached
    }

    /// Returns the sets of modules that reach each other.
    fn circles(&self) -> BTreeSet<BTreeSet<String>> {
        let reached: BTreeMap<_, _> = self
            .0
            .keys()
            .map(|from| (from.as_str(), self.reached(from)))
            .collect();
        let of = |from: &str| -> BTreeSet<String> {
            let mutual = reached[from].iter();
            let mutual = mutual.filter(|to| reached.get(**to).is_some_and(|it| it.contains(from)));
            mutual.map(|to| (*to).to_owned()).collect()
        };
        self.0
            .keys()
            .map(|from| of(from))
            .filter(|circle| circle.len() > 1)
            .collect()
    }

    /// Reports each use within a circle, at the place of the first.
    fn fault(&self, circle: &BTreeSet<String>) -> Fault {
        let arrows: Vec<_> = circle
            .iter()
            .flat_map(|from| {
                self.0[from]
                    .iter()
                    .map(move |(to, place)| (from, to, place))
            })
            .filter(|(_, to, _)| circle.contains(*to))
            .collect();
        let uses: Vec<_> = arrows
            .iter()
            .map(|(from, to, (path, line))| format!("{from} uses {to} ({path}:{line})"))
            .collect();
        let (path, line) = arrows[0].2;
        Fault::of_line(
            path,
            *line,
            format!("modules in a circle: {}", uses.join(", ")),
        )
    }
}

/// Returns the modules of a package, each as its path from the root, without tests and programs.
/// The root's path is empty.
fn modules_of<'a>(folder: &str, surveys: &'a [Survey]) -> Vec<(Vec<&'a str>, &'a Survey)> {
    let source = format!("{folder}/src/");
    let modules = surveys.iter().filter_map(|survey| {
        let below = survey.path.strip_prefix(&source)?.strip_suffix(".rs")?;
        let mut module: Vec<_> = below.split('/').collect();
        if matches!(module[..], ["lib" | "main"]) {
            module.clear();
        }
        let is_test = module.contains(&"tests") || module.contains(&"bin");
        (!is_test).then_some((module, survey))
    });
    modules.collect()
}

/// Returns the names that the parent re-exports (`pub use error::StoreError`), with their modules.
fn names_of_parent<'a>(
    parent: &[&'a str],
    modules: &BTreeSet<&'a str>,
    files: &[(Vec<&str>, &'a Survey)],
) -> BTreeMap<&'a str, &'a str> {
    let of_parent = files.iter().filter(|(module, _)| module == parent);
    let paths = of_parent.flat_map(|(_, survey)| &survey.paths);
    let named = paths.filter_map(|(path, _)| {
        let path = from_root(parent, path);
        let names = path.strip_prefix(parent)?;
        Some((*names.last()?, *modules.get(names.first()?)?))
    });
    named.collect()
}

/// Returns the segments of a path from the crate's root, as written in this module.
fn from_root<'a>(module: &[&'a str], path: &'a str) -> Vec<&'a str> {
    let mut from = module.to_vec();
    let mut names = path.split("::").peekable();
    while let Some(word) = names.next_if(|name| matches!(*name, "crate" | "self" | "super")) {
        match word {
            "crate" => from.clear(),
            "super" => drop(from.pop()),
            _ => {}
        }
    }
    from.extend(names);
    from
}
