//! User and system time of the threads that serve calls: per request on each side, and relative to
//! one side in neighbouring rounds. `kept::Split` names the threads, so the times of control plane
//! and store are left out.

use crate::between::place;
use crate::figures::{GATEWAY, neighbours, rounds_of, sides, usable};
use crate::kept::{Cell, Round, Run, Split};
use crate::numbers::short;
use crate::statistics::{Estimate, median, ratio_of_neighbours};

/// The times of a side in a cell.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// The conditions.
    pub cell: &'a Cell,
    /// Name of the side.
    pub side: &'a str,
    /// Median over rounds.
    pub median: Times,
    /// Relative to the side that the others are compared with; `None` for that side.
    pub ratios: Option<Ratios>,
}

/// Processor time per request, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Times {
    /// In user mode.
    pub user_us: f64,
    /// In the kernel.
    pub system_us: f64,
    /// The median of the sum, which may differ from the sum of the medians.
    pub both_us: f64,
}

/// The ratio of a side's times to another's, over the turns in which both were measured.
#[derive(Debug, Clone, Copy)]
pub struct Ratios {
    /// Of user time.
    pub user: Estimate,
    /// Of user and system time together.
    pub both: Estimate,
}

impl Row<'_> {
    /// Returns its conditions, such as `102 B, 100 users`.
    #[must_use]
    pub fn place(&self) -> String {
        place(self.cell)
    }

    /// Returns its figures as text: user, system, both, and both ratios with their intervals, which
    /// are empty for the side that the others are compared with.
    #[must_use]
    pub fn figures(&self) -> [String; 5] {
        let Times {
            user_us,
            system_us,
            both_us,
        } = self.median;
        let ratio = |of: fn(&Ratios) -> Estimate| {
            let ratio = self.ratios.as_ref().map(of);
            ratio.map(|it| with_interval(&it)).unwrap_or_default()
        };
        let [user, system, both] = [user_us, system_us, both_us].map(short);
        [user, system, both, ratio(|it| it.user), ratio(|it| it.both)]
    }
}

/// Returns the names of the columns of [`Row::figures`].
#[must_use]
pub fn head(split: &Split) -> [String; 5] {
    let to = &split.to;
    [
        "user us/request".to_owned(),
        "system us/request".to_owned(),
        "both us/request".to_owned(),
        format!("user to {to} (95 %)"),
        format!("both to {to} (95 %)"),
    ]
}

/// Formats an estimate as `0.930 (0.900 to 0.970)`.
#[must_use]
pub fn with_interval(estimate: &Estimate) -> String {
    let Estimate { value, low, high } = estimate;
    format!("{value:.3} ({low:.3} to {high:.3})")
}

/// Returns the rows of a run, cell by cell; none if it does not compare threads.
#[must_use]
pub fn all(run: &Run) -> Vec<Row<'_>> {
    let Some(split) = &run.split else {
        return Vec::new();
    };
    let sides = sides(run);
    let cells = run.cells.iter();
    let of_cell = |cell| sides.iter().filter_map(move |side| row(split, cell, side));
    cells.flat_map(of_cell).collect()
}

fn row<'a>(split: &Split, cell: &'a Cell, side: &'a str) -> Option<Row<'a>> {
    let rounds = usable(&rounds_of(cell, side));
    let times: Vec<Times> = rounds
        .into_iter()
        .filter_map(|it| times(split, it))
        .collect();
    let over_rounds = |of: fn(&Times) -> f64| median(&times.iter().map(of).collect::<Vec<f64>>());
    Some(Row {
        cell,
        side,
        median: Times {
            user_us: over_rounds(|it| it.user_us)?,
            system_us: over_rounds(|it| it.system_us)?,
            both_us: over_rounds(|it| it.both_us)?,
        },
        ratios: ratios(split, cell, side).filter(|_| side != split.to),
    })
}

fn ratios(split: &Split, cell: &Cell, side: &str) -> Option<Ratios> {
    let neighbours = neighbours(cell, side, &split.to).into_iter();
    let pairs: Vec<(Times, Times)> = neighbours
        .filter_map(|(its, other)| times(split, its).zip(times(split, other)))
        .collect();
    let ratio = |of: fn(&Times) -> f64| {
        let pairs = pairs.iter().map(|(its, other)| (of(its), of(other)));
        // Too few calls to register any time are not a measurement.
        let pairs: Vec<_> = pairs.filter(|(_, other)| *other > 0.0).collect();
        ratio_of_neighbours(&pairs)
    };
    Some(Ratios {
        user: ratio(|it| it.user_us)?,
        both: ratio(|it| it.both_us)?,
    })
}

/// Returns the times of a round; `None` if the gateway has no such threads.
fn times(split: &Split, round: &Round) -> Option<Times> {
    let used = round.processes.get(GATEWAY)?;
    let names = || split.threads.iter();
    names().find(|name| used.threads_us.contains_key(*name))?;
    let both_us: u64 = names().filter_map(|it| used.threads_us.get(it)).sum();
    let user_us: u64 = names().filter_map(|it| used.threads_user_us.get(it)).sum();
    let requests = round.outcome.successes.max(1) as f64;
    Some(Times {
        user_us: user_us as f64 / requests,
        system_us: both_us.saturating_sub(user_us) as f64 / requests,
        both_us: both_us as f64 / requests,
    })
}

#[cfg(test)]
mod tests;
