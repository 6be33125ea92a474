//! A kept run, as it lies in `bench/runs/<date>-<machine>/run.json`: everything that a report or a
//! comparison says is derived from it again, from the raw histograms on.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use crate::credential::Credential;
use crate::load::Outcome;

/// The version of this format.
pub const FORMAT: u32 = 1;

/// How the warning begins of a run that did not measure all.
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
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// The commit that was measured, with `-dirty` where the tree had changes.
    pub commit: String,
    /// SHA-256 of each binary that was measured, by its side; of what else a rival is made of, as
    /// `<rival>/<file>`. Runs of format 1 may lack those of rivals.
    pub binaries: BTreeMap<String, String>,
    /// What it ran on; what the gateway did, where there were several machines.
    pub machine: Machine,
    /// Which process had which cores, in a sentence.
    pub topology: String,
    /// On how many machines the parts stood; runs of format 1 may lack it.
    #[serde(default = "one")]
    pub machines: usize,
    /// What a reader should know before believing the figures.
    pub warnings: Vec<String>,
    /// What the profile names and this run could not do, and why.
    pub left_out: Vec<LeftOut>,
    /// The published figures to stand beside: a file of `bench/published` and which of its rows.
    pub published: Option<Published>,
    /// Scenarios to be set against each other; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ratios: Vec<Pair>,
    /// Pairs of scenarios that are compared by their difference; runs of format 1 may lack them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Pair>,
    /// What was measured.
    pub cells: Vec<Cell>,
}

const fn one() -> usize {
    1
}

/// A machine, as far as figures depend on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// A short name for folders.
    pub name: String,
    /// The processor's model, and whether it has SHA instructions.
    pub processor: String,
    /// Cores that may be used.
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
    /// What.
    pub what: String,
    /// Why, in a sentence.
    pub why: String,
}

/// Rows of a published table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The file's name in `bench/published`.
    pub file: String,
    /// Columns and the value that a row must have in them, such as `topology = "single"`.
    pub rows: BTreeMap<String, String>,
    /// The table's word for a scenario, by ours, where it has another, such as
    /// `post = "passthrough"`.
    #[serde(default)]
    pub scenarios: BTreeMap<String, String>,
}

/// A scenario whose cost is set against another's, in the same circumstances.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// What a run's last lines call it.
    pub name: String,
    /// The scenario's folder name.
    pub of: String,
    /// The other's.
    pub to: String,
    /// The message size that the last lines tell it of.
    pub message_bytes: u64,
    /// A scenario whose cost is added to that of `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plus: Option<String>,
    /// Set where the cost is that of the gateway's threads of this name, not of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<String>,
}

/// One set of circumstances, measured on each side in turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The scenario's folder name, such as `get`.
    pub scenario: String,
    /// Concurrent users (open loop: connections).
    pub users: u32,
    /// Bytes of the message that varies: the answer of a GET, the body of a POST.
    pub message_bytes: u64,
    /// How long the back end waits before it answers, in milliseconds.
    pub delay_ms: u64,
    /// What else varies, such as `keys` in the profile `scale`.
    pub parameters: BTreeMap<String, u64>,
    /// Set where requests were sent at a rate; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_loop: Option<OpenLoop>,
    /// What was measured, in the order it was.
    pub rounds: Vec<Round>,
}

/// The rate of an open loop, and how it was come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenLoop {
    /// Requests a second, the same on every side; `None` where it was not come to.
    pub per_second: Option<f64>,
    /// A side bears a rate as long as its 99th percentile stays below this, in milliseconds, and
    /// few enough calls fail.
    pub p99_ms_max: f64,
    /// The rates that were tried before, to find the highest that each side bears.
    pub trials: Vec<Trial>,
}

/// A rate that was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trial {
    /// Requests a second.
    pub per_second: f64,
    /// What came of it; the turn counts the rates that were tried.
    pub round: Round,
}

/// One side, measured once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// `direct`, `tollgate`, or a rival's folder name.
    pub side: String,
    /// Which turn of the interleaving, from 0: rounds of one turn are neighbours in time.
    pub turn: u32,
    /// What the generator measured.
    pub outcome: Outcome,
    /// What the processes used meanwhile: `gateway` (ours or the rival's; absent where the side is
    /// `direct`), `back end`, `generator`, and those that asked for tokens meanwhile.
    pub processes: BTreeMap<String, ProcessUse>,
    /// The load average of the gateway's machine over a minute, at the end.
    pub load_average: f64,
    /// The share of the time of its cores that others had whose machines run on the same hardware
    /// (steal); runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stolen_share: Option<f64>,
    /// Tokens that clients got meanwhile, or forged ones that were refused, by their kind; runs of
    /// format 1 may lack it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty", alias = "issued")]
    pub background: BTreeMap<Credential, Background>,
}

