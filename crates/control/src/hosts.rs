//! Under which names the control plane may be asked, against DNS rebinding; and from which pages
//! a change may come, against forged requests (RFC 6454, section 7: the Origin header).
//!
//! An address or `localhost` cannot be rebound, so these are always good; any other name must be
//! the one of the public URL.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri, header};

use tollgate_model::scheme::UriScheme;

use crate::error::Problem;
use crate::peer::Via;

/// The names that are ours.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    public: Option<Authority>,
    url: Option<String>,
    /// Of an https URL.
    https_port: Option<u16>,
}

/// A public URL that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a public URL such as \"https://tollgate.example.com\"")]
pub struct NotAPublicUrl(String);

impl Hosts {
    /// The names of a control plane that people reach at `public_url`, besides its addresses.
    ///
    /// # Errors
    /// [`NotAPublicUrl`] for what is not `http` or `https`, a host and perhaps a port.
    pub fn of(public_url: &str) -> Result<Self, NotAPublicUrl> {
        let uri = public(public_url).filter(|uri| matches!(uri.path(), "" | "/"));
        let uri = uri.ok_or_else(|| NotAPublicUrl(public_url.to_owned()))?;
        Ok(Self {
            public: uri.authority().cloned(),
            url: Some(public_url.trim_end_matches('/').to_owned()),
            https_port: https_port(&uri),
        })
    }

    /// The public URL, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// The port of the public URL, where that is an `https` one.
    #[must_use]
    pub const fn https_port(&self) -> Option<u16> {
        self.https_port
    }

    /// Checks by what name we are asked, and for a change from which page.
    ///
    /// # Errors
    /// 400 `host.missing`, 421 `host.unknown`, 403 `origin.foreign`.
    pub(crate) fn check<B>(&self, request: &Request<B>, via: Option<Via>) -> Result<(), Problem> {
        let asked = authority(request.uri(), request.headers()).ok_or_else(|| {
            let detail = "the request names no host that can be read";
            Problem::new(StatusCode::BAD_REQUEST, "host.missing", detail)
        })?;
        if !self.knows(&asked) {
            let detail = format!(
                "{:?} is not a name of this control plane; set public_url if it should be",
                asked.host()
            );
            let status = StatusCode::MISDIRECTED_REQUEST;
            return Err(Problem::new(status, "host.unknown", detail));
        }
        let scheme = via.map_or(UriScheme::Http, |via| via.0);
        if is_change(request.method()) && !self.is_own_page(request.headers(), (scheme, &asked)) {
            let detail = "changes from pages of another origin are refused";
            return Err(Problem::new(
                StatusCode::FORBIDDEN,
                "origin.foreign",
                detail,
            ));
        }
        Ok(())
    }

    fn knows(&self, asked: &Authority) -> bool {
        let host = asked.host();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_public = |public: &Authority| public.host().eq_ignore_ascii_case(host);
        bare.parse::<std::net::IpAddr>().is_ok()
            || host.eq_ignore_ascii_case("localhost")
            || self.public.as_ref().is_some_and(is_public)
    }

    /// Whether a request for `asked` comes from a page of ours: of that very origin, or of the
    /// public URL. Its scheme counts, since others may have written a page that came by HTTP.
    fn is_own_page(&self, headers: &HeaderMap, asked: (UriScheme, &Authority)) -> bool {
        let asked = (Some(asked.0.word()), Some(asked.1));
        let public = self.url.as_deref().and_then(|url| url.parse::<Uri>().ok());
        let mut origins = headers.get_all(header::ORIGIN).iter();
        origins.all(|origin| {
            let origin = origin
                .to_str()
                .ok()
                .and_then(|text| text.parse::<Uri>().ok());
            origin.is_some_and(|origin| {
                let origin = (origin.scheme_str(), origin.authority());
                let is_public = |url: &Uri| origin == (url.scheme_str(), url.authority());
                origin == asked || public.as_ref().is_some_and(is_public)
            })
        })
    }
}

/// The URL under which others reach a listener: `http` or `https`, a host, perhaps a port and a
/// path, and nothing else (no user, query or fragment).
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

/// The port of a URL that is an `https` one.
#[must_use]
pub fn https_port(url: &Uri) -> Option<u16> {
    let is_https = url.scheme_str() == Some("https");
    is_https.then(|| url.port_u16().unwrap_or(443))
}

/// RFC 9112, section 3.2.2: the authority of an absolute target wins over the Host header.
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

/// Whether a request may change something (RFC 9110, section 9.2.1).
pub(crate) fn is_change(method: &Method) -> bool {
    !method.is_safe()
}

#[cfg(test)]
mod tests;
