//! Where a request comes from.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::Extensions;
use tollgate_model::scheme::UriScheme;
use tollgate_tokens::session::{COOKIE, SECURE_COOKIE};

/// The caller's address, an extension of each request: that at the other end of the connection,
/// which `frame` replaces by what a trusted proxy tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Peer {
    /// Whom the address counts for: a whole IPv4 address, 64 bits of an IPv6 address, whose other
    /// half each machine may choose (RFC 4291, section 2.5.4).
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

/// Whether nobody else reads what a request says: it came over HTTPS, or from this machine.
#[must_use]
pub fn came_safely(extensions: &Extensions) -> bool {
    let is_https = matches!(extensions.get(), Some(Via(UriScheme::Https)));
    let peer = extensions.get().map(|Peer(address)| address.to_canonical());
    is_https || peer.is_some_and(|address| address.is_loopback())
}

/// How the caller reaches us, an extension of each request: how its connection was made, which
/// `frame` replaces by what a trusted proxy tells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Via(pub(crate) UriScheme);

impl Via {
    /// The name of the session's cookie: over HTTPS one that no plain page can have set (RFC
    /// 6265bis, section 4.1.3.1).
    pub(crate) const fn cookie(self) -> &'static str {
        match self.0 {
            UriScheme::Http => COOKIE,
            UriScheme::Https => SECURE_COOKIE,
        }
    }
}
