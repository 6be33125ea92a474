//! Calendar-aligned windows: a counter's word is, from the highest bit, the window's index plus 1
//! (32 bits), the units used in it (48), and the units granted to it by a lease (48; 0 today). The
//! later of two words is the greater. A word of another window counts as no usage. `bucket` does
//! the same for token buckets.
//!
//! Workers read their clocks independently, so at a boundary a call may arrive with a clock that is
//! behind the window that another call has already begun. It is charged to that later window: going
//! back would lose the usage there.

use tollgate_model::limit::{ServedLimit, Span};
use tollgate_model::plan::{AMOUNT_MAX, Window};

use crate::judgement::{Admission, Judgement, Shortfall, Wait, Word};

/// Bits of the units used in the lower half of a word, above those granted.
const LOW_BITS: u32 = 16;
const INDEX_BITS: u32 = 32;
/// No window and no usage: the word of a new counter.
pub(crate) const EMPTY: Word = Word { high: 0, low: 0 };
/// How far ahead of the call's clock the counter's window may begin. Further ahead, or by more than
/// a twenty-fourth of the window's length if that is longer, the clock was set back.
const AHEAD_US: i64 = 60_000_000;

/// Judges a call of so many units at `now_us` under a limit with windows, by the counter's word. A
/// call of no units is admitted while less than the ceiling is used.
pub(crate) fn judge(limit: &ServedLimit, word: Word, units: u64, now_us: i64) -> Judgement {
    let (window, used) = present(limit, word, now_us);
    let reset_us = window.end_us.saturating_sub(now_us);
    let needed = units.max(1);
    if needed > limit.ceiling.saturating_sub(used) {
        let wait = match needed > limit.ceiling {
            true => Wait::Never,
            false => Wait::After(reset_us.max(1)),
        };
        return Err(Shortfall {
            wait,
            settled: None,
        });
    }
    let next = used + units;
    Ok(Admission {
        word: join(window.index, next),
        remaining: limit.amount.saturating_sub(next),
        reset_us,
        is_over: used + needed > limit.amount,
    })
}

/// The word with so many units charged at `now_us`, whatever the limit admits.
pub(crate) fn charged(limit: &ServedLimit, word: Word, units: u64, now_us: i64) -> Word {
    let (window, used) = present(limit, word, now_us);
    join(window.index, used.saturating_add(units).min(AMOUNT_MAX))
}

/// The window that a call at `now_us` belongs to, and the units used in it.
pub(crate) fn present(limit: &ServedLimit, word: Word, now_us: i64) -> (Span, u64) {
    let now = limit.span(now_us).expect("only limits with windows");
    let (number, used) = split(word);
    if number == now.index + 1 {
        (now, used)
    } else if word == EMPTY {
        (now, 0)
    } else {
        ahead(limit, word, now_us).map_or((now, 0), |later| (later, used))
    }
}

/// The word with units returned to the window in which they were taken; `None` once that window has
/// ended.
pub(crate) fn returned(word: Word, taken: Word, units: u64) -> Option<Word> {
    let (number, used) = split(word);
    let is_same = number == split(taken).0;
    let index = index(word)?;
    (is_same && used > 0).then(|| join(index, used.saturating_sub(units)))
}

/// Returns the index of the window of a counter's word; `None` if it is [`EMPTY`].
pub(crate) fn index(word: Word) -> Option<u32> {
    split(word).0.checked_sub(1)
}

/// Creates the word for so many units used in the window with this index.
pub(crate) fn join(index: u32, used: u64) -> Word {
    Word {
        high: (u64::from(index) + 1) << INDEX_BITS | used >> LOW_BITS,
        low: used << (u64::BITS - LOW_BITS),
    }
}

/// Returns the index plus 1 and the units used.
fn split(word: Word) -> (u32, u64) {
    let number = u32::try_from(word.high >> INDEX_BITS).expect("32 bits");
    let used =
        (word.high << INDEX_BITS >> (INDEX_BITS - LOW_BITS)) | word.low >> (u64::BITS - LOW_BITS);
    (number, used)
}

/// The counter's window, if it begins after `now_us`, but too little for a clock that was set back.
#[cold]
fn ahead(limit: &ServedLimit, word: Word, now_us: i64) -> Option<Span> {
    let window = limit.numbered(index(word)?)?;
    let length_us =
        i64::try_from(limit.window.map_or(0, Window::length_us)).expect("1,000 days fit");
    let ahead_us = window.start_us.saturating_sub(now_us);
    (ahead_us > 0 && ahead_us <= AHEAD_US.max(length_us / 24)).then_some(window)
}

#[cfg(test)]
mod tests;
