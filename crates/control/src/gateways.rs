//! The gateways as the control plane knows them: where callers reach them, and how they are.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::Serialize;
use tollgate_model::scheme::UriScheme;

use crate::error::Problem;
use crate::hosts;
use crate::peer::Via;

/// Where callers reach the gateways.
#[derive(Debug, Clone, Default)]
pub struct GatewayPlaces {
    /// The URL that the operator says, without a slash at its end: it is the only one then.
    pub public_url: Option<String>,
    /// Where calls are taken over plain HTTP.
    pub http: Option<SocketAddr>,
    /// Where calls are taken over HTTPS.
    pub https: Option<SocketAddr>,
}

/// Where callers reach the gateways; a page calls the one of its own scheme, because browsers let
/// no HTTPS page call another.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct GatewayUrls {
    /// Over plain HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "http://localhost:8080")]
    http: Option<String>,
    /// Over HTTPS.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://api.example.com")]
    https: Option<String>,
}

/// Sentences that operators should read although all works, whenever somebody asks.
pub type Conditions = Box<dyn Fn() -> Vec<String> + Send + Sync>;

type Observer = Box<dyn Fn() -> GatewayStatus + Send + Sync>;

/// How the gateways are, whenever somebody asks. Clones are the same list.
#[derive(Clone, Default)]
pub struct GatewayStatuses(Arc<Mutex<Vec<Observer>>>);

impl GatewayStatuses {
    /// Adds a gateway; `observer` returns its status.
    pub fn add(&self, observer: impl Fn() -> GatewayStatus + Send + Sync + 'static) {
        self.lock().push(Box::new(observer));
    }

    pub(crate) fn read(&self) -> Vec<GatewayStatus> {
        self.lock().iter().map(|observer| observer()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Observer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a gateway is; counts are up to a second old.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
pub struct GatewayStatus {
    /// Versions that are served, those that are blocked too.
    pub versions: usize,
    /// Its threads.
    pub workers: usize,
    /// Connections of callers.
    pub connections: usize,
    /// Calls under way.
    pub calls: usize,
    /// Signed access tokens that are remembered, each counted for every thread that does.
    pub remembered_tokens: usize,
}

/// How a request reaches the control plane.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// By which name, without a port; an IPv6 address in brackets.
    host: String,
    /// By which scheme.
    scheme: UriScheme,
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let authority = hosts::authority(&parts.uri, &parts.headers);
        let via = parts.extensions.get();
        Ok(Self {
            // The frame has refused requests without one.
            host: authority.map_or_else(String::new, |it| it.host().to_owned()),
            scheme: via.map_or(UriScheme::Http, |&Via(scheme)| scheme),
        })
    }
}

impl GatewayUrls {
    /// Scheme and authority of each: a source of a page's policy that has a path means that path
    /// alone (CSP Level 3, section 6.7.2.12).
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
    /// The gateways' URLs as seen from where the request was made.
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

    /// Like `urls`, but the one to call: that of the request's own scheme, where there is one.
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
