//! The addresses that an upstream may have: [`UpstreamRules`].
//!
//! The control plane checks when an upstream is saved, the gateway again for the exact address that
//! it connects to. Private and loopback networks are what gateways front, so they are allowed;
//! never allowed are Tollgate's own listeners, and addresses that no back end can have.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::address::{HostList, embedded};

/// Whether a program may bind IPv4 addresses that are not local (Linux, ip-sysctl.rst).
const NONLOCAL_BIND_V4: &str = "/proc/sys/net/ipv4/ip_nonlocal_bind";
/// Like [`NONLOCAL_BIND_V4`], for IPv6.
const NONLOCAL_BIND_V6: &str = "/proc/sys/net/ipv6/ip_nonlocal_bind";

/// Rules for addresses of upstreams.
#[derive(Debug, Clone, Default)]
pub struct UpstreamRules {
    /// Denied hosts and networks.
    pub denied: HostList,
    /// Exceptions for link-local addresses and networks in `denied`.
    pub allowed: HostList,
    /// The addresses that Tollgate itself listens on.
    pub listeners: Vec<SocketAddr>,
}

/// Why an upstream may not have an address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Forbidden {
    /// Addresses like 0.0.0.0, which reach any listener on this machine; multicast; broadcast.
    #[error("{0} is unspecified, multicast or broadcast: no back end has such an address")]
    NoHost(IpAddr),
    /// Link-local addresses (RFC 3927; RFC 4291, section 2.5.6), where clouds have their metadata.
    #[error("{0} is link-local and not in gateway.upstream_allowed")]
    LinkLocal(IpAddr),
    /// Denied by the operator.
    #[error("{0} is denied by gateway.upstream_denied")]
    Denied(String),
    /// A listener of this process.
    #[error("{0} is an address that Tollgate itself listens on")]
    Listener(SocketAddr),
}

impl UpstreamRules {
    /// Checks that an upstream may have this address; `host` is the host in its URL.
    ///
    /// # Errors
    /// [`Forbidden`] names the violated rule.
    pub fn judge(&self, host: &str, address: SocketAddr) -> Result<(), Forbidden> {
        let ip = plain(address.ip());
        if is_no_host(ip) {
            return Err(Forbidden::NoHost(ip));
        }
        if let Some(&listener) = self.listeners.iter().find(|it| reaches(**it, ip, address)) {
            return Err(Forbidden::Listener(listener));
        }
        if self.allowed.contains(host, ip) {
            return Ok(());
        }
        if is_link_local(ip) {
            return Err(Forbidden::LinkLocal(ip));
        }
        if self.denied.names(host) {
            return Err(Forbidden::Denied(host.to_owned()));
        }
        if self.denied.contains(host, ip) {
            return Err(Forbidden::Denied(ip.to_string()));
        }
        Ok(())
    }
}

/// The address behind one that carries it: IPv4 in IPv6 (RFC 4291, section 2.5.5.2) or behind a
/// translator (RFC 6052).
fn plain(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(ip) => embedded(ip).map_or(IpAddr::V6(ip), IpAddr::V4),
        ip @ IpAddr::V4(_) => ip,
    }
}

fn is_no_host(ip: IpAddr) -> bool {
    match ip {
        // Linux treats all of "this network" (RFC 791, section 3.2) as this machine or as
        // unreachable.
        IpAddr::V4(ip) => ip.octets()[0] == 0 || ip.is_multicast() || ip.is_broadcast(),
        IpAddr::V6(ip) => ip.is_unspecified() || ip.is_multicast(),
    }
}

fn is_link_local(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

/// Whether a connection to `ip` and the port of `address` reaches a listener of this machine.
fn reaches(listener: SocketAddr, ip: IpAddr, address: SocketAddr) -> bool {
    if listener.port() != address.port() {
        return false;
    }
    match listener.ip().to_canonical() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => ip.is_ipv4() && is_own(ip),
        // Accepts IPv4 too, unless the system is configured otherwise.
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => is_own(ip),
        listener => listener == ip,
    }
}

/// Whether an address is local. Asks the kernel; nothing is sent.
fn is_own(ip: IpAddr) -> bool {
    let (any, nonlocal_bind): (IpAddr, _) = match ip {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED.into(), NONLOCAL_BIND_V4),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED.into(), NONLOCAL_BIND_V6),
    };
    // A packet to oneself has one address at both ends, except for an interface's second address.
    let source = || {
        let socket = UdpSocket::bind((any, 0)).ok()?;
        socket.connect((ip, 9)).ok()?;
        socket.local_addr().ok()
    };
    let is_strict = || std::fs::read(nonlocal_bind).is_ok_and(|text| text.starts_with(b"0"));
    ip.is_loopback()
        || source().is_some_and(|source| source.ip() == ip)
        || (is_strict() && UdpSocket::bind((ip, 0)).is_ok())
}

#[cfg(test)]
mod tests;
