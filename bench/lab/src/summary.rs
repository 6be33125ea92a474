//! A run as a table, one row for each side of each cell: as CSV, JSON and Markdown.
//!
//! The first columns of the CSV have the names and the order of WSO2's `create-summary-csv.sh`
//! (github.com/wso2/performance-common), so their scripts, which find throughput and latencies by
//! position, can draw our runs, too. They distinguish series by `Scenario Name`, so it includes the
//! side; `Heap Size` is a grouping column without meaning here. Next are their columns of the
//! server that apply here, and then our own. There is no garbage collector: idle and peak memory
//! take the place of memory after a full collection, and the share of latency spent in stalls above
//! 1 ms that of its throughput.

mod csv;
mod markdown;

use serde::Serialize;

use crate::figures::{self, GATEWAY, Measured, State};
use crate::kept::{Cell, Run};

pub use self::csv::csv;
pub use self::markdown::markdown;

/// A run in the form of `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary<'a> {
    /// Name of the profile.
    pub profile: &'a str,
    /// `quick` or `full`.
    pub mode: &'a str,
    /// Start time.
    pub started: &'a str,
    /// The measured commit.
    pub commit: &'a str,
    /// Name of the machine.
    pub machine: &'a str,
    /// One row for each side of each cell.
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
    /// Size of the message that varies, in bytes.
    pub message_bytes: u64,
    /// The back end's delay, in milliseconds.
    pub delay_ms: u64,
    /// Other parameters: `keys 1000, apis 10`; the rate of an open loop.
    pub parameters: String,
    /// Open loop only: the highest rate that the side sustained.
    pub peak: Option<Peak>,
    /// `sound`, `load-bound` or `invalid`.
    pub state: &'static str,
    /// Number of rounds that the figures are computed from.
    pub rounds: usize,
    /// Number of all rounds.
    pub rounds_all: usize,
    /// Number of calls, including errors.
    pub samples: u64,
    /// Number of failed calls.
    pub errors: u64,
    /// Percentage of failed calls.
    pub error_percent: f64,
    /// Successes per second.
    pub per_second: f64,
    /// Whether generator or back end limited the throughput, so the side may sustain more.
    pub is_lower_bound: bool,
    /// Average number of requests in flight.
    pub users_mean: f64,
    /// Latency of successes, in milliseconds.
    pub latency_ms: Latency,
    /// Received kibibytes per second.
    pub received_kib_per_second: f64,
    /// Sent kibibytes per second.
    pub sent_kib_per_second: f64,
    /// Resources of the gateway's process.
    pub gateway: Option<Gateway>,
    /// The machine's load average over a minute.
    pub load_average: f64,
    /// The response time added by the gateway.
    pub added_ms: Option<Added>,
    /// Percentage of the total latency spent in stalls above 1 ms.
    pub stalled_percent: f64,
}

/// A distribution in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names of percentiles are self-explanatory")]
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

/// Resources used by the gateway's process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gateway {
    /// Processor time for each success, in microseconds: the main figure.
    pub cpu_us_per_request: f64,
    /// User time, as a percentage of its cores.
    pub cpu_user_percent: f64,
    /// System time, as a percentage of its cores.
    pub cpu_system_percent: f64,
    /// Context switches per second.
    pub switches_per_second: f64,
    /// Resident memory one second after the end of the load, in mebibytes.
    pub memory_idle_mib: f64,
    /// Peak memory of all rounds, in mebibytes.
    pub memory_peak_mib: f64,
}

/// Response time through the gateway minus direct, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Added {
    /// At the mean.
    pub mean: f64,
    /// At the median.
    pub p50: f64,
    /// At the 99th percentile.
    pub p99: f64,
}

/// The highest rate that a side sustained.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Peak {
    /// Requests per second.
    pub per_second: f64,
    /// The 99th percentile at that rate, in milliseconds.
    pub p99_ms: f64,
    /// Whether generator or back end limited it, so the side may sustain more.
    pub is_lower_bound: bool,
}

impl Peak {
    fn from_cell(cell: &Cell, side: &str) -> Option<Self> {
        let trial = cell.open_loop.as_ref()?.peak(side)?;
        Some(Self {
            per_second: trial.per_second,
            p99_ms: trial.round.p99_ms(),
            is_lower_bound: trial.round.is_load_bound(),
        })
    }
}

impl<'a> Summary<'a> {
    /// Summarizes a run.
    #[must_use]
    pub fn from_run(run: &'a Run) -> Self {
        let sides = figures::sides(run);
        let of_cell = |cell: &'a Cell| {
            let measured = sides
                .iter()
                .filter_map(|side| Measured::from_cell(cell, side));
            measured
                .map(|it| Row::from_cell(cell, &it))
                .collect::<Vec<_>>()
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
    fn from_cell(cell: &'a Cell, measured: &Measured<'a>) -> Self {
        let errors = measured.error_count();
        Self {
            scenario: &cell.scenario,
            side: measured.side,
            users: cell.users,
            message_bytes: cell.message_bytes,
            delay_ms: cell.delay_ms,
            parameters: figures::circumstances(cell),
            peak: Peak::from_cell(cell, measured.side),
            is_lower_bound: measured.is_lower_bound(),
            state: state_name(measured.state),
            rounds: measured.rounds.len(),
            rounds_all: measured.rounds_all,
            samples: measured.successes + errors,
            errors,
            error_percent: measured.error_share() * 100.0,
            per_second: measured.per_second,
            users_mean: measured.users_mean,
            latency_ms: Latency::from_measured(measured),
            received_kib_per_second: measured.received_per_second / 1024.0,
            sent_kib_per_second: measured.sent_per_second / 1024.0,
            gateway: Gateway::from_measured(measured),
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
    fn from_measured(measured: &Measured<'_>) -> Self {
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
    fn from_measured(measured: &Measured<'_>) -> Option<Self> {
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

/// Returns the data of a run's tables as JSON.
///
/// # Errors
/// Never fails for a run that could be read.
pub fn json(run: &Run) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&Summary::from_run(run))? + "\n")
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
