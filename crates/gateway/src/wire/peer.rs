//! The other end of a caller's connection: the caller, or a trusted proxy in front of it.
//!
//! That is decided once, when the connection is accepted; only requests through a proxy read
//! `X-Forwarded-For`.

use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tollgate_fetch::Hops;
use tollgate_http1::compose::push_field;
use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_model::scheme::UriScheme;

use crate::settings::Settings;

/// The value of `Via` in requests to upstreams.
pub(crate) const VIA: &[u8] = b"1.1 tollgate";
const FORWARDED_FOR: &[u8] = b"x-forwarded-for";
const FORWARDED_PROTO: &[u8] = b"x-forwarded-proto";

/// The listener of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) scheme: UriScheme,
    pub(crate) address: SocketAddr,
}

/// The other end of a connection.
#[derive(Debug)]
pub(crate) struct Peer {
    arrival: Arrival,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// A caller; its forwarding fields are not trusted.
    Caller {
        address: IpAddr,
        /// The forwarding field lines for upstreams, the same for every request.
        forwarding: Vec<u8>,
    },
    /// A trusted proxy from the settings.
    Proxy {
        address: IpAddr,
        settings: Arc<Settings>,
    },
}

impl Peer {
    pub(crate) fn new(address: IpAddr, arrival: Arrival, settings: &Arc<Settings>) -> Self {
        let address = address.to_canonical();
        let kind = if settings.trusted_proxies.contain(address) {
            let settings = Arc::clone(settings);
            Kind::Proxy { address, settings }
        } else {
            let forwarding = format!(
                "x-forwarded-for: {address}\r\nx-forwarded-proto: {}\r\nvia: 1.1 tollgate\r\n",
                arrival.scheme.word()
            );
            let forwarding = forwarding.into_bytes();
            Kind::Caller {
                address,
                forwarding,
            }
        };
        Self { arrival, kind }
    }

    /// The address at the other end.
    pub(crate) fn address(&self) -> IpAddr {
        match &self.kind {
            Kind::Caller { address, .. } | Kind::Proxy { address, .. } => *address,
        }
    }

    /// The address of a request's caller.
    pub(crate) fn caller(&self, head: Request<'_>) -> IpAddr {
        match &self.kind {
            Kind::Caller { address, .. } => *address,
            Kind::Proxy { address, settings } => hops(*address, settings, head).caller(),
        }
    }

    /// The scheme of a request: reported by a trusted proxy, else that of the connection.
    pub(crate) fn scheme(&self, head: Request<'_>) -> UriScheme {
        match &self.kind {
            Kind::Caller { .. } => self.arrival.scheme,
            Kind::Proxy { .. } => forwarded_scheme(head).unwrap_or(self.arrival.scheme),
        }
    }

    /// The URL, up to its path, at which the caller of a request reached this gateway: that of the
    /// listener, or of the requested host if the listener has many addresses or is behind a proxy.
    pub(crate) fn requested_url(&self, head: Request<'_>) -> String {
        let Arrival { scheme, address } = self.arrival;
        let is_direct = matches!(self.kind, Kind::Caller { .. });
        let host = head.lines().first(Known::Host);
        let host = host.and_then(|host| std::str::from_utf8(host).ok());
        match host.filter(|host| !host.is_empty()) {
            Some(host) if !is_direct || address.ip().is_unspecified() => {
                format!("{}://{host}", self.scheme(head).word())
            }
            _ => format!("{}://{address}", scheme.word()),
        }
    }

    /// Writes the forwarding fields for the upstream: `X-Forwarded-For` from the caller to this
    /// peer, `X-Forwarded-Proto`, `Via`.
    pub(crate) fn push_forwarding(&self, head: Request<'_>, out: &mut Vec<u8>) {
        let (address, settings) = match &self.kind {
            Kind::Caller { forwarding, .. } => return out.extend_from_slice(forwarding),
            Kind::Proxy { address, settings } => (*address, settings),
        };
        out.extend_from_slice(b"x-forwarded-for: ");
        let hops = hops(address, settings, head);
        for (index, address) in hops.from_caller().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            // Writing to memory does not fail.
            let _ = write!(out, "{separator}{address}");
        }
        out.extend_from_slice(b"\r\n");
        push_field(
            out,
            "x-forwarded-proto",
            self.scheme(head).word().as_bytes(),
        );
        push_field(out, "via", VIA);
    }
}

fn hops(address: IpAddr, settings: &Settings, head: Request<'_>) -> Hops {
    let values = head.lines().named(FORWARDED_FOR);
    Hops::behind(address, &settings.trusted_proxies, values.rev())
}

/// The scheme of the request as reported by the proxy.
fn forwarded_scheme(head: Request<'_>) -> Option<UriScheme> {
    let value = head.lines().named(FORWARDED_PROTO).next_back()?;
    UriScheme::told_last(value)
}

#[cfg(test)]
pub(crate) mod tests;
