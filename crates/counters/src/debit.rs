//! Charges one call under every limit that applies, in one pass, all or nothing: the whole work of
//! `admit`.

use crate::counter::{Admission, Judgement, Word};
use crate::rule::BoundLimit;

/// Usual maximum of limits per call, exceeded only if its name is ambiguous: up to this many words
/// are kept on the stack, more on the heap.
const ON_STACK: usize = 32;

/// What the caller has left under the strictest of its limits.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The limit with the least left.
    pub bound: &'a BoundLimit,
    /// Calls that can follow at once.
    pub remaining: u64,
    /// Microseconds until its window ends or its bucket is full again.
    pub reset_us: i64,
}

/// An exhausted limit: of all that are, the one with the longest wait.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the limit {:?} is exhausted for {retry_after_us} microseconds", .bound.name())]
pub struct Exceeded<'a> {
    /// The limit.
    pub bound: &'a BoundLimit,
    /// Microseconds after which the call is admitted if no other call is made meanwhile; at least
    /// 1.
    pub retry_after_us: i64,
}

/// Charges one call at `now_us` (Unix microseconds) to every bound, or to none of them.
///
/// Returns `Ok(None)` without bounds. Order them from the narrowest to the most shared: a caller
/// refused by its own limit then does not touch those of others. There is no lock, and no
/// allocation for the usual number of limits. Two workers may refuse a call while the other one
/// returns its charge, but they never admit one too many.
///
/// # Errors
/// [`Exceeded`] if a limit is exhausted; nothing is charged then.
pub fn debit<'a>(
    bounds: impl Iterator<Item = &'a BoundLimit> + Clone,
    now_us: i64,
) -> Result<Option<Standing<'a>>, Exceeded<'a>> {
    let mut strictest = None;
    let mut taken = Taken::default();
    let mut left = bounds.clone();
    while let Some(bound) = left.next() {
        match bound.take(now_us) {
            Ok(admission) => {
                taken.push(admission.word);
                strictest = Some(stricter(strictest, bound, admission));
            }
            Err(shortfall) => {
                for (bound, word) in bounds.zip(taken.words()) {
                    bound.put_back(word);
                }
                let first = Exceeded {
                    bound,
                    retry_after_us: shortfall.retry_after_us,
                };
                return Err(left.fold(first, |longest, bound| {
                    longer(longest, bound, bound.judge(now_us))
                }));
            }
        }
    }
    Ok(strictest)
}

/// The words left by the charged bounds of a call, in order, until all of them have passed.
#[derive(Default)]
struct Taken {
    count: usize,
    first: [Word; ON_STACK],
    rest: Vec<Word>,
}

impl Taken {
    fn push(&mut self, word: Word) {
        match self.first.get_mut(self.count) {
            Some(place) => *place = word,
            None => self.rest.push(word),
        }
        self.count += 1;
    }

    fn words(&self) -> impl Iterator<Item = Word> {
        let first = self.first.iter().take(self.count);
        first.chain(&self.rest).copied()
    }
}

fn stricter<'a>(
    strictest: Option<Standing<'a>>,
    bound: &'a BoundLimit,
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

fn longer<'a>(longest: Exceeded<'a>, bound: &'a BoundLimit, judgement: Judgement) -> Exceeded<'a> {
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
