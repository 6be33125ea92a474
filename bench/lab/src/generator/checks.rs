//! What is checked before the first byte is sent: that the server is on this machine, and that
//! the machine has room for the connections.

use std::fs;
use std::net::IpAddr;

use anyhow::{Context as _, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::load::{Load, Pace};
use crate::machine;

#[cfg(test)]
mod tests;

/// Open files besides the connections: standard streams, epoll, the pair for signals.
const OTHER_FILES: u64 = 32;
/// A load may have so many connections.
const CONNECTIONS_MAX: u32 = 1_000_000;
/// A load may last so long.
const TIME_US_MAX: u64 = 24 * 3600 * 1_000_000;

/// Refuses a load that could not be done, in a sentence that says what to change.
pub(crate) fn check(load: &Load, owned: &[IpAddr]) -> anyhow::Result<()> {
    is_of_this_machine(load.address.ip(), owned)?;
    let connections = load.pace.connections();
    ensure!(connections > 0, "a load needs at least one connection");
    ensure!(
        connections <= CONNECTIONS_MAX,
        "at most {CONNECTIONS_MAX} connections are possible"
    );
    if let Pace::Open { per_second, .. } = load.pace {
        let is_rate = per_second.is_finite() && (1e-3..=1e7).contains(&per_second);
        ensure!(
            is_rate,
            "{per_second} requests a second are no possible rate"
        );
    }
    ensure!(
        load.measured_us > 0 && load.timeout_us > 0,
        "measured time and time-out must be set"
    );
    let longest_us = load.warm_up_us.max(load.measured_us).max(load.timeout_us);
    ensure!(
        longest_us <= TIME_US_MAX,
        "no time of a load may be longer than a day"
    );
    ensure!(load.requests_max > 0, "a load needs at least one request");
    open_files(u64::from(connections))?;
    ports(load, u64::from(connections))
}

/// A load is an attack where it is not wanted: it goes to this machine, or to one that is named.
pub(crate) fn is_of_this_machine(address: IpAddr, owned: &[IpAddr]) -> anyhow::Result<()> {
    let ip = address.to_canonical();
    let is_ours = ip.is_loopback()
        || owned.iter().any(|owned| owned.to_canonical() == ip)
        || is_local_interface(ip);
    ensure!(
        is_ours,
        "{ip} is not an address of this machine: \
         if that host is yours too, say so with --i-own-this-host {ip}"
    );
    Ok(())
}

/// The kernel reaches an address of its own from that very address, and a foreign one never so.
fn is_local_interface(ip: IpAddr) -> bool {
    let from = machine::address_towards(ip);
    from.is_ok_and(|from| from == ip && !ip.is_unspecified() && !ip.is_multicast())
}

/// Raises the soft limit as far as it must and may be.
fn open_files(connections: u64) -> anyhow::Result<()> {
    let needed = connections + OTHER_FILES;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= needed) {
        return Ok(());
    }
    let hard = limit.maximum.unwrap_or(u64::MAX);
    ensure!(
        hard >= needed,
        "{connections} connections need {needed} open files and {hard} are allowed: \
         raise the limit with `ulimit -n {needed}` as root, or in /etc/security/limits.conf"
    );
    let raised = Rlimit {
        current: Some(needed),
        maximum: limit.maximum,
    };
    setrlimit(Resource::Nofile, raised).context("cannot raise the limit of open files")
}

fn ports(load: &Load, connections: u64) -> anyhow::Result<()> {
    ensure!(
        load.source_addresses.is_empty() || load.address.is_ipv4(),
        "source addresses are IPv4, and the server's is not"
    );
    ensure!(
        !load.renews || may_reuse_ports(),
        "ports of closed connections rest for a minute: run `sysctl -w net.ipv4.tcp_tw_reuse=2` \
         as root, so that new connections of this machine to itself take them before"
    );
    let Ok(range) = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range") else {
        return Ok(());
    };
    let bounds: Vec<u64> = range
        .split_ascii_whitespace()
        .flat_map(str::parse)
        .collect();
    let [first, last] = bounds[..] else {
        return Ok(());
    };
    let ports = last.saturating_sub(first) + 1;
    let sources = load.source_addresses.len().max(1) as u64;
    ensure!(
        connections <= ports * sources,
        "{connections} connections need more than the {ports} ports ({first} to {last}) of each \
         of {sources} source addresses: give {} source addresses",
        connections.div_ceil(ports)
    );
    Ok(())
}

/// Whether the kernel lets connections have the ports of those that were closed a second ago; it
/// does so for those within a machine unless it was told otherwise.
fn may_reuse_ports() -> bool {
    let told = fs::read_to_string("/proc/sys/net/ipv4/tcp_tw_reuse");
    told.map_or(true, |told| told.trim() != "0")
}
