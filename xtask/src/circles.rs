//! The modules of a folder use each other in one direction: no two of them, directly or by way of
//! others, use each other.
//!
//! Every folder of a crate is checked alone. A module of it is a file with everything in its own
//! folder; tests do not count, nor does what the folder's parent defines. `circles.toml` lists the
//! circles that stay, with the reason; it may only shrink.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::fault::Fault;
use crate::layers::Package;
use crate::survey::Survey;

#[cfg(test)]
mod tests;

const TABLE: &str = "xtask/src/circles.toml";

/// The circles that stay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Excused {
    #[serde(default, rename = "circle")]
    circles: Vec<Circle>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Circle {
    /// The folder that holds the modules, such as `crates/http1/src`.
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
            "{}: {} is no circle: take it out",
            it.folder,
            modules.join(", ")
        );
        Fault::of_file(TABLE, text)
    };
    faults.extend(left.into_iter().map(gone));
    faults
}

/// Which module of a folder uses which, and where for the first time.
struct Arrows(BTreeMap<String, BTreeMap<String, (String, usize)>>);

impl Arrows {
    /// The arrows between the modules that lie directly in the module `parent`.
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

    /// Everything that a module uses, by way of others too.
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

    /// Modules that reach each other, together.
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

    /// Names each arrow within a circle, at the place of the first.
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
        let told: Vec<_> = arrows
            .iter()
            .map(|(from, to, (path, line))| format!("{from} uses {to} ({path}:{line})"))
            .collect();
        let (path, line) = arrows[0].2;
        Fault::of_line(
            path,
            *line,
            format!("modules in a circle: {}", told.join(", ")),
        )
    }
}

/// The modules of a package, each by its names from the root, without tests and programs. The root
/// has no name.
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

/// What the parent gives another name to (`pub use error::StoreError`), by that name.
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

/// The names of a path from the crate's root on, where it is written in this module.
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
