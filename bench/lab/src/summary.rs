//! A run as a table, one row for each side of each cell: as CSV, JSON and Markdown.
//!
//! The CSV's first columns have the names and the order of WSO2's `create-summary-csv.sh`
//! (github.com/wso2/performance-common), so that their scripts, which find throughput and latencies
//! by position, draw our runs too. Their `Scenario Name` tells series apart, so it names the side
//! as well; `Heap Size` groups and has no meaning here. After those come their columns of the
//! server, as far as there is such a thing, and then what they do not have. There is no garbage
//! collector: idle and peak memory stand for memory after a full collection, and the share of
//! waiting that was spent in stalls above 1 ms for its throughput.

mod csv;
mod markdown;

use serde::Serialize;

use crate::figures::{self, GATEWAY, Measured, State};
use crate::kept::{Cell, Run};

pub use self::csv::csv;
pub use self::markdown::markdown;

/// A run, as `summary.json` has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary<'a> {
    /// The profile.
    pub profile: &'a str,
    /// `quick` or `full`.
    pub mode: &'a str,
    /// When it began.
    pub started: &'a str,
    /// The commit that was measured.
    pub commit: &'a str,
    /// The machine's name.
    pub machine: &'a str,
    /// One for each side of each cell.
    pub rows: Vec<Row<'a>>,
}

/// One side of one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row<'a> {
    /// The scenario's folder name.
    pub scenario: &'a str,
    /// `direct`, `tollgate`, or a rival's folder name.
    pub side: &'a str,
    /// Concurrent users.
    pub users: u32,
    /// Bytes of the message that varies.
    pub message_bytes: u64,
    /// The back end's delay.
    pub delay_ms: u64,
    /// What else varies: `keys 1000, apis 10`; of an open loop its rate.
    pub parameters: String,
    /// Open loop only: the highest rate that the side bore.
    pub peak: Option<Peak>,
    /// `sound`, `load-bound` or `invalid`.
    pub state: &'static str,
    /// Rounds that the figures are of.
    pub rounds: usize,
    /// All that were measured.
    pub rounds_all: usize,
    /// Calls, errors too.
    pub samples: u64,
    /// Those that failed.
    pub errors: u64,
    /// Their share in per cent.
    pub error_percent: f64,
    /// Successes a second.
    pub per_second: f64,
    /// Whether generator or back end bounded them, so that the side may do more.
    pub is_lower_bound: bool,
    /// Requests under way.
    pub users_mean: f64,
    /// Of successes, in milliseconds.
    pub latency_ms: Latency,
    /// Kibibytes of answers a second.
    pub received_kib_per_second: f64,
    /// Kibibytes of requests a second.
    pub sent_kib_per_second: f64,
    /// The gateway's process.
    pub gateway: Option<Gateway>,
    /// The machine's load average over a minute.
    pub load_average: f64,
    /// What the gateway adds to the response time.
    pub added_ms: Option<Added>,
    /// Share of waiting in stalls above 1 ms, in per cent.
    pub stalled_percent: f64,
}

/// A distribution in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names of percentiles say it all")]
pub struct Latency {
    pub average: f64,
    pub deviation: f64,
    pub minimum: f64,
    pub maximum: f64,
    pub p50: f64,
    pub p75: f64,
    pub p90: f64,
    pub p95: f64,
    pub p98: f64,
    pub p99: f64,
    pub p99_9: f64,
}

/// What the gateway's process used.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gateway {
    /// Processor time for each success, in microseconds: the first figure.
    pub cpu_us_per_request: f64,
    /// User time, as per cent of its cores.
    pub cpu_user_percent: f64,
    /// Time inside the kernel, as per cent of its cores.
    pub cpu_system_percent: f64,
    /// Context switches a second.
    pub switches_per_second: f64,
    /// Resident memory a second after the load ended, in mebibytes.
    pub memory_idle_mib: f64,
    /// The most of all rounds, in mebibytes.
    pub memory_peak_mib: f64,
}

/// Through the gateway minus direct, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Added {
    /// At the mean.
    pub mean: f64,
    /// At the median.
    pub p50: f64,
    /// At the 99th percentile.
    pub p99: f64,
}

/// The highest rate that a side bore.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Peak {
    /// Requests a second.
    pub per_second: f64,
    /// The 99th percentile at it, in milliseconds.
    pub p99_ms: f64,
    /// Whether generator or back end bounded it, so that the side may bear more.
    pub is_lower_bound: bool,
}

