//! Networks of IP addresses in conditions of limits.

use std::fmt;
use std::net::IpAddr;

/// An address, or a network: an address with a prefix (RFC 4632, section 3.1; RFC 4291, section
/// 2.3). Displays in canonical form: the address as Rust's [`IpAddr`] displays it (RFC 5952), and
/// the prefix unless the network is one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

/// Of `::ffff:0:0/96`, all IPv4-mapped addresses.
const MAPPED_PREFIX: u32 = 96;

impl Network {
    /// Parses an address, or an address, `/` and a prefix without leading zeros. `None` for any
    /// other text, and for a network with bits beyond its prefix.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
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
        // Zero has more trailing zeros than any address has host bits.
        let is_network = match address {
            IpAddr::V4(address) => address.to_bits().trailing_zeros() >= host_bits,
            IpAddr::V6(address) => address.to_bits().trailing_zeros() >= host_bits,
        };
        is_network.then_some(Self { address, prefix })
    }

    /// Returns the first and the last address. IPv4-mapped addresses are IPv4 (RFC 4291, section
    /// 2.5.5.2), unless the network has others too.
    #[must_use]
    pub fn range(self) -> (IpAddr, IpAddr) {
        let last = match self.address {
            IpAddr::V4(address) => {
                let host = u32::MAX.checked_shr(self.prefix).unwrap_or(0);
                IpAddr::V4((address.to_bits() | host).into())
            }
            IpAddr::V6(address) => {
                let host = u128::MAX.checked_shr(self.prefix).unwrap_or(0);
                IpAddr::V6((address.to_bits() | host).into())
            }
        };
        match self.address {
            IpAddr::V6(_) if self.prefix < MAPPED_PREFIX => (self.address, last),
            address => (address.to_canonical(), last.to_canonical()),
        }
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
