//! Role `all`: control plane, gateway, recorder and example in one process.
//!
//! The control plane and everything slow live on the runtime that `process::slow_runtime` makes;
//! the gateway has threads of its own. What they tell each other goes over the feed's channel
//! and the record rings. `opened.rs` opens what both need.

use std::io::{self, Write};
use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tollgate_analytics::{Source, Usage};
use tollgate_control::seed::FirstPassword;
use tollgate_control::{Clock, Control, GatewayStatus};
use tollgate_fetch::UpstreamRules;
use tollgate_gateway::{Addresses, HttpsListener, Plane, Reserved};

use crate::certificates::Certificates;
use crate::data::DataDirectory;
use crate::example::{Lines, Served};
use crate::process::StopSignals;
use crate::recorder::credential_uses::{self, CredentialUses};
use crate::recorder::{self, WorkerRecords};
use crate::settings::{Gateway, Settings};

mod key_manager;
mod listeners;
mod opened;
mod origins;

use key_manager::Names;

use listeners::{ControlSockets, Places, Secured};
use opened::Opened;

/// The running process.
pub struct All {
    control: Control,
    control_addresses: Addresses,
    plane: Plane,
    usage: Usage,
    uses: Arc<CredentialUses>,
    first: Option<FirstPassword>,
    /// The lines to paste, where the example is on.
    lines: Option<Lines>,
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
        let secured = Secured::open(settings)?;
        let sockets = ControlSockets::reserve(settings, &secured)?;
        let https = secured.gateway(settings.gateway.https_listen)?;
        let mut gateway = plane_settings(&settings.gateway, https);
        let reserved = Reserved::new(&gateway)?;
        let places = Places {
            control: sockets.addresses,
            gateway: reserved.addresses(),
        };
        places.tell(settings, &control, &mut gateway);
        let names = Names::of(settings, &places);
        let key_manager = key_manager::open(settings, &control, names.as_ref()).await?;
        gateway.tokens = names.as_ref().map(|names| names.settings(settings));
        report_faults(&control, secured.folders());
        let feed = control.feed.follow();
        let mut plane = Plane::start(gateway, reserved, Arc::clone(&counters), feed).await?;
        observe(&plane, &control);
        let mut background = secured.follow();
        let lines = example.as_ref().map(|example| {
            let authority = listeners::own_authority(settings);
            let issuer = names.as_ref().map(Names::issuer);
            Lines::new(example, (places.gateway, issuer), authority.as_deref())
        });
        background.extend(example.map(Served::answer));
        background.push(tokio::spawn(recorder::sweep(Arc::clone(&counters))));
        let stop = watch::Sender::new(false);
        let listeners = sockets.listen()?;
        let more = key_manager::routes(key_manager.clone());
        let stopped = until(stop.subscribe());
        let serve = tollgate_control::serve(listeners, control.clone(), more, stopped);
        background.push(tokio::spawn(key_manager::turn_for_ever(
            key_manager,
            control.clone(),
        )));
        let serving = tokio::spawn(serve);
        let uses = Arc::new(CredentialUses::default());
        let records = sources(&mut plane, &uses);
        let quotas = recorder::checkpoints(counters);
        let recording = usage.clone().run(records, quotas, until(stop.subscribe()));
        let recording = tokio::spawn(recording);
        background.push(tokio::spawn(credential_uses::write_for_ever(
            control.store.clone(),
            Arc::clone(&uses),
        )));
        Ok(Self {
            control,
            control_addresses: places.control,
            plane,
            usage,
            uses,
            first,
            lines,
            stop,
            serving,
            recording,
            background,
        })
    }

    /// Tells the operator where everything is, on standard output, the calls of the example on
    /// lines of their own; and, without secrets, in the log.
    ///
    /// # Errors
    /// Nobody can read it.
    pub fn announce(&self) -> io::Result<()> {
        let version = env!("CARGO_PKG_VERSION");
        let control = urls(self.control_addresses);
        let gateway = urls(self.plane.addresses());
        let (controls, gateways) = (control.join(" and "), gateway.join(" and "));
        tracing::info!(
            version,
            control = controls,
            gateway = gateways,
            "tollgate {version} has started: control plane on {controls}, gateway on {gateways}"
        );
        let mut out = io::stdout().lock();
        if let Some(url) = control.first().filter(|_| tollgate_portal::is_built()) {
            writeln!(out, "portal: {url}/")?;
        }
        for url in control {
            writeln!(out, "control plane: {url}")?;
        }
        for url in gateway {
            writeln!(out, "gateway: {url}")?;
        }
        if let Some(FirstPassword { name, password }) = &self.first {
            writeln!(
                out,
                "first sign-in: user {name}, one-time password {password}"
            )?;
        }
        if let Some(lines) = &self.lines {
            write!(out, "{lines}")?;
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
        credential_uses::write_last(&self.control.store, &self.uses).await;
        self.control.store.clone().close().await;
        let is_written = self.usage.condition().failing_since_us.is_none();
        anyhow::ensure!(is_written, "the last usage and quotas could not be written");
        tracing::info!("stopped");
        Ok(())
    }
}

