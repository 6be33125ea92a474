//! The caller behind trusted proxies, according to their `X-Forwarded-For`.
//!
//! Each hop appends the address of its peer, so the list is read from its end: an element is as
//! trustworthy as the hop that wrote it, and the first address that is not a trusted proxy is the
//! caller's. Everything before it was claimed by the caller and proves nothing.

use std::net::{IpAddr, SocketAddr};

use crate::address::Networks;

/// Maximum addresses of a chain that are read; the last one read then counts as the caller's.
pub const HOPS_MAX: usize = 16;

/// The addresses between a caller and this process: the caller's, and those of trusted proxies.
#[derive(Debug, Clone, Copy)]
pub struct Hops {
    /// The peer first, the caller last.
    addresses: [IpAddr; HOPS_MAX],
    count: usize,
}

impl Hops {
    /// Reads the chain that leads to `peer`; `from_last` has the values of `X-Forwarded-For` from
    /// the last field line to the first (RFC 9110, section 5.3, joins them in order).
    ///
    /// An element that is not an address, with or without a port, ends the chain at the hop that
    /// wrote it.
    pub fn behind<'a>(
        peer: IpAddr,
        trusted: &Networks,
        from_last: impl IntoIterator<Item = &'a [u8]>,
    ) -> Self {
        let mut hops = Self {
            addresses: [peer.to_canonical(); HOPS_MAX],
            count: 1,
        };
        let elements = from_last
            .into_iter()
            .flat_map(|value| value.rsplit(|byte| *byte == b','));
        for element in elements {
            if hops.count == HOPS_MAX || !trusted.contain(hops.caller()) {
                break;
            }
            let Some(address) = address(element) else {
                break;
            };
            hops.addresses[hops.count] = address;
            hops.count += 1;
        }
        hops
    }

    /// The caller's address.
    #[must_use]
    pub fn caller(&self) -> IpAddr {
        self.addresses[self.count - 1]
    }

    /// The addresses in the order of `X-Forwarded-For`: the caller first, the peer last.
    pub fn from_caller(&self) -> impl Iterator<Item = IpAddr> {
        self.addresses[..self.count].iter().rev().copied()
    }
}

/// Parses the address of an element: alone, in brackets, or followed by a port.
fn address(element: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(element).ok()?.trim_matches([' ', '\t']);
    let bare = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    let address = address.or_else(|| text.parse::<SocketAddr>().ok().map(|it| it.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests;