/// Requests that came while something else was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// How many were sent a second.
    pub per_second: u32,
    /// What came of it, from before the measured time until after it.
    pub outcome: Outcome,
}

/// What a process and its children used during the measured time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessUse {
    /// An address of the machine that it ran on, if that was not the driver's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<IpAddr>,
    /// Numbers of the cores that it may run on.
    pub cores: Vec<u32>,
    /// Processor time in microseconds.
    pub cpu_user_us: u64,
    /// The same inside the kernel.
    pub cpu_system_us: u64,
    /// Both together of its threads of each name; runs of format 1 may lack it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub threads_us: BTreeMap<String, u64>,
    /// The most resident memory in bytes of all samples.
    pub memory_peak_bytes: u64,
    /// Resident memory in bytes a second after the load ended.
    pub memory_after_bytes: u64,
    /// Context switches because it waited.
    pub switches_voluntary: u64,
    /// Context switches because its time was up.
    pub switches_involuntary: u64,
    /// One a second.
    pub samples: Vec<Sample>,
}

/// A look at a process.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Since the measured time began, in milliseconds.
    pub at_ms: u64,
    /// Processor time since then, in microseconds.
    pub cpu_us: u64,
    /// Resident memory in bytes.
    pub memory_bytes: u64,
}

/// A generator and back end that used more of their cores than this make a round load-bound: its
/// throughput is then a lower bound of what the gateway could do.
pub const LOAD_BOUND_SHARE: f64 = 0.7;
/// A round with a larger share of errors is invalid.
pub const ERROR_SHARE_MAX: f64 = 0.001;

impl Run {
    /// Reads a run from its file, or from the folder that `run.json` lies in.
    ///
    /// # Errors
    /// There is none, or it is not of this [`FORMAT`].
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let file = if path.is_dir() {
            path.join("run.json")
        } else {
            path.to_owned()
        };
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("there is no kept run {}", file.display()))?;
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

    /// The share of the machine's time that others had while it was measured: of all rounds and
    /// trials together, and of the worst one. `None` where the run does not tell.
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
    /// Microseconds of the gateway's processor time for each success; `None` where the side is
    /// `direct`.
    #[must_use]
    pub fn cpu_us_per_request(&self) -> Option<f64> {
        let gateway = self.processes.get("gateway")?;
        Some(gateway.cpu_us() as f64 / self.outcome.successes.max(1) as f64)
    }

    /// Whether generator or back end, and not the gateway, may have bounded the throughput. Each
    /// has one thread; those that share cores are judged together.
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

    /// The 99th percentile of its latencies, in milliseconds.
    #[must_use]
    pub fn p99_ms(&self) -> f64 {
        self.outcome.latency.quantile_us(0.99) as f64 / 1e3
    }

    /// Whether its figures may be used: something succeeded, and few enough calls failed.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let errors = self.outcome.error_count() as f64;
        let all = errors + self.outcome.successes as f64;
        self.outcome.successes > 0 && errors <= ERROR_SHARE_MAX * all
    }
}

impl Cell {
    /// Whether nothing was measured of it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty() && self.trials().next().is_none()
    }

    /// What was tried in an open loop to find its rate.
    pub fn trials(&self) -> impl Iterator<Item = &Trial> {
        self.open_loop.iter().flat_map(|it| &it.trials)
    }
}

impl OpenLoop {
    /// The trial with the highest rate that a side bore; `None` where it was not tried, or bore
    /// none.
    #[must_use]
    pub fn peak(&self, side: &str) -> Option<&Trial> {
        let of_side = self.trials.iter().filter(|trial| trial.round.side == side);
        let borne = of_side.filter(|trial| trial.is_borne(self.p99_ms_max));
        borne.max_by(|a, b| a.per_second.total_cmp(&b.per_second))
    }
}

impl Trial {
    /// Whether the rate was reached, with few enough errors and with the 99th percentile below a
    /// bound in milliseconds.
    #[must_use]
    pub fn is_borne(&self, p99_ms_max: f64) -> bool {
        let is_reached = self.round.outcome.has_reached(self.per_second);
        is_reached && self.round.is_valid() && self.round.p99_ms() < p99_ms_max
    }

    /// What is written before its rate: generator or back end may have bounded it, so that the
    /// side may bear more.
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
    /// Processor time, user and system, in microseconds.
    #[must_use]
    pub const fn cpu_us(&self) -> u64 {
        self.cpu_user_us + self.cpu_system_us
    }

    /// Whether a core of the other is also one of its own.
    fn shares_with(&self, other: &Self) -> bool {
        let has = |core| other.cores.contains(core);
        self.machine == other.machine && self.cores.iter().any(has)
    }
}

#[cfg(test)]
mod tests;
