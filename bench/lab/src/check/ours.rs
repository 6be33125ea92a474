//! Tollgate, started for a check as for a run: set up through its control plane, with the APIs of
//! two scenarios and one limit.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::{Made, Side, Started};
use crate::control::credentials::PER_APPLICATION;
use crate::credential::Credential;
use crate::figures::OURS;
use crate::host::{Folder, Host};
use crate::rival::Sent;
use crate::scenario::Scenario;
use crate::tollgate::{Start, Tollgate};
use crate::world::World;

/// The scenarios with the GET and the POST, and the targets of their APIs.
const GET: (&str, &str) = ("get", "/bytes/{mark}");
const POST: (&str, &str) = ("post", "/echo");
/// Maximum time to wait for the records of the last calls.
const RECORDED: Duration = Duration::from_secs(10);

/// Tollgate as a checkable side.
#[derive(Debug)]
pub struct Checkable {
    binary: PathBuf,
    scenarios: BTreeMap<String, Scenario>,
    host: Host,
    keys: u64,
    // Declared first, so the process ends before the folder is removed.
    tollgate: Option<Tollgate>,
    directory: Folder,
}

impl Checkable {
    /// Reads the scenarios and creates a folder on `host`. Makes at least enough keys for three
    /// applications.
    ///
    /// # Errors
    /// Fails if a scenario cannot be read, or if the folder cannot be created.
    pub fn new(bench: &Path, binary: &Path, host: &Host, keys: u64) -> anyhow::Result<Self> {
        let read = |(name, _): (&str, _)| Ok((name.to_owned(), Scenario::read(bench, name)?));
        let scenarios: anyhow::Result<_> = [GET, POST].into_iter().map(read).collect();
        Ok(Self {
            binary: binary.to_owned(),
            scenarios: scenarios?,
            host: host.clone(),
            keys: keys.max(3 * PER_APPLICATION),
            tollgate: None,
            directory: host.folder()?,
        })
    }
}

impl Side for Checkable {
    fn name(&self) -> String {
        OURS.to_owned()
    }

    fn start(&mut self, upstream: SocketAddr, limit: u64) -> anyhow::Result<Started> {
        let start = Start {
            binary: &self.binary,
            host: &self.host,
            directory: self.directory.path(),
            upstream,
            authority: None,
            certificates: None,
            amount: limit,
            settings: &BTreeMap::new(),
            restarts: false,
            stop: &AtomicBool::new(false),
        };
        let world = World {
            keys: self.keys,
            revoked_tokens: 0,
            apis: 1,
            limits: 1,
        };
        let started = Tollgate::start(start, world, &self.scenarios)?;
        let tollgate = self.tollgate.insert(started);
        let sent = |(name, target): (&str, &str)| Sent {
            target: format!("{}{target}", self.scenarios[name].base),
            headers: vec![Credential::ApiKey.field()],
        };
        // Keys of an application are consecutive and share each API's limit.
        let each = usize::try_from(PER_APPLICATION)?;
        Ok(Started {
            address: tollgate.gateway,
            request: sent(GET),
            post: sent(POST),
            keys: tollgate
                .credentials
                .of(Credential::ApiKey)
                .iter()
                .step_by(each)
                .cloned()
                .collect(),
        })
    }

    /// Records have no request ids, so compares the number of calls by status.
    fn has_logged(&mut self, call: &Made) -> anyhow::Result<bool> {
        let tollgate = self.tollgate.as_ref().context("it was not started")?;
        let deadline = Instant::now() + RECORDED;
        loop {
            let mut recorded = BTreeMap::new();
            for name in self.scenarios.keys() {
                for (status, calls) in tollgate.recorded_by_status(name)? {
                    *recorded.entry(status).or_default() += calls;
                }
            }
            let is_whole = recorded == call.answered;
            if is_whole || Instant::now() > deadline {
                return Ok(is_whole);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}
