//! The gateways: their URLs for callers, and their status.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Serialize;
use tollgate_model::quota::{Quota, Subject};
use tollgate_model::scheme::UriScheme;

use crate::error::Problem;
use crate::hosts;
use crate::peer::Via;

/// The addresses of the gateways.
#[derive(Debug, Clone, Default)]
pub struct GatewayPlaces {
    /// The URL set by the operator, without a trailing slash; overrides the listeners.
    pub public_url: Option<String>,
    /// Listener for plain HTTP.
    pub http: Option<SocketAddr>,
    /// Listener for HTTPS.
    pub https: Option<SocketAddr>,
}

/// URLs of the gateways for callers. Pages must use the one with their own scheme: browsers block
/// plain HTTP requests from HTTPS pages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct GatewayUrls {
    /// URL for plain HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "http://localhost:8080")]
    http: Option<String>,
    /// URL for HTTPS.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://api.example.com")]
    https: Option<String>,
}

/// A source of the current warnings for operators, which do not prevent serving.
pub type Conditions = Box<dyn Fn() -> Vec<String> + Send + Sync>;

/// What the control plane reads of a running gateway.
pub trait ObservedGateway: Send + Sync {
    /// Its current status.
    fn status(&self) -> GatewayStatus;

    /// The limits of these that it enforces, and what is used of each.
    fn quotas(&self, subjects: &[Subject]) -> Vec<Quota>;
}

/// The running gateways. Clones share the same list.
#[derive(Clone, Default)]
pub struct ObservedGateways(Arc<Mutex<Vec<Arc<dyn ObservedGateway>>>>);

impl ObservedGateways {
    /// Adds a gateway.
    pub fn add(&self, gateway: Arc<dyn ObservedGateway>) {
        self.lock().push(gateway);
    }

    pub(crate) fn statuses(&self) -> Vec<GatewayStatus> {
        self.all().iter().map(|it| it.status()).collect()
    }

    pub(crate) fn quotas(&self, subjects: &[Subject]) -> Vec<Quota> {
        let all = self.all();
        all.iter().flat_map(|it| it.quotas(subjects)).collect()
    }

    fn all(&self) -> Vec<Arc<dyn ObservedGateway>> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<dyn ObservedGateway>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The status of a gateway; counts are up to a second old.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub struct GatewayStatus {
    /// Number of served versions, including blocked ones.
    pub versions: usize,
    /// Number of worker threads.
    pub workers: usize,
    /// Number of client connections.
    pub connections: usize,
    /// Number of calls in progress.
    pub calls: usize,
    /// Number of signed access tokens in the caches of all threads together.
    pub remembered_tokens: usize,
    /// Counters of limits.
    pub counters: usize,
    /// Those of them that were found at a call: of users, addresses, several dimensions, and under
    /// conditions; at most `gateway.counters_max`.
    pub counters_found: usize,
    /// Counters found at a call that were forgotten since the start, although still of use, to make
    /// room for others.
    pub counters_forgotten: u64,
}

/// The host and scheme by which a request reached the control plane.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The host name, without a port; an IPv6 address in brackets.
    host: String,
    /// The scheme.
    scheme: UriScheme,
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let authority = hosts::authority(&parts.uri, &parts.headers);
        let via = parts.extensions.get();
        Ok(Self {
            // `frame` has rejected requests without one.
            host: authority.map_or_else(String::new, |it| it.host().to_owned()),
            scheme: via.map_or(UriScheme::Http, |&Via(scheme)| scheme),
        })
    }
}

/// Returns the path of a version at the gateway, such as `/petstore/1.0`: its operations are below.
pub(crate) fn version_path(context: &str, name: &str) -> String {
    format!("{context}/{name}")
}

impl GatewayUrls {
    /// Returns scheme and authority of each URL. In a page's content security policy, a source with
    /// a path would match only that path (CSP Level 3, section 6.7.2.12).
    pub(crate) fn origins(&self) -> impl Iterator<Item = &str> {
        let urls = [&self.http, &self.https].into_iter().flatten();
        urls.map(|url| {
            let authority = url.find("://").map_or(0, |at| at + 3);
            let end = url[authority..].find('/').map(|at| authority + at);
            &url[..end.unwrap_or(url.len())]
        })
    }
}

impl GatewayPlaces {
    /// Returns the gateways' URLs. A listener on all addresses gets the host name of the request.
    pub(crate) fn urls(&self, asked: &Asked) -> GatewayUrls {
        if let Some(url) = &self.public_url {
            return match url.starts_with("https:") {
                true => GatewayUrls {
                    https: Some(url.clone()),
                    http: None,
                },
                false => GatewayUrls {
                    http: Some(url.clone()),
                    https: None,
                },
            };
        }
        let url = |scheme: UriScheme, address: SocketAddr| {
            let port = address.port();
            let word = scheme.word();
            match (address.ip().is_unspecified(), scheme.default_port() == port) {
                (true, true) => format!("{word}://{}", asked.host),
                (true, false) => format!("{word}://{}:{port}", asked.host),
                (false, _) => format!("{word}://{address}"),
            }
        };
        GatewayUrls {
            http: self.http.map(|address| url(UriScheme::Http, address)),
            https: self.https.map(|address| url(UriScheme::Https, address)),
        }
    }

    /// Returns the URL with the scheme of the request, or the other one if there is none.
    pub(crate) fn url(&self, asked: &Asked) -> Option<String> {
        let GatewayUrls { http, https } = self.urls(asked);
        match asked.scheme {
            UriScheme::Http => http.or(https),
            UriScheme::Https => https.or(http),
        }
    }
}

#[cfg(test)]
mod tests;
