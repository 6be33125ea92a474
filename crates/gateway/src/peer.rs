//! Who is at the other end of a caller's connection: the caller, or a trusted proxy before it.
//!
//! Which of them is decided once, when the connection is taken; only requests that come through a
//! proxy read `X-Forwarded-For`.

use std::io::Write as _;
use std::net::IpAddr;
use std::sync::Arc;

use tollgate_fetch::Hops;
use tollgate_http1::compose::push_field;
use tollgate_http1::view::Request;
use tollgate_model::scheme::UriScheme;

use crate::settings::Settings;

const FORWARDED_FOR: &[u8] = b"x-forwarded-for";
const FORWARDED_PROTO: &[u8] = b"x-forwarded-proto";

/// The other end of a connection.
#[derive(Debug)]
pub(crate) enum Peer {
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
        /// How the proxy itself has connected.
        scheme: UriScheme,
    },
}

impl Peer {
    pub(crate) fn new(address: IpAddr, scheme: UriScheme, settings: &Arc<Settings>) -> Self {
        let address = address.to_canonical();
        if settings.trusted_proxies.contain(address) {
            let settings = Arc::clone(settings);
            return Self::Proxy {
                address,
                settings,
                scheme,
            };
        }
        let forwarding = format!(
            "x-forwarded-for: {address}\r\nx-forwarded-proto: {}\r\nvia: 1.1 tollgate\r\n",
            scheme.word()
        );
        let forwarding = forwarding.into_bytes();
        Self::Caller {
            address,
            forwarding,
        }
    }

    /// The address of who sent a request.
    pub(crate) fn caller(&self, head: Request<'_>) -> IpAddr {
        match self {
            Self::Caller { address, .. } => *address,
            Self::Proxy {
                address, settings, ..
            } => hops(*address, settings, head).caller(),
        }
    }

    /// Writes what the upstream is told of who called and as what: `X-Forwarded-For` from the
    /// caller to this peer, `X-Forwarded-Proto`, `Via`.
    pub(crate) fn push_forwarding(&self, head: Request<'_>, out: &mut Vec<u8>) {
        let (address, settings, scheme) = match self {
            Self::Caller { forwarding, .. } => return out.extend_from_slice(forwarding),
            Self::Proxy {
                address,
                settings,
                scheme,
            } => (*address, settings, *scheme),
        };
        out.extend_from_slice(b"x-forwarded-for: ");
        let hops = hops(address, settings, head);
        for (index, address) in hops.from_caller().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            // Writing to memory does not fail.
            let _ = write!(out, "{separator}{address}");
        }
        out.extend_from_slice(b"\r\n");
        let scheme = told_scheme(head).unwrap_or(scheme);
        push_field(out, "x-forwarded-proto", scheme.word().as_bytes());
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
