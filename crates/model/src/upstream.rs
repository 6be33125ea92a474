//! Where calls go: the addresses of a back end, how long the gateway waits for it, and what each
//! proves to the other with who it is.

use std::hash::Hasher as _;

use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher24;

use crate::fault::Fault;
use crate::scheme::UriScheme;
use crate::secret::Credential;

/// The longest time-out, in milliseconds: one hour.
pub const TIMEOUT_MS_MAX: u32 = 3_600_000;
/// Connections to one host and port that a gateway worker may hold, unless said otherwise.
pub const CONNECTIONS_MAX: u32 = 1_024;
/// Bytes of an upstream's certificate authorities.
pub const CA_BYTES_MAX: usize = 64 * 1024;

/// One upstream, as people write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Upstream {
    /// Where its calls go: `http://host[:port][/base/path]`, or `https`. One target today, whose
    /// URL this is.
    #[serde(rename = "url", with = "one_target")]
    #[cfg_attr(feature = "schema", schema(rename = "url", value_type = String))]
    pub targets: Vec<Target>,
    /// Milliseconds until a connection must stand.
    #[serde(default = "connect_timeout_ms")]
    pub connect_timeout_ms: u32,
    /// Milliseconds from the request's last byte until the head of the final answer has come.
    /// Interim answers (1xx) are passed on and do not make it longer.
    #[serde(default = "first_byte_timeout_ms")]
    pub first_byte_timeout_ms: u32,
    /// Milliseconds that a started body may stand still.
    #[serde(default = "idle_timeout_ms")]
    pub idle_timeout_ms: u32,
    /// Connections to the target's host and port that one worker may hold at a time, for all
    /// versions that name it.
    #[serde(default = "connections_max")]
    pub connections_max: u32,
    /// The certificate authorities that vouch for an `https` upstream, in PEM, in place of those
    /// that the gateway's system trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
    /// Whether the certificate of an `https` upstream is checked: that an authority vouches for it,
    /// that it is one for this host, and that it has not expired. Without the check anybody on the
    /// way can read and change what is sent.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    #[cfg_attr(feature = "schema", schema(default = true))]
    pub verify_certificate: bool,
    /// Who the gateway is to the upstream. Callers' own fields of the same name are not passed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<Credential>,
}

/// One of the places that an upstream's calls may go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// `http://host[:port][/base/path]`, or `https`.
    pub url: String,
}

/// The list of targets as the URL of the only one.
mod one_target {
    use serde::{Deserialize as _, Deserializer, Serializer, ser};

    use super::Target;

    pub(super) fn serialize<S: Serializer>(targets: &[Target], to: S) -> Result<S::Ok, S::Error> {
        match targets {
            [Target { url }] => to.serialize_str(url),
            _ => Err(ser::Error::custom("an upstream has one target")),
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
const fn yes() -> bool {
    true
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
const fn is_yes(it: &bool) -> bool {
    *it
}

/// The parts of a target's URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address<'a> {
    /// Whether TLS is spoken.
    pub scheme: UriScheme,
    /// Name or IP address; IPv6 without brackets.
    pub host: &'a str,
    /// TCP port; the scheme's own when the URL has none.
    pub port: u16,
    /// `host[:port]` as written, for the `Host` header.
    pub authority: &'a str,
    /// Path before the operation's, without a slash at its end; may be empty.
    pub base_path: &'a str,
}

impl Target {
    /// A target at `url`.
    pub fn at(url: impl Into<String>) -> Self {
        Self { url: url.into() }
    }

    /// The parts of the address.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the URL.
    pub fn address(&self) -> Result<Address<'_>, String> {
        if self.url.len() > 2_048 {
            return Err("an upstream's URL has at most 2048 characters".into());
        }
        let split = UriScheme::split(&self.url);
        let (scheme, rest) = split.ok_or("an upstream's URL begins with http:// or https://")?;
        let slash = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(slash);
        let is_path =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@%/".contains(&byte);
        if !path.bytes().all(is_path) {
            return Err("an upstream's URL has no query, fragment or unencoded character".into());
        }
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
            base_path: path.trim_end_matches('/'),
        })
    }

    /// The origin of the URL (RFC 6454, section 4): scheme, host in lower case and effective
    /// port. A URL that is not valid is its own origin.
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
    /// An upstream with one target at `url`, and every time-out at its default.
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            targets: vec![Target::at(url)],
            connect_timeout_ms: connect_timeout_ms(),
            first_byte_timeout_ms: first_byte_timeout_ms(),
            idle_timeout_ms: idle_timeout_ms(),
            connections_max: connections_max(),
            ca: None,
            verify_certificate: true,
            credential: None,
        }
    }

    /// Where its calls go: the origins of its targets, and how it is checked that they are those,
    /// where that is not by the authorities that the gateway's system trusts.
    pub fn places(&self) -> impl Iterator<Item = String> {
        let checked = match &self.ca {
            _ if !self.verify_certificate => " without a check of its certificate".to_owned(),
            Some(ca) => format!(" with the authorities {:016x}", fingerprint(ca)),
            None => String::new(),
        };
        let targets = self.targets.iter();
        targets.map(move |target| target.origin() + &checked)
    }

    /// Everything that is wrong; fields are pointers from the upstream.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if self.targets.len() != 1 {
            let detail = "an upstream has one target";
            faults.push(Fault::new("/url", "upstream.targets", detail));
        }
        for target in &self.targets {
            if let Err(detail) = target.address() {
                faults.push(Fault::new("/url", "upstream.url", detail));
            }
        }
        faults.extend(self.tls_fault());
        let credential = self.credential.iter().flat_map(Credential::faults);
        faults.extend(credential.map(|fault| fault.under("/credential")));
        let timeouts = [
            ("/connect_timeout_ms", self.connect_timeout_ms),
            ("/first_byte_timeout_ms", self.first_byte_timeout_ms),
            ("/idle_timeout_ms", self.idle_timeout_ms),
        ];
        for (field, timeout) in timeouts {
            if !(1..=TIMEOUT_MS_MAX).contains(&timeout) {
                let detail = format!("a time-out is 1 to {TIMEOUT_MS_MAX} milliseconds");
                faults.push(Fault::new(field, "upstream.timeout", detail));
            }
        }
        if !(1..=65_535).contains(&self.connections_max) {
            let detail = "connections are 1 to 65535";
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
    /// What is wrong with how an upstream's certificate is to be checked, as far as the texts tell.
    fn tls_fault(&self) -> Option<Fault> {
        let addresses = self.targets.iter().filter_map(|it| it.address().ok());
        let is_http = addresses.clone().any(|it| it.scheme == UriScheme::Http);
        let detail = match &self.ca {
            Some(_) if is_http => "an http upstream shows no certificate; use https://",
            Some(_) if !self.verify_certificate => "there is no check that it could serve",
            Some(ca) if ca.len() > CA_BYTES_MAX => "at most 64 KiB of certificate authorities",
            None if is_http && !self.verify_certificate => {
                let detail = "an http upstream shows no certificate; use https://";
                return Some(Fault::new("/verify_certificate", "upstream.ca", detail));
            }
            _ => return None,
        };
        Some(Fault::new("/ca", "upstream.ca", detail))
    }
}

/// What tells one text of authorities from another.
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
