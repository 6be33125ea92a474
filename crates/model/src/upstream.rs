//! Upstreams: the addresses of a back end, time-outs, and how gateway and back end authenticate to
//! each other.

use std::hash::Hasher as _;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;

use crate::defaults::{is_yes, yes};
use crate::fault::Fault;
use crate::kind::Kind;
use crate::plan::{Limit, Owner, limit_faults};
use crate::scheme::UriScheme;
use crate::secret::Credential;

/// The longest time-out, milliseconds: one hour.
pub const TIMEOUT_MS_MAX: u32 = 3_600_000;
/// Default maximum number of connections to one host and port per gateway worker.
pub const CONNECTIONS_MAX: u32 = 1_024;
/// Maximum length of an upstream's certificate authorities, bytes.
pub const CA_BYTES_MAX: usize = 64 * 1024;
/// Maximum number of parameters in the query of an upstream's URL.
pub const QUERY_PARAMETERS_MAX: usize = 32;

/// One upstream, in its JSON form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// URL of the target: `http://host[:port][/base/path]`, or `https`. That of a SOAP service may
    /// have a query, which each call gets before the caller's own. An upstream has one target
    /// today.
    #[serde(rename = "url", with = "one_target")]
    #[cfg_attr(feature = "schema", schema(rename = "url", value_type = String))]
    pub targets: Vec<Target>,
    /// Maximum time to establish a connection, milliseconds.
    #[serde(default = "connect_timeout_ms")]
    pub connect_timeout_ms: u32,
    /// Maximum time from the last byte of the request until the head of the final response has
    /// arrived, milliseconds. Interim responses (1xx) are passed on and do not extend it.
    #[serde(default = "first_byte_timeout_ms")]
    pub first_byte_timeout_ms: u32,
    /// Maximum pause within a body, milliseconds.
    #[serde(default = "idle_timeout_ms")]
    pub idle_timeout_ms: u32,
    /// Maximum number of connections to the target's host and port per worker, shared by all
    /// versions with this target.
    #[serde(default = "connections_max")]
    pub connections_max: u32,
    /// The certificate authorities for the certificate of an `https` upstream, in PEM, instead of
    /// those that the gateway's system trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// Whether the certificate of an `https` upstream is verified: issued by a trusted authority,
    /// for this host, and not expired. Without verification anybody on the network path can read
    /// and change what is sent.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    #[cfg_attr(feature = "schema", schema(default = true))]
    pub verify_certificate: bool,
    /// Limits on the calls that it gets, over all callers: of `requests` or `concurrent`, without
    /// `per`. Responses from the cache and of policies do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// The gateway's credential for the upstream. Callers' own fields of the same name are not
    /// passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
}

/// A target of an upstream's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `http://host[:port][/base/path][?query]`, or `https`.
    pub url: String,
}

/// Serializes the list of targets as the URL of the only one.
mod one_target {
    use serde::{Deserialize as _, Deserializer, Serializer, ser};

    use super::Target;

    pub(super) fn serialize<S: Serializer>(targets: &[Target], to: S) -> Result<S::Ok, S::Error> {
        match targets {
            [Target { url }] => to.serialize_str(url),
            _ => Err(ser::Error::custom("an upstream must have one target")),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Target>, D::Error> {
        let url = String::deserialize(from)?;
        Ok(vec![Target::at(url)])
    }
}

const fn connect_timeout_ms() -> u32 {
    5_000
}
const fn first_byte_timeout_ms() -> u32 {
    60_000
}
const fn idle_timeout_ms() -> u32 {
    60_000
}
const fn connections_max() -> u32 {
    CONNECTIONS_MAX
}
/// The parts of a target's URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address<'a> {
    /// Whether TLS is used.
    pub scheme: UriScheme,
    /// Name or IP address; IPv6 without brackets.
    pub host: &'a str,
    /// TCP port; the default of the scheme if the URL has none.
    pub port: u16,
    /// `host[:port]` as written, for the `Host` header.
    pub authority: &'a str,
    /// Path before that of the operation, without a trailing slash; may be empty. With a query, the
    /// whole path as written, or `/`.
    pub base_path: &'a str,
    /// Query without its `?`, if there is one; may be empty.
    pub query: Option<&'a str>,
}

impl Target {
    /// Creates a target at `url`.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: url.into() }
    }

