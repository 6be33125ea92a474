//! The figures of a kept run, derived from its rounds: what `summary` lists, `report` draws,
//! `compare` judges and `capacity` computes with. None of them is kept: a run has the rounds, and a
//! reader who doubts a figure can derive it again.
//!
//! Figures of a cell and side: throughput, cost and memory are medians over its rounds, so one
//! disturbed round does not move them; distributions are those of all rounds together. Rounds with
//! too many errors are left out if others remain.

use std::collections::BTreeMap;

use crate::histogram::Histogram;
use crate::https;
pub use crate::https::{DIRECT, OURS};
use crate::kept::{Cell, ERROR_SHARE_MAX, ProcessUse, Round, Run};
use crate::numbers::short;
use crate::statistics::{Better, median};

/// The side that is another build of Tollgate.
pub const BEFORE: &str = "before";
/// The side that is this build with the smaller world of a profile, measured beside the main one.
pub const SMALL: &str = "tollgate-small";
/// The side that is this build with a plan without limits.
pub const UNLIMITED: &str = "tollgate-unlimited";
/// The side that is this build without the settings of the profile.
pub const PLAIN: &str = "tollgate-plain";
/// The main process of a side.
pub const GATEWAY: &str = "gateway";

/// A latency this much above the median is a stall, in microseconds.
const STALL_US: u64 = 1_000;

/// How reliable figures are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Reliable.
    Sound,
    /// The generator or the back end may have limited the throughput, so it is a lower bound.
    LoadBound,
    /// Too many errors: the figures mean nothing.
    Invalid,
}

/// One side of one cell.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// The back end, one of ours, or the name of a rival's folder.
    pub side: &'a str,
    /// How reliable the figures are.
    pub state: State,
    /// The rounds that the figures are computed from.
    pub rounds: Vec<&'a Round>,
    /// Number of all rounds, including invalid ones.
    pub rounds_all: usize,
    /// Expected responses in all rounds.
    pub successes: u64,
    /// Errors by kind in all rounds.
    pub errors: BTreeMap<&'a str, u64>,
    /// Successes per second.
    pub per_second: f64,
    /// Requests in flight, averaged over time.
    pub users_mean: f64,
    /// Latency of successes.
    pub latency: Histogram,
    /// Latency added by the gateway.
    pub added: Option<Added>,
    /// Processor time of the gateway for each success, in microseconds.
    pub cpu_us: Option<f64>,
    /// Share of the total latency that was spent in stalls.
    pub stalled: f64,
    /// Received bytes per second.
    pub received_per_second: f64,
    /// Sent bytes per second.
    pub sent_per_second: f64,
    /// The machine's load average over a minute.
    pub load_average: f64,
}

/// The response time added by a gateway, relative to `direct` in the same turn: medians over turns,
/// in microseconds. Negative if noise exceeds the added time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added {
    /// Added to the mean.
    pub mean_us: f64,
    /// Added to the median.
    pub p50_us: f64,
    /// Added to the 99th percentile.
    pub p99_us: f64,
}

/// A figure by which sides and runs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Processor time of the gateway for each success: the main figure, since it hardly depends on
    /// what limits the throughput.
    Cpu,
    /// Successes per second.
    Throughput,
    /// The 99th percentile of latency.
    P99,
}

impl Figure {
    /// All figures, the main one first.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Throughput, Self::P99];

    /// Returns its name and unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU us/request",
            Self::Throughput => "requests/s",
            Self::P99 => "p99 ms",
        }
    }

    /// Returns the direction of improvement.
    #[must_use]
    pub const fn better(self) -> Better {
        match self {
            Self::Throughput => Better::Higher,
            Self::Cpu | Self::P99 => Better::Lower,
        }
    }

    /// Returns its value in a round; `None` if the round does not have it.
    #[must_use]
    pub fn value_in(self, round: &Round) -> Option<f64> {
        match self {
            Self::Cpu => round.cpu_us_per_request(),
            Self::Throughput => Some(round.outcome.per_second()),
            Self::P99 => Some(round.p99_ms()),
        }
    }

    /// Returns its value in a reference round, which only measures the machine's speed: without a
    /// gateway, processor time is that of all processes.
    #[must_use]
    pub fn reference_value_in(self, round: &Round) -> Option<f64> {
        self.value_in(round).or_else(|| {
            let cpu_us: u64 = round.processes.values().map(ProcessUse::cpu_us).sum();
            Some(cpu_us as f64 / round.outcome.successes.max(1) as f64)
        })
    }
}

