//! What a host is asked to do beside starting processes, and the doing of it.

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

/// Something to do on a host; what it answers stands beside it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Errand {
    /// The numbers of the cores that may be used.
    Cores,
    /// A port of this address that is free: its number.
    FreePort(IpAddr),
    /// A new folder: its path.
    MakeFolder,
    /// Removes a folder that was made.
    RemoveFolder(PathBuf),
    /// Writes a file into a folder that was made.
    Write { path: PathBuf, text: String },
    /// The text of a file in a folder that was made; null if there is none.
    Read(PathBuf),
    /// SHA-256 of a file.
    Digest(PathBuf),
    /// What the machine is.
    Machine,
    /// Its load average.
    LoadAverage,
    /// How its time has gone by.
    Time,
    /// Leaves these cores to what it watches.
    KeepOff(Vec<u32>),
    /// Whether it can have so many connections.
    Check(u32),
}

/// Does errands on this machine. What it writes lies in one folder, which is made for the first and
/// goes with this.
#[derive(Debug, Default)]
pub(super) struct Hand(OnceLock<TempDir>);

impl Hand {
    /// Does an errand; the answer as JSON.
    ///
    /// # Errors
    /// It cannot be done, or would write or read a file that is not the run's.
    pub(super) fn run(&self, errand: Errand) -> anyhow::Result<Value> {
        Ok(match errand {
            Errand::Cores => json!(machine::allowed_cores()?),
            Errand::FreePort(address) => {
                let listener = TcpListener::bind((address, 0));
                let listener = listener.with_context(|| format!("a free port of {address}"))?;
                json!(listener.local_addr().context("its address")?.port())
            }
            Errand::MakeFolder => {
                let folder = tempfile::tempdir_in(self.folder()?);
                json!(folder.context("making a folder")?.keep())
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
            // Who was faster has made it.
            let _ = self.0.set(folder.context("making a folder for the run")?);
        }
        self.0.get().map(TempDir::path).context("a folder")
    }

    /// A path, if it lies in the folder.
    fn own<'a>(&self, path: &'a Path) -> anyhow::Result<&'a Path> {
        let is_plain = path.components().all(|part| part.as_os_str() != "..");
        let folder = self.folder()?;
        let is_own = is_plain && path != folder && path.starts_with(folder);
        ensure!(is_own, "{} is no file of the run", path.display());
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
