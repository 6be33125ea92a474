//! The figures of a kept run, derived from its rounds: what `summary` lists, `report` draws,
//! `compare` judges and `capacity` counts with. Nothing here is kept: a run holds the rounds, and
//! whoever doubts a figure can derive it again.
//!
//! A cell's figures on one side: throughput, cost and memory are medians over its rounds, so that
//! one disturbed round does not move them; distributions are those of all rounds together. Rounds
//! with too many errors are left out where others remain.

use std::collections::BTreeMap;

use crate::histogram::Histogram;
use crate::https;
pub use crate::https::{DIRECT, OURS};
use crate::kept::{Cell, ERROR_SHARE_MAX, ProcessUse, Round, Run};
use crate::numbers::short;
use crate::statistics::{Better, median};

/// Another build of ours, measured as one more side.
pub const BEFORE: &str = "before";
/// The side that is this build with the smaller world of a profile, beside the one that varies.
pub const SMALL: &str = "tollgate-small";
/// The process that a side is about.
pub const GATEWAY: &str = "gateway";

/// A wait this much longer than the median is a stall, in microseconds.
const STALL_US: u64 = 1_000;

/// How far figures may be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As they stand.
    Sound,
    /// Generator or back end may have bounded the throughput: it is a lower bound.
    LoadBound,
    /// Too many errors: the figures say nothing.
    Invalid,
}

/// One side of one cell.
#[derive(Debug, Clone)]
pub struct Measured<'a> {
    /// The back end, one of ours, or a rival's folder name.
    pub side: &'a str,
    /// How far to trust it.
    pub state: State,
    /// The rounds that the figures are of.
    pub rounds: Vec<&'a Round>,
    /// All its rounds, invalid ones too.
    pub rounds_all: usize,
    /// Answers as expected, of all rounds.
    pub successes: u64,
    /// What else happened, of all rounds.
    pub errors: BTreeMap<&'a str, u64>,
    /// Successes a second.
    pub per_second: f64,
    /// Requests under way, averaged over the time.
    pub users_mean: f64,
    /// Of successes.
    pub latency: Histogram,
    /// What a gateway adds to each.
    pub added: Option<Added>,
    /// Processor time of the gateway for each success, in microseconds.
    pub cpu_us: Option<f64>,
    /// Share of waiting that was spent in stalls.
    pub stalled: f64,
    /// Bytes of answers a second.
    pub received_per_second: f64,
    /// Bytes of requests a second.
    pub sent_per_second: f64,
    /// The machine's load average over a minute.
    pub load_average: f64,
}

/// What a gateway adds to the response time, against `direct` in the same turn: the medians over
/// turns, in microseconds. Negative where noise is larger than what is added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added {
    /// To the mean.
    pub mean_us: f64,
    /// To the median.
    pub p50_us: f64,
    /// To the 99th percentile.
    pub p99_us: f64,
}

/// A figure that sides and runs are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Figure {
    /// Processor time of the gateway for each success: the first figure, since it hardly depends
    /// on what bounds the throughput.
    Cpu,
    /// Successes a second.
    Throughput,
    /// The 99th percentile of latency.
    P99,
}

impl Figure {
    /// All, the first one first.
    pub const ALL: [Self; 3] = [Self::Cpu, Self::Throughput, Self::P99];

    /// Its name and unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "CPU us/request",
            Self::Throughput => "requests/s",
            Self::P99 => "p99 ms",
        }
    }

    /// Which way it should go.
    #[must_use]
    pub const fn better(self) -> Better {
        match self {
            Self::Throughput => Better::Higher,
            Self::Cpu | Self::P99 => Better::Lower,
        }
    }

    /// Of a round; `None` where the round has no such figure.
    #[must_use]
    pub fn of(self, round: &Round) -> Option<f64> {
        match self {
            Self::Cpu => round.cpu_us_per_request(),
            Self::Throughput => Some(round.outcome.per_second()),
            Self::P99 => Some(round.p99_ms()),
        }
    }

    /// The same of a round that is only there to tell how fast the machine was: where no gateway
    /// took part, its processor time is that of all who did.
    #[must_use]
    pub fn of_reference(self, round: &Round) -> Option<f64> {
        self.of(round).or_else(|| {
            let cpu_us: u64 = round.processes.values().map(ProcessUse::cpu_us).sum();
            Some(cpu_us as f64 / round.outcome.successes.max(1) as f64)
        })
    }
}

impl<'a> Measured<'a> {
    /// A side of a cell; `None` if it was not measured there.
    #[must_use]
    pub fn of(cell: &'a Cell, side: &'a str) -> Option<Self> {
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

    /// Whether its throughput is a lower bound; that of an open loop is what was asked for.
    #[must_use]
    pub fn is_lower_bound(&self) -> bool {
        let is_closed = |round: &&Round| round.outcome.service.is_none();
        self.state == State::LoadBound && self.rounds.iter().all(is_closed)
    }

    /// All errors together, of all rounds.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// The share of errors among all calls.
    #[must_use]
    pub fn error_share(&self) -> f64 {
        let errors = self.error_count() as f64;
        errors / (errors + self.successes as f64).max(1.0)
    }

    /// The median over rounds of something of a process; `None` where it did not take part.
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

    /// The most memory that the gateway had in any round, in bytes.
    #[must_use]
    pub fn memory_peak_bytes(&self) -> Option<u64> {
        let gateways = self.rounds.iter().filter_map(|r| r.processes.get(GATEWAY));
        gateways.map(|gateway| gateway.memory_peak_bytes).max()
    }
}

/// The sides of a run: the one that it is about first, the back end last, between them the others
/// as they were measured.
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

/// A cell in a line, such as `get, 102 B, 300 users, delay 30 ms, keys 1000`.
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

/// What a cell's number of users counts: in an open loop nobody waits for answers.
#[must_use]
pub const fn callers(cell: &Cell) -> &'static str {
    match cell.open_loop {
        Some(_) => "connections",
        None => "users",
    }
}

/// What a cell has beside scenario, users, size and delay, such as `keys 1000` or
/// `at 21,000 requests/s`; empty in most.
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

/// Bytes as people say them: `102 B`, `10 KiB`.
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

/// All rounds of a side.
#[must_use]
pub fn rounds_of<'a>(cell: &'a Cell, side: &str) -> Vec<&'a Round> {
    let rounds = cell.rounds.iter();
    rounds.filter(|round| round.side == side).collect()
}

/// The rounds that figures are of: the valid ones. Where none is, all: they are of use only to show
/// how invalid they are.
#[must_use]
pub fn usable<'a>(all: &[&'a Round]) -> Vec<&'a Round> {
    let valid: Vec<&Round> = all.iter().copied().filter(|r| r.is_valid()).collect();
    if valid.is_empty() {
        all.to_vec()
    } else {
        valid
    }
}

/// How far to trust the figures of rounds of one side.
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

/// Of all the time that was waited for answers, the share beyond the median and [`STALL_US`] on top
/// of it. A pause of the process, a garbage collection or a lock shows here; the back end's delay
/// and the queue that everyone stands in are in the median.
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

/// The valid rounds of two sides that were measured in the same turn.
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
