//! Calendar-aligned windows: a counter's word is the window's id (24 bits) and the units used in it
//! (40 bits). A word of another window counts as no usage. `bucket` does the same for token
//! buckets.
//!
//! Workers read their clocks independently, so at a boundary a call may arrive with a clock that is
//! behind the window that another call has already begun. It is charged to that later window: going
//! back would lose the usage there.

use tollgate_model::limit::{ServedLimit, Span, WINDOW_ID_BITS};
use tollgate_model::plan::Window;

use crate::counter::{Admission, Judgement, Shortfall, Word};

const UNIT_BITS: u32 = 64 - WINDOW_ID_BITS;
const UNITS: u64 = (1 << UNIT_BITS) - 1;
/// No window and no usage: the word of a new or swept counter.
pub(crate) const EMPTY: u64 = 0;
/// How far ahead of the call's clock the counter's window may begin. Further ahead, or by more than
/// a twenty-fourth of the window's length if that is longer, the clock was set back.
const AHEAD_US: i64 = 60_000_000;

/// Judges one more call at `now_us` under a limit with windows, by the counter's word.
pub(crate) fn judge(limit: &ServedLimit, word: Word, now_us: i64) -> Judgement {
    let now = span(limit, now_us);
    let (id, used) = split(word.used);
    let (window, used) = if id == now.id {
        (now, used)
    } else if word.used == EMPTY {
        (now, 0)
    } else {
        ahead(limit, id, now_us).map_or((now, 0), |later| (later, used))
    };
    let reset_us = window.end_us.saturating_sub(now_us);
    if used >= limit.amount {
        return Err(Shortfall {
            retry_after_us: reset_us.max(1),
            settled: None,
        });
    }
    Ok(Admission {
        word: charged(window.id, used + 1),
        remaining: limit.amount - used - 1,
        reset_us,
    })
}

/// The word with one unit returned to the window in which it was taken; `None` once that window has
/// ended.
pub(crate) fn returned(word: Word, taken: Word) -> Option<Word> {
    let ((id, used), (taken_id, _)) = (split(word.used), split(taken.used));
    (id == taken_id && used > 0).then(|| charged(id, used - 1))
}

/// When the window of a counter's word ends, Unix microseconds; `near_us` selects one of the
/// windows that share the id.
pub(crate) fn end_us(limit: &ServedLimit, word: u64, near_us: i64) -> i64 {
    let start_us = limit.start_us(split(word).0, near_us);
    span(limit, start_us.unwrap_or(near_us)).end_us
}

/// Like [`end_us`], for a window of a second or a minute, which is the same for all limits.
pub(crate) fn even_end_us(window: Window, word: u64, near_us: i64) -> i64 {
    const HALF: i64 = 1 << (WINDOW_ID_BITS - 1);
    let length_us = i64::try_from(window.length_us()).expect("a minute fits");
    let near = near_us.div_euclid(length_us);
    // Ids wrap around; half of the range is the past, half the future.
    let apart = (i64::from(split(word).0) - near + HALF).rem_euclid(2 * HALF) - HALF;
    (near + apart + 1) * length_us
}

/// The counter's window, if it begins after `now_us`, but too little for a clock that was set back.
#[cold]
fn ahead(limit: &ServedLimit, id: u32, now_us: i64) -> Option<Span> {
    let start_us = limit.start_us(id, now_us)?;
    let length_us = i64::try_from(limit.window.length_us()).expect("a year fits");
    let ahead_us = start_us.saturating_sub(now_us);
    (ahead_us > 0 && ahead_us <= AHEAD_US.max(length_us / 24)).then(|| span(limit, start_us))
}

fn span(limit: &ServedLimit, at_us: i64) -> Span {
    limit
        .span(at_us)
        .expect("only token buckets have no window")
}

fn split(word: u64) -> (u32, u64) {
    let id = u32::try_from(word >> UNIT_BITS).expect("24 bits");
    (id, word & UNITS)
}

/// A counter's word: the id shows when it no longer counts, so windows need no eras.
fn charged(id: u32, units: u64) -> Word {
    join(id, units).into()
}

fn join(id: u32, units: u64) -> u64 {
    (u64::from(id) << UNIT_BITS) | units.min(UNITS)
}

#[cfg(test)]
mod tests;
