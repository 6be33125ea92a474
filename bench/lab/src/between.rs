//! What one kind of call costs Tollgate beside another: processor time per request, as the ratio of
//! neighbouring rounds in the same circumstances. It says something where a profile measures its
//! scenarios in turn.

use crate::figures::{Figure, bytes_name};
use crate::https;
use crate::kept::{Cell, Ratio, Run};
use crate::statistics::{Estimate, ratio_of_neighbours};

/// A ratio of a run, measured in one set of circumstances.
#[derive(Debug, Clone)]
pub struct Between<'a> {
    /// Which.
    pub ratio: &'a Ratio,
    /// The cell of the scenario that is told of.
    pub cell: &'a Cell,
    /// How much more a request costs.
    pub estimate: Estimate,
}

impl Between<'_> {
    /// The circumstances, such as `5 KiB, 20 users`.
    #[must_use]
    pub fn place(&self) -> String {
        let Cell {
            users,
            message_bytes,
            delay_ms,
            ..
        } = self.cell;
        let delay = match delay_ms {
            0 => String::new(),
            _ => format!(", delay {delay_ms} ms"),
        };
        format!("{}, {users} users{delay}", bytes_name(*message_bytes))
    }

    /// The ratio with its interval, such as `1.08 (1.02 to 1.12)`.
    #[must_use]
    pub fn value(&self) -> String {
        let Estimate { value, low, high } = &self.estimate;
        format!("{value:.3} ({low:.3} to {high:.3})")
    }
}

/// Every ratio that a run asks for, in every circumstance in which both were measured.
#[must_use]
pub fn all(run: &Run) -> Vec<Between<'_>> {
    let of_ratio = |ratio| {
        run.cells
            .iter()
            .filter_map(move |cell| between(run, ratio, cell))
    };
    run.ratios.iter().flat_map(of_ratio).collect()
}

fn between<'a>(run: &'a Run, ratio: &'a Ratio, cell: &'a Cell) -> Option<Between<'a>> {
    let circumstances = |it: &Cell| (it.users, it.message_bytes, it.delay_ms);
    let is_beside = |other: &&Cell| {
        other.scenario == ratio.to
            && circumstances(other) == circumstances(cell)
            && other.parameters == cell.parameters
    };
    let other = run.cells.iter().find(is_beside)?;
    let ours = https::ours_in(cell);
    let cost = |cell: &Cell, turn: u32| {
        let mut rounds = cell.rounds.iter();
        let round = rounds.find(|round| round.side == ours && round.turn == turn)?;
        Figure::Cpu.of(round).filter(|_| round.is_valid())
    };
    let turns = cell.rounds.iter().filter(|round| round.side == ours);
    let pairs: Vec<(f64, f64)> = turns
        .filter_map(|it| cost(cell, it.turn).zip(cost(other, it.turn)))
        .collect();
    let estimate = ratio_of_neighbours(&pairs)?;
    (cell.scenario == ratio.of).then_some(Between {
        ratio,
        cell,
        estimate,
    })
}

#[cfg(test)]
mod tests;
