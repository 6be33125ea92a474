//! Generated files that are checked in: `codegen` writes them, `tidy` compares them.
//!
//! `generated.toml` lists the files and their commands. A command prints the file.

use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::process::Command;

use anyhow::{Context, Result, bail};
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
    /// Words separated by spaces, run in the repository's root.
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

/// Runs a command and returns its standard output.
pub(crate) fn printed_by(command: &str) -> Result<String> {
    let mut words = command.split_whitespace();
    let program = words.next().context("the command is empty")?;
    let output = Command::new(program)
        .args(words)
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
    for Generated { path, command } in table()? {
        let fresh = printed_by(&command)?;
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
