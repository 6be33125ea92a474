//! The client of a request: its address and the scheme of its connection.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::Extensions;
use tollgate_model::scheme::UriScheme;
use tollgate_tokens::session::{COOKIE, SECURE_COOKIE};

/// The client's address, an extension of each request: the peer of the connection, unless `frame`
/// replaces it with the address that a trusted proxy reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// Returns the network that attempts are counted for: the whole IPv4 address, or the first 64
    /// bits of an IPv6 address, since each machine may choose the other half (RFC 4291, section
    /// 2.5.4).
    pub(crate) fn network(self) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            v4 @ IpAddr::V4(_) => v4,
        }
    }
}

/// Returns whether the request's content is private: it came over HTTPS, or from this machine.
#[must_use]
pub fn came_safely(extensions: &Extensions) -> bool {
    let is_https = matches!(extensions.get(), Some(Via(UriScheme::Https)));
    let peer = extensions.get().map(|Peer(address)| address.to_canonical());
    is_https || peer.is_some_and(|address| address.is_loopback())
}

/// The scheme of the client's connection, an extension of each request, unless `frame` replaces it
/// with the scheme that a trusted proxy reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Via(pub(crate) UriScheme);

impl Via {
    /// Returns the name of the session cookie: over HTTPS one that no plain-HTTP page can set (RFC
    /// 6265bis, section 4.1.3.1).
    pub(crate) const fn cookie(self) -> &'static str {
        match self.0 {
            UriScheme::Http => COOKIE,
            UriScheme::Https => SECURE_COOKIE,
        }
    }
}
