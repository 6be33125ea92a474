//! The sides that are ours or the back end itself, by their names, and where each speaks TLS.

use serde::Deserialize;

use crate::kept::{Cell, Run};

#[cfg(test)]
mod tests;

/// Where a side speaks TLS.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Https {
    /// Nowhere.
    #[default]
    No,
    /// With its callers.
    Callers,
    /// With its callers and with the back end.
    Both,
}

/// The side that is ours.
pub const OURS: &str = "tollgate";
/// The side without a gateway.
pub const DIRECT: &str = "direct";

/// The sides that are ours. A run that has several of them is about the first of these.
const ALL_OURS: [(&str, Https); 3] = [
    ("tollgate-https-both", Https::Both),
    ("tollgate-https", Https::Callers),
    (OURS, Https::No),
];

/// The back end called directly.
const ALL_DIRECT: [(&str, Https); 2] = [("direct-https", Https::Callers), (DIRECT, Https::No)];

impl Https {
    /// Of a side that is ours or the back end itself; `None` of any other.
    #[must_use]
    pub fn of(side: &str) -> Option<Self> {
        let mut all = ALL_OURS.iter().chain(&ALL_DIRECT);
        all.find(|(name, _)| *name == side).map(|(_, https)| *https)
    }

    /// Whether callers are spoken TLS with.
    #[must_use]
    pub const fn has_callers(self) -> bool {
        matches!(self, Self::Callers | Self::Both)
    }

    /// Whether the back end is.
    #[must_use]
    pub const fn has_back_end(self) -> bool {
        matches!(self, Self::Both)
    }
}

/// Whether a side is ours.
#[must_use]
pub fn is_ours(side: &str) -> bool {
    ALL_OURS.iter().any(|(name, _)| *name == side)
}

/// Whether a side is the back end itself.
#[must_use]
pub fn is_direct(side: &str) -> bool {
    ALL_DIRECT.iter().any(|(name, _)| *name == side)
}

/// The side that a run is about, of those that it has; `tollgate` if none of them is ours.
#[must_use]
pub fn ours(has: impl Fn(&str) -> bool) -> &'static str {
    first(&ALL_OURS, has).unwrap_or(OURS)
}

/// The side of a whole run that it is about.
#[must_use]
pub fn ours_of(run: &Run) -> &'static str {
    ours(|side| run.cells.iter().any(|cell| has(cell, side)))
}

/// The side of a cell that its run is about.
#[must_use]
pub fn ours_in(cell: &Cell) -> &'static str {
    ours(|side| has(cell, side))
}

/// The side of a cell that is the back end itself.
#[must_use]
pub fn direct_in(cell: &Cell) -> &'static str {
    first(&ALL_DIRECT, |side| has(cell, side)).unwrap_or(DIRECT)
}

fn first(all: &[(&'static str, Https)], has: impl Fn(&str) -> bool) -> Option<&'static str> {
    all.iter().map(|(name, _)| *name).find(|side| has(side))
}

fn has(cell: &Cell, side: &str) -> bool {
    let tried = cell.trials().map(|trial| &trial.round);
    let mut rounds = cell.rounds.iter().chain(tried);
    rounds.any(|round| round.side == side)
}
