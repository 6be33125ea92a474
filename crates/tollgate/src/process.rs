//! Operating system resources: file descriptors, priorities, free ports, signals. `data.rs` has
//! the data directory.

use std::io;
use std::net::SocketAddr;

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::data::DataDirectory;
use crate::settings::Settings;
use crate::settings::value::Listen;

/// Niceness of the slow threads, relative to the gateway's workers.
const SLOW_NICENESS: i32 = 5;
/// File descriptors besides connections, with room to spare: databases, listeners, workers.
const FILES: u64 = 128;

/// This process cannot listen on an address.
#[derive(Debug, thiserror::Error)]
#[error("{setting}: cannot listen on {address}")]
pub struct CannotListen {
    /// The setting that names the address.
    pub setting: &'static str,
    /// The address.
    pub address: SocketAddr,
    /// The cause.
    pub source: io::Error,
}

/// Raises the soft limit of open files to the hard limit: each connection takes one.
pub fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

/// Logs a warning if the limit of open files is too low for the configured connections: calls
/// would be refused, and files not opened, long before any configured bound is reached.
pub fn check_descriptors(gateway_connections_max: u64) {
    let limit = getrlimit(Resource::Nofile).current;
    if let Some(warning) = limit.and_then(|limit| too_few_files(limit, gateway_connections_max)) {
        tracing::warn!("{warning}");
    }
}

/// Returns the warning for a limit that is too low. A call takes a client connection and an
/// upstream connection.
fn too_few_files(limit: u64, gateway_connections_max: u64) -> Option<String> {
    let control = tollgate_control::CONNECTIONS_MAX as u64;
    let needed = gateway_connections_max * 2 + control + FILES;
    (limit < needed).then(|| {
        format!(
            "this process may open {limit} files, but gateway.connections_max \
             {gateway_connections_max} needs up to {needed} ({gateway_connections_max} for \
             clients, as many for upstreams, {control} for the control plane, {FILES} for the \
             rest): raise the limit of open files, or set less than {}",
            limit.saturating_sub(control + FILES) / 2 + 1
        )
    })
}

/// Checks that an address is free, before anything is opened.
///
/// # Errors
/// Fails if the address is in use or does not belong to this machine.
pub fn probe(setting: &'static str, address: SocketAddr) -> Result<(), CannotListen> {
    match tollgate_gateway::probe(address) {
        Ok(_) => Ok(()),
        Err(source) => Err(CannotListen {
            setting,
            address,
            source,
        }),
    }
}

/// Locks the data directory and checks that the ports are free. The lock comes first, because its
/// error names the other process; but a start that fails because of a port leaves no new directory
/// behind.
///
/// # Errors
/// Fails with [`crate::data::DataError`] or [`CannotListen`], each one sentence.
pub fn take_data_and_ports(settings: &Settings) -> anyhow::Result<DataDirectory> {
    let (control, gateway) = (&settings.control, &settings.gateway);
    let probe_all = || -> Result<(), CannotListen> {
        let listens = [
            ("control.listen", control.listen),
            ("control.https_listen", control.https_listen),
            ("gateway.listen", gateway.listen),
            ("gateway.https_listen", gateway.https_listen),
            ("watch.listen", settings.watch.listen),
        ];
        for (setting, Listen(address)) in listens {
            if let Some(address) = address {
                probe(setting, address)?;
            }
        }
        Ok(())
    };
    require_listener("control", control.listen, control.https_listen)?;
    require_listener("gateway", gateway.listen, gateway.https_listen)?;
    if !settings.process.data.exists() {
        probe_all()?;
    }
    let data = DataDirectory::lock(&settings.process.data)?;
    probe_all()?;
    Ok(data)
}

/// A plane without a listener.
#[derive(Debug, thiserror::Error)]
#[error("{0}.listen and {0}.https_listen are both empty: set one of them")]
pub struct NoListener(&'static str);

fn require_listener(plane: &'static str, http: Listen, https: Listen) -> Result<(), NoListener> {
    match http.0.or(https.0) {
        Some(_) => Ok(()),
        None => Err(NoListener(plane)),
    }
}

/// Creates the runtime for the control plane and all slow work, at a lower priority than the
/// gateway.
///
/// # Errors
/// Fails if the threads cannot be created.
pub fn slow_runtime(threads: usize) -> io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_name("slow")
        .on_thread_start(|| {
            // On Linux this is the calling thread's niceness, not the whole process's.
            let _ = setpriority_process(None, SLOW_NICENESS);
        })
        .enable_all()
        .build()
}

/// SIGTERM and SIGINT, caught from the creation of this value on.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Installs handlers for both, so that neither ends the process by itself any more.
    ///
    /// # Errors
    /// Fails if the handlers cannot be installed.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next signal; earlier signals that were not awaited yet count.
    pub async fn next(&mut self) {
        let name = tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        };
        tracing::info!("{name}");
    }
}

/// SIGHUP, caught from the creation of this value on.
#[derive(Debug)]
pub struct Hangups(Signal);

impl Hangups {
    /// Installs a handler, so that SIGHUP does not end the process.
    ///
    /// # Errors
    /// Fails if the handler cannot be installed.
    pub fn catch() -> io::Result<Self> {
        Ok(Self(signal(SignalKind::hangup())?))
    }

    /// Waits for the next signal; several that were not awaited yet count as one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

#[cfg(test)]
mod tests;
