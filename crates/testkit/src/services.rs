//! Servers that tests share: PostgreSQL, Redis and the servers of [`crate::peers`].
//!
//! The first test of a run that needs a server starts it, on a free port of the loopback interface
//! and with its data in a temporary folder; all other tests of the run use the same one. It ends
//! with the run, however the run ends: `services/keep.sh` watches the owner of the run. The server
//! belongs to a session of its own and inherits no descriptor of the test that started it, so it
//! survives the process group of that test.
//!
//! The folder of a server has its `log`, and one of `address`, once the server is ready, and
//! `ended`, once it is of no use.

pub mod postgres;
pub mod redis;
mod run;

use std::ffi::OsString;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use run::{Run, create_folder};

/// Time limit of a start on a busy machine; Java needs seconds on a quiet one.
const START_TIME: Duration = Duration::from_secs(90);
/// Interval between reads of a starting server's log.
const PAUSE: Duration = Duration::from_millis(20);
/// Maximum number of start attempts.
const STARTS_MAX: usize = 3;
/// What servers log, in lower case, if their port is already in use.
const PORT_TAKEN: &str = "address already in use";
/// Ports below those that Linux assigns to outgoing connections (ip_local_port_range).
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const KEEPER: &str = include_str!("services/keep.sh");

/// A server that tests share.
pub(crate) struct Recipe<'a> {
    /// One word, also the name of its folder.
    pub(crate) name: &'a str,
    /// The text that reports that it is ready. A server that reports its own address prints a line
    /// that begins with this text, followed by the address.
    pub(crate) ready: &'a str,
    /// Prepares its data in a new folder.
    pub(crate) prepare: &'a dyn Fn(&Path) -> anyhow::Result<Prepared>,
}

/// A server that is ready to be started.
pub(crate) struct Prepared {
    pub(crate) command: Vec<OsString>,
    /// Its address; `None` if it reports its own.
    pub(crate) address: Option<String>,
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) address: String,
    folder: PathBuf,
}

impl Service {
    /// Returns the server of this run, which is started if it does not run yet.
    ///
    /// # Errors
    /// Fails if the server does not start, or has ended during the run.
    pub(crate) fn shared(recipe: &Recipe<'_>) -> anyhow::Result<Self> {
        let run = Run::current()?;
        let lock = File::create(run.folder.join(format!("{}.lock", recipe.name)))?;
        // The system releases the lock also if this process is killed.
        lock.lock()?;
        for attempt in 1..=STARTS_MAX {
            let folder = run.folder.join(format!("{}.{attempt}", recipe.name));
            if !folder.exists() {
                start(recipe, &run, &folder)?;
            }
            match wait_until_ready(recipe, &folder) {
                Ok(address) => return Ok(Self { address, folder }),
                Err(_) if log_of(&folder).to_lowercase().contains(PORT_TAKEN) => {}
                Err(error) => {
                    let log = log_of(&folder);
                    return Err(error.context(format!("{}: {log}", recipe.name)));
                }
            }
        }
        bail!("{}: no free port in {STARTS_MAX} attempts", recipe.name)
    }

    /// Prints the end of the server's log for a failing test.
    #[expect(clippy::print_stderr, reason = "the test's own output is not enough")]
    pub(crate) fn show_log(&self) {
        eprintln!("{}", log_of(&self.folder));
    }
}

fn start(recipe: &Recipe<'_>, run: &Run, folder: &Path) -> anyhow::Result<()> {
    create_folder(folder)?;
    let Prepared { command, address } = (recipe.prepare)(folder)?;
    if let Some(address) = address {
        fs::write(folder.join("intended"), address)?;
    }
    Command::new("setsid")
        .args(["sh", "-c", KEEPER, "keep.sh"])
        .arg(folder)
        .args([run.owner.to_string(), run.started_ticks.to_string()])
        .args(&command)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("setsid")?;
    Ok(())
}

/// Waits until the server reports that it is ready; returns its address.
fn wait_until_ready(recipe: &Recipe<'_>, folder: &Path) -> anyhow::Result<String> {
    let begun = Instant::now();
    let intended = fs::read_to_string(folder.join("intended")).ok();
    while begun.elapsed() < START_TIME {
        if let Ok(address) = fs::read_to_string(folder.join("address")) {
            return Ok(address);
        }
        if folder.join("ended").exists() {
            bail!("it has ended");
        }
        let log = fs::read(folder.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        // The last line may be incomplete.
        let (lines, _) = log.rsplit_once('\n').unwrap_or_default();
        let address = lines.lines().find_map(|line| match &intended {
            Some(address) => line.contains(recipe.ready).then_some(address.as_str()),
            None => line.strip_prefix(recipe.ready).map(str::trim),
        });
        if let Some(address) = address {
            fs::write(folder.join("address"), address)?;
            return Ok(address.to_owned());
        }
        std::thread::sleep(PAUSE);
    }
    // No other test of this run waits for it again.
    File::create(folder.join("ended"))?;
    bail!("it is not ready after {START_TIME:?}")
}

/// Returns the last lines of a server's output.
fn log_of(folder: &Path) -> String {
    let log = fs::read(folder.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let mut lines: Vec<_> = log.lines().rev().take(40).collect();
    lines.reverse();
    lines.join("\n")
}

/// Returns a free port of the loopback interface.
fn free_port() -> anyhow::Result<u16> {
    // Processes that search at the same time begin in different places.
    let first = std::process::id() % u32::from(PORTS.end - PORTS.start);
    let first = PORTS.start + u16::try_from(first)?;
    let mut ports = (first..PORTS.end).chain(PORTS.start..first);
    let is_free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    ports.find(is_free).context("a free port")
}
