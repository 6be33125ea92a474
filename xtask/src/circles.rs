//! The modules of a crate use each other in one direction: no two of them, directly or by way of
//! others, use each other.
//!
//! A module is what lies directly below a crate's root, with everything in its folder; its own
//! tests do not count. `circles.toml` lists the circles that stay, with the reason; it may only
//! shrink.

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
    /// The folder of its crate, such as `crates/http1`.
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
        let arrows = Arrows::of(&package.folder, surveys);
        for circle in arrows.circles() {
            let before = left.len();
            left.retain(|it| it.folder != package.folder || it.modules != circle);
            if left.len() == before {
                faults.push(arrows.fault(&circle));
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

/// Which module of a crate uses which, and where for the first time.
struct Arrows(BTreeMap<String, BTreeMap<String, (String, usize)>>);

impl Arrows {
    fn of(folder: &str, surveys: &[Survey]) -> Self {
        let source = format!("{folder}/src/");
        let files = surveys.iter().filter_map(|survey| {
            let below = survey.path.strip_prefix(&source)?.strip_suffix(".rs")?;
            let module: Vec<_> = below.split('/').collect();
            let is_test = module.contains(&"tests") || module.contains(&"bin");
            (!is_test).then_some((module, survey))
        });
        let (roots, files): (Vec<_>, Vec<_>) =
            files.partition(|(module, _)| matches!(module[..], ["lib" | "main"]));
        let modules: BTreeSet<&str> = files.iter().map(|(module, _)| module[0]).collect();
        let named = names_of_roots(&modules, &roots);
        let mut arrows = BTreeMap::<_, BTreeMap<_, _>>::new();
        for (module, survey) in &files {
            let used = arrows.entry(module[0].to_owned()).or_default();
            for (path, line) in &survey.paths {
                let Some(name) = name_below_root(module, path) else {
                    continue;
                };
                let to = modules.get(name).or_else(|| named.get(name)).copied();
                if let Some(to) = to.filter(|to| *to != module[0]) {
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

/// What the root gives another name to (`pub use error::StoreError`), by that name.
fn names_of_roots<'a>(
    modules: &BTreeSet<&'a str>,
    roots: &[(Vec<&str>, &'a Survey)],
) -> BTreeMap<&'a str, &'a str> {
    let paths = roots.iter().flat_map(|(_, survey)| &survey.paths);
    let named = paths.filter_map(|(path, _)| {
        let mut names = path.trim_start_matches("crate::").split("::");
        let module = modules.get(names.next()?)?;
        Some((names.last()?, *module))
    });
    named.collect()
}

/// What a path names directly below the crate's root, seen from within a module.
fn name_below_root<'a>(module: &[&str], path: &'a str) -> Option<&'a str> {
    let mut names = path.split("::");
    let mut name = names.next()?;
    if name == "crate" {
        return names.next();
    }
    let mut depth = module.len();
    while name == "super" {
        depth -= 1;
        name = names.next()?;
    }
    (depth == 0).then_some(name)
}