impl<'a> Measured<'a> {
    /// Computes the figures of a side of a cell; `None` if it was not measured there.
    #[must_use]
    pub fn from_cell(cell: &'a Cell, side: &'a str) -> Option<Self> {
        let all = rounds_of(cell, side);
        let rounds = usable(&all);
        let over_rounds = |figure: &dyn Fn(&Round) -> f64| {
            let of_each: Vec<f64> = rounds.iter().map(|round| figure(round)).collect();
            median(&of_each)
        };
        let seconds = |round: &Round| round.outcome.measured_us.max(1) as f64 / 1e6;
        let mut latency = Histogram::default();
        for round in &rounds {
            latency.add(&round.outcome.latency);
        }
        let costs: Vec<f64> = rounds
            .iter()
            .filter_map(|r| r.cpu_us_per_request())
            .collect();
        Some(Self {
            side,
            state: state_of(&all),
            rounds_all: all.len(),
            successes: all.iter().map(|round| round.outcome.successes).sum(),
            errors: errors(&all),
            per_second: over_rounds(&|r| r.outcome.per_second())?,
            users_mean: over_rounds(&|r| r.outcome.users_mean)?,
            added: added(cell, side),
            cpu_us: median(&costs),
            stalled: stalled(&latency),
            received_per_second: over_rounds(&|r| r.outcome.received_bytes as f64 / seconds(r))?,
            sent_per_second: over_rounds(&|r| r.outcome.sent_bytes as f64 / seconds(r))?,
            load_average: over_rounds(&|r| r.load_average)?,
            latency,
            rounds,
        })
    }

    /// Whether its throughput is a lower bound; that of an open loop is the configured rate.
    #[must_use]
    pub fn is_lower_bound(&self) -> bool {
        let is_closed = |round: &&Round| round.outcome.service.is_none();
        self.state == State::LoadBound && self.rounds.iter().all(is_closed)
    }

    /// Returns the number of errors in all rounds.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Returns the share of errors among all calls.
    #[must_use]
    pub fn error_share(&self) -> f64 {
        let errors = self.error_count() as f64;
        errors / (errors + self.successes as f64).max(1.0)
    }

    /// Returns the median over rounds of a figure of a process; `None` if the process did not run.
    #[must_use]
    pub fn of_process(
        &self,
        name: &str,
        figure: impl Fn(&ProcessUse, &Round) -> f64,
    ) -> Option<f64> {
        let used = self.rounds.iter().filter_map(|round| {
            let process = round.processes.get(name)?;
            Some(figure(process, round))
        });
        median(&used.collect::<Vec<f64>>())
    }

    /// Returns the peak memory of the gateway over all rounds, in bytes.
    #[must_use]
    pub fn memory_peak_bytes(&self) -> Option<u64> {
        let gateways = self.rounds.iter().filter_map(|r| r.processes.get(GATEWAY));
        gateways.map(|gateway| gateway.memory_peak_bytes).max()
    }
}

/// Returns the sides of a run: the main one first, the back end last, the others in the order in
/// which they were measured.
#[must_use]
pub fn sides(run: &Run) -> Vec<&str> {
    let mut sides: Vec<&str> = Vec::new();
    let tried = run.cells.iter().flat_map(Cell::trials).map(|it| &it.round);
    for round in tried.chain(run.cells.iter().flat_map(|cell| &cell.rounds)) {
        if !sides.contains(&round.side.as_str()) {
            sides.push(&round.side);
        }
    }
    let ours = https::ours(|side| sides.contains(&side));
    sides.sort_by_key(|&side| match side {
        _ if side == ours => 0,
        _ if https::is_direct(side) => 2,
        _ => 1,
    });
    sides
}

/// Describes a cell in a line, such as `get, 102 B, 300 users, delay 30 ms, keys 1000`.
#[must_use]
pub fn cell_name(cell: &Cell) -> String {
    let mut name = format!("{}, {}", cell.scenario, bytes_name(cell.message_bytes));
    name += &format!(", {} {}", cell.users, callers(cell));
    if cell.delay_ms > 0 {
        name += &format!(", delay {} ms", cell.delay_ms);
    }
    match circumstances(cell).as_str() {
        "" => name,
        circumstances => format!("{name}, {circumstances}"),
    }
}

/// Returns the unit of a cell's number of users: in an open loop they do not wait for responses.
#[must_use]
pub const fn callers(cell: &Cell) -> &'static str {
    match cell.open_loop {
        Some(_) => "connections",
        None => "users",
    }
}

