//! The machine of a run: its properties, and whether its resources suffice.

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};
use std::path::Path;

use anyhow::{Context as _, ensure};
use rustix::process::{Resource, getrlimit};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};

use crate::kept::Machine;

/// Usable ports of one local address for connections to one remote address, with a margin.
pub const PORTS_PER_ADDRESS: u32 = 20_000;
/// Open files that a process needs besides its connections.
const FILES_BESIDE: u64 = 200;

/// Describes this machine, with the cores that this process may use; must be called before pinning.
#[must_use]
pub fn this() -> Machine {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned());
    let memory_kib = field("/proc/meminfo", "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok())
        .unwrap_or_default();
    let kernel = ["ostype", "osrelease"].map(|name| {
        let text = fs::read_to_string(format!("/proc/sys/kernel/{name}")).unwrap_or_default();
        text.trim().to_owned()
    });
    let words = processor.split(|it: char| !it.is_ascii_alphanumeric());
    // Skips the marks "(R)" and "(TM)".
    let short: Vec<&str> = words.filter(|word| word.len() > 2).take(2).collect();
    Machine {
        name: format!("{}-{cores}-cores", short.join("-").to_lowercase()),
        processor: match has_sha() {
            true => processor + ", with SHA instructions",
            false => processor + ", without SHA instructions",
        },
        cores: u32::try_from(cores).unwrap_or(u32::MAX),
        memory_bytes: memory_kib * 1024,
        kernel: kernel.join(" "),
    }
}

/// Whether the processor has instructions for SHA-256, on which the cost of token digests depends.
fn has_sha() -> bool {
    // Names on x86 and ARM.
    let flags = ["flags", "Features"].map(|name| field("/proc/cpuinfo", name));
    let flags = flags.iter().flatten();
    let mut words = flags.flat_map(|text| text.split_whitespace());
    words.any(|flag| ["sha_ni", "sha2"].contains(&flag))
}

/// Returns the cores that this process may use.
///
/// # Errors
/// Fails if the kernel does not report them.
pub fn allowed_cores() -> anyhow::Result<Vec<u32>> {
    let allowed = sched_getaffinity(None).context("reading the allowed cores")?;
    let numbers = (0..CpuSet::MAX_CPU).filter(|&core| allowed.is_set(core));
    Ok(numbers
        .filter_map(|core| u32::try_from(core).ok())
        .collect())
}

/// Accumulated time of all cores of a machine since its start, in ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Time {
    stolen: u64,
    all: u64,
}

impl Time {
    /// Returns the share of the time since `then` taken by other virtual machines on the same
    /// hardware.
    #[must_use]
    pub fn stolen_since(self, then: Self) -> f64 {
        let stolen = self.stolen.saturating_sub(then.stolen);
        stolen as f64 / self.all.saturating_sub(then.all).max(1) as f64
    }

    /// Sums user, nice, system, idle, iowait, irq, softirq and steal; guest time is included in the
    /// first two.
    fn parse(line: &str) -> Option<Self> {
        let words = line.strip_prefix("cpu ")?.split_whitespace();
        let ticks: Result<Vec<u64>, _> = words.map(str::parse).collect();
        let ticks = ticks.ok()?;
        Some(Self {
            stolen: *ticks.get(7)?,
            all: ticks[..8].iter().sum(),
        })
    }
}

/// Returns the accumulated time of this machine's cores: proc(5), `/proc/stat`.
///
/// # Errors
/// Fails if the kernel does not report it.
pub fn time() -> anyhow::Result<Time> {
    let text = fs::read_to_string("/proc/stat").context("reading /proc/stat")?;
    let line = text.lines().next().unwrap_or_default();
    Time::parse(line).with_context(|| format!("unexpected first line of /proc/stat: {line:?}"))
}

/// Returns the machine's load average over a minute; 0 if unknown.
#[must_use]
pub fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split_whitespace().next();
    first.and_then(|word| word.parse().ok()).unwrap_or_default()
}

/// Keeps this thread, and those it starts from now on, off these cores, if there are others.
///
/// # Errors
/// Fails if the kernel rejects it.
pub fn keep_off(cores: &[u32]) -> anyhow::Result<()> {
    let mut set = CpuSet::new();
    for core in allowed_cores()? {
        if !cores.contains(&core) {
            set.set(usize::try_from(core)?);
        }
    }
    if set.count() > 0 {
        sched_setaffinity(None, &set).context("setting the allowed cores")?;
    }
    Ok(())
}

/// Returns the address of this machine as seen by another; sends nothing.
///
/// # Errors
/// Fails if there is no route.
pub fn address_towards(other: IpAddr) -> io::Result<IpAddr> {
    let any: IpAddr = match other {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0))?;
    socket.connect((other, 9))?;
    Ok(socket.local_addr()?.ip())
}

/// Checks that this many concurrent connections are possible.
///
/// # Errors
/// Fails if they are not, with a message about what to change.
pub fn check(connections: u32) -> anyhow::Result<()> {
    let files = u64::from(connections) + FILES_BESIDE;
    let limit = getrlimit(Resource::Nofile).current;
    ensure!(
        limit.is_none_or(|limit| limit >= files),
        "{connections} connections need {files} open files, and {} are allowed: \
         run `ulimit -n {files}` first, or raise it in /etc/security/limits.conf",
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

/// Returns the SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn digest(path: &Path) -> anyhow::Result<String> {
    use sha2::Digest as _;
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let digest = sha2::Sha256::digest(bytes);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the value of the first line that begins with `name`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests;
