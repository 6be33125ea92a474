//! A rival, started for a check.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Made, Side, Started};
use crate::host::{Folder, Host};
use crate::process::Process;
use crate::rival::{LogNames, Place, Rival};

/// Maximum time to wait for a log line of a running rival.
const FLUSH: Duration = Duration::from_secs(5);
/// Maximum time for a rival to flush its log and exit.
const END: Duration = Duration::from_secs(60);

/// An installed rival as a checkable side.
#[derive(Debug)]
pub struct Checkable {
    rival: Rival,
    host: Host,
    keys: u64,
    // Declared first, so the process ends before the folder is removed.
    process: Option<Process>,
    directory: Folder,
}

impl Checkable {
    /// Creates a folder on `host`.
    ///
    /// # Errors
    /// Fails if the folder cannot be created.
    pub fn new(rival: Rival, host: &Host, keys: u64) -> anyhow::Result<Self> {
        Ok(Self {
            rival,
            host: host.clone(),
            keys,
            process: None,
            directory: host.folder()?,
        })
    }
}

impl Side for Checkable {
    fn name(&self) -> String {
        self.rival.name.clone()
    }

    fn start(&mut self, upstream: SocketAddr, limit: u64) -> anyhow::Result<Started> {
        let address = self.host.free_address()?;
        let keys: Vec<String> = (0..self.keys)
            .map(|key| format!("key-{key:05}-of-a-check"))
            .collect();
        let place = Place {
            listen: address,
            upstream,
            keys: &keys,
            limit_per_minute: Some(limit),
            directory: self.directory.path(),
            identity: None,
        };
        self.process = Some(self.rival.start(&place, &self.host)?);
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
        // A line is written right after the response, or with others a second later; a rival that
        // buffers longer writes it on exit.
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
            .context("the rival has no log")?;
        let text = self.host.read(log)?;
        Ok(text.is_some_and(|text| text.contains(name)))
    }
}
