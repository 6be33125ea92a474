//! Role `all`: control plane, gateway, recorder and example in one process.
//!
//! The control plane and everything slow live on the runtime that `process::slow_runtime` makes;
//! the gateway has threads of its own. What they tell each other goes over the feed's channel
//! and the record rings. `opened.rs` opens what both need.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use tokio::net::TcpSocket;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tollgate_analytics::{Source, Usage};
use tollgate_control::Control;
use tollgate_control::seed::FirstPassword;
use tollgate_fetch::UpstreamRules;
use tollgate_gateway::{Plane, Reserved};

use crate::data::DataDirectory;
use crate::example::{self, Served};
use crate::process::{CannotListen, StopSignals};
use crate::recorder::key_uses::{self, KeyUses};
use crate::recorder::{self, WorkerRecords};
use crate::settings::{Gateway, Settings};

mod opened;

use opened::Opened;

/// Connections to the control plane that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// The running process.
pub struct All {
    control: Control,
    control_address: SocketAddr,
    plane: Plane,
    usage: Usage,
    uses: Arc<KeyUses>,
    first: Option<FirstPassword>,
    /// The line to paste, where the example is on.
    curl: Option<String>,
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
    recording: JoinHandle<()>,
    /// What simply ends with the process.
    background: Vec<JoinHandle<()>>,
}

impl All {
    /// Opens what is kept, starts both planes, and returns once the gateway serves what the
    /// store says. Before then neither plane takes a connection.
    ///
    /// # Errors
    /// Whatever does not open or listen; each is one sentence.
    pub async fn start(settings: &Settings, data: &DataDirectory) -> anyhow::Result<Self> {
        let Opened {
            control,
            usage,
            counters,
            example,
            first,
        } = opened::on_a_slow_thread(settings, data).await?;
        let socket = reserve(settings.control.listen)?;
        let control_address = socket.local_addr()?;
        let mut gateway = plane_settings(&settings.gateway);
        let reserved = Reserved::new(&gateway)?;
        gateway.upstream_rules.listeners = vec![control_address, reserved.address()];
        control.set_upstream_rules(gateway.upstream_rules.clone());
        control.set_gateway(&settings.gateway.public_url.or_at(reserved.address()));
        let feed = control.feed.follow();
        let mut plane = Plane::start(gateway, reserved, Arc::clone(&counters), feed).await?;
        let mut background = Vec::new();
        let mut curl = None;
        if let Some(Served { listener, key }) = example {
            curl = Some(example::curl(&key, plane.address()));
            background.push(tokio::spawn(async {
                if let Err(error) = example::backend::serve(listener).await {
                    tracing::error!(%error, "the example's back end stopped");
                }
            }));
        }
        background.push(tokio::spawn(recorder::sweep(Arc::clone(&counters))));
        let stop = watch::Sender::new(false);
        let listener = socket.listen(BACKLOG);
        let listener = listener.map_err(|source| cannot_listen(control_address, source))?;
        let serve = tollgate_control::serve(listener, control.clone(), until(stop.subscribe()));
        let serving = tokio::spawn(serve);
        let uses = Arc::new(KeyUses::default());
        let records = sources(&mut plane, &uses);
        let quotas = recorder::checkpoints(counters);
        let recording = usage.clone().run(records, quotas, until(stop.subscribe()));
        let recording = tokio::spawn(recording);
        background.push(tokio::spawn(key_uses::write_for_ever(
            control.store.clone(),
            Arc::clone(&uses),
        )));
        Ok(Self {
            control,
            control_address,
            plane,
            usage,
            uses,
            first,
            curl,
            stop,
            serving,
            recording,
            background,
        })
    }

