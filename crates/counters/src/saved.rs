//! Saved counters: what survives a stop, and the formats of earlier releases.

use crate::counter::{Counter, lock};
use crate::judgement::Word;
use crate::rolling::{self, Rolling};
use crate::rule::Rule;
use crate::{identity, window};

/// Units of a window in the format of releases that did not number windows.
const OLD_UNITS: u64 = (1 << 40) - 1;

/// The format of the counters that [`Counters::export`](crate::Counters::export) returns.
pub const FORMAT: u8 = 1;

/// A saved counter, or a part of one with a rolling window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// The counter: keyed SipHash of what it counts; its part is mixed into the lower bits.
    pub id: u64,
    /// The upper half of its word. For a window: its index plus 1 (32 bits), and the upper 32 bits
    /// of the units used in it. For a bucket: its era. For a part of a rolling window: its number.
    pub high: u64,
    /// The lower half. For a window: the lower 16 bits of the units used in it, and 48 bits that
    /// are 0. For a bucket: its theoretical arrival time, Unix nanoseconds. For a part of a rolling
    /// window: the units used in it.
    pub low: u64,
    /// When the window ends, the part leaves the window or the bucket is full again, Unix
    /// microseconds.
    pub end_us: i64,
    /// [`FORMAT`]; 0 for counters of releases that did not number windows. Those had for a window
    /// 24 bits that are not used, and the units used in it (40 bits), in the lower half.
    pub format: u8,
}

impl Saved {
    /// Appends a counter, whole.
    pub(crate) fn append(id: u64, counter: &Counter, rule: &Rule, out: &mut Vec<Self>) {
        let saved = |id, word: Word, end_us| Self {
            id,
            high: word.high,
            low: word.low,
            end_us,
            format: FORMAT,
        };
        match (counter, rule.part_us()) {
            (Counter::Rolling { window, .. }, Some(part_us)) => {
                let rolling = lock(window).clone();
                out.extend(rolling.numbered().map(|(number, used)| {
                    let word = Word {
                        high: number.cast_unsigned(),
                        low: used,
                    };
                    let id = identity::part(id, rolling::place(number));
                    saved(id, word, rolling::end_us(number, part_us))
                }));
            }
            _ => out.push(saved(id, counter.word(), rule.end_us(counter))),
        }
    }

    /// Returns the word in the present format.
    pub(crate) fn word(&self, rule: &Rule) -> Word {
        let is_old = self.format == 0;
        let index = is_old.then(|| rule.index_at(self.end_us.saturating_sub(1)));
        index.flatten().map_or(
            Word {
                high: self.high,
                low: self.low,
            },
            |index| window::join(index, self.low & OLD_UNITS),
        )
    }

    /// The place of the part that this is, if it is one of a rolling window.
    pub(crate) fn place(&self) -> usize {
        rolling::place(self.number())
    }

    /// Restores this part, unless more is known of it.
    pub(crate) fn restore(&self, rolling: &mut Rolling) {
        rolling.restore(self.number(), self.low);
    }

    const fn number(&self) -> i64 {
        self.high.cast_signed()
    }
}
