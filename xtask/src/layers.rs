//! The direction of dependencies: checks `layers.toml` against cargo's metadata and the code.
//!
//! Cargo's metadata list the direct dependencies of each crate; the surveys of its source list the
//! paths that a crate without I/O must not use (`std::fs`, `Instant::now`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::fault::Fault;
use crate::survey::Survey;

#[cfg(test)]
mod tests;

const TABLE: &str = "xtask/src/layers.toml";
const PREFIX: &str = "tollgate-";

/// The contents of `layers.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LayerTable {
    groups: BTreeMap<String, Group>,
    #[serde(rename = "crate")]
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    packages: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// The name without the prefix `tollgate-`, same as its folder.
    name: String,
    layer: u8,
    may_use: Vec<String>,
    #[serde(default)]
    dev_may_use: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
}

/// A member of the workspace.
#[derive(Debug, Default)]
pub(crate) struct Package {
    /// The name without the prefix.
    pub(crate) name: String,
    /// Path relative to the repository's root.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Dependency {
    /// The name as in the manifest.
    pub(crate) package: String,
    /// The name, without the prefix for our own crates.
    pub(crate) name: String,
    pub(crate) is_ours: bool,
    pub(crate) is_dev: bool,
}

/// Reads the members of the workspace and their direct dependencies with `cargo metadata`.
pub(crate) fn workspace_packages(root: &Path) -> Result<Vec<Package>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cargo metadata failed: {errors}");
    packages_of(&output.stdout, root)
}

fn packages_of(metadata: &[u8], root: &Path) -> Result<Vec<Package>> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Described>,
    }
    #[derive(Deserialize)]
    struct Described {
        name: String,
        manifest_path: String,
        dependencies: Vec<Declared>,
    }
    #[derive(Deserialize)]
    struct Declared {
        name: String,
        kind: Option<String>,
        path: Option<String>,
    }
    let short = |name: &str| name.strip_prefix(PREFIX).unwrap_or(name).to_owned();
    let metadata: Metadata = serde_json::from_slice(metadata).context("cargo metadata")?;
    let mut packages = Vec::new();
    for package in metadata.packages {
        let folder = Path::new(&package.manifest_path)
            .parent()
            .context("the manifest has no folder")?;
        let folder = folder
            .strip_prefix(root)
            .context("a member is outside the repository")?;
        let dependency = |declared: &Declared| Dependency {
            package: declared.name.clone(),
            // A path dependency is one of ours: the repository contains no other crates.
            is_ours: declared.path.is_some(),
            name: if declared.path.is_some() {
                short(&declared.name)
            } else {
                declared.name.clone()
            },
            is_dev: declared.kind.as_deref() == Some("dev"),
        };
        packages.push(Package {
            name: short(&package.name),
            folder: folder.to_string_lossy().replace('\\', "/"),
            dependencies: package.dependencies.iter().map(dependency).collect(),
        });
    }
    Ok(packages)
}

impl LayerTable {
    pub(crate) fn of_this_repository() -> Result<Self> {
        toml::from_str(include_str!("layers.toml")).context(TABLE)
    }

    fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// Expands the groups of `never` into packages and paths.
    fn never<'a>(&'a self, row: &'a Row) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
        let (mut packages, mut paths) = (BTreeSet::new(), BTreeSet::new());
        for word in &row.never {
            match word.strip_prefix('@').map(|group| self.groups.get(group)) {
                Some(Some(group)) => {
                    packages.extend(group.packages.iter().map(String::as_str));
                    paths.extend(group.paths.iter().map(String::as_str));
                }
                // An unknown group is a fault of the table, reported by `of_table`.
                Some(None) => {}
                None => drop(packages.insert(word.as_str())),
            }
        }
        (packages, paths)
    }
}

