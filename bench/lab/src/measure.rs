//! One round: a generator against one side, and the resources used by all processes.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};

use crate::background::Background;
use crate::host::Host;
use crate::kept::Round;
use crate::load::{Event, Load, Outcome, PER_SECOND_MAX, Pace, TIMEOUT_US, Tls};
use crate::machine::Time;
use crate::process::{Process, Used, Watch};
use crate::profile::{Connections, Mode};
use crate::side::{BackgroundLoad, Called, Stage};
use crate::topology::{Topology, source_address_count};

/// Maximum time of a generator in addition to warm-up and measurement.
pub(crate) const BESIDE: Duration = Duration::from_secs(90);
/// Delay of the last memory sample after the end of the load.
const AFTER: Duration = Duration::from_secs(1);
/// Maximum time to wait for a line of a generator before checking the deadline.
const LOOK: Duration = Duration::from_millis(100);

/// A measurement.
#[derive(Debug)]
pub struct Task<'a> {
    /// All running sides.
    pub stage: &'a Stage,
    /// Name of the side.
    pub side: &'a str,
    /// Address and request.
    pub called: Called,
    /// Background load.
    pub background: Vec<BackgroundLoad>,
    /// When requests are sent.
    pub pace: Pace,
    /// Number of requests, if they do not go on for the whole round.
    pub requests_max: Option<u64>,
    /// Lifetime of connections.
    pub connections: Connections,
    /// Durations and number of rounds.
    pub mode: Mode,
    /// Placement of the parts.
    pub topology: &'a Topology,
}

impl Task<'_> {
    /// Returns the TLS configuration for the side, if any.
    fn tls(&self) -> Option<Tls> {
        let resumes = self.connections == Connections::Resumed;
        let tls = self.called.tls.clone();
        tls.map(|tls| Tls { resumes, ..tls })
    }
}

/// Measures one side once. `turn` is the turn of the interleaving; `count` is the number of earlier
/// measurements of this run.
///
/// # Errors
/// Fails if the generator fails, or if `stop` is set.
pub fn round(task: &Task<'_>, turn: u32, count: u32, stop: &AtomicBool) -> anyhow::Result<Round> {
    let in_time = u64::from(PER_SECOND_MAX) * (task.mode.warm_up_s + task.mode.measured_s);
    let load = Load {
        address: task.called.address,
        tls: task.tls(),
        renews: task.connections != Connections::Kept,
        request: task.called.request.clone(),
        values: Some(task.called.values.clone()),
        expect: task.called.expect,
        pace: task.pace,
        source_addresses: source_addresses(task, count),
        warm_up_us: task.mode.warm_up_s * 1_000_000,
        measured_us: task.mode.measured_s * 1_000_000,
        timeout_us: TIMEOUT_US,
        requests_max: task.requests_max.unwrap_or(in_time),
    };
    let background = Background::start(&task.background, task.topology)?;
    let mut generator = task.topology.start_generator(&load)?;
    let (outcome, seen) = follow(&mut generator, &background, task, stop)?;
    drop(generator);
    let background = background.end()?;
    std::thread::sleep(AFTER);
    let mut after = used(standing(task))?;
    let mut processes = BTreeMap::new();
    for (name, watch) in seen.watches {
        let after = after.remove(&name).unwrap_or_default();
        let host = host(task, &name);
        let ended = watch.end(host.machine(), host.cores.clone(), &after);
        processes.insert(name, ended);
    }
    Ok(Round {
        side: task.side.to_owned(),
        turn,
        outcome,
        processes,
        load_average: task.topology.gateway.load_average()?,
        stolen_share: Some(seen.until.stolen_since(seen.from)),
        background,
    })
}

/// Observations during a load.
struct Seen {
    watches: BTreeMap<String, Watch>,
    /// Time of the gateway's machine, also for a side without a gateway.
    from: Time,
    until: Time,
}

/// The observed processes.
struct Watched<'a> {
    task: &'a Task<'a>,
    generator: &'a Process,
    background: &'a Background,
}

