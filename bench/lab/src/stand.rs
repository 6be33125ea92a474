//! A standalone rival for manual inspection: a back end behind it, and a working call.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::host::Folder;
use crate::identity::{self, Identity};
use crate::process::Process;
use crate::rival::{self, Place, Sent};
use crate::side::BackEnd;
use crate::topology::Topology;

/// Interval of checks whether it has exited or should.
const LOOK: Duration = Duration::from_millis(100);

/// A running rival.
#[derive(Debug)]
pub struct Standing {
    /// A shell command: a call that it answers with 200.
    pub curl: String,
    /// Its files, such as its log; removed on drop.
    pub directory: Folder,
    process: Process,
    _back_end: BackEnd,
    stop: Arc<AtomicBool>,
}

impl Standing {
    /// Starts a rival with this limit of calls per key and minute.
    ///
    /// # Errors
    /// Fails if the name is unknown, or if the rival is not installed or does not start.
    pub fn start(bench: &Path, name: &str, limit: Option<u64>) -> anyhow::Result<Self> {
        let rivals = rival::all(bench)?;
        let named: Vec<&str> = rivals.iter().map(|rival| rival.name.as_str()).collect();
        let rival = rivals.iter().find(|rival| rival.name == name);
        let rival = rival.with_context(|| {
            let named = named.join(", ");
            format!("no rival is named {name:?}; known rivals: {named}")
        })?;
        ensure!(
            limit.is_none() || rival.is_secured,
            "{name} has no limits: `--limit` requires a secured rival"
        );
        let stop = Arc::<AtomicBool>::default();
        for signal in [SIGINT, SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&stop))
                .context("registering signal handlers")?;
        }
        let Topology {
            gateway,
            back_end: behind,
            ..
        } = Topology::here()?;
        let directory = gateway.folder()?;
        let identity = Identity::make(&[gateway.address, behind.address])?;
        let back_end = BackEnd::start(&behind, &identity)?;
        let keys = ["key-1", "key-2", "key-3"].map(str::to_owned);
        let listen = gateway.free_address()?;
        let place = Place {
            listen,
            upstream: back_end.address(rival.https().has_back_end()),
            keys: &keys,
            limit_per_minute: limit,
            directory: directory.path(),
            identity: Some(&identity),
        };
        let process = rival.start(&place, &gateway)?;
        let Sent { target, headers } = rival.request("/bytes/102");
        let fields = headers.iter().map(|(field, value)| {
            let value = value.replace("{value}", &keys[0]);
            format!(" -H '{field}: {value}'")
        });
        let authority = directory.path().join(identity::AUTHORITY);
        let scheme = match rival.https().has_callers() {
            true => format!("--cacert {} https", authority.display()),
            false => "http".to_owned(),
        };
        let fields: String = fields.collect();
        Ok(Self {
            curl: format!("curl -i{fields} {scheme}://{listen}{target}"),
            directory,
            process,
            _back_end: back_end,
            stop,
        })
    }

    /// Waits until SIGINT or SIGTERM.
    ///
    /// # Errors
    /// Fails if the rival exits by itself.
    pub fn wait(mut self) -> anyhow::Result<()> {
        while !self.stop.load(Ordering::Relaxed) {
            let ended = self.process.ended()?;
            ensure!(
                ended.is_none(),
                "the rival has exited: {}",
                ended.unwrap_or_default()
            );
            thread::sleep(LOOK);
        }
        Ok(())
    }
}
