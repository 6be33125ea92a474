//! All counters of a process, by id. Calls use it for counters that are not bound when a snapshot
//! is indexed: of users, addresses, several dimensions at once, and under conditions.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use hashbrown::HashMap;
use tollgate_model::limit::ServedLimit;

use crate::rule::{BoundLimit, Rule};
use crate::saved::Saved;
use crate::shard::{Held, Removed, Shard};

/// A million counters fill tables of 256 places, each to three quarters.
const SHARDS: usize = 5_120;
/// How many counters are compared at least before the least used is forgotten, if there are so many
/// in the shards that are searched.
const COMPARED_MIN: usize = 16;
/// How many shards are searched for them.
const SEARCHED_MAX: usize = 1_024;
/// How many shards a worker sweeps at a time.
const SWEPT_EACH: usize = 8;

/// All counters of a process.
pub struct Counters {
    key: [u8; 16],
    shards: Box<[Shard]>,
    found: AtomicUsize,
    found_max: usize,
    forgotten: AtomicU64,
    /// The shard that is swept next.
    next_swept: AtomicUsize,
}

/// Without the key.
impl fmt::Debug for Counters {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = out.debug_struct("Counters");
        out.field("found", &self.found).finish_non_exhaustive()
    }
}

/// How many counters there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// All of them.
    pub all: usize,
    /// Those that are found at the call.
    pub found: usize,
    /// Those that were forgotten since the start although they were still of use, to make room.
    pub forgotten: u64,
}

impl Counters {
    /// Creates an empty registry with room for so many counters found at the call; `key` is the
    /// cluster's, so that nobody can make two counters collide.
    #[must_use]
    pub fn new(key: [u8; 16], found_max: usize) -> Self {
        let shards = std::iter::repeat_with(Shard::default);
        Self {
            key,
            shards: shards.take(SHARDS).collect(),
            found: AtomicUsize::new(0),
            found_max,
            forgotten: AtomicU64::new(0),
            next_swept: AtomicUsize::new(0),
        }
    }

    /// Binds a limit to the counter of these dimensions: their raw ids, in the canonical order of
    /// the limit's `per`.
    #[must_use]
    pub fn bind(&self, limit: &ServedLimit, dimensions: &[i64]) -> BoundLimit {
        self.bind_rule(&Arc::new(Rule::new(limit.clone())), dimensions)
    }

    /// Like [`bind`](Self::bind), for a rule shared by many bound limits, which saves memory.
    #[must_use]
    pub fn bind_rule(&self, rule: &Arc<Rule>, dimensions: &[i64]) -> BoundLimit {
        let (id, place) = self.locate(rule, dimensions);
        let (counter, is_new) = self.shards[place].write().bind(id, rule);
        if is_new && rule.is_found_at_call() {
            self.found.fetch_add(1, Ordering::Relaxed);
        }
        BoundLimit::new(Arc::clone(rule), counter)
    }

    /// Finds the counter of a call at `now_us` (Unix microseconds), or creates it; makes room if
    /// there are too many.
    #[must_use]
    pub fn find(&self, rule: &Arc<Rule>, dimensions: &[i64], now_us: i64) -> BoundLimit {
        let (id, place) = self.locate(rule, dimensions);
        let shard = &self.shards[place];
        let found = shard.read().find(id, rule).map(Arc::clone);
        if let Some(counter) = found {
            return BoundLimit::new(Arc::clone(rule), counter);
        }
        if self.found.load(Ordering::Relaxed) >= self.found_max {
            self.make_room(place, now_us);
        }
        let mut table = shard.write();
        if table.is_full() {
            self.count_removed(table.sweep(now_us));
        }
        let (counter, is_new) = table.bind(id, rule);
        drop(table);
        if is_new {
            self.found.fetch_add(1, Ordering::Relaxed);
        }
        BoundLimit::new(Arc::clone(rule), counter)
    }

