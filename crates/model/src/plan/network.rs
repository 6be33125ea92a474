//! Networks of IP addresses in conditions of limits.

use std::fmt;
use std::net::IpAddr;

/// An address, or a network: an address with a prefix (RFC 4632, section 3.1; RFC 4291, section
/// 2.3). Displays in canonical form: the address as Rust's [`IpAddr`] displays it (RFC 5952), and
/// the prefix unless the network is one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// Parses an address, or an address, `/` and a prefix without leading zeros. `None` for any
    /// other text, and for a network with bits beyond its prefix.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let prefix = match prefix {
            Some(prefix) => parse_prefix(prefix)?,
            None => bits(address),
        };
        let host_bits = bits(address).checked_sub(prefix)?;
        let value = match address {
            IpAddr::V4(address) => address.to_bits().into(),
            IpAddr::V6(address) => address.to_bits(),
        };
        // Zero has 128 trailing zeros.
        let is_network = value.trailing_zeros() >= host_bits;
        is_network.then_some(Self { address, prefix })
    }
}

const fn bits(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// Parses one to three digits without leading zeros.
fn parse_prefix(text: &str) -> Option<u32> {
    let is_number = text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_number && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok())?
}

impl fmt::Display for Network {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.address)?;
        if self.prefix == bits(self.address) {
            return Ok(());
        }
        write!(out, "/{}", self.prefix)
    }
}

#[cfg(test)]
mod tests;