    /// Tells the operator where everything is, on standard output, the call of the example on a
    /// line of its own; and, without secrets, in the log.
    ///
    /// # Errors
    /// Nobody can read it.
    pub fn announce(&self) -> io::Result<()> {
        let (version, gateway) = (env!("CARGO_PKG_VERSION"), self.plane.address());
        tracing::info!(
            version, control = %self.control_address, %gateway,
            "tollgate {version} has started: control plane on {}, gateway on {gateway}",
            self.control_address
        );
        let mut out = io::stdout().lock();
        writeln!(out, "control plane: http://{}", self.control_address)?;
        writeln!(out, "gateway: http://{gateway}")?;
        if let Some(FirstPassword { name, password }) = &self.first {
            writeln!(
                out,
                "first sign-in: user {name}, one-time password {password}"
            )?;
        }
        if let Some(curl) = &self.curl {
            writeln!(out, "the example API answers this call:\n{curl}")?;
        }
        writeln!(out, "ready")?;
        out.flush()
    }

    /// Lets the exchanges under way end for at most `grace` or until a second signal, then writes
    /// down what is known.
    ///
    /// # Errors
    /// Usage and quotas cannot be written; the rest is done all the same.
    pub async fn leave(self, grace: Duration, signals: &mut StopSignals) -> anyhow::Result<()> {
        tracing::info!("stopping: exchanges under way may take {grace:?}");
        let plane = self.plane;
        let drained = tokio::task::spawn_blocking(move || plane.drain(grace));
        tokio::select! {
            drained = drained => drained?,
            () = signals.next() => {
                tracing::warn!("a second signal: exchanges under way are cut");
            }
        }
        self.stop.send_replace(true);
        self.serving.await.context("the control plane")?;
        self.background.iter().for_each(JoinHandle::abort);
        self.recording.await.context("the recorder")?;
        key_uses::write_or_warn(&self.control.store, &self.uses).await;
        self.control.store.clone().close().await;
        let is_written = self.usage.condition().failing_since_us.is_none();
        anyhow::ensure!(is_written, "the last usage and quotas could not be written");
        tracing::info!("stopped");
        Ok(())
    }
}

/// A socket that has the control plane's address; connections to it are refused until it listens.
fn reserve(address: SocketAddr) -> Result<TcpSocket, CannotListen> {
    let reserve = || {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    };
    reserve().map_err(|source| cannot_listen(address, source))
}

fn cannot_listen(address: SocketAddr, source: io::Error) -> CannotListen {
    CannotListen {
        setting: "control.listen",
        address,
        source,
    }
}

fn sources(plane: &mut Plane, uses: &Arc<KeyUses>) -> Vec<Box<dyn Source>> {
    let source = |records| -> Box<dyn Source> {
        let uses = Arc::clone(uses);
        Box::new(WorkerRecords { records, uses })
    };
    plane.records().into_iter().map(source).collect()
}

async fn until(mut stop: watch::Receiver<bool>) {
    // An error means that the sender is gone, which is a stop too.
    let _ = stop.wait_for(|is_stopped| *is_stopped).await;
}

fn plane_settings(gateway: &Gateway) -> tollgate_gateway::Settings {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    tollgate_gateway::Settings {
        listen: gateway.listen,
        upstream_rules: UpstreamRules {
            denied: gateway.upstream_denied.clone(),
            allowed: gateway.upstream_allowed.clone(),
            listeners: Vec::new(),
        },
        trusted_proxies: gateway.trusted_proxies.clone(),
        workers: match gateway.workers.size() {
            0 => cores,
            workers => workers,
        },
        head_bytes_max: gateway.head_bytes_max.size(),
        fields_max: gateway.fields_max.size(),
        target_bytes_max: gateway.target_bytes_max.size(),
        body_bytes_max: gateway.body_bytes_max.number(),
        connections_max: gateway.connections_max.size(),
        requests_per_connection_max: u32::try_from(gateway.requests_per_connection_max.number())
            .unwrap_or(u32::MAX),
        header_timeout: gateway.header_timeout_ms.milliseconds(),
        body_idle_timeout: gateway.body_idle_timeout_ms.milliseconds(),
        keep_alive_timeout: gateway.keep_alive_timeout_ms.milliseconds(),
        pool_wait_timeout: gateway.pool_wait_timeout_ms.milliseconds(),
        exchange_timeout: gateway.exchange_timeout_ms.milliseconds(),
        records_max: gateway.records_max.size(),
    }
}
