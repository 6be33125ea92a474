//! Servers that tests share: PostgreSQL, Redis and the servers of [`crate::peers`].
//!
//! The first test of a run that needs a server starts it, on a free port of the loopback interface
//! and with its data in a temporary folder; all other tests of the run use the same one. It ends
//! with the run, however the run ends: `services/keep.sh` watches the owner of the run. The server
//! belongs to a session of its own and inherits no descriptor of the test that started it, so it
//! survives the process group of that test.

pub mod postgres;
pub mod redis;
mod run;

use std::ffi::OsString;
use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use rustix::process::{Pid, Signal, kill_process_group};

use run::Run;

/// Time limit of a start on a busy machine; Java needs seconds on a quiet one.
const START_TIME: Duration = Duration::from_secs(90);
/// Pause between two looks at the log of a starting server.
const PAUSE: Duration = Duration::from_millis(20);
/// How often a start is tried: another process may take the port that was free.
const STARTS_MAX: usize = 3;
/// Ports below those that Linux assigns to outgoing connections (ip_local_port_range).
const PORTS: std::ops::Range<u16> = 20_000..32_000;
const KEEPER: &str = include_str!("services/keep.sh");

/// A server that tests share.
pub(crate) struct Recipe<'a> {
    /// One word, also the name of its folder.
    pub(crate) name: &'a str,
    /// The text in its output that reports that it is ready.
    pub(crate) ready: &'a str,
    /// Prepares the data in a new folder.
    pub(crate) prepare: &'a dyn Fn(&Path) -> anyhow::Result<Prepared>,
}

/// A server that is ready to be started.
pub(crate) struct Prepared {
    pub(crate) command: Vec<OsString>,
    /// Its address; `None` if its output contains it after [`Recipe::ready`].
    pub(crate) address: Option<String>,
}

/// Returns the address of the server of this run, which is started if it does not run yet.
///
/// # Errors
/// Fails if the server does not start, or has ended during the run.
pub(crate) fn shared(recipe: &Recipe<'_>) -> anyhow::Result<String> {
    let run = Run::current()?;
    let lock = File::create(run.folder.join(format!("{}.lock", recipe.name)))?;
    // The system releases the lock also if this process is killed.
    lock.lock()?;
    let folder = run.folder.join(recipe.name);
    if let Ok(address) = fs::read_to_string(folder.join("address")) {
        return Ok(address);
    }
    ensure!(
        !folder.exists(),
        "{} has ended during the run: {}",
        recipe.name,
        log_of(&folder)
    );
    let mut failures = Vec::new();
    for _ in 0..STARTS_MAX {
        fs::DirBuilder::new().mode(0o711).create(&folder)?;
        match start(recipe, &run, &folder) {
            Ok(address) => {
                fs::write(folder.join("address"), &address)?;
                return Ok(address);
            }
            Err(error) => failures.push(format!("{error:#}: {}", log_of(&folder))),
        }
        fs::remove_dir_all(&folder)?;
    }
    bail!("{} does not start: {failures:#?}", recipe.name)
}

fn start(recipe: &Recipe<'_>, run: &Run, folder: &Path) -> anyhow::Result<String> {
    let Prepared { command, address } = (recipe.prepare)(folder)?;
    let mut keeper = Command::new("setsid")
        .args(["sh", "-c", KEEPER, "keep.sh"])
        .arg(folder)
        .args([run.owner.to_string(), run.since.to_string()])
        .args(&command)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("setsid")?;
    let reported = wait_until_ready(recipe, folder);
    if reported.is_err() {
        terminate(&mut keeper)?;
    }
    Ok(address.unwrap_or(reported?))
}

/// Waits until the server reports that it is ready; returns the rest of that line.
fn wait_until_ready(recipe: &Recipe<'_>, folder: &Path) -> anyhow::Result<String> {
    let begun = Instant::now();
    while begun.elapsed() < START_TIME {
        let log = fs::read(folder.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        if let Some((_, rest)) = log.split_once(recipe.ready)
            && let Some((line, _)) = rest.split_once('\n')
        {
            return Ok(line.trim().to_owned());
        }
        ensure!(!folder.join("ended").exists(), "it has ended");
        std::thread::sleep(PAUSE);
    }
    bail!("it is not ready after {START_TIME:?}")
}

/// Kills the keeper and its server, which form a process group.
fn terminate(keeper: &mut Child) -> anyhow::Result<()> {
    let group = i32::try_from(keeper.id()).ok().and_then(Pid::from_raw);
    kill_process_group(group.context("a process group")?, Signal::KILL)?;
    keeper.wait()?;
    Ok(())
}

/// Returns the last lines of a server's output.
fn log_of(folder: &Path) -> String {
    let log = fs::read(folder.join("log")).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<_> = log.lines().rev().take(20).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
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
