//! The window that ends now, counted in 17 parts of a sixteenth of its length: the present one and
//! the 16 before it. So it reaches back at least its length, and up to a sixteenth further; it
//! never admits more than its amount in any window.
//!
//! A part's number is its beginning in parts since 1970; it is stored at its number modulo 17.

use crate::judgement::{Admission, Judgement, ODD, Shortfall, Wait, Word};

/// Parts of a window, the present one included.
pub(crate) const PARTS: usize = 17;
/// Parts that make a window.
const PARTS_LENGTH: i64 = 16;
/// How far ahead of the call's clock the present part may be. Further ahead, or by more than a
/// sixteenth of the window if that is longer, the clock was set back.
const AHEAD_US: i64 = 60_000_000;

/// What was used in each part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Rolling {
    /// The number of the present part.
    head: i64,
    /// The sum of all parts.
    used: u64,
    parts: [u64; PARTS],
}

/// A limit as it judges calls.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) amount: u64,
    pub(crate) ceiling: u64,
    /// Length of a part, microseconds.
    pub(crate) part_us: i64,
}

/// Returns the length of a part of a window, microseconds, rounded up.
pub(crate) const fn part_us(length_us: i64) -> i64 {
    (length_us + PARTS_LENGTH - 1) / PARTS_LENGTH
}

/// What [`Rolling::put_back`] needs of a call at `now_us`.
pub(crate) fn part_at(part_us: i64, now_us: i64) -> Word {
    Word {
        high: 0,
        low: now_us.div_euclid(part_us).cast_unsigned(),
    }
}

impl Rolling {
    /// Judges one more call at `now_us` and charges it if it is admitted.
    pub(crate) fn take(&mut self, terms: Terms, now_us: i64) -> Judgement {
        self.advance(terms.part_us, now_us);
        let judgement = self.judge(terms, now_us);
        if judgement.is_ok() {
            self.parts[place(self.head)] += 1;
            self.used += 1;
        }
        judgement
    }

    /// Judges one more call after [`advance`](Self::advance).
    fn judge(&self, terms: Terms, now_us: i64) -> Judgement {
        let used = self.used + 1;
        if used > terms.ceiling {
            return Err(Shortfall {
                wait: Wait::After(self.wait_us(terms, now_us)),
                settled: None,
            });
        }
        let end_us = end_us(self.head, terms.part_us);
        Ok(Admission {
            word: Word {
                high: 0,
                low: self.head.cast_unsigned(),
            },
            remaining: terms.amount.saturating_sub(used),
            reset_us: end_us.saturating_sub(now_us),
            is_over: used > terms.amount,
        })
    }

    /// Judges one more call at `now_us` without charging it.
    pub(crate) fn judged(&self, terms: Terms, now_us: i64) -> Judgement {
        let mut then = self.clone();
        then.advance(terms.part_us, now_us);
        then.judge(terms, now_us)
    }

    /// Returns the charge of a `take`, unless its part has left the window.
    pub(crate) fn put_back(&mut self, taken: Word) {
        let number = taken.low.cast_signed();
        if self.holds(number) && self.parts[place(number)] > 0 {
            self.parts[place(number)] -= 1;
            self.used -= 1;
        }
    }

    /// Units used as of `now_us`.
    pub(crate) fn used(&self, part_us: i64, now_us: i64) -> u64 {
        let first = now_us.div_euclid(part_us) - PARTS_LENGTH;
        let numbered = self.numbered();
        numbered
            .filter(|&(number, _)| number >= first)
            .map(|(_, used)| used)
            .sum()
    }

    /// When its last part leaves the window, Unix microseconds; the past if nothing was used.
    pub(crate) fn end_us(&self, part_us: i64) -> i64 {
        match self.used {
            0 => i64::MIN,
            _ => end_us(self.head, part_us),
        }
    }

    /// The parts with their numbers, the present one first.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (i64, u64)> {
        let numbers = (0..=PARTS_LENGTH).map(|back| self.head - back);
        numbers.map(|number| (number, self.parts[place(number)]))
    }

    /// A digest of the value.
    pub(crate) fn digest(&self) -> u64 {
        let parts = self.numbered();
        parts.fold(0, |digest: u64, (number, used)| {
            (digest ^ number.cast_unsigned() ^ used).wrapping_mul(ODD)
        })
    }

    /// Restores what was used in a part, unless more is known of it or it has left the window.
    pub(crate) fn restore(&mut self, number: i64, used: u64) {
        if number > self.head {
            self.move_to(number);
        }
        if self.holds(number) {
            let part = &mut self.parts[place(number)];
            let more = used.saturating_sub(*part);
            *part += more;
            self.used += more;
        }
    }

    /// Moves the window on to the part that contains `now_us`.
    fn advance(&mut self, part_us: i64, now_us: i64) {
        let number = now_us.div_euclid(part_us);
        if number > self.head {
            self.move_to(number);
        } else if (self.head - number).saturating_mul(part_us) > AHEAD_US.max(part_us) {
            *self = Self {
                head: number,
                ..Self::default()
            };
        }
    }

    fn move_to(&mut self, number: i64) {
        let steps = (number - self.head).min(PARTS_LENGTH + 1);
        for number in number - steps + 1..=number {
            self.used -= std::mem::take(&mut self.parts[place(number)]);
        }
        self.head = number;
    }

    fn holds(&self, number: i64) -> bool {
        (self.head - PARTS_LENGTH..=self.head).contains(&number)
    }

    /// Microseconds until enough parts have left for one more call.
    fn wait_us(&self, terms: Terms, now_us: i64) -> i64 {
        let mut used = self.used;
        let oldest_first = (0..=PARTS_LENGTH).rev().map(|back| self.head - back);
        for number in oldest_first {
            used -= self.parts[place(number)];
            if used < terms.ceiling {
                return end_us(number, terms.part_us).saturating_sub(now_us).max(1);
            }
        }
        terms.part_us
    }
}

/// When a part leaves the window, Unix microseconds.
pub(crate) fn end_us(number: i64, part_us: i64) -> i64 {
    (number + PARTS_LENGTH + 1).saturating_mul(part_us)
}

/// Where a part is stored.
pub(crate) fn place(number: i64) -> usize {
    usize::try_from(number.rem_euclid(PARTS_LENGTH + 1)).expect("below 17")
}

#[cfg(test)]
mod tests;
