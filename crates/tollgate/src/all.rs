//! Role `all`: the control side (`all/control_side.rs`) and the gateway side
//! (`all/gateway_side.rs`) in one process. They communicate over the link (`all/link.rs`) only.
//!
//! The control side and all slow work run on the runtime of `process::slow_runtime`; the gateway
//! has threads of its own.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::JoinHandle;
use tollgate_control::seed::FirstPassword;
use tollgate_gateway::Addresses;
use tollgate_watch::AccessLog;

use crate::access_log;
use crate::data::DataDirectory;
use crate::process::{Hangups, StopSignals};
use crate::settings::Settings;

mod control_side;
mod gateway_side;
mod key_manager;
mod link;
mod listeners;
mod origins;
mod watched;

use control_side::ControlSide;
use gateway_side::{GatewaySide, Waiting};
use link::Shared;
use listeners::{ControlSockets, Places, Secured};
use watched::{WatchSocket, Watched};

/// Time for the last lines of the access log when the process stops.
const LOG_PATIENCE: Duration = Duration::from_secs(3);

/// The running process.
pub struct All {
    control: ControlSide,
    gateway: GatewaySide,
    control_addresses: Addresses,
    gateway_addresses: Addresses,
    watch_address: Option<SocketAddr>,
    access_log: Option<AccessLog>,
    is_stopping: Arc<AtomicBool>,
    /// Tasks that reload changed certificates and serve metrics until the process ends.
    background: Vec<JoinHandle<()>>,
}

impl All {
    /// Opens the databases, starts both sides, and returns once the gateway serves the stored
    /// configuration. Neither side accepts connections before that.
    ///
    /// # Errors
    /// Fails if a database cannot be opened or an address is not available; each error is one
    /// sentence.
    pub async fn start(
        settings: &Settings,
        data: &DataDirectory,
        hangups: Hangups,
    ) -> anyhow::Result<Self> {
        let access_log = access_log::open(&settings.access_log)?;
        let secured = Secured::open(settings)?;
        let sockets = ControlSockets::reserve(settings, &secured)?;
        let gateway = Waiting::reserve(settings, &secured)?;
        let control_addresses = sockets.addresses;
        let gateway_addresses = gateway.addresses();
        let places = Places {
            control: control_addresses,
            gateway: gateway_addresses,
        };
        let watch = WatchSocket::reserve(settings, &places)?;
        let watching = watch.as_ref().map(|it| it.watching.clone());
        let watch_address = watching.as_ref().map(|it| it.address);
        let shared = Shared::new(settings, places, watching, access_log.clone());
        let opened = control_side::open(settings, data, shared, secured.folders());
        let (control, mut link) = opened.await?;
        let gateway = gateway.start(settings, &mut link).await?;
        let mut control = control.serve(settings, sockets, link)?;
        let mut background = secured.watch();
        background.push(tokio::spawn(reopen_at(hangups, access_log.clone())));
        let is_stopping = Arc::<AtomicBool>::default();
        let watched = gateway.watched.clone().zip(control.watched.take());
        if let (Some(socket), Some((gateway, control))) = (watch, watched) {
            let watched = Watched {
                gateway,
                control,
                secured,
                is_stopping: Arc::clone(&is_stopping),
            };
            background.push(socket.serve(watched)?);
        }
        Ok(Self {
            control,
            gateway,
            control_addresses,
            gateway_addresses,
            watch_address,
            access_log,
            is_stopping,
            background,
        })
    }

    /// Prints all addresses on standard output, and the calls of the example on lines of their own;
    /// logs the addresses, without secrets. If the access log is on standard output, they go to
    /// standard error.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn announce(&self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let control = urls(self.control_addresses);
        let gateway = urls(self.gateway_addresses);
        let (controls, gateways) = (control.join(" and "), gateway.join(" and "));
        tracing::info!(
            version,
            control = controls,
            gateway = gateways,
            "tollgate {version} has started: control plane on {controls}, gateway on {gateways}"
        );
        let log = self.access_log.as_ref();
        let mut out: Box<dyn Write> = match log.is_some_and(AccessLog::is_standard_output) {
            true => Box::new(io::stderr().lock()),
            false => Box::new(io::stdout().lock()),
        };
        if let Some(url) = control.first().filter(|_| tollgate_portal::is_built()) {
            writeln!(out, "portal: {url}/")?;
        }
        for url in control {
            writeln!(out, "control plane: {url}")?;
        }
        for url in gateway {
            writeln!(out, "gateway: {url}")?;
        }
        if let Some(address) = self.watch_address {
            writeln!(out, "metrics: http://{address}/metrics")?;
        }
        if let Some(FirstPassword { name, password }) = &self.control.first {
            writeln!(
                out,
                "first sign-in: user {name}, one-time password {password}"
            )?;
        }
        if let Some(lines) = &self.control.lines {
            write!(out, "{lines}")?;
        }
        writeln!(out, "ready")?;
        out.flush()
    }

    /// Lets exchanges in progress finish, for at most `grace` or until a second signal, then writes
    /// usage, quotas and last uses.
    ///
    /// # Errors
    /// Fails if usage and quotas cannot be written; the remaining steps are still carried out.
    pub async fn shut_down(self, grace: Duration, signals: &mut StopSignals) -> anyhow::Result<()> {
        self.is_stopping.store(true, Ordering::Relaxed);
        tracing::info!("stopping: exchanges in progress may take {grace:?}");
        let drained = self.gateway.shut_down(grace, signals).await;
        let written = self.control.shut_down().await;
        self.background.iter().for_each(JoinHandle::abort);
        if let Some(log) = self.access_log {
            let closing = move || log.close(LOG_PATIENCE);
            tokio::task::spawn_blocking(closing).await?;
        }
        drained.and(written)?;
        tracing::info!("stopped");
        Ok(())
    }
}

/// Opens the access log again at each SIGHUP, which nothing else follows.
async fn reopen_at(mut hangups: Hangups, access_log: Option<AccessLog>) {
    loop {
        hangups.next().await;
        if let Some(log) = &access_log {
            log.reopen();
        }
    }
}

/// Returns the URLs of a plane.
fn urls(addresses: Addresses) -> Vec<String> {
    let http = addresses.http.map(|address| format!("http://{address}"));
    let https = addresses.https.map(|address| format!("https://{address}"));
    http.into_iter().chain(https).collect()
}