pub(crate) fn check(table: &LayerTable, packages: &[Package], surveys: &[Survey]) -> Vec<Fault> {
    let mut faults = of_table(table);
    for package in packages {
        let manifest = format!("{}/Cargo.toml", package.folder);
        let Some(row) = table.row(&package.name) else {
            let text = format!("`{}` has no row in {TABLE}", package.name);
            faults.push(Fault::of_file(&manifest, text));
            continue;
        };
        if package.folder.rsplit('/').next() != Some(row.name.as_str()) {
            let text = format!("the folder of `{}` must have its name", row.name);
            faults.push(Fault::of_file(&manifest, text));
        }
        let (never, never_paths) = table.never(row);
        let refused = package
            .dependencies
            .iter()
            .filter_map(|used| refusal(row, &never, used));
        faults.extend(refused.map(|text| Fault::of_file(&manifest, text)));
        faults.extend(unused(row, package));
        faults.extend(of_source(package, &never_paths, surveys));
    }
    faults
}

/// Checks the table itself: arrows point down, to existing rows.
fn of_table(table: &LayerTable) -> Vec<Fault> {
    let mut texts = Vec::new();
    for row in &table.rows {
        for used in &row.may_use {
            match table.row(used) {
                None => texts.push(format!("`{}` may use `{used}`, which has no row", row.name)),
                Some(used) if used.layer >= row.layer => {
                    texts.push(format!(
                        "the arrow `{}` to `{}` does not go down",
                        row.name, used.name
                    ));
                }
                Some(_) => {}
            }
        }
        let groups = row.never.iter().filter_map(|word| word.strip_prefix('@'));
        let unknown = groups.filter(|group| !table.groups.contains_key(*group));
        texts.extend(
            unknown.map(|group| format!("`{}` refers to an unknown group: @{group}", row.name)),
        );
    }
    texts
        .into_iter()
        .map(|text| Fault::of_file(TABLE, text))
        .collect()
}

fn refusal(row: &Row, never: &BTreeSet<&str>, used: &Dependency) -> Option<String> {
    let name = used.name.as_str();
    if never.contains(name) {
        return Some(format!("`{}` must never use `{name}` ({TABLE})", row.name));
    }
    let listed = |list: &[String]| list.iter().any(|allowed| allowed == name);
    let allowed = listed(&row.may_use) || (used.is_dev && listed(&row.dev_may_use));
    let text = format!(
        "`{}` may not use `{name}`: a new arrow is a decision ({TABLE})",
        row.name
    );
    (used.is_ours && !allowed).then_some(text)
}

/// Reports arrows of the table that the crate does not use.
fn unused<'a>(row: &'a Row, package: &'a Package) -> impl Iterator<Item = Fault> + 'a {
    let uses = |name: &String| {
        let mut ours = package.dependencies.iter().filter(|it| it.is_ours);
        ours.any(|it| it.name == *name)
    };
    let arrows = row.may_use.iter().chain(&row.dev_may_use);
    arrows.filter(move |name| !uses(name)).map(|name| {
        let text = format!("`{}` does not use `{name}`: remove the arrow", row.name);
        Fault::of_file(TABLE, text)
    })
}

fn of_source(package: &Package, never: &BTreeSet<&str>, surveys: &[Survey]) -> Vec<Fault> {
    let source = format!("{}/src/", package.folder);
    let mut faults = Vec::new();
    for survey in surveys
        .iter()
        .filter(|survey| survey.path.starts_with(&source))
    {
        if survey.path.ends_with("/tests.rs") {
            continue;
        }
        for (path, line) in &survey.paths {
            for refused in never.iter().filter(|refused| names(path, refused)) {
                let text = format!("`{}` must never use `{refused}` ({TABLE})", package.name);
                faults.push(Fault::of_line(&survey.path, *line, text));
            }
        }
    }
    faults
}

/// Whether a path contains the refused one, by whole segments.
fn names(path: &str, refused: &str) -> bool {
    format!("::{path}::").contains(&format!("::{refused}::"))
}
