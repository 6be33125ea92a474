//! Token buckets by the generic cell rate algorithm (ITU-T I.371, annex A, "virtual scheduling"):
//! the lower half of a counter's word holds the theoretical arrival time, TAT, in Unix nanoseconds.
//! A bucket is full when the TAT has passed, and empty when it is `depth` ahead. `window` does the
//! same for calendar windows.
//!
//! A call of several units costs them at once, rounded up to a nanosecond.
//!
//! A call that finds the bucket full moves the TAT to its own clock: earlier charges have been
//! earned back, so a new era begins, and nothing of an older one is returned any more. The upper
//! half of the word counts the eras.

use crate::judgement::{Admission, Judgement, Shortfall, Wait, Word};

const NS_PER_US: u64 = 1_000;
/// Debt beyond the bucket's depth that is tolerated: workers' clocks may differ by this much. More
/// comes from a raised limit or a clock that was set back, and is forgiven.
const SLACK_NS: u64 = 1_000_000_000;
/// 146 years: deeper buckets are capped to this depth, so that times fit a word.
const DEPTH_NS_MAX: u64 = 1 << 62;

/// The fill rate and capacity of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// Nanoseconds in which `amount` units are earned back.
    length_ns: u64,
    amount: u64,
    /// Maximum units at once.
    burst: u64,
    /// Nanoseconds in which one unit is earned back, rounded up.
    unit_ns: u64,
    /// Maximum debt in nanoseconds: the burst, in calls of one unit.
    depth_ns: u64,
}

impl Bucket {
    /// Creates a bucket that earns `amount` units back in `length_ns`.
    pub(crate) fn new(length_ns: u64, amount: u64, burst: u64) -> Self {
        let amount = amount.max(1);
        let unit_ns = length_ns.div_ceil(amount).clamp(1, DEPTH_NS_MAX);
        Self {
            length_ns,
            amount,
            burst,
            unit_ns,
            depth_ns: unit_ns.saturating_mul(burst).min(DEPTH_NS_MAX),
        }
    }

    /// Creates a bucket for calls of several units. What one unit costs is rounded up, which at
    /// high rates would add up to a multiple of the burst: the depth is what the burst costs in one
    /// call, and all that a unit more does not fit in.
    pub(crate) fn of_units(length_ns: u64, amount: u64, burst: u64) -> Self {
        let bucket = Self::new(length_ns, amount, burst);
        let below_next = bucket.cost_ns(burst.saturating_add(1)) - 1;
        let depth_ns = bucket.depth_ns.min(below_next).max(bucket.cost_ns(burst));
        Self { depth_ns, ..bucket }
    }

    /// Judges a call of so many units at `now_us` by the counter's word.
    pub(crate) fn judge(&self, word: Word, units: u64, now_us: i64) -> Judgement {
        let now_ns = nanoseconds(now_us);
        let from = if word.low < now_ns {
            anew(word, now_ns)
        } else {
            word
        };
        let cost_ns = self.cost_ns(units);
        let next = from.low.saturating_add(cost_ns);
        let latest = now_ns + self.depth_ns;
        if next <= latest && units <= self.burst {
            return Ok(Admission {
                word: Word { low: next, ..from },
                remaining: (latest - next) / self.unit_ns,
                reset_us: microseconds(next - now_ns),
                is_over: false,
            });
        }
        let excess = word.low > latest.saturating_add(SLACK_NS);
        let settled = excess.then(|| anew(word, latest));
        let wait = match (units <= self.burst, excess) {
            (false, _) => Wait::Never,
            (true, true) => Wait::After(microseconds(cost_ns)),
            (true, false) => Wait::After(microseconds(next - latest)),
        };
        Err(Shortfall { wait, settled })
    }

    /// The word with a call of so many units returned, after `taken` was reached; `None` once that
    /// call has been earned back or forgiven.
    pub(crate) fn returned(&self, word: Word, taken: Word, units: u64) -> Option<Word> {
        let low = word.low.saturating_sub(self.cost_ns(units));
        (word.high == taken.high).then_some(Word { low, ..word })
    }

    pub(crate) fn burst(&self) -> u64 {
        self.burst
    }

    /// Units that the debt of a word comes to at `now_us`, rounded up.
    pub(crate) fn used(&self, word: Word, now_us: i64) -> u64 {
        self.debt_ns(word, now_us).div_ceil(self.unit_ns)
    }

    /// When the bucket is full again, Unix microseconds.
    pub(crate) fn full_us(&self, word: Word, now_us: i64) -> i64 {
        now_us.saturating_add(microseconds(self.debt_ns(word, now_us)))
    }

    /// The debt of a word, without what is forgiven: more than the depth.
    fn debt_ns(&self, word: Word, now_us: i64) -> u64 {
        let debt_ns = word.low.saturating_sub(nanoseconds(now_us));
        debt_ns.min(self.depth_ns)
    }

    /// Nanoseconds in which so many units are earned back, rounded up.
    fn cost_ns(&self, units: u64) -> u64 {
        if units == 1 {
            return self.unit_ns;
        }
        let cost_ns = u128::from(units) * u128::from(self.length_ns);
        let cost_ns = cost_ns.div_ceil(u128::from(self.amount));
        u64::try_from(cost_ns).unwrap_or(u64::MAX).min(DEPTH_NS_MAX)
    }
}

/// The next era, with this TAT.
fn anew(word: Word, tat_ns: u64) -> Word {
    Word {
        high: word.high.wrapping_add(1),
        low: tat_ns,
    }
}

/// When the bucket of a counter's word is full again, Unix microseconds.
pub(crate) fn full_us(word: Word) -> i64 {
    microseconds(word.low)
}

fn nanoseconds(us: i64) -> u64 {
    u64::try_from(us)
        .unwrap_or(0)
        .saturating_mul(NS_PER_US)
        .min(DEPTH_NS_MAX)
}

/// Converts to microseconds, rounding up so that a caller never retries too early.
fn microseconds(ns: u64) -> i64 {
    i64::try_from(ns.div_ceil(NS_PER_US)).expect("a thousandth of a word fits")
}

#[cfg(test)]
mod tests;
