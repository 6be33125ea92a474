//! Memory per connection: the gateway's resident memory with many connections minus that with few,
//! divided by the difference in number. Measures idle connections if the profile's users pause
//! between requests. Kernel memory of sockets is not included.

use crate::figures::{GATEWAY, Measured, sides};
use crate::kept::{Cell, Run};

#[cfg(test)]
mod tests;

/// The parameter that such a profile varies.
const CONNECTIONS: &str = "connections";

/// Memory per connection of a side.
#[derive(Debug, Clone, PartialEq)]
pub struct Footprint<'a> {
    /// Name of the scenario.
    pub scenario: &'a str,
    /// Name of the side.
    pub side: &'a str,
    /// The smaller and the larger number of connections.
    pub between: (u64, u64),
    /// Bytes per additional connection.
    pub bytes: f64,
}

/// Returns the footprint of each scenario measured with several numbers of connections, on each
/// side.
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

/// Returns the median over rounds of the gateway's peak memory, in bytes.
fn memory(cell: &Cell, side: &str) -> Option<f64> {
    let measured = Measured::from_cell(cell, side)?;
    measured.of_process(GATEWAY, |used, _| used.memory_peak_bytes as f64)
}
