//! What joins the two sides of the process, and nothing else does: five things that a network could
//! carry.

use std::sync::Arc;

use tollgate_analytics::Source;
use tollgate_control::feed::Feed;
use tollgate_control::{GatewayPlaces, GatewayStatuses, GatewayUrl};
use tollgate_counters::Counters;
use tollgate_fetch::{UpstreamRules, tls};

use super::key_manager::Names;
use super::listeners::Places;
use super::origins;
use crate::recorder::credential_uses::CredentialUses;
use crate::settings::Settings;

/// The connection between the control side and the gateway side.
pub(super) struct Link {
    /// Sends the configuration to gateways, which acknowledge what they have applied.
    pub(super) feed: Feed,
    /// The records of the gateways' calls.
    pub(super) records: Vec<Box<dyn Source>>,
    /// What gateways give back of calls.
    pub(super) given_back: GivenBack,
    /// How the gateways are.
    pub(super) statuses: GatewayStatuses,
    /// What both must know.
    pub(super) shared: Shared,
}

/// What gateways give back of calls, to be written down.
pub(super) struct GivenBack {
    /// What is used of quotas.
    pub(super) counters: Arc<Counters>,
    /// When credentials were last used.
    pub(super) uses: Arc<CredentialUses>,
}

/// What follows for both sides from the settings and from where the process listens.
pub(super) struct Shared {
    pub(super) places: Places,
    /// By which names tokens are made and taken, where they are.
    pub(super) names: Option<Names>,
    /// Where callers reach the gateways, for contracts.
    pub(super) gateway_url: GatewayUrl,
    /// Where callers reach the gateways, for pages.
    pub(super) gateways: GatewayPlaces,
    /// Whose pages may read what gateways answer.
    pub(super) portal_origins: Vec<String>,
    /// Which addresses upstreams may have: none where the process itself listens.
    pub(super) upstream_rules: UpstreamRules,
    /// The ports to which plain requests are sent on, over HTTPS.
    pub(super) redirects: Redirects,
}

/// The ports of the two sides to which plain requests are sent on, over HTTPS.
#[derive(Debug, Clone, Copy)]
pub(super) struct Redirects {
    pub(super) control: Option<u16>,
    pub(super) gateway: Option<u16>,
}

impl Shared {
    /// What follows from the settings and from where the process listens.
    pub(super) fn of(settings: &Settings, places: Places) -> Self {
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
            tracing::warn!("the certificate authorities of the system cannot be read: {problem}");
        }
        if public_url.is_unknown(places.gateway) {
            tracing::info!(
                "gateway.public_url is not set and the gateway listens on all addresses: contracts \
                 name the host that callers ask for"
            );
        }
        let listeners = places.control.iter().chain(places.gateway.iter());
        Self {
            names: Names::of(settings, &places),
            gateway_url: public_url.or_at(places.gateway),
            gateways: GatewayPlaces {
                public_url: public_url.said().map(str::to_owned),
                // Browsers follow no redirect of a pre-flight.
                http: places.gateway.http.filter(|_| redirects.gateway.is_none()),
                https: places.gateway.https,
            },
            portal_origins: origins::of(control.public_url.url(), places.control),
            upstream_rules: UpstreamRules {
                denied: gateway.upstream_denied.clone(),
                allowed: gateway.upstream_allowed.clone(),
                listeners: listeners.collect(),
            },
            redirects,
            places,
        }
    }
}
