//! What the gateway is told at its start.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tollgate_fetch::{Networks, UpstreamRules};
use tollgate_http1::pace::Floor;
use tollgate_http1::server::Times;
use tollgate_model::feed::ServedVersion;

use crate::places::Sizes;

/// Where HTTPS is taken, and how it is spoken there.
#[derive(Debug, Clone)]
pub struct HttpsListener {
    /// Port 0 takes any free one.
    pub address: SocketAddr,
    /// Finds the present certificate by itself, whenever a handshake asks for one.
    pub tls: Arc<ServerConfig>,
}

/// Whose access tokens are taken.
#[derive(Debug, Clone)]
pub struct TokenSettings {
    /// The key manager's URL: `iss` of its tokens.
    pub issuer: String,
    /// This gateway's URL: `aud` of tokens that are good for each of its APIs.
    pub audience: String,
    /// Verified tokens that a worker remembers at most.
    pub remembered_max: usize,
}

impl Settings {
    /// Who this gateway is to upstreams: its URL where it has one, whatever callers ask for.
    pub(crate) fn issuer(&self) -> &str {
        let audience = self.tokens.as_ref().map(|tokens| tokens.audience.as_str());
        self.public_url
            .as_deref()
            .or(audience)
            .unwrap_or("tollgate")
    }

    /// How many connections there may be.
    pub(crate) fn places(&self) -> Sizes {
        let half = self.connections_max.div_ceil(2);
        Sizes {
            all: self.connections_max,
            per_address: match self.connections_per_address_max {
                0 => half,
                bound => bound,
            },
        }
    }

    /// How long exchanges and transfers may take.
    pub(crate) fn times(&self) -> Times {
        let floor = Floor::new(self.transfer_bytes_per_second_min, self.transfer_window);
        Times {
            exchange: self.exchange_timeout,
            transfer: self.transfer_timeout,
            floor,
        }
    }

    /// The path of the URL by which callers reach this gateway, without a slash at its end.
    pub(crate) fn public_path(&self) -> &str {
        let url = self.public_url.as_deref().unwrap_or_default();
        at_path(url).1
    }
}

/// A URL up to its path, and its path.
pub(crate) fn at_path(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + "://".len());
    let path = url[host..].find('/').map_or(url.len(), |at| host + at);
    url.split_at(path)
}

impl TokenSettings {
    /// The URL of a version, for tokens that are good for it alone (RFC 8707, section 2).
    pub(crate) fn resource(&self, served: &ServedVersion) -> String {
        format!("{}{}/{}", self.audience, served.context, served.name)
    }

    /// Whether that is a version's URL.
    pub(crate) fn is_resource(&self, url: &str, served: &ServedVersion) -> bool {
        let below = url.strip_prefix(&*self.audience);
        let below = below.and_then(|rest| rest.strip_prefix(&*served.context));
        below.and_then(|rest| rest.strip_prefix('/')) == Some(&*served.name)
    }
}

/// What the data plane is told at its start.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where HTTP is taken, if anywhere; port 0 takes any free one.
    pub http: Option<SocketAddr>,
    /// Where HTTPS is taken, if anywhere.
    pub https: Option<HttpsListener>,
    /// The URL by which callers reach this gateway, up to its path; `None` where that is the one
    /// that each of them asks for.
    pub public_url: Option<String>,
    /// Origins of the portal's pages, as browsers write them: their calls are let through
    /// pre-flights, and they may read the answers.
    pub portal_origins: Vec<String>,
    /// Who issues the access tokens that are taken here; `None` where none are.
    pub tokens: Option<TokenSettings>,
    /// The port to which plain calls are sent on, over HTTPS; `None` where they are served.
    pub redirect_port: Option<u16>,
    /// The path at which balancers ask for the gateway's health, on each of its ports.
    pub health_path: Option<String>,
    /// Reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.
    pub trusted_proxies: Networks,
    /// Threads, one listener each; at least one.
    pub workers: usize,
    /// Bytes of a request head at most; never more than one block of `http1`.
    pub head_bytes_max: usize,
    /// Field lines of a request head at most.
    pub fields_max: usize,
    /// Bytes of a request target at most.
    pub target_bytes_max: usize,
    /// Bytes of a request body at most, where a version does not say less.
    pub body_bytes_max: u64,
    /// Connections of callers at most, over all workers.
    pub connections_max: usize,
    /// Connections of one caller's address at most; 0 is half of all.
    pub connections_per_address_max: usize,
    /// Requests on one connection at most.
    pub requests_per_connection_max: u32,
    /// Time for a TLS handshake.
    pub handshake_timeout: Duration,
    /// Time for a head to arrive.
    pub header_timeout: Duration,
    /// Time that a caller may stand still within a body.
    pub body_idle_timeout: Duration,
    /// Time between two requests of a connection.
    pub keep_alive_timeout: Duration,
    /// Time to wait for a free upstream connection.
    pub pool_wait_timeout: Duration,
    /// Time from a request's head to its answer's, without that in which the request's body comes.
    pub exchange_timeout: Duration,
    /// Time for the transfer of one body, in either direction; `None` where it is not bounded.
    pub transfer_timeout: Option<Duration>,
    /// Bytes a second that a side must move while a transfer waits for it; 0 asks for nothing.
    pub transfer_bytes_per_second_min: u32,
    /// Time over which those are averaged.
    pub transfer_window: Duration,
    /// Which addresses upstreams may have.
    pub upstream_rules: UpstreamRules,
    /// Records that a worker keeps for the recorder at most.
    pub records_max: usize,
}
