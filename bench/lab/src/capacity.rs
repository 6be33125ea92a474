//! How many nodes and cores a load needs, computed from kept runs: by throughput, from the cost of
//! a request, and by latency, from the loads at which the 99th percentile stayed below a bound. The
//! question is that of "Determining Number of Cluster Nodes" in Adobe's performance paper. The
//! assumptions are printed with the result, since a result without them is a guess.

use std::fmt::{Display, Formatter};

use crate::figures::{self, GATEWAY, Measured, State, bytes_name};
use crate::https;
use crate::kept::{Cell, Run};
use crate::numbers::{counted, short};

/// Utilization of a node in the steady state. The rest is for peaks, and for the queue, which grows
/// without bound as utilization approaches one.
pub const USE: f64 = 0.7;

/// The capacity that a load needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// Requests per second, over all nodes.
    pub rate: f64,
    /// The bound of the 99th percentile, in milliseconds.
    pub p99_ms: f64,
    /// The need of each kind of call.
    pub needs: Vec<Need>,
    /// Measurements that cannot be used, and why.
    pub left_out: Vec<String>,
    /// The runs used: what was measured, and on what machine.
    pub runs: Vec<String>,
}

/// The capacity that one kind of call needs, if all calls are of that kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// Scenario, size, delay and parameters.
    pub call: String,
    /// Processor time per request in microseconds: the highest over all numbers of users.
    pub cpu_us: f64,
    /// Cores of the measured gateway, and thus of a node.
    pub cores_of_node: usize,
    /// Cores needed for the rate.
    pub cores: f64,
    /// Nodes needed for these cores.
    pub nodes_by_throughput: u64,
    /// Nodes needed to keep latency within the bound.
    pub latency: ByLatency,
    /// The gateway's peak memory, in mebibytes.
    pub memory_peak_mib: f64,
}

/// Nodes needed to keep latency within the bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ByLatency {
    /// The number of nodes, from the largest load of one node measured within the bound.
    Nodes {
        /// Number of nodes.
        nodes: u64,
        /// Requests per second of that load.
        per_second: f64,
        /// Its 99th percentile, in milliseconds.
        p99_ms: f64,
        /// Whether the generator or the back end limited it, so a node may sustain more.
        is_at_least: bool,
    },
    /// No measured load stays within the bound; this is the lowest 99th percentile.
    Never {
        /// In milliseconds.
        p99_ms: f64,
    },
}

impl Need {
    /// Returns the nodes needed for both; `None` if no load stayed within the latency bound.
    #[must_use]
    pub fn nodes(&self) -> Option<u64> {
        match self.latency {
            ByLatency::Nodes { nodes, .. } => Some(nodes.max(self.nodes_by_throughput)),
            ByLatency::Never { .. } => None,
        }
    }
}

