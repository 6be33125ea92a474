//! `cargo xtask gauge`: counts the instructions of the gateway's worker for a call, and compares
//! them with those in `bench/gauge/figures.toml`; `--write` renews that file.
//!
//! The program `tollgate-gauge` runs under callgrind and makes it write what each thread executed:
//! twice for each row, after calls that fill caches and after those that count. The worker's thread
//! is the one that serves requests. Digests are left out: callgrind has no SHA instructions, so
//! they would count for more than they cost.

mod figures;
mod profile;
mod rooms;
mod toolchain;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::tree::root;
use figures::Figures;
use profile::Profile;
use toolchain::Toolchain;

#[cfg(test)]
mod tests;

const PROGRAM: &str = "tollgate-gauge";
const FIGURES: &str = "bench/gauge/figures.toml";
/// The rows, in the order in which the program calls them (bench/gauge/src/rows.rs).
const ROWS: [&str; 6] = [
    "get",
    "get_three_limits",
    "post",
    "cache_hit",
    "signed_token",
    "refusal",
];
/// Counted calls of a row (bench/gauge/src/main.rs).
const CALLS: u64 = 4_000;
/// A function of the worker's thread only.
const WORKER: &str = "tollgate_gateway::request::";

/// Instructions per call of each row, by room.
type Rooms = BTreeMap<String, BTreeMap<&'static str, f64>>;

pub(crate) fn run(writes: bool) -> Result<ExitCode> {
    let program = build()?;
    let toolchain = Toolchain::find()?;
    let folder = program.with_file_name("gauge");
    count(&program, &folder)?;
    let (rooms, measured) = read(&folder)?;
    let place = root().join(FIGURES);
    let figures = Figures::new(&toolchain, &measured);
    let mut text = table(&rooms, &measured);
    let mut is_as_kept = true;
    if writes {
        std::fs::write(&place, figures.text()?).context(FIGURES)?;
        writeln!(text, "{FIGURES}: written")?;
    } else if !toolchain.has_avx2 {
        text.push_str(
            "not compared: this processor has no AVX2, by which memcpy chooses its code\n",
        );
    } else {
        let kept = std::fs::read_to_string(&place).context(FIGURES)?;
        let difference = Figures::parse(&kept)?.compare(&figures);
        is_as_kept = difference.is_within();
        text.push_str(&difference.to_string());
    }
    for row in ["get", "get_three_limits"] {
        writeln!(text, "gauge_{row}={:.0}", measured[row])?;
    }
    stdout().write_all(text.as_bytes())?;
    Ok(if is_as_kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Builds the program with the gateway's crates only; returns its path.
fn build() -> Result<PathBuf> {
    let words = ["build", "--quiet", "--release", "--locked", "--package"];
    let status = Command::new(env!("CARGO"))
        .args(words)
        .arg(PROGRAM)
        .current_dir(root())
        .status();
    ensure!(
        status.context("cargo did not start")?.success(),
        "{PROGRAM} cannot be built"
    );
    // This program is in the folder of another profile, beside that of `release`.
    let xtask = std::env::current_exe().context("the path of this program")?;
    let target = xtask.parent().and_then(Path::parent);
    let target = target.context("this program is in no folder of a profile")?;
    Ok(target.join("release").join(PROGRAM))
}

/// Runs the program under callgrind; the counts are in `folder`.
fn count(program: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).context("old counts cannot be removed")?;
    }
    std::fs::create_dir_all(folder).context("no folder for the counts")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--separate-threads=yes"])
        .arg("--callgrind-out-file=counts")
        .arg(program)
        .arg("--counted")
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    let output = output.context("valgrind did not start: make deps installs it")?;
    if !output.status.success() {
        bail!(
            "{PROGRAM} failed under valgrind:\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

/// Reads the counts of the worker's thread: by room, and in all.
fn read(folder: &Path) -> Result<(Rooms, BTreeMap<&'static str, f64>)> {
    let mut rooms = Rooms::new();
    let mut measured = BTreeMap::new();
    for (at, row) in ROWS.into_iter().enumerate() {
        // Parts begin at 1, and every second one is that of calls which only fill caches.
        let profile = worker(folder, 2 * at + 2)?;
        for (room, instructions) in profile.by_room() {
            let per_call = instructions as f64 / CALLS as f64;
            rooms.entry(room).or_default().insert(row, per_call);
            *measured.entry(row).or_default() += per_call;
        }
    }
    Ok((rooms, measured))
}

/// Reads what the worker's thread executed in this part of the run.
fn worker(folder: &Path, part: usize) -> Result<Profile> {
    let prefix = format!("counts.{part}-");
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path())?;
        let profile = Profile::parse(&text).with_context(|| entry.path().display().to_string())?;
        if profile.has_function(WORKER) {
            return Ok(profile);
        }
    }
    bail!("callgrind wrote no counts of a worker in part {part}")
}

/// Lists the rooms with their instructions per call, the most expensive ones first.
fn table(rooms: &Rooms, measured: &BTreeMap<&str, f64>) -> String {
    let mut lines: Vec<_> = rooms.iter().collect();
    let key = |of: &BTreeMap<&str, f64>| of.get("get_three_limits").copied().unwrap_or_default();
    lines.sort_by(|(_, a), (_, b)| key(b).total_cmp(&key(a)));
    let mut text = format!("{:34}", "instructions per call");
    for row in ROWS {
        let _ = write!(text, "{row:>18}");
    }
    text.push('\n');
    let all = ("all".to_owned(), measured.clone());
    for (room, by_row) in lines.into_iter().chain([(&all.0, &all.1)]) {
        if by_row.values().all(|it| *it < 1.0) {
            continue;
        }
        let _ = write!(text, "{room:34}");
        for row in ROWS {
            let _ = write!(
                text,
                "{:18.0}",
                by_row.get(row).copied().unwrap_or_default()
            );
        }
        text.push('\n');
    }
    text
}
