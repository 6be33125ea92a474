//! Addresses that may be connected to: those of the public internet, and those that the operator
//! allows.
//!
//! The special networks are those of the IANA registries for IPv4 and IPv6 special-purpose
//! addresses (RFC 6890 and its updates) that are not globally reachable, with multicast and the
//! transition mechanisms that carry an IPv4 address inside.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// Networks of IP addresses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Networks(Vec<Network>);

/// An address and the number of its leading bits that name the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    bits: u8,
}

/// Hosts and networks from a setting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostList {
    hosts: Vec<String>,
    networks: Networks,
}

/// An entry that is not a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither an address nor a network such as 10.0.0.0/8")]
pub struct NotANetwork(String);

/// An entry that is neither a host nor a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither a host, an address nor a network such as 10.0.0.0/8")]
pub struct NotAHost(String);

impl Networks {
    /// Whether one of them contains this address; an IPv4-mapped IPv6 address counts as IPv4.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(address))
    }
}

impl FromStr for Networks {
    type Err = NotANetwork;

    /// Parses comma-separated addresses and networks; may be empty.
    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let networks = entries(text).map(|entry| {
            let network = Network::parse(entry);
            network.ok_or_else(|| NotANetwork(entry.to_owned()))
        });
        networks.collect::<Result<_, _>>().map(Self)
    }
}

impl HostList {
    /// Whether it contains the host by name or the address.
    #[must_use]
    pub fn contains(&self, host: &str, address: IpAddr) -> bool {
        self.names(host) || self.networks.contain(address)
    }

    /// Whether it contains a host by name, whatever its addresses.
    #[must_use]
    pub fn names(&self, host: &str) -> bool {
        // A trailing dot names the same host.
        let host = host.trim_end_matches('.');
        let mut hosts = self.hosts.iter();
        hosts.any(|known| known.eq_ignore_ascii_case(host))
    }
}

impl FromStr for HostList {
    type Err = NotAHost;

    /// Parses comma-separated hosts, addresses and networks; may be empty.
    fn from_str(text: &str) -> Result<Self, NotAHost> {
        let mut list = Self::default();
        for entry in entries(text) {
            if let Some(network) = Network::parse(entry) {
                list.networks.0.push(network);
            } else if is_host(entry) {
                let host = entry.trim_end_matches('.');
                list.hosts.push(host.to_ascii_lowercase());
            } else {
                return Err(NotAHost(entry.to_owned()));
            }
        }
        Ok(list)
    }
}

impl Network {
    /// Parses an address, or an address with a slash and a number of bits.
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let bits = match bits {
            Some(bits) => bits.parse().ok()?,
            None => width(address),
        };
        if bits > width(address) {
            return None;
        }
        // Addresses are canonical when compared too (RFC 4291, section 2.5.5.2).
        let canonical = address.to_canonical();
        match bits.checked_sub(width(address) - width(canonical)) {
            Some(bits) => Some(Self {
                address: canonical,
                bits,
            }),
            None => Some(Self { address, bits }),
        }
    }

    fn contains(self, address: IpAddr) -> bool {
        if width(self.address) != width(address) {
            return false;
        }
        let differ = number(self.address) ^ number(address);
        self.bits == 0 || differ >> (128 - u32::from(self.bits)) == 0
    }
}

fn entries(text: &str) -> impl Iterator<Item = &str> {
    let entries = text.split(',').map(str::trim);
    entries.filter(|entry| !entry.is_empty())
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

/// The address as a number that begins with the bits of the network.
fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()) << 96,
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Whether an address belongs to the public internet.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let within = |networks: &[(&str, u8)]| {
        networks.iter().any(|&(network, bits)| {
            let network = network.parse();
            network.is_ok_and(|network| {
                Network {
                    address: network,
                    bits,
                }
                .contains(address)
            })
        })
    };
    match address {
        IpAddr::V4(_) => !within(&SPECIAL_V4),
        IpAddr::V6(address) => match embedded(address) {
            Some(inside) => is_public(inside.into()),
            // All addresses assigned for the public internet are in 2000::/3.
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

/// The IPv4 address that a translator would reach for an IPv6 one (RFC 6052).
pub(crate) fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let is_translated = segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let [.., high, low] = segments;
    is_translated.then(|| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

#[cfg(test)]
mod tests;