/// Computes the capacity for `rate` requests per second with a 99th percentile of at most `p99_ms`.
#[must_use]
pub fn plan(runs: &[Run], rate: f64, p99_ms: f64) -> Capacity {
    let mut calls: Vec<(String, Vec<Measured<'_>>)> = Vec::new();
    let mut left_out = Vec::new();
    let cells: Vec<Cell> = runs
        .iter()
        .flat_map(|run| &run.cells)
        .flat_map(loads)
        .collect();
    for cell in &cells {
        let Some(measured) = Measured::from_cell(cell, https::ours_in(cell)) else {
            continue;
        };
        if measured.state == State::Invalid {
            let name = figures::cell_name(cell);
            left_out.push(format!("{name}: invalid, too many errors"));
            continue;
        }
        let call = call(cell);
        match calls.iter_mut().find(|(known, _)| *known == call) {
            Some((_, cells)) => cells.push(measured),
            None => calls.push((call, vec![measured])),
        }
    }
    let needs = calls.into_iter();
    Capacity {
        rate,
        p99_ms,
        needs: needs
            .filter_map(|(call, cells)| need(call, &cells, rate, p99_ms))
            .collect(),
        left_out,
        runs: runs.iter().map(judge).collect(),
    }
}

/// Returns the loads of a cell: the cell itself, or each rate tried during the peak search of an
/// open loop, whose own rate suits the slowest of all sides.
fn loads(cell: &Cell) -> Vec<Cell> {
    let tried = cell.trials().map(|trial| Cell {
        rounds: vec![trial.round.clone()],
        ..cell.clone()
    });
    let tried: Vec<Cell> = tried.collect();
    if tried.is_empty() {
        return vec![cell.clone()];
    }
    tried
}

fn judge(run: &Run) -> String {
    let (profile, mode, commit) = (&run.profile, &run.mode, &run.commit);
    let processor = &run.machine.processor;
    format!(
        "{profile} {mode} of {}, commit {commit}, {processor}",
        run.started
    )
}

/// Returns the name of what a cell measures, without the number of users.
fn call(cell: &Cell) -> String {
    let mut call = format!("{}, {}", cell.scenario, bytes_name(cell.message_bytes));
    if cell.delay_ms > 0 {
        call += &format!(", delay {} ms", cell.delay_ms);
    }
    let others = cell
        .parameters
        .iter()
        .filter(|(name, _)| *name != "connections");
    for (name, value) in others {
        call += &format!(", {name} {value}");
    }
    call
}

fn need(call: String, cells: &[Measured<'_>], rate: f64, p99_ms: f64) -> Option<Need> {
    let costs = cells.iter().filter_map(|cell| cell.cpu_us);
    let cpu_us = costs.max_by(f64::total_cmp)?;
    let gateways = cells.iter().flat_map(|cell| &cell.rounds);
    let cores_of_node = gateways
        .filter_map(|round| Some(round.processes.get(GATEWAY)?.cores.len()))
        .max()?
        .max(1);
    let cores = rate * cpu_us / 1e6 / USE;
    let memory = cells.iter().filter_map(Measured::memory_peak_bytes).max()?;
    Some(Need {
        call,
        cpu_us,
        cores_of_node,
        cores,
        nodes_by_throughput: whole(cores / cores_of_node as f64),
        latency: by_latency(cells, rate, p99_ms)?,
        memory_peak_mib: memory as f64 / 1_048_576.0,
    })
}

fn by_latency(cells: &[Measured<'_>], rate: f64, p99_ms: f64) -> Option<ByLatency> {
    let p99 = |cell: &Measured<'_>| cell.latency.quantile_us(0.99) as f64 / 1e3;
    let within = cells.iter().filter(|cell| p99(cell) <= p99_ms);
    let largest = within.max_by(|a, b| a.per_second.total_cmp(&b.per_second));
    if let Some(cell) = largest {
        return Some(ByLatency::Nodes {
            nodes: whole(rate / (cell.per_second * USE)),
            per_second: cell.per_second,
            p99_ms: p99(cell),
            is_at_least: cell.state == State::LoadBound,
        });
    }
    let lowest = cells.iter().map(p99).min_by(f64::total_cmp)?;
    Some(ByLatency::Never { p99_ms: lowest })
}

fn whole(nodes: f64) -> u64 {
    nodes.ceil().max(1.0) as u64
}

impl Display for Capacity {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let (rate, bound) = (short(self.rate), short(self.p99_ms));
        writeln!(
            f,
            "{rate} requests/s with p99 at most {bound} ms require, if all calls are of one kind:\n"
        )?;
        let widths = self.needs.iter().map(|need| need.call.chars().count());
        let width = widths.max().unwrap_or(0).max("call".len());
        writeln!(
            f,
            "{:width$} {:>10} {:>8} {:>16} {:>13} {:>6} {:>10}  by latency from",
            "call", "CPU us", "cores", "by throughput", "by p99", "nodes", "MiB a node"
        )?;
        for need in &self.needs {
            writeln!(f, "{need:width$}")?;
        }
        for left in &self.left_out {
            writeln!(f, "left out: {left}")?;
        }
        writeln!(f, "\nshare of a Redis: none: limits are local\n\nBased on:")?;
        for run in &self.runs {
            writeln!(f, "- {run}")?;
        }
        writeln!(f, "\nAssumed:")?;
        ASSUMPTIONS
            .iter()
            .try_for_each(|line| writeln!(f, "- {line}"))
    }
}

const ASSUMPTIONS: [&str; 9] = [
    "A node is a gateway with as many cores of the measured kind as the measured one had.",
    "A node is used to 70 % in the steady state, by throughput and by latency.",
    "The cost of a request is the highest measured over all numbers of users.",
    "If several runs include a kind of call, the highest cost and the largest load within the \
     bound count, regardless of commit and machine.",
    "Nodes share nothing, so twice the nodes sustain twice the load; a balancer spreads it evenly.",
    "Each node counts limits by itself and admits what the limit allows: shared counters \
     would cost a share of a Redis and some latency, which these figures do not include.",
    "Latencies are those of a closed loop, which hides queueing, unless the runs have an open \
     loop; they include the back end's own time.",
    "A different network, different clients and a slower back end change latency more than cost; \
     the runs record whether generator and back end shared the machine.",
    "A spare node to survive the loss of one is not counted.",
];

impl Display for Need {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let width = f.width().unwrap_or(0);
        let (by_latency, from) = match self.latency {
            ByLatency::Nodes {
                nodes,
                per_second,
                p99_ms,
                is_at_least,
            } => {
                let at_least = if is_at_least { "at least " } else { "" };
                let (rate, p99) = (short(per_second), short(p99_ms));
                (
                    nodes.to_string(),
                    format!("{at_least}{rate}/s a node at p99 {p99} ms"),
                )
            }
            ByLatency::Never { p99_ms } => {
                let p99 = short(p99_ms);
                (
                    "-".to_owned(),
                    format!("no load: the lowest p99 measured is {p99} ms"),
                )
            }
        };
        let nodes = self
            .nodes()
            .map_or_else(|| "-".to_owned(), |nodes| nodes.to_string());
        let (call, cpu_us, cores) = (&self.call, short(self.cpu_us), short(self.cores));
        let memory = short(self.memory_peak_mib);
        let cores_of_node = counted(self.cores_of_node as u64, "core");
        let by_throughput = format!("{} of {cores_of_node}", self.nodes_by_throughput);
        write!(
            f,
            "{call:width$} {cpu_us:>10} {cores:>8} {by_throughput:>16} {by_latency:>13} \
             {nodes:>6} {memory:>10}  {from}"
        )
    }
}

#[cfg(test)]
mod tests;
