//! One more call under every limit that applies, in one pass, all or nothing: `admit`'s whole work.

use crate::counter::{Admission, Judgement};
use crate::rule::Bound;

/// What is left to the caller under the strictest of its limits.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The limit with the least left.
    pub bound: &'a Bound,
    /// Calls that may follow at once.
    pub remaining: u64,
    /// Microseconds until its window ends or its bucket is full again.
    pub reset_us: i64,
}

/// Which limit is used up: of all that are, the one that takes longest to admit a call.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the limit {:?} is used up for {retry_after_us} microseconds", .bound.name())]
pub struct Exceeded<'a> {
    /// The limit.
    pub bound: &'a Bound,
    /// Microseconds after which the call is admitted if nobody else calls meanwhile; at least 1.
    pub retry_after_us: i64,
}

/// Charges one call at `now_us` (Unix microseconds) to every bound, or to none of them.
///
/// `Ok(None)` without bounds. Order them from the narrowest to the most shared: whoever is refused
/// by its own limit then does not even touch those of others. No lock, no allocation; two workers
/// may refuse a call while the other gives back what it has taken, but never admit one too many.
///
/// # Errors
/// [`Exceeded`] if a limit is used up; nothing is charged then.
pub fn debit<'a>(
    bounds: impl Iterator<Item = &'a Bound>,
    now_us: i64,
) -> Result<Option<Standing<'a>>, Exceeded<'a>> {
    charge(bounds, now_us, None)
}

/// Charges the bounds that are left; each level remembers what it took until the rest has passed.
fn charge<'a>(
    mut bounds: impl Iterator<Item = &'a Bound>,
    now_us: i64,
    strictest: Option<Standing<'a>>,
) -> Result<Option<Standing<'a>>, Exceeded<'a>> {
    let Some(bound) = bounds.next() else {
        return Ok(strictest);
    };
    match bound.take(now_us) {
        Ok(admission) => charge(bounds, now_us, Some(stricter(strictest, bound, admission)))
            .inspect_err(|_| bound.put_back(admission.word)),
        Err(shortfall) => {
            let first = Exceeded {
                bound,
                retry_after_us: shortfall.retry_after_us,
            };
            Err(bounds.fold(first, |longest, bound| {
                longer(longest, bound, bound.judge(now_us))
            }))
        }
    }
}

fn stricter<'a>(
    strictest: Option<Standing<'a>>,
    bound: &'a Bound,
    admission: Admission,
) -> Standing<'a> {
    match strictest {
        Some(standing) if standing.remaining <= admission.remaining => standing,
        _ => Standing {
            bound,
            remaining: admission.remaining,
            reset_us: admission.reset_us,
        },
    }
}

fn longer<'a>(longest: Exceeded<'a>, bound: &'a Bound, judgement: Judgement) -> Exceeded<'a> {
    match judgement {
        Err(shortfall) if shortfall.retry_after_us > longest.retry_after_us => Exceeded {
            bound,
            retry_after_us: shortfall.retry_after_us,
        },
        _ => longest,
    }
}

#[cfg(test)]
mod tests;
