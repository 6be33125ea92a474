//! What one kind of call costs Tollgate compared with another: processor time per request, as the
//! ratio or the difference of neighbouring rounds under the same conditions. Meaningful only if a
//! profile measures its scenarios in turn.

use crate::figures::{Figure, GATEWAY, bytes_name, callers, circumstances};
use crate::https;
use crate::kept::{Cell, Pair, Round, Run};
use crate::numbers::short;
use crate::statistics::{Estimate, difference_of_neighbours, ratio_of_neighbours};

/// A comparison of a pair of scenarios under one set of conditions.
#[derive(Debug, Clone)]
pub struct Between<'a> {
    /// The scenarios.
    pub pair: &'a Pair,
    /// The cell of the pair's `of`.
    pub cell: &'a Cell,
    /// Whether the estimate is a ratio or a difference.
    pub by: By,
    /// The additional cost per request.
    pub estimate: Estimate,
}

/// How two costs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// As a ratio.
    Ratio,
    /// As a difference in time.
    Difference,
}

impl Between<'_> {
    /// Returns the compared scenarios, such as `soap-proxy to post`.
    #[must_use]
    pub fn what(&self) -> String {
        let Pair {
            of,
            to,
            plus,
            threads,
            ..
        } = self.pair;
        let word = match self.by {
            By::Ratio => "to",
            By::Difference => "less",
        };
        let threads = threads.as_ref().map(|name| format!(", threads {name:?}"));
        let plus = plus.as_ref().map(|name| format!(" and {name}"));
        let [plus, threads] = [plus, threads].map(Option::unwrap_or_default);
        format!("{of} {word} {to}{plus}{threads}")
    }

    /// Returns the conditions, such as `5 KiB, 20 users`.
    #[must_use]
    pub fn place(&self) -> String {
        place(self.cell)
    }

    /// Returns the ratio or difference, and its interval.
    #[must_use]
    pub fn figures(&self) -> [String; 2] {
        let Estimate { value, low, high } = &self.estimate;
        match self.by {
            By::Ratio => [format!("{value:.3}"), format!("{low:.3} to {high:.3}")],
            By::Difference => {
                let (unit, factor) = match value.abs().max(high.abs()).max(low.abs()) < 1.0 {
                    true => ("ns", 1e3),
                    false => ("us", 1.0),
                };
                let [value, low, high] = [value, low, high].map(|us| short(us * factor));
                [format!("{value} {unit}"), format!("{low} to {high}")]
            }
        }
    }

    /// Returns both, such as `1.080 (1.020 to 1.120)`.
    #[must_use]
    pub fn value(&self) -> String {
        let [value, interval] = self.figures();
        format!("{value} ({interval})")
    }
}

/// Returns every pair that a run declares, under every condition in which both were measured.
#[must_use]
pub fn all(run: &Run) -> Vec<Between<'_>> {
    let ratios = run.ratios.iter().map(|pair| (pair, By::Ratio));
    let differences = run.differences.iter().map(|pair| (pair, By::Difference));
    let of_pair = |(pair, by)| {
        let cells = run.cells.iter();
        cells.filter_map(move |cell| between(run, pair, by, cell))
    };
    ratios.chain(differences).flat_map(of_pair).collect()
}

/// Returns the conditions of a cell, such as `5 KiB, 20 users`.
pub(crate) fn place(cell: &Cell) -> String {
    let Cell {
        users,
        message_bytes,
        delay_ms,
        ..
    } = cell;
    let callers = callers(cell);
    let mut place = format!("{}, {users} {callers}", bytes_name(*message_bytes));
    if *delay_ms > 0 {
        place += &format!(", delay {delay_ms} ms");
    }
    match circumstances(cell).as_str() {
        "" => place,
        circumstances => format!("{place}, {circumstances}"),
    }
}

fn between<'a>(run: &'a Run, pair: &'a Pair, by: By, cell: &'a Cell) -> Option<Between<'a>> {
    let circumstances = |it: &Cell| (it.users, it.message_bytes, it.delay_ms);
    let is_beside = |other: &Cell, name: &String| {
        other.scenario == *name
            && circumstances(other) == circumstances(cell)
            && other.parameters == cell.parameters
    };
    let others = [Some(&pair.to), pair.plus.as_ref()];
    let others = others.into_iter().flatten().map(|name| {
        let mut cells = run.cells.iter();
        cells.find(|other| is_beside(other, name))
    });
    let others: Vec<&Cell> = others.collect::<Option<_>>()?;
    let ours = https::ours_in(cell);
    let cost_in = |cell: &Cell, turn: u32| {
        let mut rounds = cell.rounds.iter();
        let round = rounds.find(|round| round.side == ours && round.turn == turn)?;
        cost(pair, round).filter(|_| round.is_valid())
    };
    let turns = cell.rounds.iter().filter(|round| round.side == ours);
    let pairs: Vec<(f64, f64)> = turns
        .filter_map(|it| {
            let costs = others.iter().map(|other| cost_in(other, it.turn));
            cost_in(cell, it.turn).zip(costs.sum())
        })
        .collect();
    let estimate = match by {
        By::Ratio => ratio_of_neighbours(&pairs),
        By::Difference => difference_of_neighbours(&pairs),
    }?;
    (cell.scenario == pair.of).then_some(Between {
        pair,
        cell,
        by,
        estimate,
    })
}

/// Returns the gateway's cost per request, or that of the threads named by the pair.
fn cost(pair: &Pair, round: &Round) -> Option<f64> {
    let Some(name) = &pair.threads else {
        return Figure::Cpu.value_in(round);
    };
    let used_us = *round.processes.get(GATEWAY)?.threads_us.get(name)?;
    Some(used_us as f64 / round.outcome.successes.max(1) as f64)
}

#[cfg(test)]
mod tests;