impl Peak {
    fn of(cell: &Cell, side: &str) -> Option<Self> {
        let trial = cell.open_loop.as_ref()?.peak(side)?;
        Some(Self {
            per_second: trial.per_second,
            p99_ms: trial.round.p99_ms(),
            is_lower_bound: trial.round.is_load_bound(),
        })
    }
}

impl<'a> Summary<'a> {
    /// Of a run.
    #[must_use]
    pub fn of(run: &'a Run) -> Self {
        let sides = figures::sides(run);
        let of_cell = |cell: &'a Cell| {
            let measured = sides.iter().filter_map(|side| Measured::of(cell, side));
            measured.map(|it| Row::of(cell, &it)).collect::<Vec<_>>()
        };
        Self {
            profile: &run.profile,
            mode: &run.mode,
            started: &run.started,
            commit: &run.commit,
            machine: &run.machine.name,
            rows: run.cells.iter().flat_map(of_cell).collect(),
        }
    }
}

impl<'a> Row<'a> {
    fn of(cell: &'a Cell, measured: &Measured<'a>) -> Self {
        let errors = measured.error_count();
        Self {
            scenario: &cell.scenario,
            side: measured.side,
            users: cell.users,
            message_bytes: cell.message_bytes,
            delay_ms: cell.delay_ms,
            parameters: figures::circumstances(cell),
            peak: Peak::of(cell, measured.side),
            is_lower_bound: measured.is_lower_bound(),
            state: state_name(measured.state),
            rounds: measured.rounds.len(),
            rounds_all: measured.rounds_all,
            samples: measured.successes + errors,
            errors,
            error_percent: measured.error_share() * 100.0,
            per_second: measured.per_second,
            users_mean: measured.users_mean,
            latency_ms: Latency::of(measured),
            received_kib_per_second: measured.received_per_second / 1024.0,
            sent_kib_per_second: measured.sent_per_second / 1024.0,
            gateway: Gateway::of(measured),
            load_average: measured.load_average,
            added_ms: measured.added.map(|added| Added {
                mean: added.mean_us / 1e3,
                p50: added.p50_us / 1e3,
                p99: added.p99_us / 1e3,
            }),
            stalled_percent: measured.stalled * 100.0,
        }
    }
}

impl Latency {
    fn of(measured: &Measured<'_>) -> Self {
        let latency = &measured.latency;
        let at = |share| latency.quantile_us(share) as f64 / 1e3;
        Self {
            average: latency.mean_us() / 1e3,
            deviation: latency.deviation_us() / 1e3,
            minimum: latency.shortest_us() as f64 / 1e3,
            maximum: latency.longest_us() as f64 / 1e3,
            p50: at(0.5),
            p75: at(0.75),
            p90: at(0.9),
            p95: at(0.95),
            p98: at(0.98),
            p99: at(0.99),
            p99_9: at(0.999),
        }
    }
}

impl Gateway {
    fn of(measured: &Measured<'_>) -> Option<Self> {
        const MIB: f64 = 1_048_576.0;
        let of_cores = |cpu_us: fn(&crate::kept::ProcessUse) -> u64| {
            measured.of_process(GATEWAY, |process, round| {
                let cores_us = round.outcome.measured_us as f64 * process.cores.len().max(1) as f64;
                cpu_us(process) as f64 / cores_us.max(1.0) * 100.0
            })
        };
        let switches = measured.of_process(GATEWAY, |process, round| {
            let all = process.switches_voluntary + process.switches_involuntary;
            all as f64 / (round.outcome.measured_us.max(1) as f64 / 1e6)
        });
        let idle = measured.of_process(GATEWAY, |used, _| used.memory_after_bytes as f64 / MIB);
        Some(Self {
            cpu_us_per_request: measured.cpu_us?,
            cpu_user_percent: of_cores(|used| used.cpu_user_us)?,
            cpu_system_percent: of_cores(|used| used.cpu_system_us)?,
            switches_per_second: switches?,
            memory_idle_mib: idle?,
            memory_peak_mib: measured.memory_peak_bytes()? as f64 / MIB,
        })
    }
}

/// The data of a run's tables, for programs.
///
/// # Errors
/// None that a run which could be read leads to.
pub fn json(run: &Run) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&Summary::of(run))? + "\n")
}

const fn state_name(state: State) -> &'static str {
    match state {
        State::Sound => "sound",
        State::LoadBound => "load-bound",
        State::Invalid => "invalid",
    }
}

#[cfg(test)]
mod tests;
