//! The run that a test belongs to: it owns the servers, which end with it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use rustix::process::{geteuid, getppid};

/// The process id of the run's owner, which `.ci/test` sets for all that it starts.
const OWNER: &str = "TOLLGATE_TEST_RUN";

/// A run of tests: of `make test`, of cargo-nextest, or of a single test program.
#[derive(Debug)]
pub(crate) struct Run {
    /// The process that lasts as long as the run.
    pub(crate) owner: u32,
    /// When that process started, in clock ticks since the system did: its id may be reused.
    pub(crate) started_ticks: u64,
    /// The folder of its servers.
    pub(crate) folder: PathBuf,
}

impl Run {
    /// Returns the run of this process, with its folder.
    ///
    /// # Errors
    /// Fails if its owner has ended, or its folder cannot be created.
    pub(crate) fn current() -> anyhow::Result<Self> {
        let owner = owner()?;
        let started_ticks =
            started_ticks(owner).with_context(|| format!("{OWNER}: no process {owner}"))?;
        let user = geteuid().as_raw();
        let folder =
            std::env::temp_dir().join(format!("tollgate-run-{user}-{owner}-{started_ticks}"));
        if !folder.exists() {
            create_folder(&folder)?;
        }
        let is_ours = fs::symlink_metadata(&folder)?.uid() == user;
        ensure!(is_ours, "{} belongs to another user", folder.display());
        Ok(Self {
            owner,
            started_ticks,
            folder,
        })
    }
}

/// Creates a folder that other users can pass through but not list, whatever the umask is:
/// PostgreSQL runs as another user.
///
/// # Errors
/// Fails if it cannot be created.
pub(crate) fn create_folder(folder: &Path) -> anyhow::Result<()> {
    let created = fs::create_dir_all(folder);
    created.with_context(|| folder.display().to_string())?;
    Ok(fs::set_permissions(folder, Permissions::from_mode(0o711))?)
}

/// Returns the process that lasts as long as this run.
fn owner() -> anyhow::Result<u32> {
    if let Ok(owner) = std::env::var(OWNER) {
        return owner.parse().with_context(|| format!("{OWNER}={owner}"));
    }
    // cargo-nextest is the parent of every test. Otherwise the parent could be a shell, which may
    // stay for days: the server ends with this program then.
    let parent = getppid().filter(|_| std::env::var_os("NEXTEST").is_some());
    let parent = parent.map(|parent| parent.as_raw_nonzero().get().unsigned_abs());
    Ok(parent.unwrap_or_else(std::process::id))
}

/// Returns field 22 of proc_pid_stat(5), the start of a process.
fn started_ticks(process: u32) -> anyhow::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program may contain spaces: fields are counted after its parenthesis.
    let (_, fields) = stat.rsplit_once(')').context("proc_pid_stat(5)")?;
    let start = fields.split_whitespace().nth(22 - 3).context("field 22")?;
    Ok(start.parse()?)
}
