//! A rival, started for a check.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Made, Side, Started};
use crate::host::{Folder, Host};
use crate::process::Process;
use crate::rival::{LogNames, Place, Rival};

/// How long a line of a running rival is waited for.
const FLUSH: Duration = Duration::from_secs(5);
/// How long a rival may take to write down what it has and to end.
const END: Duration = Duration::from_secs(60);

/// A rival that is installed.
#[derive(Debug)]
pub struct Checkable {
    rival: Rival,
    host: Host,
    keys: u64,
    // Ended before the folder goes.
    process: Option<Process>,
    directory: Folder,
}

impl Checkable {
    /// Gives it a host, a folder there, and so many keys, three at least.
    ///
    /// # Errors
    /// There can be no folder.
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
        let text = self.host.read(log)?;
        Ok(text.is_some_and(|text| text.contains(name)))
    }
}
