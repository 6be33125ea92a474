//! The highest rate that a side bears. Rates are tried one after the other: above the highest that
//! was borne until one is too high, then in the middle between the two.

/// How many rates are tried.
pub const RATES: u32 = 6;
/// How often a rate is tried before it counts as too high: what else the machine does meanwhile can
/// spoil a trial, and never helps one.
pub const TRIES: u32 = 2;
/// Which share of the lowest peak all sides are then measured at.
pub const SHARE: f64 = 0.6;
/// The first rate, as a share of what as many users get who wait for answers.
const FIRST: f64 = 0.8;
/// The next rate to one that was borne, where none was too high.
const STEP: f64 = 1.3;

/// What is known of the rates of a side, in requests a second.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    next: f64,
    borne: f64,
    too_high: f64,
}

impl Search {
    /// Begins below what users get who wait for answers.
    #[must_use]
    pub const fn below(closed_per_second: f64) -> Self {
        Self {
            next: (closed_per_second * FIRST).max(1.0),
            borne: 0.0,
            too_high: f64::INFINITY,
        }
    }

    /// The rate to try.
    #[must_use]
    pub const fn rate(&self) -> f64 {
        self.next
    }

    /// Notes whether it was borne.
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
