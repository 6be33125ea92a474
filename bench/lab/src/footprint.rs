//! What a connection costs in memory: the gateway's resident memory with many connections less that
//! with few, for each connection more. It is of connections that rest where a profile has users who
//! think. What the kernel keeps for a socket is not in it.

use crate::figures::{GATEWAY, Measured, sides};
use crate::kept::{Cell, Run};

#[cfg(test)]
mod tests;

/// The parameter that such a profile varies.
const CONNECTIONS: &str = "connections";

/// What each connection of a side takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Footprint<'a> {
    /// The scenario that is called.
    pub scenario: &'a str,
    /// Which side.
    pub side: &'a str,
    /// How many connections the few are, and the many.
    pub between: (u64, u64),
    /// Bytes of each connection more.
    pub bytes: f64,
}

/// Of each scenario that was measured with several numbers of connections, on each side.
#[must_use]
pub fn all(run: &Run) -> Vec<Footprint<'_>> {
    let mut all = Vec::new();
    let mut known = Vec::new();
    for cell in &run.cells {
        let scenario = cell.scenario.as_str();
        if known.contains(&scenario) {
            continue;
        }
        known.push(scenario);
        let of_scenario = || run.cells.iter().filter(|it| it.scenario == scenario);
        let counts = || of_scenario().filter_map(|it| Some((count(it)?, it)));
        let few = counts().min_by_key(|(count, _)| *count);
        let many = counts().max_by_key(|(count, _)| *count);
        let Some((few, many)) = few.zip(many).filter(|(few, many)| few.0 < many.0) else {
            continue;
        };
        let more = (many.0 - few.0) as f64;
        for side in sides(run) {
            if let Some((least, most)) = memory(few.1, side).zip(memory(many.1, side)) {
                all.push(Footprint {
                    scenario,
                    side,
                    between: (few.0, many.0),
                    bytes: (most - least) / more,
                });
            }
        }
    }
    all
}

fn count(cell: &Cell) -> Option<u64> {
    cell.parameters.get(CONNECTIONS).copied()
}

/// The median over rounds of the most that the gateway had, in bytes.
fn memory(cell: &Cell, side: &str) -> Option<f64> {
    let measured = Measured::of(cell, side)?;
    measured.of_process(GATEWAY, |used, _| used.memory_peak_bytes as f64)
}
