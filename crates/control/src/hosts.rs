//! The host names that requests may use, against DNS rebinding; and the origins that changes may
//! come from, against forged requests (RFC 6454, section 7: the Origin header).
//!
//! An IP address or `localhost` cannot be rebound, so these are always accepted; any other name
//! must be that of the public URL.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri, header};

use tollgate_model::scheme::UriScheme;

use crate::error::Problem;
use crate::peer::Via;

/// The accepted host names.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    public: Option<Authority>,
    url: Option<String>,
    /// The port of an https URL.
    https_port: Option<u16>,
}

/// A public URL that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a public URL such as \"https://tollgate.example.com\"")]
pub struct NotAPublicUrl(String);

impl Hosts {
    /// Accepts the host of `public_url` besides IP addresses and `localhost`.
    ///
    /// # Errors
    /// [`NotAPublicUrl`] unless it is `http` or `https`, a host and an optional port.
    pub fn of(public_url: &str) -> Result<Self, NotAPublicUrl> {
        let uri = public(public_url).filter(|uri| matches!(uri.path(), "" | "/"));
        let uri = uri.ok_or_else(|| NotAPublicUrl(public_url.to_owned()))?;
        Ok(Self {
            public: uri.authority().cloned(),
            url: Some(public_url.trim_end_matches('/').to_owned()),
            https_port: https_port(&uri),
        })
    }

    /// Returns the public URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the port of the public URL if it is an `https` URL.
    #[must_use]
    pub const fn https_port(&self) -> Option<u16> {
        self.https_port
    }

    /// Checks the request's host and, if it is a change, its origin.
    ///
    /// # Errors
    /// 400 `host.missing`, 421 `host.unknown`, 403 `origin.foreign`.
    pub(crate) fn check<B>(&self, request: &Request<B>, via: Option<Via>) -> Result<(), Problem> {
        let requested = authority(request.uri(), request.headers()).ok_or_else(|| {
            let detail = "the request has no valid host";
            Problem::new(StatusCode::BAD_REQUEST, "host.missing", detail)
        })?;
        if !self.accepts(&requested) {
            let detail = format!(
                "{:?} is not a host name of this control plane; set public_url to allow it",
                requested.host()
            );
            let status = StatusCode::MISDIRECTED_REQUEST;
            return Err(Problem::new(status, "host.unknown", detail));
        }
        let scheme = via.map_or(UriScheme::Http, |via| via.0);
        if is_change(request.method()) && !self.is_own_page(request.headers(), scheme, &requested) {
            let detail = "changes from pages of another origin are rejected";
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "origin.foreign",
                detail,
            ));
        }
        Ok(())
    }

    fn accepts(&self, requested: &Authority) -> bool {
        let host = requested.host();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_public = |public: &Authority| public.host().eq_ignore_ascii_case(host);
        bare.parse::<std::net::IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.public.as_ref().is_some_and(is_public)
    }

    /// Returns whether the request comes from a page of this control plane: of the requested origin
    /// itself, or of the public URL. The scheme counts, since a page loaded over HTTP may have been
    /// modified on its way.
    fn is_own_page(&self, headers: &HeaderMap, scheme: UriScheme, authority: &Authority) -> bool {
        let requested = (Some(scheme.word()), Some(authority));
        let public = self.url.as_deref().and_then(|url| url.parse::<Uri>().ok());
        let mut origins = headers.get_all(header::ORIGIN).iter();
        origins.all(|origin| {
            let url = origin
                .to_str()
                .ok()
                .and_then(|text| text.parse::<Uri>().ok());
            url.is_some_and(|url| {
                let origin = (url.scheme_str(), url.authority());
                let is_public = |url: &Uri| origin == (url.scheme_str(), url.authority());
                origin == requested || public.as_ref().is_some_and(is_public)
            })
        })
    }
}

/// Parses the URL at which clients reach a listener: `http` or `https`, a host, an optional port
/// and path, and nothing else (no user, query or fragment).
#[must_use]
pub fn public(url: &str) -> Option<Uri> {
    let uri: Uri = url.parse().ok()?;
    let authority = uri.authority()?;
    let port = authority.as_str().strip_prefix(authority.host())?;
    let is_port = port.is_empty() || authority.port_u16().is_some_and(|port| port > 0);
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    let is_bare = !url.contains(['?', '#']) && !authority.host().is_empty();
    (is_http && is_bare && is_port).then_some(uri)
}

/// Returns the port of an `https` URL, 443 by default.
#[must_use]
pub fn https_port(url: &Uri) -> Option<u16> {
    let is_https = url.scheme_str() == Some("https");
    is_https.then(|| url.port_u16().unwrap_or(443))
}

/// Returns the requested host. The authority of an absolute target takes precedence over the Host
/// header (RFC 9112, section 3.2.2).
pub(crate) fn authority(uri: &Uri, headers: &HeaderMap) -> Option<Authority> {
    if let Some(authority) = uri.authority() {
        return Some(authority.clone());
    }
    let mut hosts = headers.get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    if hosts.next().is_some() || host.contains('@') {
        return None;
    }
    host.parse().ok()
}

/// Returns whether a request may change something (RFC 9110, section 9.2.1).
pub(crate) fn is_change(method: &Method) -> bool {
    !method.is_safe()
}

#[cfg(test)]
mod tests;
