//! Generated files that are checked in: `codegen` writes them, `tidy` compares them.
//!
//! `generated.toml` lists the files and their commands. A command of the program prints the file.

use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::fault::Fault;
use crate::tree::{Tree, root};

#[cfg(test)]
mod tests;

/// A generated file and the command that prints it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Generated {
    path: String,
    /// The words of a command of the program.
    command: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default)]
    file: Vec<Generated>,
}

pub(crate) fn table() -> Result<Vec<Generated>> {
    let table: Table = toml::from_str(include_str!("generated.toml")).context("generated.toml")?;
    Ok(table.file)
}

/// The program that prints the files, built from the present sources.
pub(crate) struct Program(PathBuf);

impl Program {
    /// Builds all programs with the features of `cargo test --workspace`, so that no dependency is
    /// compiled twice. `--examples` includes the features of dev-dependencies.
    pub(crate) fn build() -> Result<Self> {
        let words = [
            "build",
            "--quiet",
            "--locked",
            "--workspace",
            "--bins",
            "--examples",
        ];
        let status = Command::new(env!("CARGO"))
            .args(words)
            .current_dir(root())
            .status();
        let status = status.context("cargo did not start")?;
        ensure!(status.success(), "the program cannot be built");
        // Both are in the folder of the profile.
        let xtask = std::env::current_exe().context("the path of this program")?;
        Ok(Self(xtask.with_file_name("tollgate")))
    }

    /// Runs a command and returns its standard output.
    pub(crate) fn print(&self, command: &str) -> Result<String> {
        let output = Command::new(&self.0)
            .args(command.split_whitespace())
            .current_dir(root())
            .output();
        let output = output.with_context(|| format!("`{command}` did not start"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let last = errors
                .lines()
                .rfind(|line| !line.is_empty())
                .unwrap_or("no output on standard error");
            bail!("`{command}` failed: {last}");
        }
        String::from_utf8(output.stdout).with_context(|| format!("`{command}` printed no UTF-8"))
    }
}

/// Compares each file with the current output of its command.
pub(crate) fn check(
    tree: &Tree,
    table: &[Generated],
    printed_by: impl Fn(&str) -> Result<String>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    for Generated { path, command } in table {
        let text = match (printed_by(command), tree.file(path)) {
            (Err(error), _) => format!("{error:#}"),
            (Ok(_), None) => "is missing: run make codegen".to_owned(),
            (Ok(fresh), Some(kept)) if fresh != kept.text => stale(&kept.text, &fresh),
            _ => continue,
        };
        faults.push(Fault::of_file(path, text));
    }
    faults
}

fn stale(kept: &str, fresh: &str) -> String {
    let same = kept
        .lines()
        .zip(fresh.lines())
        .take_while(|(kept, fresh)| kept == fresh)
        .count();
    let mut text = format!("is stale from line {}: run make codegen", same + 1);
    if let Some(line) = fresh.lines().nth(same) {
        // Writing to a String cannot fail.
        let _ = write!(text, " (now: {})", line.trim());
    }
    text
}

/// Implements `cargo xtask codegen`: writes each changed file and lists all.
pub(crate) fn write() -> Result<()> {
    let program = Program::build()?;
    for Generated { path, command } in table()? {
        let fresh = program.print(&command)?;
        let place = root().join(&path);
        let changed = std::fs::read_to_string(&place).ok().as_deref() != Some(&fresh);
        if changed {
            if let Some(folder) = place.parent() {
                std::fs::create_dir_all(folder).with_context(|| path.clone())?;
            }
            std::fs::write(&place, fresh).with_context(|| path.clone())?;
        }
        writeln!(
            stdout(),
            "{path}: {}",
            if changed { "written" } else { "up to date" }
        )?;
    }
    Ok(())
}
