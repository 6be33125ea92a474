//! A rival, started for a check.

use std::fs;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use tempfile::TempDir;

use super::{Made, Side, Started};
use crate::process::{Process, free_port};
use crate::rival::{LogNames, Place, Rival};

/// How long a line of a running rival is waited for.
const FLUSH: Duration = Duration::from_secs(5);
/// How long a rival may take to write down what it has and to end.
const END: Duration = Duration::from_secs(60);

/// A rival that is installed.
#[derive(Debug)]
pub struct Checkable {
    rival: Rival,
    cores: Vec<u32>,
    keys: u64,
    // Ended before the folder goes.
    process: Option<Process>,
    directory: TempDir,
}

impl Checkable {
    /// Gives it a folder, cores, and so many keys, three at least.
    ///
    /// # Errors
    /// There can be no folder.
    pub fn new(rival: Rival, cores: &[u32], keys: u64) -> anyhow::Result<Self> {
        Ok(Self {
            rival,
            cores: cores.to_vec(),
            keys,
            process: None,
            directory: tempfile::tempdir().context("making a rival's folder")?,
        })
    }
}

impl Side for Checkable {
    fn name(&self) -> String {
        self.rival.name.clone()
    }

    fn start(&mut self, upstream: SocketAddr, limit: u64) -> anyhow::Result<Started> {
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()?));
        let keys: Vec<String> = (0..self.keys)
            .map(|key| format!("key-{key:05}-of-a-check"))
            .collect();
        let place = Place {
            listen: address,
            upstream,
            keys: &keys,
            limit_per_minute: Some(limit),
            directory: self.directory.path(),
        };
        self.process = Some(self.rival.start(&place, &self.cores)?);
        Ok(Started {
            address,
            request: self.rival.request("/small-{mark}"),
            post: self.rival.request("/small"),
            keys,
        })
    }

    fn has_logged(&mut self, call: &Made) -> anyhow::Result<bool> {
        let name = match self.rival.log_names() {
            LogNames::RequestId => &call.request_id,
            LogNames::Path => &call.mark,
        };
        // A line is written after its answer, at once or with others a second later; who gathers
        // more writes when it ends.
        let deadline = Instant::now() + FLUSH;
        while Instant::now() < deadline {
            if self.log_holds(name)? {
                return Ok(true);
            }
            thread::sleep(Duration::from_millis(50));
        }
        if let Some(process) = self.process.take() {
            process.end(END)?;
        }
        self.log_holds(name)
    }
}

impl Checkable {
    fn log_holds(&self, name: &str) -> anyhow::Result<bool> {
        let log = self
            .rival
            .log(self.directory.path())
            .context("it has no log")?;
        if !log.exists() {
            return Ok(false);
        }
        let bytes = fs::read(&log).with_context(|| format!("reading {}", log.display()))?;
        Ok(bytes.windows(name.len()).any(|it| it == name.as_bytes()))
    }
}
