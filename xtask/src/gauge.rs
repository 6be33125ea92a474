//! `cargo xtask gauge`: counts the instructions of the gateway's worker for a call, and compares
//! them with those in `bench/gauge/figures.toml`; `--write` renews that file. `--program` counts
//! another build of the same program, and compares it with nothing. `--cold` counts cache lines
//! instead: those that a call on a cold connection needs.
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

/// What a run counts.
struct Count {
    title: &'static str,
    /// Callgrind's names of the events that are summed.
    events: &'static [&'static str],
    /// Arguments of callgrind, which is asked for these events.
    callgrind: &'static [&'static str],
    /// Arguments of the program.
    program: &'static [&'static str],
}

const EXECUTED: Count = Count {
    title: "instructions per call",
    events: &["Ir"],
    callgrind: &[],
    program: &[],
};
/// Calls over connections in turn, so many that the state of none stays in a cache of 2 MiB.
const COLD_LINES: Count = Count {
    title: "cold lines per call",
    events: &["DLmr", "DLmw"],
    callgrind: &["--cache-sim=yes", "--D1=32768,8,64", "--LL=2097152,16,64"],
    program: &["--connections", "2000"],
};

/// Events per call of each row, by room.
type Rooms = BTreeMap<String, Measured>;

/// Events per call of each row.
type Measured = BTreeMap<&'static str, f64>;

pub(crate) fn run(writes: bool) -> Result<ExitCode> {
    let toolchain = Toolchain::find()?;
    let (rooms, measured) = count(&build()?, &EXECUTED)?;
    let place = root().join(FIGURES);
    let figures = Figures::new(&toolchain, &measured);
    let mut is_as_kept = true;
    let verdict = if writes {
        std::fs::write(&place, figures.text()?).context(FIGURES)?;
        format!("{FIGURES}: written\n")
    } else {
        let kept = Figures::parse(&std::fs::read_to_string(&place).context(FIGURES)?)?;
        if kept.are_comparable(&figures) {
            let difference = kept.compare(&figures);
            is_as_kept = difference.is_within();
            difference.to_string()
        } else {
            "not compared: of this processor and that of the figures, one has no AVX2, by which \
             memcpy chooses its code\n"
                .to_owned()
        }
    };
    print(&rooms, &measured, &verdict)?;
    Ok(if is_as_kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Counts the instructions of this build of the program, such as one that `make release` made.
pub(crate) fn run_program(program: &Path) -> Result<ExitCode> {
    let program = program
        .canonicalize()
        .with_context(|| program.display().to_string())?;
    let (rooms, measured) = count(&program, &EXECUTED)?;
    print(
        &rooms,
        &measured,
        "not compared: the kept figures are those of another build\n",
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the lines of data that a call needs and that are not in a cache of the processor any more
/// when its connection was idle.
pub(crate) fn run_cold() -> Result<ExitCode> {
    let (rooms, measured) = count(&build()?, &COLD_LINES)?;
    stdout().write_all(table(&COLD_LINES, &rooms, &measured).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the instructions, what came of the comparison, and the two rows that commits name.
fn print(rooms: &Rooms, measured: &Measured, verdict: &str) -> Result<()> {
    let mut text = table(&EXECUTED, rooms, measured);
    text.push_str(verdict);
    for row in ["get", "get_three_limits"] {
        writeln!(text, "gauge_{row}={:.0}", measured[row])?;
    }
    Ok(stdout().write_all(text.as_bytes())?)
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

/// Runs the program under callgrind; returns the events of the worker's thread, by room and in all.
fn count(program: &Path, what: &Count) -> Result<(Rooms, Measured)> {
    let folder = &program.with_file_name("gauge");
    if folder.exists() {
        std::fs::remove_dir_all(folder).context("old counts cannot be removed")?;
    }
    std::fs::create_dir_all(folder).context("no folder for the counts")?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet", "--separate-threads=yes"])
        .arg("--callgrind-out-file=counts")
        .args(what.callgrind)
        .arg(program)
        .arg("--counted")
        .args(what.program)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output();
    let output = output.context("valgrind did not start: make deps installs it")?;
    if !output.status.success() {
        bail!(
            "{} failed under valgrind, {}:\n{}",
            program.display(),
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    read(folder, what.events)
}

/// Reads the counts of the worker's thread: by room, and in all.
fn read(folder: &Path, events: &[&str]) -> Result<(Rooms, Measured)> {
    let mut rooms = Rooms::new();
    let mut measured = Measured::new();
    for (at, row) in ROWS.into_iter().enumerate() {
        // Parts begin at 1, and every second one is that of calls which only fill caches.
        let profile = worker(folder, 2 * at + 2, events)?;
        for (room, events) in profile.by_room() {
            let per_call = events as f64 / CALLS as f64;
            rooms.entry(room).or_default().insert(row, per_call);
            *measured.entry(row).or_default() += per_call;
        }
    }
    Ok((rooms, measured))
}

/// Reads the events of the worker's thread in this part of the run.
fn worker(folder: &Path, part: usize, events: &[&str]) -> Result<Profile> {
    let prefix = format!("counts.{part}-");
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(&prefix) {
            continue;
        }
        let text = std::fs::read_to_string(entry.path())?;
        let profile =
            Profile::parse(&text, events).with_context(|| entry.path().display().to_string())?;
        if profile.has_function(WORKER) {
            return Ok(profile);
        }
    }
    bail!("callgrind wrote no counts of a worker in part {part}")
}

/// Lists the rooms with their events per call, the most expensive ones first.
fn table(what: &Count, rooms: &Rooms, measured: &Measured) -> String {
    let mut lines: Vec<_> = rooms.iter().collect();
    let key = |of: &Measured| of.get("get_three_limits").copied().unwrap_or_default();
    lines.sort_by(|(_, a), (_, b)| key(b).total_cmp(&key(a)));
    let mut text = format!("{:34}", what.title);
    for row in ROWS {
        let _ = write!(text, "{row:>18}");
    }
    text.push('\n');
    let all = ("all".to_owned(), measured.clone());
    for (room, by_row) in lines.into_iter().chain([(&all.0, &all.1)]) {
        if by_row.values().all(|it| *it < 0.5) {
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
