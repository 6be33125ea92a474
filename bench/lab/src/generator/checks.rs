//! Checks before the first byte is sent: that the server is on this machine, and that the machine
//! has the resources for the connections.

use std::fs;
use std::net::IpAddr;

use anyhow::{Context as _, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::load::{Load, Pace};
use crate::machine;

#[cfg(test)]
mod tests;

/// Open files besides the connections: standard streams, epoll, the socket pair for signals.
const OTHER_FILES: u64 = 32;
/// Maximum number of connections of a load.
const CONNECTIONS_MAX: u32 = 1_000_000;
/// Maximum duration of a load.
const TIME_US_MAX: u64 = 24 * 3600 * 1_000_000;

/// Rejects a load that cannot run, with a message about what to change.
pub(crate) fn check(load: &Load, owned: &[IpAddr]) -> anyhow::Result<()> {
    is_of_this_machine(load.address.ip(), owned)?;
    let connections = load.pace.connections();
    ensure!(connections > 0, "a load needs at least one connection");
    ensure!(
        connections <= CONNECTIONS_MAX,
        "a load can have at most {CONNECTIONS_MAX} connections"
    );
    if let Pace::Open { per_second, .. } = load.pace {
        let is_rate = per_second.is_finite() && (1e-3..=1e7).contains(&per_second);
        ensure!(
            is_rate,
            "{per_second} requests per second is not a valid rate"
        );
    }
    ensure!(
        load.measured_us > 0 && load.timeout_us > 0,
        "measured time and timeout must be above zero"
    );
    let longest_us = load.warm_up_us.max(load.measured_us).max(load.timeout_us);
    ensure!(
        longest_us <= TIME_US_MAX,
        "a load's times must not exceed a day"
    );
    ensure!(load.requests_max > 0, "a load needs at least one request");
    open_files(u64::from(connections))?;
    ports(load, u64::from(connections))
}

/// Ensures that the load goes to this machine or to an explicitly named one: elsewhere it is an
/// attack.
pub(crate) fn is_of_this_machine(address: IpAddr, owned: &[IpAddr]) -> anyhow::Result<()> {
    let ip = address.to_canonical();
    let is_ours = ip.is_loopback()
        || owned.iter().any(|owned| owned.to_canonical() == ip)
        || is_local_interface(ip);
    ensure!(
        is_ours,
        "{ip} is not an address of this machine: \
         if that host is yours, allow it with --i-own-this-host {ip}"
    );
    Ok(())
}

/// The kernel uses an address of its own as the source towards itself, and never a foreign one.
fn is_local_interface(ip: IpAddr) -> bool {
    let from = machine::address_towards(ip);
    from.is_ok_and(|from| from == ip && !ip.is_unspecified() && !ip.is_multicast())
}

/// Raises the soft limit as far as needed and allowed.
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
        "source addresses are IPv4, but the server's address is not"
    );
    ensure!(
        !load.renews || may_reuse_ports(),
        "ports of closed connections are blocked for a minute: run \
         `sysctl -w net.ipv4.tcp_tw_reuse=2` as root, so that new connections can reuse them"
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
         of {sources} source addresses: set {} source addresses",
        connections.div_ceil(ports)
    );
    Ok(())
}

/// Whether the kernel reuses ports of connections closed a second ago; by default it does so for
/// connections within a machine.
fn may_reuse_ports() -> bool {
    let value = fs::read_to_string("/proc/sys/net/ipv4/tcp_tw_reuse");
    value.map_or(true, |value| value.trim() != "0")
}
