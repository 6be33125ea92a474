//! The sides that are Tollgate or the back end itself, by name, and where each uses TLS.

use serde::Deserialize;

use crate::kept::{Cell, Run};

#[cfg(test)]
mod tests;

/// Where a side uses TLS.
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

/// The side that is Tollgate.
pub const OURS: &str = "tollgate";
/// The side without a gateway.
pub const DIRECT: &str = "direct";

/// The sides that are Tollgate. The main side of a run is the first of these that it has.
const ALL_OURS: [(&str, Https); 3] = [
    ("tollgate-https-both", Https::Both),
    ("tollgate-https", Https::Callers),
    (OURS, Https::No),
];

/// The sides that are the back end itself.
const ALL_DIRECT: [(&str, Https); 2] = [("direct-https", Https::Callers), (DIRECT, Https::No)];

impl Https {
    /// Returns the TLS use of Tollgate's and the back end's sides; `None` for any other.
    #[must_use]
    pub fn of_side(side: &str) -> Option<Self> {
        let mut all = ALL_OURS.iter().chain(&ALL_DIRECT);
        all.find(|(name, _)| *name == side).map(|(_, https)| *https)
    }

    /// Whether callers use TLS.
    #[must_use]
    pub const fn has_callers(self) -> bool {
        matches!(self, Self::Callers | Self::Both)
    }

    /// Whether the connection to the back end uses TLS.
    #[must_use]
    pub const fn has_back_end(self) -> bool {
        matches!(self, Self::Both)
    }
}

/// Whether a side is Tollgate.
#[must_use]
pub fn is_ours(side: &str) -> bool {
    ALL_OURS.iter().any(|(name, _)| *name == side)
}

/// Whether a side is the back end itself.
#[must_use]
pub fn is_direct(side: &str) -> bool {
    ALL_DIRECT.iter().any(|(name, _)| *name == side)
}

/// Returns the main side of a run, given the sides that it has; `tollgate` if none of them is ours.
#[must_use]
pub fn ours(has: impl Fn(&str) -> bool) -> &'static str {
    first(&ALL_OURS, has).unwrap_or(OURS)
}

/// Returns the main side of a whole run.
#[must_use]
pub fn ours_of(run: &Run) -> &'static str {
    ours(|side| run.cells.iter().any(|cell| has(cell, side)))
}

/// Returns the main side in a cell.
#[must_use]
pub fn ours_in(cell: &Cell) -> &'static str {
    ours(|side| has(cell, side))
}

/// Returns the back end's side in a cell.
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