/// Returns the conditions of a cell besides scenario, users, size and delay, such as `keys 1000` or
/// `at 21,000 requests/s`; empty for most.
#[must_use]
pub fn circumstances(cell: &Cell) -> String {
    let parameters = cell.parameters.iter();
    let mut all: Vec<String> = parameters
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let rate = cell.open_loop.as_ref().and_then(|it| it.per_second);
    all.extend(rate.map(|per_second| format!("at {} requests/s", short(per_second))));
    all.join(", ")
}

/// Formats bytes for people: `102 B`, `10 KiB`.
#[must_use]
pub fn bytes_name(bytes: u64) -> String {
    const KIB: u64 = 1024;
    match bytes {
        _ if bytes >= KIB * KIB && bytes.is_multiple_of(KIB * KIB) => {
            format!("{} MiB", bytes / KIB / KIB)
        }
        _ if bytes >= KIB && bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        _ => format!("{bytes} B"),
    }
}

/// Returns all rounds of a side.
#[must_use]
pub fn rounds_of<'a>(cell: &'a Cell, side: &str) -> Vec<&'a Round> {
    let rounds = cell.rounds.iter();
    rounds.filter(|round| round.side == side).collect()
}

/// Returns the rounds to compute figures from: the valid ones, or all if none is valid, which only
/// shows how invalid they are.
#[must_use]
pub fn usable<'a>(all: &[&'a Round]) -> Vec<&'a Round> {
    let valid: Vec<&Round> = all.iter().copied().filter(|r| r.is_valid()).collect();
    if valid.is_empty() {
        all.to_vec()
    } else {
        valid
    }
}

/// Returns how reliable the figures from rounds of one side are.
#[must_use]
pub fn state_of(all: &[&Round]) -> State {
    let errors: u64 = all.iter().map(|round| round.outcome.error_count()).sum();
    let successes: u64 = all.iter().map(|round| round.outcome.successes).sum();
    let share = errors as f64 / (errors + successes).max(1) as f64;
    if share > ERROR_SHARE_MAX || !all.iter().any(|round| round.is_valid()) {
        State::Invalid
    } else if all.iter().any(|round| round.is_load_bound()) {
        State::LoadBound
    } else {
        State::Sound
    }
}

fn errors<'a>(all: &[&'a Round]) -> BTreeMap<&'a str, u64> {
    let mut errors = BTreeMap::new();
    for (kind, count) in all.iter().flat_map(|round| &round.outcome.errors) {
        *errors.entry(kind.as_str()).or_default() += count;
    }
    errors
}

/// Returns the share of the total latency that exceeds the median plus [`STALL_US`]. A pause of the
/// process, a garbage collection or a lock shows here; the back end's delay and the common queue
/// are part of the median.
fn stalled(latency: &Histogram) -> f64 {
    let bound_us = latency.quantile_us(0.5) + STALL_US;
    let (mut waited, mut stalled) = (0.0, 0.0);
    for (latency_us, count) in latency.occurring() {
        waited += latency_us as f64 * count as f64;
        stalled += latency_us.saturating_sub(bound_us) as f64 * count as f64;
    }
    if waited > 0.0 { stalled / waited } else { 0.0 }
}

fn added(cell: &Cell, side: &str) -> Option<Added> {
    let through = neighbours(cell, side, https::direct_in(cell));
    if https::is_direct(side) {
        return None;
    }
    let over_turns = |figure: &dyn Fn(&Histogram) -> f64| {
        let differences = through.iter().map(|(gateway, direct)| {
            figure(&gateway.outcome.latency) - figure(&direct.outcome.latency)
        });
        median(&differences.collect::<Vec<f64>>())
    };
    Some(Added {
        mean_us: over_turns(&Histogram::mean_us)?,
        p50_us: over_turns(&|latency| latency.quantile_us(0.5) as f64)?,
        p99_us: over_turns(&|latency| latency.quantile_us(0.99) as f64)?,
    })
}

/// Returns the valid rounds of two sides that were measured in the same turn.
#[must_use]
pub fn neighbours<'a>(cell: &'a Cell, side: &str, other: &str) -> Vec<(&'a Round, &'a Round)> {
    let valid = || cell.rounds.iter().filter(|round| round.is_valid());
    let of = valid().filter(|round| round.side == side);
    of.filter_map(|round| {
        let is_beside = |near: &&Round| near.turn == round.turn && near.side == other;
        Some((round, valid().find(is_beside)?))
    })
    .collect()
}

#[cfg(test)]
mod tests;
