//! Who is at the other end of a caller's connection: the caller, or a trusted proxy before it.
//!
//! Which of them is decided once, when the connection is taken; only requests that come through a
//! proxy read `X-Forwarded-For`.

use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tollgate_fetch::Hops;
use tollgate_http1::compose::push_field;
use tollgate_http1::head::Known;
use tollgate_http1::view::Request;
use tollgate_model::scheme::UriScheme;

use crate::settings::Settings;

const FORWARDED_FOR: &[u8] = b"x-forwarded-for";
const FORWARDED_PROTO: &[u8] = b"x-forwarded-proto";

/// The listener by which a connection came.
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
    /// A caller, which is not believed what it says of itself.
    Caller {
        address: IpAddr,
        /// What upstreams are told of it, the same for every request: whole field lines.
        forwarding: Vec<u8>,
    },
    /// A proxy that the settings name.
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

    /// The address of who sent a request.
    pub(crate) fn caller(&self, head: Request<'_>) -> IpAddr {
        match &self.kind {
            Kind::Caller { address, .. } => *address,
            Kind::Proxy { address, settings } => hops(*address, settings, head).caller(),
        }
    }

    /// How the caller has sent a request: as a trusted proxy tells it, or as it came.
    pub(crate) fn scheme(&self, head: Request<'_>) -> UriScheme {
        match &self.kind {
            Kind::Caller { .. } => self.arrival.scheme,
            Kind::Proxy { .. } => told_scheme(head).unwrap_or(self.arrival.scheme),
        }
    }

    /// The URL, up to its path, by which the caller of a request has reached this gateway: of the
    /// listener, or of the host that was asked for where that stands for many addresses or is
    /// behind a proxy.
    pub(crate) fn asked_url(&self, head: Request<'_>) -> String {
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

    /// Writes what the upstream is told of who called and as what: `X-Forwarded-For` from the
    /// caller to this peer, `X-Forwarded-Proto`, `Via`.
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
        push_field(out, "via", b"1.1 tollgate");
    }
}

fn hops(address: IpAddr, settings: &Settings, head: Request<'_>) -> Hops {
    let values = head.lines().named(FORWARDED_FOR);
    Hops::behind(address, &settings.trusted_proxies, values.rev())
}

/// How the proxy has taken the request, as it tells.
fn told_scheme(head: Request<'_>) -> Option<UriScheme> {
    let value = head.lines().named(FORWARDED_PROTO).next_back()?;
    UriScheme::told_last(value)
}

#[cfg(test)]
mod tests;
