//! A kept run, as stored in `bench/runs/<date>-<machine>/<profile>-<mode>/run.json`. All reports
//! and comparisons are derived from it, starting from the raw histograms.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use crate::credential::Credential;
use crate::load::Outcome;

mod compared;

pub use compared::{Pair, Split};

/// The version of this format.
pub const FORMAT: u32 = 1;

/// Prefix of the warning in a run that did not measure everything.
pub const ENDED_EARLY: &str = "the run ended early";

/// One run of one profile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// [`FORMAT`].
    pub format: u32,
    /// The profile's folder name, such as `adobe-single`.
    pub profile: String,
    /// The profile's title, for people.
    pub title: String,
    /// `quick` or `full`.
    pub mode: String,
    /// Start time: RFC 3339, UTC.
    pub started: String,
    /// The measured commit, with `-dirty` if the tree had changes.
    pub commit: String,
    /// SHA-256 of each measured binary, by side; of other files of a rival, as `<rival>/<file>`.
    /// Runs of format 1 may lack those of rivals.
    pub binaries: BTreeMap<String, String>,
    /// The machine; the gateway's, if there were several.
    pub machine: Machine,
    /// The cores of each process, in a sentence.
    pub topology: String,
    /// Number of machines; runs of format 1 may lack it.
    #[serde(default = "one")]
    pub machines: usize,
    /// Caveats that qualify the figures.
    pub warnings: Vec<String>,
    /// Parts of the profile that this run could not measure, and why.
    pub left_out: Vec<LeftOut>,
    /// The published figures to compare with: a file of `bench/published` and a selection of its
    /// rows.
    pub published: Option<Published>,
    /// Pairs of scenarios compared by their ratio; runs of format 1 may lack them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<Pair>,
    /// Pairs of scenarios compared by their difference; runs of format 1 may lack them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Pair>,
    /// Threads compared by user and system time; most runs lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
    /// The measured cells.
    pub cells: Vec<Cell>,
}

const fn one() -> usize {
    1
}

/// The properties of a machine on which figures depend.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// A short name for folders.
    pub name: String,
    /// The processor's model, and whether it has SHA instructions.
    pub processor: String,
    /// Number of usable cores.
    pub cores: u32,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// Kernel name and release.
    pub kernel: String,
}

/// A scenario, cell or rival that was not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The scenario, cell or rival.
    pub what: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// Rows of a published table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The file's name in `bench/published`.
    pub file: String,
    /// Columns and their required values, such as `topology = "single"`.
    pub rows: BTreeMap<String, String>,
    /// The table's names of scenarios, by ours, if they differ, such as `post = "passthrough"`.
    #[serde(default)]
    pub scenarios: BTreeMap<String, String>,
}

/// One set of conditions, measured on each side in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The scenario's folder name, such as `get`.
    pub scenario: String,
    /// Concurrent users (open loop: connections).
    pub users: u32,
    /// Size in bytes of the message that varies: the response to a GET, the body of a POST.
    pub message_bytes: u64,
    /// Delay of the back end's responses, in milliseconds.
    pub delay_ms: u64,
    /// Other parameters, such as `keys` in the profile `scale`.
    pub parameters: BTreeMap<String, u64>,
    /// Present if requests were sent at a rate; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// The measurements in chronological order.
    pub rounds: Vec<Round>,
}

/// The rate of an open loop, and the search for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLoop {
    /// Requests per second, the same on every side; `None` if none was determined.
    pub per_second: Option<f64>,
    /// A side sustains a rate if its 99th percentile stays below this, in milliseconds, and few
    /// enough calls fail.
    pub p99_ms_max: f64,
    /// The rates tried to find the highest that each side sustains.
    pub trials: Vec<Trial>,
}

/// One rate tried on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Requests per second.
    pub per_second: f64,
    /// The result; its turn is the number of the rate.
    pub round: Round,
}

/// One measurement of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// `direct`, `tollgate`, or a rival's folder name.
    pub side: String,
    /// Turn of the interleaving, from 0: rounds of one turn are neighbours in time.
    pub turn: u32,
    /// What the generator measured.
    pub outcome: Outcome,
    /// Resources used by the processes: `gateway` (ours or the rival's; absent if the side is
    /// `direct`), `back end`, `generator`, and the generators of background load.
    pub processes: BTreeMap<String, ProcessUse>,
    /// The load average over a minute of the gateway's machine, at the end.
    pub load_average: f64,
    /// The share of its cores' time taken by other virtual machines on the same hardware (steal);
    /// runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_share: Option<f64>,
    /// Background load: tokens issued, or forged ones rejected, by kind; runs of format 1 may lack
    /// it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", alias = "issued")]
    pub background: BTreeMap<Credential, Background>,
}

/// Requests sent while something else was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// Requests per second.
    pub per_second: u32,
    /// The outcome, from before the measured time until after it.
    pub outcome: Outcome,
}

/// Resources used by a process and its children during the measured time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessUse {
    /// An address of its machine, if not the driver's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<IpAddr>,
    /// Numbers of its allowed cores.
    pub cores: Vec<u32>,
    /// User time in microseconds.
    pub cpu_user_us: u64,
    /// System time in microseconds.
    pub cpu_system_us: u64,
    /// User and system time by thread name; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub threads_us: BTreeMap<String, u64>,
    /// User time by thread name; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub threads_user_us: BTreeMap<String, u64>,
    /// Maximum resident memory of all samples, in bytes.
    pub memory_peak_bytes: u64,
    /// Resident memory in bytes, one second after the end of the load.
    pub memory_after_bytes: u64,
    /// Voluntary context switches.
    pub switches_voluntary: u64,
    /// Involuntary context switches.
    pub switches_involuntary: u64,
    /// Samples, one per second.
    pub samples: Vec<Sample>,
}

