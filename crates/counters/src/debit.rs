//! Charges one call under every limit that applies, in one pass, all or nothing: the whole work of
//! `admit`.

use smallvec::SmallVec;
use tollgate_model::plan::Metric;

use crate::judgement::{Admission, Call, Judgement, Shortfall, Wait, Word};
use crate::owed::{Debt, Owed};
use crate::rule::BoundLimit;

/// Usual maximum of limits per call: up to this many words are kept on the stack, more on the heap.
const ON_STACK: usize = 6;

/// What the caller has left under the strictest of its limits on one metric.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// The place of the limit among the call's.
    pub place: u32,
    /// What it counts.
    pub metric: Metric,
    /// What can follow at once within the amount.
    pub remaining: u64,
    /// Microseconds until its window ends or its bucket is full again.
    pub reset_us: i64,
}

/// The strictest limit of each metric, in the order in which the metrics first occur: up to two
/// are kept on the stack.
pub type Standings = SmallVec<[Standing; 2]>;

/// An exhausted limit: of all that are, the one with the longest wait.
#[derive(Debug, Clone, Copy)]
pub struct Exceeded {
    /// The place of the limit among the call's.
    pub place: u32,
    /// When the call would be admitted.
    pub wait: Wait,
}

/// A charged call. By default, one that no limit has charged.
#[derive(Debug, Default)]
pub struct Debited {
    /// What the caller has left.
    pub standings: Standings,
    /// Whether the call exceeds the amount of a soft limit, or a limit that only observes.
    pub is_over: bool,
    taken: Taken,
    owes: bool,
}

/// What a charged bound was left with; `None` for one that only observed an excess.
type Taken = SmallVec<[Option<Word>; ON_STACK]>;

/// Charges one call to every bound, or to none of them.
///
/// Order them from the narrowest to the most shared: a caller refused by its own limit then does
/// not touch those of others. There is no lock unless windows roll, and no allocation for the usual
/// number of limits. Two workers may refuse a call while the other one returns its charge, but they
/// never admit one too many.
///
/// # Errors
/// [`Exceeded`] if a limit is exhausted; nothing is charged then.
pub fn debit<'a>(
    bounds: impl Iterator<Item = &'a BoundLimit> + Clone,
    call: Call,
) -> Result<Debited, Exceeded> {
    let mut debited = Debited::default();
    debited.charge(bounds, call)?;
    Ok(debited)
}

/// Returns to limits with windows of an hour and longer what an admitted call was charged of
/// requests and units: a call that is refused for its message does not use up a quota.
/// `observes_over` means that limits that only observe did not charge it. Returns whether any limit
/// gave back.
pub fn give_back<'a>(
    bounds: impl Iterator<Item = &'a BoundLimit>,
    call: Call,
    observes_over: bool,
) -> bool {
    let charged = bounds.filter(|bound| !(observes_over && bound.rule().limit().observes));
    charged.fold(false, |any, bound| bound.give_back(call) | any)
}

/// Returns what the caller has left under the strictest limit of each metric, without charging it.
pub fn standings<'a>(bounds: impl Iterator<Item = &'a BoundLimit>, call: Call) -> Standings {
    let mut standings = Standings::new();
    for (place, bound) in (0..).zip(bounds) {
        let rule = bound.rule();
        if rule.limit().observes {
            continue;
        }
        let units = rule.units(call);
        let (remaining, reset_us) = match bound.judge(call) {
            Ok(admission) => {
                let remaining = admission.remaining.saturating_add(units);
                (remaining.min(rule.limit().amount), admission.reset_us)
            }
            Err(Shortfall {
                wait: Wait::After(us),
                ..
            }) => (0, us),
            Err(_) => (0, 0),
        };
        add_strictest(
            &mut standings,
            Standing {
                place,
                metric: rule.limit().metric,
                remaining,
                reset_us,
            },
        );
    }
    standings
}

/// Adds a standing, unless one of the same metric is at least as strict.
fn add_strictest(standings: &mut Standings, standing: Standing) {
    match standings.iter_mut().find(|it| it.metric == standing.metric) {
        Some(strictest) if strictest.remaining <= standing.remaining => {}
        Some(strictest) => *strictest = standing,
        None => standings.push(standing),
    }
}

impl Debited {
    /// Charges a call, as [`debit`] does, that no limit has charged yet.
    ///
    /// # Errors
    /// [`Exceeded`] if a limit is exhausted; nothing is charged then.
    pub fn charge<'a>(
        &mut self,
        bounds: impl Iterator<Item = &'a BoundLimit> + Clone,
        call: Call,
    ) -> Result<(), Exceeded> {
        let mut left = (0..).zip(bounds.clone());
        while let Some((place, bound)) = left.next() {
            match bound.take(call) {
                Ok(admission) => self.admit(place, bound, admission),
                Err(_) if bound.rule().limit().observes => {
                    self.is_over = true;
                    self.taken.push(None);
                }
                Err(shortfall) => {
                    self.put_back(bounds, call);
                    *self = Self::default();
                    let first = Exceeded {
                        place,
                        wait: shortfall.wait,
                    };
                    return Err(left.fold(first, |longest, (place, bound)| {
                        longer(longest, place, bound, bound.judge(call))
                    }));
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, place: u32, bound: &BoundLimit, admission: Admission) {
        let rule = bound.rule();
        self.taken.push(Some(admission.word));
        self.is_over |= admission.is_over;
        self.owes |= rule.owes();
        if rule.limit().observes {
            return;
        }
        let standing = Standing {
            place,
            metric: rule.limit().metric,
            remaining: admission.remaining,
            reset_us: admission.reset_us,
        };
        add_strictest(&mut self.standings, standing);
    }

    /// Returns every charge. `bounds` and `call` are those of [`debit`].
    pub fn put_back<'a>(&self, bounds: impl Iterator<Item = &'a BoundLimit>, call: Call) {
        for (bound, taken) in bounds.zip(&self.taken) {
            if let Some(word) = taken {
                bound.put_back(*word, bound.rule().units(call));
            }
        }
    }

    /// Adds what is left to do at the end of the call. `bounds` and `call` are those of [`debit`].
    pub fn note<'a>(
        &self,
        bounds: impl Iterator<Item = &'a BoundLimit>,
        call: Call,
        owed: &mut Owed,
    ) {
        if !self.owes {
            return;
        }
        for (bound, taken) in bounds.zip(&self.taken) {
            if let Some(word) = taken.filter(|_| bound.rule().owes()) {
                owed.push(Debt {
                    bound: bound.clone(),
                    taken: word,
                    units: bound.rule().units(call),
                });
            }
        }
    }
}

fn longer(longest: Exceeded, place: u32, bound: &BoundLimit, judgement: Judgement) -> Exceeded {
    match judgement {
        Err(Shortfall { wait, .. })
            if !bound.rule().limit().observes && length_us(wait) > length_us(longest.wait) =>
        {
            Exceeded { place, wait }
        }
        _ => longest,
    }
}

/// Orders waits; a place is expected to become free within a second.
const fn length_us(wait: Wait) -> i64 {
    const SECOND_US: i64 = 1_000_000;
    match wait {
        Wait::After(us) => us,
        Wait::Release => SECOND_US,
        Wait::Never => i64::MAX,
    }
}

#[cfg(test)]
mod tests;
