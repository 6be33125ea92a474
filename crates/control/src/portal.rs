//! What a portal knows before anybody signs in: where the gateways are, and what is there.

use std::net::SocketAddr;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use serde::Serialize;
use tollgate_model::scheme::UriScheme;

use crate::error::Problem;
use crate::hosts;
use crate::json::Json;
use crate::peer::Via;
use crate::state::Control;

/// What people call it.
const NAME: &str = "Tollgate";

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

/// What a portal knows before anybody signs in.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Portal)]
pub(crate) struct PortalBody {
    /// What people call it.
    name: &'static str,
    /// The release that runs.
    #[schema(example = "0.1.0")]
    release: &'static str,
    /// Where calls go, without a slash at the end.
    gateways: GatewayUrls,
    /// What is there.
    parts: PortalParts,
}

/// The parts of an installation that are not in every one.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PortalParts {
    /// What issues access tokens; absent where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    key_manager: Option<TokenEndpoint>,
    /// Whether the catalogue is shown without signing in.
    open_catalogue: bool,
}

/// What issues access tokens.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct TokenEndpoint {
    /// Where clients get them (RFC 6749, section 3.2).
    #[schema(example = "https://tollgate.example.com/oauth2/token")]
    token_url: String,
}

/// See what a portal needs before anybody signs in.
///
/// Names the gateways as callers reach them: `gateway.public_url`, else their listeners. A listener
/// on all addresses is named by the host that this request asks for.
#[utoipa::path(
    get, path = "/api/v1/portal", tag = "portal",
    responses((status = 200, description = "What is there", body = PortalBody)),
)]
pub(crate) async fn show(State(control): State<Control>, asked: Asked) -> Json<PortalBody> {
    Json(PortalBody {
        name: NAME,
        release: env!("CARGO_PKG_VERSION"),
        gateways: control.gateways().urls(&asked),
        parts: PortalParts {
            key_manager: control
                .token_url()
                .map(|token_url| TokenEndpoint { token_url }),
            open_catalogue: control.open_catalogue,
        },
    })
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
