//! The machine that a run is made on: what it is, and whether it can do what is asked.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::path::Path;

use anyhow::{Context as _, ensure};
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};

use crate::kept::Machine;

/// Ports that one local address has for connections to one remote address, with a margin.
pub const PORTS_PER_ADDRESS: u32 = 20_000;
/// Open files that a process needs beside its connections.
const FILES_BESIDE: u64 = 200;

/// Looks at this machine, with the cores that this process may use: ask before it is pinned.
#[must_use]
pub fn this() -> Machine {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let memory_kib = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or_default();
    let told = ["ostype", "osrelease"].map(|name| {
        let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
        text.trim().to_owned()
    });
    let words = processor.split(|it: char| !it.is_ascii_alphanumeric());
    // Past the marks of "(R)" and "(TM)".
    let short: Vec<&str> = words.filter(|word| word.len() > 2).take(2).collect();
    Machine {
        name: format!("{}-{cores}-cores", short.join("-").to_lowercase()),
        processor: match has_sha() {
            true => processor + ", with SHA instructions",
            false => processor + ", without SHA instructions",
        },
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        memory_bytes: memory_kib * 1024,
        kernel: told.join(" "),
    }
}

/// Whether the processor has instructions for SHA-256, which decide what digests of tokens cost.
fn has_sha() -> bool {
    // Of x86 and of ARM.
    let flags = ["flags", "Features"].map(|name| field("/proc/cpuinfo", name));
    let flags = flags.iter().flatten();
    let mut words = flags.flat_map(|text| text.split_whitespace());
    words.any(|flag| ["sha_ni", "sha2"].contains(&flag))
}

/// The cores that this process may use.
///
/// # Errors
/// The kernel does not tell.
pub fn allowed_cores() -> anyhow::Result<Vec<u32>> {
    let allowed = sched_getaffinity(None).context("asking for the cores that may be used")?;
    let numbers = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    Ok(numbers
        .filter_map(|core| u32::try_from(core).ok())
        .collect())
}

/// How the time of all of a machine's cores has gone by since it started, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time {
    stolen: u64,
    all: u64,
}

impl Time {
    /// The share of the time since then that others had, whose machines run on the same hardware.
    #[must_use]
    pub fn stolen_since(self, then: Self) -> f64 {
        let stolen = self.stolen.saturating_sub(then.stolen);
        stolen as f64 / self.all.saturating_sub(then.all).max(1) as f64
    }

    /// From user, nice, system, idle, iowait, irq, softirq and steal; what guests had is in the
    /// first two.
    fn read(line: &str) -> Option<Self> {
        let words = line.strip_prefix("cpu ")?.split_whitespace();
        let ticks: Result<Vec<u64>, _> = words.map(str::parse).collect();
        let ticks = ticks.ok()?;
        Some(Self {
            stolen: *ticks.get(7)?,
            all: ticks[..8].iter().sum(),
        })
    }
}

/// How this machine's time has gone by: proc(5), `/proc/stat`.
///
/// # Errors
/// The kernel does not tell.
pub fn time() -> anyhow::Result<Time> {
    let text = fs::read_to_string("/proc/stat").context("reading /proc/stat")?;
    let line = text.lines().next().unwrap_or_default();
    Time::read(line).with_context(|| format!("/proc/stat says {line:?}"))
}

/// The machine's load average over a minute; 0 where it is not told.
#[must_use]
pub fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// From now on this thread, and what it starts, leaves these cores to others, if there are more.
///
/// # Errors
/// The kernel refuses.
pub fn keep_off(cores: &[u32]) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    for core in allowed_cores()? {
        if !cores.contains(&core) {
            set.set(usize::try_from(core)?);
        }
    }
    if set.count() > 0 {
        sched_setaffinity(None, &set).context("leaving cores to others")?;
    }
    Ok(())
}

/// The address of this machine that another one sees; nothing is sent there.
///
/// # Errors
/// There is no way there.
pub fn address_towards(other: IpAddr) -> io::Result<IpAddr> {
    let any: IpAddr = match other {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect((other, 9))?;
    Ok(socket.local_addr()?.ip())
}

/// Whether so many connections at once can be had here.
///
/// # Errors
/// They cannot; says what to change.
pub fn check(connections: u32) -> anyhow::Result<()> {
    let files = u64::from(connections) + FILES_BESIDE;
    let limit = getrlimit(Resource::Nofile).current;
    ensure!(
        limit.is_none_or(|limit| limit >= files),
        "{connections} connections need {files} open files, and {} are allowed: \
         run `ulimit -n {files}` before, or raise it in /etc/security/limits.conf",
        limit.unwrap_or_default()
    );
    let range = fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .context("reading the range of local ports")?;
    let bounds: Vec<u32> = range
        .split_whitespace()
        .filter_map(|it| it.parse().ok())
        .collect();
    let ports = bounds
        .last()
        .zip(bounds.first())
        .map_or(0, |(last, first)| last - first);
    ensure!(
        ports >= PORTS_PER_ADDRESS,
        "{ports} local ports are too few: \
         run `sysctl -w net.ipv4.ip_local_port_range='32768 60999'` as root"
    );
    Ok(())
}

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// It cannot be read.
pub fn digest(path: &Path) -> anyhow::Result<String> {
    use sha2::Digest as _;
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let digest = sha2::Sha256::digest(bytes);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The value of the first line that begins with `name` and a colon.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests;
