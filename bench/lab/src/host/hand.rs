//! Errands of a host other than starting processes, and their implementation.

use std::fs;
use std::io;
use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::machine;

/// An errand of a host; each variant's comment describes the result.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Errand {
    /// The numbers of the usable cores.
    Cores,
    /// The number of a free port of this address.
    FreePort(IpAddr),
    /// Creates a folder; the result is its path.
    MakeFolder,
    /// Removes a folder created by [`Errand::MakeFolder`].
    RemoveFolder(PathBuf),
    /// Writes a file into such a folder.
    Write { path: PathBuf, text: String },
    /// The text of a file in such a folder; null if it does not exist.
    Read(PathBuf),
    /// The SHA-256 of a file.
    Digest(PathBuf),
    /// The description of the machine.
    Machine,
    /// Its load average.
    LoadAverage,
    /// The accumulated time of its cores.
    Time,
    /// Keeps observing processes off these cores.
    KeepOff(Vec<u32>),
    /// Checks that this many connections are possible.
    Check(u32),
}

/// Runs errands on this machine. Writes only into one folder, which the first errand that needs it
/// creates and which is removed on drop.
#[derive(Debug, Default)]
pub(super) struct Hand(OnceLock<TempDir>);

impl Hand {
    /// Runs an errand and returns its result as JSON.
    ///
    /// # Errors
    /// Fails if the errand fails, or if it would write or read a file outside the run's folder.
    pub(super) fn run(&self, errand: Errand) -> anyhow::Result<Value> {
        Ok(match errand {
            Errand::Cores => json!(machine::allowed_cores()?),
            Errand::FreePort(address) => {
                let listener = TcpListener::bind((address, 0));
                let listener =
                    listener.with_context(|| format!("finding a free port of {address}"))?;
                json!(
                    listener
                        .local_addr()
                        .context("reading the port's address")?
                        .port()
                )
            }
            Errand::MakeFolder => {
                let folder = tempfile::tempdir_in(self.folder()?);
                json!(folder.context("creating a folder")?.keep())
            }
            Errand::RemoveFolder(path) => {
                let removed = fs::remove_dir_all(self.own(&path)?);
                json!(removed.with_context(|| format!("removing {}", path.display()))?)
            }
            Errand::Write { path, text } => {
                let written = write(self.own(&path)?, &text);
                json!(written.with_context(|| format!("writing {}", path.display()))?)
            }
            Errand::Read(path) => {
                let text = read(self.own(&path)?);
                json!(text.with_context(|| format!("reading {}", path.display()))?)
            }
            Errand::Digest(path) => json!(machine::digest(&path)?),
            Errand::Machine => json!(machine::this()),
            Errand::Time => json!(machine::time()?),
            Errand::LoadAverage => json!(machine::load_average()),
            Errand::KeepOff(cores) => json!(machine::keep_off(&cores)?),
            Errand::Check(connections) => json!(machine::check(connections)?),
        })
    }

    fn folder(&self) -> anyhow::Result<&Path> {
        if self.0.get().is_none() {
            let mut folder = tempfile::Builder::new();
            let folder = folder.prefix("tollgate-lab-").tempdir();
            // Another thread may have created it meanwhile.
            let _ = self.0.set(folder.context("creating a folder for the run")?);
        }
        self.0
            .get()
            .map(TempDir::path)
            .context("no folder for the run")
    }

    /// Returns the path if it is inside the folder.
    fn own<'a>(&self, path: &'a Path) -> anyhow::Result<&'a Path> {
        let is_plain = path.components().all(|part| part.as_os_str() != "..");
        let folder = self.folder()?;
        let is_own = is_plain && path != folder && path.starts_with(folder);
        ensure!(is_own, "{} is not a file of the run", path.display());
        Ok(path)
    }
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}

fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
