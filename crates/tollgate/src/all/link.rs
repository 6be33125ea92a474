//! The only connection between the two sides of the process: five things that could also be sent
//! over a network.

use std::sync::Arc;

use tollgate_analytics::Source;
use tollgate_control::feed::Feed;
use tollgate_control::{GatewayPlaces, GatewayUrl, ObservedGateways};
use tollgate_counters::Counters;
use tollgate_fetch::{UpstreamRules, tls};
use tollgate_watch::AccessLog;

use super::key_manager::Names;
use super::listeners::Places;
use super::origins;
use super::watched::Watching;
use crate::recorder::credential_uses::CredentialUses;
use crate::settings::Settings;

/// The connection between the control side and the gateway side.
pub(super) struct Link {
    /// Sends the configuration to gateways, which acknowledge what they have applied.
    pub(super) feed: Feed,
    /// The records of the gateways' calls.
    pub(super) records: Vec<Box<dyn Source>>,
    /// Data that gateways report about calls.
    pub(super) reported: Reported,
    /// The running gateways.
    pub(super) observed: ObservedGateways,
    /// Values that both sides need.
    pub(super) shared: Shared,
}

/// Data that gateways report about calls, to be written to the databases.
pub(super) struct Reported {
    /// The usage of quotas.
    pub(super) counters: Arc<Counters>,
    /// The last uses of credentials.
    pub(super) uses: Arc<CredentialUses>,
}

/// Values for both sides, derived from the settings and the addresses of the listeners.
pub(super) struct Shared {
    pub(super) places: Places,
    /// Issuer and audience of tokens, if tokens are issued.
    pub(super) names: Option<Names>,
    /// The URL of the gateways, for contracts.
    pub(super) gateway_url: GatewayUrl,
    /// The addresses of the gateways, for the portal's pages.
    pub(super) gateways: GatewayPlaces,
    /// The origins with pages that may read the gateways' responses.
    pub(super) portal_origins: Vec<String>,
    /// The addresses that upstreams may use: never those of this process's listeners.
    pub(super) upstream_rules: UpstreamRules,
    /// The HTTPS ports that plain HTTP requests are redirected to.
    pub(super) redirects: Redirects,
    /// The listener of metrics, if there is one.
    pub(super) watch: Option<Watching>,
    /// The access log, if there is one.
    pub(super) access_log: Option<AccessLog>,
}

/// The HTTPS ports of the two sides that plain HTTP requests are redirected to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Redirects {
    pub(super) control: Option<u16>,
    pub(super) gateway: Option<u16>,
}

impl Shared {
    /// Derives the values from the settings and the addresses of the listeners.
    pub(super) fn new(
        settings: &Settings,
        places: Places,
        watch: Option<Watching>,
        access_log: Option<AccessLog>,
    ) -> Self {
        let Settings {
            control, gateway, ..
        } = settings;
        let public_url = &gateway.public_url;
        let redirects = Redirects {
            control: places
                .control
                .https
                .filter(|_| control.http_redirects)
                .map(|https| control.public_url.https_port().unwrap_or(https.port())),
            gateway: places
                .gateway
                .https
                .filter(|_| gateway.http_redirects)
                .map(|https| public_url.https_port().unwrap_or(https.port())),
        };
        if let Some(problem) = tls::system_roots_problem() {
            tracing::warn!("cannot read the system's certificate authorities: {problem}");
        }
        if public_url.is_unknown(places.gateway) {
            tracing::info!(
                "gateway.public_url is not set and the gateway listens on all addresses: contracts \
                 contain the host of each request"
            );
        }
        let listeners = places.control.iter().chain(places.gateway.iter());
        let listeners = listeners.chain(watch.as_ref().map(|it| it.address));
        Self {
            names: Names::from_settings(settings, &places),
            gateway_url: public_url.or_at(places.gateway),
            gateways: GatewayPlaces {
                public_url: public_url.configured().map(str::to_owned),
                // Browsers do not follow a redirect of a pre-flight request.
                http: places.gateway.http.filter(|_| redirects.gateway.is_none()),
                https: places.gateway.https,
            },
            portal_origins: origins::portal_origins(control.public_url.url(), places.control),
            upstream_rules: UpstreamRules {
                denied: gateway.upstream_denied.clone(),
                allowed: gateway.upstream_allowed.clone(),
                listeners: listeners.collect(),
            },
            redirects,
            watch,
            access_log,
            places,
        }
    }
}
