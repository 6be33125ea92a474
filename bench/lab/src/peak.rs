//! The highest rate that a side sustains. Rates are tried one after the other: above the highest
//! sustained one until one is too high, then halfway between the two.

/// Number of rates tried.
pub const RATES: u32 = 6;
/// Number of trials before a rate counts as too high: other activity on the machine can spoil a
/// trial, and never helps one.
pub const TRIES: u32 = 2;
/// Share of the lowest peak at which all sides are then measured.
pub const SHARE: f64 = 0.6;
/// The first rate, as a share of the closed-loop throughput with as many users.
const FIRST: f64 = 0.8;
/// Factor from a sustained rate to the next, if none was too high yet.
const STEP: f64 = 1.3;

/// The state of the search for a side's peak, in requests per second.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    next: f64,
    borne: f64,
    too_high: f64,
}

impl Search {
    /// Starts below the closed-loop throughput.
    #[must_use]
    pub const fn below(closed_per_second: f64) -> Self {
        Self {
            next: (closed_per_second * FIRST).max(1.0),
            borne: 0.0,
            too_high: f64::INFINITY,
        }
    }

    /// Returns the rate to try.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.next
    }

    /// Records whether it was sustained.
    pub const fn note(&mut self, is_borne: bool) {
        match is_borne {
            true => self.borne = self.next,
            false => self.too_high = self.next,
        }
        self.next = match self.too_high.is_finite() {
            true => f64::midpoint(self.borne, self.too_high),
            false => self.borne * STEP,
        };
    }
}

#[cfg(test)]
mod tests;