/// A sample of a process's resources.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Time since the start of the measured time, in milliseconds.
    pub at_ms: u64,
    /// Processor time since then, in microseconds.
    pub cpu_us: u64,
    /// Resident memory in bytes.
    pub memory_bytes: u64,
}

/// Above this utilization of their cores, generator and back end make a round load-bound: its
/// throughput is then a lower bound of the gateway's.
pub const LOAD_BOUND_SHARE: f64 = 0.7;
/// Share of errors above which a round is invalid.
pub const ERROR_SHARE_MAX: f64 = 0.001;

impl Run {
    /// Reads a run from its file, or from the folder with its `run.json`.
    ///
    /// # Errors
    /// Fails if there is no run, or if its format is not [`FORMAT`].
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let file = if path.is_dir() {
            path.join("run.json")
        } else {
            path.to_owned()
        };
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read a kept run from {}", file.display()))?;
        let run: Self = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a kept run", file.display()))?;
        let format = run.format;
        let is_known = format == FORMAT;
        ensure!(
            is_known,
            "{} has format {format}, not {FORMAT}",
            file.display()
        );
        Ok(run)
    }

    /// Returns the share of the machine's time stolen during the measurements: of all rounds and
    /// trials together, and of the worst one. `None` if the run lacks it.
    #[must_use]
    pub fn stolen_share(&self) -> Option<(f64, f64)> {
        let trials = self.cells.iter().flat_map(Cell::trials);
        let rounds = self.cells.iter().flat_map(|cell| &cell.rounds);
        let rounds = rounds.chain(trials.map(|trial| &trial.round));
        let (mut stolen, mut all, mut worst) = (0.0, 0.0, 0.0_f64);
        for round in rounds {
            let (share, measured) = (round.stolen_share?, round.outcome.measured_us as f64);
            stolen += share * measured;
            all += measured;
            worst = worst.max(share);
        }
        (all > 0.0).then_some((stolen / all, worst))
    }
}

impl Round {
    /// Returns the gateway's processor time per success, in microseconds; `None` for the side
    /// `direct`.
    #[must_use]
    pub fn cpu_us_per_request(&self) -> Option<f64> {
        let gateway = self.processes.get("gateway")?;
        Some(gateway.cpu_us() as f64 / self.outcome.successes.max(1) as f64)
    }

    /// Whether generator or back end, rather than the gateway, may have limited the throughput.
    /// Each has one thread; those that share cores are judged together.
    #[must_use]
    pub fn is_load_bound(&self) -> bool {
        let others = || self.processes.iter().filter(|(name, _)| *name != "gateway");
        others().any(|(_, used)| {
            let sharing = others().map(|(_, it)| it).filter(|it| it.shares_with(used));
            let (mut cpu_us, mut threads) = (0, 0);
            for it in sharing {
                cpu_us += it.cpu_us();
                threads += 1;
            }
            let is_over = |cpu_us: u64, cores: usize| {
                let cores_us = self.outcome.measured_us as f64 * cores as f64;
                cpu_us as f64 > LOAD_BOUND_SHARE * cores_us
            };
            is_over(used.cpu_us(), 1) || is_over(cpu_us, used.cores.len().min(threads))
        })
    }

    /// Returns the 99th percentile of its latencies, in milliseconds.
    #[must_use]
    pub fn p99_ms(&self) -> f64 {
        self.outcome.latency.quantile_us(0.99) as f64 / 1e3
    }

    /// Whether its figures can be used: some calls succeeded, and few enough failed.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let errors = self.outcome.error_count() as f64;
        let all = errors + self.outcome.successes as f64;
        self.outcome.successes > 0 && errors <= ERROR_SHARE_MAX * all
    }
}

impl Cell {
    /// Whether it has no measurements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty() && self.trials().next().is_none()
    }

    /// Returns the trials of an open loop's search for its rate.
    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.open_loop.iter().flat_map(|it| &it.trials)
    }
}

impl OpenLoop {
    /// Returns the trial with the highest rate that a side sustained; `None` if there is none.
    #[must_use]
    pub fn peak(&self, side: &str) -> Option<&Trial> {
        let of_side = self.trials.iter().filter(|trial| trial.round.side == side);
        let borne = of_side.filter(|trial| trial.is_borne(self.p99_ms_max));
        borne.max_by(|a, b| a.per_second.total_cmp(&b.per_second))
    }
}

impl Trial {
    /// Whether the rate was reached, with few enough errors and a 99th percentile below a bound in
    /// milliseconds.
    #[must_use]
    pub fn is_borne(&self, p99_ms_max: f64) -> bool {
        let is_reached = self.round.outcome.has_reached(self.per_second);
        is_reached && self.round.is_valid() && self.round.p99_ms() < p99_ms_max
    }

    /// Returns the prefix of its rate: if generator or back end may have limited it, the side may
    /// sustain more.
    #[must_use]
    pub fn bound(&self) -> &'static str {
        if self.round.is_load_bound() {
            "≥ "
        } else {
            ""
        }
    }
}

impl ProcessUse {
    /// Returns the processor time, user and system, in microseconds.
    #[must_use]
    pub const fn cpu_us(&self) -> u64 {
        self.cpu_user_us + self.cpu_system_us
    }

    /// Whether both may run on the same core.
    fn shares_with(&self, other: &Self) -> bool {
        let has = |core| other.cores.contains(core);
        self.machine == other.machine && self.cores.iter().any(has)
    }
}

#[cfg(test)]
mod tests;