    /// Parses the URL for an API of this kind. Only upstreams of SOAP services may have a query.
    ///
    /// # Errors
    /// A sentence that describes the fault of the URL.
    pub fn address_for(&self, kind: Kind) -> Result<Address<'_>, String> {
        match self.address()? {
            Address { query: Some(_), .. } if kind == Kind::Rest => {
                Err("an upstream's URL has no query, fragment or unencoded character".into())
            }
            address => Ok(address),
        }
    }

    /// Parses the URL.
    ///
    /// # Errors
    /// A sentence that describes the fault of the URL.
    pub fn address(&self) -> Result<Address<'_>, String> {
        if self.url.len() > 2_048 {
            return Err("an upstream's URL has at most 2048 characters".into());
        }
        let split = UriScheme::split(&self.url);
        let (scheme, rest) = split.ok_or("an upstream's URL begins with http:// or https://")?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (path, query) = match path.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path, None),
        };
        let is_path =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@%/".contains(&byte);
        if !path.bytes().all(is_path) {
            return Err("an upstream's URL has no fragment or unencoded character".into());
        }
        query.map_or(Ok(()), check_query)?;
        let is_dots = |segment: &str| {
            matches!(
                segment.to_ascii_lowercase().replace("%2e", ".").as_str(),
                "." | ".."
            )
        };
        if path.split('/').any(is_dots) {
            return Err("an upstream's URL has no segment \".\" or \"..\"".into());
        }
        let (host, port) = split_authority(authority)?;
        Ok(Address {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            authority,
            base_path: match query {
                None => path.trim_end_matches('/'),
                Some(_) if path.is_empty() => "/",
                Some(_) => path,
            },
            query,
        })
    }

    /// Returns the origin of the URL (RFC 6454, section 4): scheme, host in lower case and
    /// effective port. An invalid URL is its own origin.
    #[must_use]
    pub fn origin(&self) -> String {
        let Ok(address) = self.address() else {
            return self.url.clone();
        };
        let Address { host, port, .. } = address;
        let scheme = address.scheme.word();
        let host = host.to_ascii_lowercase();
        if host.contains(':') {
            format!("{scheme}://[{host}]:{port}")
        } else {
            format!("{scheme}://{host}:{port}")
        }
    }
}

impl Upstream {
    /// Creates an upstream with one target at `url`, and default time-outs.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            targets: vec![Target::at(url)],
            connect_timeout_ms: connect_timeout_ms(),
            first_byte_timeout_ms: first_byte_timeout_ms(),
            idle_timeout_ms: idle_timeout_ms(),
            connections_max: connections_max(),
            ca: None,
            verify_certificate: true,
            limits: Vec::new(),
            credential: None,
        }
    }

    /// Returns the places of its calls: the origins of its targets, with how their certificates are
    /// verified unless by the authorities that the gateway's system trusts.
    pub fn places(&self) -> impl Iterator<Item = String> {
        let checked = match &self.ca {
            _ if !self.verify_certificate => " without a check of its certificate".to_owned(),
            Some(ca) => format!(" with the authorities {:016x}", fingerprint(ca)),
            None => String::new(),
        };
        let targets = self.targets.iter();
        targets.map(move |target| target.origin() + &checked)
    }

    /// Returns all faults of an upstream of an API of this kind; fields are JSON Pointers from the
    /// upstream.
    #[must_use]
    pub fn faults(&self, kind: Kind) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.targets.len() != 1 {
            let detail = "an upstream must have one target";
            faults.push(Fault::new("/url", "upstream.targets", detail));
        }
        for target in &self.targets {
            if let Err(detail) = target.address_for(kind) {
                faults.push(Fault::new("/url", "upstream.url", detail));
            }
        }
        faults.extend(self.tls_fault());
        faults.extend(limit_faults(&self.limits, Owner::Upstream));
        let credential = self.credential.iter().flat_map(Credential::faults);
        faults.extend(credential.map(|fault| fault.under("/credential")));
        let timeouts = [
            ("/connect_timeout_ms", self.connect_timeout_ms),
            ("/first_byte_timeout_ms", self.first_byte_timeout_ms),
            ("/idle_timeout_ms", self.idle_timeout_ms),
        ];
        for (field, timeout) in timeouts {
            if !(1..=TIMEOUT_MS_MAX).contains(&timeout) {
                let detail = format!("a time-out must be 1 to {TIMEOUT_MS_MAX} milliseconds");
                faults.push(Fault::new(field, "upstream.timeout", detail));
            }
        }
        if !(1..=65_535).contains(&self.connections_max) {
            let detail = "the number of connections must be 1 to 65535";
            faults.push(Fault::new(
                "/connections_max",
                "upstream.connections",
                detail,
            ));
        }
        faults
    }
}

