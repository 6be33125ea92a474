//! The scheme of a URL, or of the connection that a request came by.

use serde::{Deserialize, Serialize};

/// Whether bytes go over TLS (RFC 9110, sections 4.2.1 and 4.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UriScheme {
    /// HTTP over TCP.
    Http,
    /// HTTP over TLS.
    Https,
}

impl UriScheme {
    /// `http` or `https`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The scheme that the last proxy before us wrote to `X-Forwarded-Proto`.
    #[must_use]
    pub fn told_last(value: &[u8]) -> Option<Self> {
        let element = value.rsplit(|byte| *byte == b',').next()?.trim_ascii();
        let schemes = [Self::Http, Self::Https];
        let is_told = |scheme: &Self| element.eq_ignore_ascii_case(scheme.word().as_bytes());
        schemes.into_iter().find(is_told)
    }

    /// The port of a URL that names none.
    #[must_use]
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// An `https` URL of a host, as a `Host` field names it, at another port; `None` for a host
    /// that cannot be read.
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

    /// Takes the scheme and `://` off the front of a URL, in any case (RFC 3986, section 3.1).
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