impl Watched<'_> {
    fn used(&self) -> anyhow::Result<BTreeMap<String, Used>> {
        let generator = ("generator".to_owned(), self.generator);
        let load = std::iter::once(generator).chain(self.background.processes());
        used(standing(self.task).chain(load))
    }
}

impl Seen {
    fn begin(watched: &Watched<'_>) -> anyhow::Result<Self> {
        let used = watched.used()?.into_iter();
        let from = watched.task.topology.gateway.time()?;
        Ok(Self {
            watches: used
                .map(|(name, used)| (name, Watch::begin(used)))
                .collect(),
            from,
            until: from,
        })
    }

    fn look(&mut self, watched: &Watched<'_>) -> anyhow::Result<()> {
        for (name, used) in watched.used()? {
            if let Some(watch) = self.watches.get_mut(&name) {
                watch.look(used);
            }
        }
        self.until = watched.task.topology.gateway.time()?;
        Ok(())
    }
}

/// Reads the generator's events to the end, and samples all processes at each.
fn follow(
    generator: &mut Process,
    background: &Background,
    task: &Task<'_>,
    stop: &AtomicBool,
) -> anyhow::Result<(Outcome, Seen)> {
    let seconds = task.mode.warm_up_s + task.mode.measured_s;
    let deadline = Instant::now() + Duration::from_secs(seconds) + BESIDE;
    let mut seen = None;
    loop {
        ensure!(!stop.load(Ordering::Relaxed), "stopped");
        ensure!(
            Instant::now() < deadline,
            "the generator did not respond in time"
        );
        let Some(line) = generator.line(LOOK)? else {
            continue;
        };
        let event = serde_json::from_str(&line);
        let watched = Watched {
            task,
            generator,
            background,
        };
        match event.with_context(|| format!("unexpected output of the generator: {line:?}"))? {
            Event::Measuring => seen = Some(Seen::begin(&watched)?),
            Event::Second { .. } | Event::Measured => {
                if let Some(seen) = &mut seen {
                    seen.look(&watched)?;
                }
            }
            Event::Outcome(outcome) => {
                return Ok((*outcome, seen.context("the generator measured nothing")?));
            }
        }
    }
}

/// Returns the processes that outlive a load: the gateway, if any, and the back end.
fn standing<'a>(task: &'a Task<'_>) -> impl Iterator<Item = (String, &'a Process)> {
    let gateway = task.stage.gateway(task.side);
    let gateway = gateway.map(|it| ("gateway".to_owned(), it));
    let back_end = ("back end".to_owned(), &task.stage.back_end.process);
    gateway.into_iter().chain([back_end])
}

fn used<'a>(
    processes: impl Iterator<Item = (String, &'a Process)>,
) -> anyhow::Result<BTreeMap<String, Used>> {
    processes
        .map(|(name, process)| Ok((name, process.used()?)))
        .collect()
}

fn host<'a>(task: &'a Task<'_>, name: &str) -> &'a Host {
    match name {
        "gateway" => &task.topology.gateway,
        "back end" => &task.topology.back_end,
        _ => &task.topology.load,
    }
}

/// Returns the source addresses: those of the topology, or enough loopback addresses that differ
/// from those of the previous rounds.
fn source_addresses(task: &Task<'_>, count: u32) -> Vec<Ipv4Addr> {
    let needed = u32::from(u8::MAX).min(source_address_count(task.pace.connections()));
    if needed <= 1 {
        return Vec::new();
    }
    if !task.called.address.ip().is_loopback() {
        return task.topology.source_addresses.clone();
    }
    let third = u8::try_from(1 + count % 250).expect("less than 251");
    let addresses = (1..=needed).filter_map(|last| u8::try_from(last).ok());
    addresses
        .map(|last| Ipv4Addr::new(127, 1, third, last))
        .collect()
}

/// Checks that a binary exists.
///
/// # Errors
/// Fails if it does not, with a message about how to build it.
pub fn ensure_built(binary: &Path) -> anyhow::Result<()> {
    ensure!(
        binary.is_file(),
        "{} does not exist: run `cargo build --release -p tollgate` first",
        binary.display()
    );
    Ok(())
}
