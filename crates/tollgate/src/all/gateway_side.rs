//! The gateway side of the process: the data plane, started with the [`Link`].

use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tollgate_analytics::Source;
use tollgate_control::{GatewayStatus, ObservedGateway};
use tollgate_fetch::UpstreamRules;
use tollgate_gateway::record::{ARE_RECORDED, Records};
use tollgate_gateway::{Addresses, HttpsListener, Observer, Plane, Reserved, TextSettings};
use tollgate_model::quota::{Quota, Subject};
use tollgate_watch::{AccessLog, Calls};

use super::link::{Link, Shared};
use super::listeners::Secured;
use super::watched::{ServedVersions, WatchedGateway};
use crate::access_log::ServedNames;
use crate::process::StopSignals;
use crate::recorder::WorkerRecords;
use crate::settings::{Gateway, Settings};

/// The gateway before it starts: its ports are reserved, but accept no connections.
pub(super) struct Waiting {
    settings: tollgate_gateway::Settings,
    reserved: Reserved,
}

/// The running gateway, as the control plane reads it.
struct Observed(Observer);

impl ObservedGateway for Observed {
    fn status(&self) -> GatewayStatus {
        let status = self.0.status();
        GatewayStatus {
            versions: status.versions,
            workers: status.workers,
            connections: status.connections,
            calls: status.exchanges,
            remembered_tokens: status.remembered_tokens,
            counters: status.counters.all,
            counters_found: status.counters.found,
            counters_forgotten: status.counters.forgotten,
        }
    }

    fn quotas(&self, subjects: &[Subject]) -> Vec<Quota> {
        self.0.quotas(subjects)
    }
}

/// The running gateway.
pub(super) struct GatewaySide {
    plane: Plane,
    /// Its figures, if metrics are served.
    pub(super) watched: Option<WatchedGateway>,
}

impl Waiting {
    /// Reserves the ports.
    ///
    /// # Errors
    /// Fails if a port is in use or there is no certificate for HTTPS.
    pub(super) fn reserve(settings: &Settings, secured: &Secured) -> anyhow::Result<Self> {
        let https = secured.gateway(settings.gateway.https_listen)?;
        let settings = plane_settings(&settings.gateway, https);
        Ok(Self {
            reserved: Reserved::new(&settings)?,
            settings,
        })
    }

    /// Returns the addresses of the reserved ports.
    pub(super) fn addresses(&self) -> Addresses {
        self.reserved.addresses()
    }

    /// Starts; returns once the configuration from the feed is served.
    ///
    /// # Errors
    /// Fails if a thread or a socket cannot be created, or if the feed ends.
    pub(super) async fn start(
        self,
        settings: &Settings,
        link: &mut Link,
    ) -> anyhow::Result<GatewaySide> {
        let Self {
            settings: mut own,
            reserved,
        } = self;
        let Shared {
            names,
            portal_origins,
            upstream_rules,
            redirects,
            access_log,
            ..
        } = &link.shared;
        own.portal_origins.clone_from(portal_origins);
        own.upstream_rules = upstream_rules.clone();
        own.redirect_port = redirects.gateway;
        own.texts = access_log.as_ref().map(|_| TextSettings {
            has_query: settings.access_log.query,
        });
        own.tokens = names.as_ref().map(|names| names.settings(settings));
        let counters = Arc::clone(&link.reported.counters);
        let (messages, applied) = link.feed.follow();
        let mut plane = Plane::start(own, reserved, counters, messages, applied).await?;
        let observer = plane.observer();
        link.observed.add(Arc::new(Observed(observer.clone())));
        let watched = settings.watch.listen.0.map(|_| WatchedGateway {
            calls: Arc::new(Calls::new(Arc::new(ServedVersions(observer.clone())))),
            observer,
            access_log: access_log.clone(),
        });
        if !ARE_RECORDED {
            tracing::warn!(
                "built with the feature `unrecorded`: no call is recorded, nor the use of a key"
            );
        }
        let reported = &link.reported;
        let naming = Arc::new(ServedNames(plane.observer()));
        let source = |records: Records| -> Box<dyn Source> {
            let worker = records.worker();
            let lines = |log: &AccessLog| log.of_worker(worker, Arc::clone(&naming) as _);
            Box::new(WorkerRecords {
                lines: access_log.as_ref().map(lines),
                records,
                uses: Arc::clone(&reported.uses),
                calls: watched.as_ref().map(|it| Arc::clone(&it.calls)),
            })
        };
        link.records.extend(plane.records().into_iter().map(source));
        Ok(GatewaySide { plane, watched })
    }
}

impl GatewaySide {
    /// Lets calls in progress finish, for at most `grace` or until a second signal.
    ///
    /// # Errors
    /// Fails if draining panics.
    pub(super) async fn shut_down(
        self,
        grace: Duration,
        signals: &mut StopSignals,
    ) -> anyhow::Result<()> {
        let plane = self.plane;
        let drained = tokio::task::spawn_blocking(move || plane.drain(grace));
        tokio::select! {
            drained = drained => drained?,
            () = signals.next() => {
                tracing::warn!("received a second signal: exchanges in progress are cut off");
            }
        }
        Ok(())
    }
}

/// Returns the plane's settings, without those from [`Shared`], which are known once it listens.
fn plane_settings(gateway: &Gateway, https: Option<HttpsListener>) -> tollgate_gateway::Settings {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    tollgate_gateway::Settings {
        http: gateway.listen.0,
        https,
        public_url: gateway.public_url.configured().map(str::to_owned),
        portal_origins: Vec::new(),
        tokens: None,
        redirect_port: None,
        health_path: gateway.health_path.0.clone(),
        upstream_rules: UpstreamRules::default(),
        trusted_proxies: gateway.trusted_proxies.clone(),
        workers: match gateway.workers.size() {
            0 => cores,
            workers => workers,
        },
        head_bytes_max: gateway.head_bytes_max.size(),
        fields_max: gateway.fields_max.size(),
        target_bytes_max: gateway.target_bytes_max.size(),
        body_bytes_max: gateway.body_bytes_max.number(),
        buffered_bytes_max: gateway.buffered_bytes_max.number(),
        cache_bytes_max: gateway.cache_bytes_max.number(),
        x_ratelimit_headers: gateway.x_ratelimit_headers,
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
        texts: None,
    }
}