impl Upstream {
    /// Returns the fault in the settings for certificate verification, if one is found without
    /// connecting.
    fn tls_fault(&self) -> Option<Fault> {
        let addresses = self.targets.iter().filter_map(|it| it.address().ok());
        let is_http = addresses.clone().any(|it| it.scheme == UriScheme::Http);
        let detail = match &self.ca {
            Some(_) if is_http => "an http upstream has no certificate; use https://",
            Some(_) if !self.verify_certificate => "ca has no effect without verify_certificate",
            Some(ca) if ca.len() > CA_BYTES_MAX => "at most 64 KiB of certificate authorities",
            None if is_http && !self.verify_certificate => {
                let detail = "an http upstream has no certificate; use https://";
                return Some(Fault::new("/verify_certificate", "upstream.ca", detail));
            }
            _ => return None,
        };
        Some(Fault::new("/ca", "upstream.ca", detail))
    }
}

/// Checks the query of a URL (RFC 3986, section 3.4).
fn check_query(query: &str) -> Result<(), String> {
    let is_query =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@%/?".contains(&byte);
    if !query.bytes().all(is_query) {
        return Err("an upstream's URL has no fragment or unencoded character".into());
    }
    let is_encoded = |after: &str| {
        let digits = after.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    if !query.split('%').skip(1).all(is_encoded) {
        return Err(
            "in the query of an upstream's URL, \"%\" must be followed by two hexadecimal digits"
                .into(),
        );
    }
    if query.split(['&', ';']).count() > QUERY_PARAMETERS_MAX {
        let max = QUERY_PARAMETERS_MAX;
        return Err(format!(
            "the query of an upstream's URL has at most {max} parameters"
        ));
    }
    Ok(())
}

/// Returns a fingerprint that distinguishes texts of authorities.
fn fingerprint(ca: &str) -> u64 {
    let mut hasher = SipHasher24::new();
    hasher.write(ca.as_bytes());
    hasher.finish()
}

fn split_authority(authority: &str) -> Result<(&str, Option<u16>), String> {
    let wrong = || format!("{authority:?} is not a host with an optional port");
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, rest) = rest.split_once(']').ok_or_else(wrong)?;
        host.parse::<std::net::Ipv6Addr>().map_err(|_| wrong())?;
        (host, rest.strip_prefix(':'))
    } else {
        match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        }
    };
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    if host.is_empty() || host.len() > 253 || !host.bytes().all(is_host) {
        return Err(wrong());
    }
    let port = match port {
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(port.parse().map_err(|_| wrong())?)
        }
        Some(_) => return Err(wrong()),
        None => None,
    };
    if port == Some(0) {
        Err(wrong())
    } else {
        Ok((host, port))
    }
}

#[cfg(test)]
mod tests;
