//! Which addresses may be connected to: those of the public internet, and what the operator names.
//!
//! The special networks are those of the IANA registries for IPv4 and IPv6 special-purpose
//! addresses (RFC 6890 and its updates) that are not globally reachable, with multicast and the
//! transition mechanisms that carry an IPv4 address inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Hosts and networks that may be reached although they are not public.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed {
    hosts: Vec<String>,
    networks: Vec<(IpAddr, u8)>,
}

/// Why a list of hosts and networks is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither a host, an address nor a network such as 10.0.0.0/8")]
pub struct NotAllowed(String);

impl FromStr for Allowed {
    type Err = NotAllowed;

    /// Hosts, addresses and networks with commas between them; empty for none.
    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let mut allowed = Self::default();
        for entry in text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
        {
            let wrong = || NotAllowed(entry.to_owned());
            if let Ok(address) = entry.parse::<IpAddr>() {
                allowed.networks.push((address, width(address)));
            } else if let Some((address, bits)) = entry.split_once('/') {
                let address: IpAddr = address.parse().map_err(|_| wrong())?;
                let bits: u8 = bits.parse().map_err(|_| wrong())?;
                if bits > width(address) {
                    return Err(wrong());
                }
                allowed.networks.push((address, bits));
            } else if is_host(entry) {
                allowed.hosts.push(entry.to_ascii_lowercase());
            } else {
                return Err(wrong());
            }
        }
        Ok(allowed)
    }
}

impl Allowed {
    /// Whether an address that a host stands for may be connected to.
    #[must_use]
    pub fn permits(&self, host: &str, address: IpAddr) -> bool {
        let address = address.to_canonical();
        is_public(address)
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host))
            || self
                .networks
                .iter()
                .any(|&(network, bits)| holds(network, bits, address))
    }
}

fn is_host(text: &str) -> bool {
    text.len() <= 253
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

const fn width(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// The address as a number whose first bits are those of the network.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

fn holds(network: IpAddr, bits: u8, address: IpAddr) -> bool {
    if width(network) != width(address) {
        return false;
    }
    let differ = number(network) ^ number(address);
    bits == 0 || differ >> (128 - u32::from(bits)) == 0
}

fn is_public(address: IpAddr) -> bool {
    let within = |networks: &[(&str, u8)]| {
        networks.iter().any(|(network, bits)| {
            let network = network.parse();
            network.is_ok_and(|network| holds(network, *bits, address))
        })
    };
    match address {
        IpAddr::V4(_) => !within(&SPECIAL_V4),
        IpAddr::V6(address) => match embedded(address) {
            Some(inside) => is_public(inside.into()),
            // All that is assigned for the public internet lies in 2000::/3.
            None => within(&[("2000::", 3)]) && !within(&SPECIAL_V6),
        },
    }
}

const SPECIAL_V4: [(&str, u8); 16] = [
    ("0.0.0.0", 8),
    ("10.0.0.0", 8),
    ("100.64.0.0", 10),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("172.16.0.0", 12),
    ("192.0.0.0", 24),
    ("192.0.2.0", 24),
    ("192.88.99.0", 24),
    ("192.168.0.0", 16),
    ("192.31.196.0", 24),
    ("198.18.0.0", 15),
    ("198.51.100.0", 24),
    ("203.0.113.0", 24),
    ("224.0.0.0", 4),
    ("240.0.0.0", 4),
];

const SPECIAL_V6: [(&str, u8); 4] = [
    // Teredo, ORCHID, benchmarking and other protocol assignments.
    ("2001::", 23),
    ("2001:db8::", 32),
    ("2002::", 16),
    ("3fff::", 20),
];

/// The IPv4 address that a translator would reach by an IPv6 one (RFC 6052).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let is_translated = segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let [.., high, low] = segments;
    is_translated.then(|| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

#[cfg(test)]
mod tests;
