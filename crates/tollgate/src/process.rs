//! What the process asks of the operating system: descriptors, priorities, free ports, signals.
//! `data.rs` has the data directory.

use std::io;
use std::net::SocketAddr;

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::data::DataDirectory;
use crate::settings::Settings;
use crate::settings::value::Listen;

/// How much nicer than the gateway's workers the slow threads are.
const SLOW_NICENESS: i32 = 5;
/// Descriptors besides connections, with room to spare: databases, listeners, workers.
const FILES: u64 = 128;

/// An address on which this process cannot listen.
#[derive(Debug, thiserror::Error)]
#[error("{setting} is {address}, where this process cannot listen")]
pub struct CannotListen {
    /// The setting that names the address.
    pub setting: &'static str,
    /// The address.
    pub address: SocketAddr,
    /// Why.
    pub source: io::Error,
}

/// Raises the soft limit of open files to the hard one: each connection is one.
pub fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files could not be raised");
    }
}

/// Warns where the limit of open files is too low for what the settings allow: calls would be
/// refused, and files not opened, long before any bound is reached.
pub fn check_descriptors(gateway_connections_max: u64) {
    let limit = getrlimit(Resource::Nofile).current;
    if let Some(warning) = limit.and_then(|limit| too_few(limit, gateway_connections_max)) {
        tracing::warn!("{warning}");
    }
}

/// What to say of a limit that is too low. A call takes a connection of its caller and one of an
/// upstream.
fn too_few(limit: u64, gateway_connections_max: u64) -> Option<String> {
    let control = tollgate_control::CONNECTIONS_MAX as u64;
    let needed = gateway_connections_max * 2 + control + FILES;
    (limit < needed).then(|| {
        format!(
            "this process may open {limit} files, but gateway.connections_max \
             {gateway_connections_max} takes up to {needed} ({gateway_connections_max} for \
             callers, as many for upstreams, {control} for the control plane, {FILES} for the \
             rest): raise the limit of open files, or set less than {}",
            limit.saturating_sub(control + FILES) / 2 + 1
        )
    })
}

/// Tells whether an address is free, before anything is opened.
///
/// # Errors
/// The address is taken or is not this machine's.
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

/// Takes the data and finds the ports free. Data in use is told first, because that says by whom;
/// but a start that fails for its ports leaves no new directory behind.
///
/// # Errors
/// [`crate::data::DataError`] and [`CannotListen`], each one sentence.
pub fn take_data_and_ports(settings: &Settings) -> anyhow::Result<DataDirectory> {
    let (control, gateway) = (&settings.control, &settings.gateway);
    let probe_all = || -> Result<(), CannotListen> {
        let listens = [
            ("control.listen", control.listen),
            ("control.https_listen", control.https_listen),
            ("gateway.listen", gateway.listen),
            ("gateway.https_listen", gateway.https_listen),
        ];
        for (setting, Listen(address)) in listens {
            if let Some(address) = address {
                probe(setting, address)?;
            }
        }
        Ok(())
    };
    any_listener("control", control.listen, control.https_listen)?;
    any_listener("gateway", gateway.listen, gateway.https_listen)?;
    if !settings.process.data.exists() {
        probe_all()?;
    }
    let data = DataDirectory::lock(&settings.process.data)?;
    probe_all()?;
    Ok(data)
}

/// A plane that nobody could reach.
#[derive(Debug, thiserror::Error)]
#[error("{0}.listen and {0}.https_listen are both empty: the {0} would take no connection")]
pub struct NoListener(&'static str);

fn any_listener(plane: &'static str, http: Listen, https: Listen) -> Result<(), NoListener> {
    match http.0.or(https.0) {
        Some(_) => Ok(()),
        None => Err(NoListener(plane)),
    }
}

/// The runtime for the control plane and everything slow, at a lower priority than the gateway.
///
/// # Errors
/// The threads cannot be made.
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

/// SIGTERM and SIGINT, caught from the moment on when this is made.
#[derive(Debug)]
pub struct StopSignals {
    terminate: Signal,
    interrupt: Signal,
}

impl StopSignals {
    /// Catches both: neither ends the process by itself any more.
    ///
    /// # Errors
    /// The handlers cannot be installed.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one; one that came before is not forgotten.
    pub async fn next(&mut self) {
        let name = tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        };
        tracing::info!("{name}");
    }
}

#[cfg(test)]
mod tests;