    /// Removes what has ended of this shard and those after it, or else forgets the counter with
    /// the smallest share used.
    fn make_room(&self, place: usize, now_us: i64) {
        let mut compared = 0;
        let mut least: Option<(u64, u64)> = None;
        for next in place..place + SEARCHED_MAX {
            let shard = &self.shards[next % SHARDS];
            let removed = shard.sweep(now_us);
            if removed.found > 0 {
                return self.count_removed(removed);
            }
            for candidate in shard.read().forgettable(now_us) {
                compared += 1;
                least = Some(least.map_or(candidate, |least| least.min(candidate)));
            }
            if compared >= COMPARED_MIN {
                break;
            }
        }
        if let Some((_, id)) = least {
            self.count_removed(self.shards[self::place(id)].write().forget(id, now_us));
        }
    }

    fn count_removed(&self, removed: Removed) {
        if removed.found > 0 {
            self.found.fetch_sub(removed.found, Ordering::Relaxed);
        }
        if let Ok(forgotten @ 1..) = u64::try_from(removed.forgotten) {
            self.forgotten.fetch_add(forgotten, Ordering::Relaxed);
        }
    }

    /// Returns the counters of an hour and longer that changed since the last export, except those
    /// of addresses. Locks one shard at a time, for reading.
    #[must_use]
    pub fn export(&self) -> Vec<Saved> {
        self.exported(true, Held::export_changed)
    }

    /// Returns the shorter counters with a window that has not ended at `now_us` (Unix
    /// microseconds), or a bucket that is not full: a stop exports them too.
    #[must_use]
    pub fn export_short(&self, now_us: i64) -> Vec<Saved> {
        self.exported(false, |held, id, out| held.export_current(id, now_us, out))
    }

    fn exported(&self, are_long: bool, append: impl Fn(&Held, u64, &mut Vec<Saved>)) -> Vec<Saved> {
        let mut saved = Vec::new();
        for shard in &self.shards {
            let kept = shard.read().kept(are_long);
            for (id, held) in kept {
                append(&held, id, &mut saved);
            }
        }
        saved
    }

    /// Imports exported counters, before or after the limits are bound. Usage since then is kept.
    pub fn import(&self, saved: Vec<Saved>) {
        for saved in saved {
            self.shards[place(saved.id)].write().import(saved);
        }
    }

    /// Drops the counters that are not bound and have ended, from the next few shards. Workers do
    /// this on each tick, so that one of them is through in about a minute: a thread of a lower
    /// priority could lose its processor while calls wait for the shard that it has locked.
    pub fn sweep_next(&self, now_us: i64) {
        let first = self.next_swept.fetch_add(SWEPT_EACH, Ordering::Relaxed);
        for next in first..first + SWEPT_EACH {
            self.count_removed(self.shards[next % SHARDS].sweep(now_us));
        }
    }

    /// The number of counters.
    #[must_use]
    pub fn count(&self) -> Counted {
        Counted {
            all: self.shards.iter().map(|shard| shard.read().count()).sum(),
            found: self.found.load(Ordering::Relaxed),
            forgotten: self.forgotten.load(Ordering::Relaxed),
        }
    }

    /// Returns how many counters each of these limits, which are found at the call, has now; those
    /// of plans with the same terms are the same. Locks one shard at a time, for reading, and looks
    /// at nothing meanwhile.
    #[must_use]
    pub fn count_of(&self, rules: &[&Rule]) -> Vec<usize> {
        let mut held = HashMap::<*const Rule, (Arc<Rule>, usize)>::new();
        for shard in &self.shards {
            let of_shard = shard.read().rules();
            for rule in of_shard {
                let place = Arc::as_ptr(&rule);
                held.entry(place).or_insert_with(|| (rule, 0)).1 += 1;
            }
        }
        held.retain(|_, (rule, _)| rule.is_found_at_call());
        let count = |asked: &&Rule| {
            let same = held.values().filter(|(rule, _)| rule.shares_with(asked));
            same.map(|(_, count)| count).sum()
        };
        rules.iter().map(count).collect()
    }

    /// The id of a counter and the place of its shard.
    fn locate(&self, rule: &Rule, dimensions: &[i64]) -> (u64, usize) {
        let id = rule.identity.id(&self.key, dimensions);
        (id, place(id))
    }
}

/// The place of a counter's shard, by the upper half of its id.
fn place(id: u64) -> usize {
    let shards = u64::try_from(SHARDS).expect("small");
    usize::try_from(((id >> 32) * shards) >> 32).expect("below the number of shards")
}

#[cfg(test)]
mod tests;
