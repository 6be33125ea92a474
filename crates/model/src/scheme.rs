//! The scheme of a URL, or of the connection that a request arrived on.

use serde::{Deserialize, Serialize};

/// Whether bytes are sent over TLS (RFC 9110, sections 4.2.1 and 4.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UriScheme {
    /// HTTP over TCP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl UriScheme {
    /// Returns `http` or `https`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Parses the scheme that the last proxy before Tollgate wrote to `X-Forwarded-Proto`.
    #[must_use]
    pub fn told_last(value: &[u8]) -> Option<Self> {
        let element = value.rsplit(|byte| *byte == b',').next()?.trim_ascii();
        let schemes = [Self::Http, Self::Https];
        let is_named = |scheme: &Self| element.eq_ignore_ascii_case(scheme.word().as_bytes());
        schemes.into_iter().find(is_named)
    }

    /// Returns the port of a URL without one.
    #[must_use]
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// Returns an `https` URL of a host, as named in a `Host` field, at another port; `None` for an
    /// invalid host.
    #[must_use]
    pub fn https_url(host: &str, port: u16) -> Option<String> {
        let name = match host.rsplit_once(':') {
            // The colons of an IPv6 address are inside its brackets.
            Some((name, digits)) if !digits.contains(']') => name,
            _ => host,
        };
        if name.is_empty() || name.contains(['/', '?', '#', '@']) {
            return None;
        }
        Some(match port {
            443 => format!("https://{name}"),
            port => format!("https://{name}:{port}"),
        })
    }

    /// Splits the scheme and `://` off a URL, ignoring case (RFC 3986, section 3.1).
    #[must_use]
    pub fn split(url: &str) -> Option<(Self, &str)> {
        let (word, rest) = url.split_once("://")?;
        let schemes = [Self::Http, Self::Https];
        let scheme = schemes
            .into_iter()
            .find(|scheme| word.eq_ignore_ascii_case(scheme.word()))?;
        Some((scheme, rest))
    }
}

#[cfg(test)]
mod tests;
