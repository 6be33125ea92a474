//! Token buckets by the generic cell rate algorithm (ITU-T I.371, annex A, "virtual scheduling"):
//! the lower half of a counter's word holds the theoretical arrival time, TAT, in Unix nanoseconds.
//! A bucket is full when the TAT has passed, and empty when it is `depth` ahead. `window` does the
//! same for calendar windows.
//!
//! A call that finds the bucket full moves the TAT to its own clock: earlier charges have been
//! earned back, so a new era begins, and nothing of an older one is returned any more. The upper
//! half of the word counts the eras.

use crate::counter::{Admission, Judgement, Shortfall, Word};

const NS_PER_US: u64 = 1_000;
/// Debt beyond the bucket's depth that is tolerated: workers' clocks may differ by this much. More
/// comes from a raised limit or a clock that was set back, and is forgiven.
const SLACK_NS: u64 = 1_000_000_000;
/// 146 years: deeper buckets are capped to this depth, so that times fit a word.
const DEPTH_NS_MAX: u64 = 1 << 62;

/// The fill rate and capacity of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bucket {
    /// Nanoseconds in which one call is earned back.
    interval_ns: u64,
    /// Maximum debt in nanoseconds: the burst times the interval.
    depth_ns: u64,
}

impl Bucket {
    pub(crate) fn new(length_ns: u64, amount: u64, burst: u64) -> Self {
        let interval_ns = (length_ns / amount.max(1)).clamp(1, DEPTH_NS_MAX);
        let depth_ns = interval_ns.saturating_mul(burst).min(DEPTH_NS_MAX);
        Self {
            interval_ns,
            depth_ns,
        }
    }

    /// Judges one more call at `now_us` by the counter's word.
    pub(crate) fn judge(&self, word: Word, now_us: i64) -> Judgement {
        let now_ns = nanoseconds(now_us);
        let from = if word.low < now_ns {
            anew(word, now_ns)
        } else {
            word
        };
        let next = from.low.saturating_add(self.interval_ns);
        let latest = now_ns + self.depth_ns;
        if next <= latest {
            return Ok(Admission {
                word: Word { low: next, ..from },
                remaining: (latest - next) / self.interval_ns,
                reset_us: microseconds(next - now_ns),
            });
        }
        if word.low > latest.saturating_add(SLACK_NS) {
            return Err(Shortfall {
                retry_after_us: microseconds(self.interval_ns),
                settled: Some(anew(word, latest)),
            });
        }
        Err(Shortfall {
            retry_after_us: microseconds(next - latest),
            settled: None,
        })
    }

    /// The word with one call returned, after `taken` was reached; `None` once that call has been
    /// earned back or forgiven.
    pub(crate) fn returned(&self, word: Word, taken: Word) -> Option<Word> {
        let low = word.low.saturating_sub(self.interval_ns);
        (word.high == taken.high).then_some(Word { low, ..word })
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