/// Has the control plane report what is wrong with certificates.
fn report_faults(control: &Control, folders: Vec<Arc<Certificates>>) {
    control.tell_conditions(move || {
        let now_us = Clock::System.now_us();
        folders.iter().flat_map(|it| it.faults(now_us)).collect()
    });
}

/// Has the control plane tell how the gateway is.
fn observe(plane: &Plane, control: &Control) {
    let observer = plane.observer();
    control.tell_gateway(move || {
        let status = observer.status();
        GatewayStatus {
            versions: status.versions,
            workers: status.workers,
            connections: status.connections,
            calls: status.exchanges,
            remembered_tokens: status.remembered_tokens,
        }
    });
}

/// What people type to reach a plane.
fn urls(addresses: Addresses) -> Vec<String> {
    let http = addresses.http.map(|address| format!("http://{address}"));
    let https = addresses.https.map(|address| format!("https://{address}"));
    http.into_iter().chain(https).collect()
}

fn sources(plane: &mut Plane, uses: &Arc<CredentialUses>) -> Vec<Box<dyn Source>> {
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

fn plane_settings(gateway: &Gateway, https: Option<HttpsListener>) -> tollgate_gateway::Settings {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    tollgate_gateway::Settings {
        http: gateway.listen.0,
        https,
        public_url: gateway.public_url.said().map(str::to_owned),
        portal_origins: Vec::new(),
        tokens: None,
        redirect_port: None,
        health_path: gateway.health_path.0.clone(),
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
        connections_per_address_max: gateway.connections_per_address_max.size(),
        requests_per_connection_max: u32::try_from(gateway.requests_per_connection_max.number())
            .unwrap_or(u32::MAX),
        handshake_timeout: gateway.handshake_timeout_ms.milliseconds(),
        header_timeout: gateway.header_timeout_ms.milliseconds(),
        body_idle_timeout: gateway.body_idle_timeout_ms.milliseconds(),
        keep_alive_timeout: gateway.keep_alive_timeout_ms.milliseconds(),
        pool_wait_timeout: gateway.pool_wait_timeout_ms.milliseconds(),
        exchange_timeout: gateway.exchange_timeout_ms.milliseconds(),
        transfer_timeout: match gateway.transfer_timeout_ms.milliseconds() {
            Duration::ZERO => None,
            time => Some(time),
        },
        transfer_bytes_per_second_min: u32::try_from(
            gateway.transfer_bytes_per_second_min.number(),
        )
        .unwrap_or(u32::MAX),
        transfer_window: gateway.transfer_window_ms.milliseconds(),
        records_max: gateway.records_max.size(),
    }
}
