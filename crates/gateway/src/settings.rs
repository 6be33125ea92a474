//! Gateway startup configuration.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use tollgate_fetch::{Networks, UpstreamRules};
use tollgate_http1::pace::Floor;
use tollgate_http1::server::Times;
use tollgate_model::feed::ServedVersion;

use crate::places::Sizes;

/// An HTTPS listener.
#[derive(Debug, Clone)]
pub struct HttpsListener {
    /// Port 0 uses any free port.
    pub address: SocketAddr,
    /// Resolves the current certificate for each handshake.
    pub tls: Arc<ServerConfig>,
}

/// The access tokens that are accepted.
#[derive(Debug, Clone)]
pub struct TokenSettings {
    /// The key manager's URL: `iss` of its tokens.
    pub issuer: String,
    /// This gateway's URL: `aud` of tokens that are valid for all of its APIs.
    pub audience: String,
    /// Maximum verified tokens that a worker remembers.
    pub remembered_max: usize,
}

impl Settings {
    /// The `iss` of identity JWTs for upstreams: the gateway's URL if it has one, whatever host
    /// callers use.
    pub(crate) fn issuer(&self) -> &str {
        let audience = self.tokens.as_ref().map(|tokens| tokens.audience.as_str());
        self.public_url
            .as_deref()
            .or(audience)
            .unwrap_or("tollgate")
    }

    /// The number of connections allowed.
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

    /// The time limits of exchanges and transfers.
    pub(crate) fn times(&self) -> Times {
        let floor = Floor::new(self.transfer_bytes_per_second_min, self.transfer_window);
        Times {
            exchange: self.exchange_timeout,
            transfer: self.transfer_timeout,
            floor,
        }
    }

    /// The path of the gateway's public URL, without a trailing slash.
    pub(crate) fn public_path(&self) -> &str {
        let url = self.public_url.as_deref().unwrap_or_default();
        at_path(url).1
    }
}

/// Splits a URL before its path.
pub(crate) fn at_path(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + "://".len());
    let path = url[host..].find('/').map_or(url.len(), |at| host + at);
    url.split_at(path)
}

impl TokenSettings {
    /// The URL of a version, for tokens that are valid for it alone (RFC 8707, section 2).
    pub(crate) fn resource(&self, served: &ServedVersion) -> String {
        format!("{}{}/{}", self.audience, served.context, served.name)
    }

    /// Whether the URL is that of a version.
    pub(crate) fn is_resource(&self, url: &str, served: &ServedVersion) -> bool {
        let below = url.strip_prefix(&*self.audience);
        let below = below.and_then(|rest| rest.strip_prefix(&*served.context));
        below.and_then(|rest| rest.strip_prefix('/')) == Some(&*served.name)
    }
}

/// The texts of calls that workers keep for the recorder, beside their records.
#[derive(Debug, Clone, Copy)]
pub struct TextSettings {
    /// Whether queries are kept, also those of referrers.
    pub has_query: bool,
}

/// Data plane startup configuration.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Address for HTTP, if enabled; port 0 uses any free port.
    pub http: Option<SocketAddr>,
    /// Listener for HTTPS, if enabled.
    pub https: Option<HttpsListener>,
    /// The URL at which callers reach this gateway, up to its path; `None` to use the URL of each
    /// request.
    pub public_url: Option<String>,
    /// Origins of the portal's pages, as browsers send them: their preflights are allowed, and they
    /// may read responses.
    pub portal_origins: Vec<String>,
    /// Settings for access tokens; `None` to accept none.
    pub tokens: Option<TokenSettings>,
    /// The port that plain HTTP calls are redirected to, over HTTPS; `None` to serve them.
    pub redirect_port: Option<u16>,
    /// The path of health checks by load balancers, on each port.
    pub health_path: Option<String>,
    /// Reverse proxies that are trusted to send `X-Forwarded-For` and `X-Forwarded-Proto`.
    pub trusted_proxies: Networks,
    /// Number of threads, one listener each; at least one.
    pub workers: usize,
    /// Maximum bytes of a request head; never more than one block of `http1`.
    pub head_bytes_max: usize,
    /// Maximum field lines of a request head.
    pub fields_max: usize,
    /// Maximum bytes of a request target.
    pub target_bytes_max: usize,
    /// Maximum bytes of a request body, unless a version sets a lower one.
    pub body_bytes_max: u64,
    /// Maximum bytes of all bodies that are held whole at a time, over all workers.
    pub buffered_bytes_max: u64,
    /// Maximum bytes of all stored responses, and of what is remembered of others.
    pub cache_bytes_max: u64,
    /// Whether responses also have the older `X-RateLimit` fields.
    pub x_ratelimit_headers: bool,
    /// Maximum connections of callers, over all workers.
    pub connections_max: usize,
    /// Maximum connections of one caller's address; 0 means half of all.
    pub connections_per_address_max: usize,
    /// Maximum requests on one connection.
    pub requests_per_connection_max: u32,
    /// Time limit of a TLS handshake.
    pub handshake_timeout: Duration,
    /// Time limit for a head to arrive.
    pub header_timeout: Duration,
    /// Time that a caller may be idle within a body.
    pub body_idle_timeout: Duration,
    /// Idle time between two requests of a connection.
    pub keep_alive_timeout: Duration,
    /// Time to wait for a free upstream connection.
    pub pool_wait_timeout: Duration,
    /// Time from a request's head to the response's head, without the transfer of the request's
    /// body.
    pub exchange_timeout: Duration,
    /// Time limit for the transfer of one body, in either direction; `None` for no limit.
    pub transfer_timeout: Option<Duration>,
    /// Minimum bytes a second that a side must move while a transfer waits for it; 0 disables the
    /// check.
    pub transfer_bytes_per_second_min: u32,
    /// Time over which that rate is averaged.
    pub transfer_window: Duration,
    /// The addresses that upstreams may have.
    pub upstream_rules: UpstreamRules,
    /// Maximum records that a worker keeps for the recorder.
    pub records_max: usize,
    /// The texts of calls that are kept for the recorder; `None` for none.
    pub texts: Option<TextSettings>,
}
