//! A part of the registry. Its lock is held briefly: there are thousands of shards, each with a few
//! hundred counters at most.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use hashbrown::HashMap;
use tollgate_model::plan::Dimension;

use crate::counter::{Counter, lock};
use crate::identity;
use crate::judgement::Word;
use crate::rolling::{PARTS, Rolling};
use crate::rule::Rule;
use crate::saved::Saved;

/// How long a window is kept after its end, for calls with a clock that is behind.
const GRACE_US: i64 = 60_000_000;

/// Counters by id. Calls that find theirs only read. The lock and the head of the table are in one
/// cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(crate) struct Shard(RwLock<Table>);

/// The counters of a shard.
#[derive(Debug, Default)]
pub(crate) struct Table {
    held: HashMap<u64, Held>,
    /// Imported counters that nothing has used yet.
    imported: HashMap<u64, Saved>,
}

/// A counter and the limit that it is bound to.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    counter: Arc<Counter>,
    rule: Arc<Rule>,
}

/// How many counters were removed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Removed {
    /// Those that are found at the call.
    pub(crate) found: usize,
    /// Those of them that were still of use.
    pub(crate) forgotten: usize,
}

impl Shard {
    /// A poisoned lock is safe to use: every change of a table is a single step.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes what has ended. It is looked for while others can read.
    pub(crate) fn sweep(&self, now_us: i64) -> Removed {
        let past_us = now_us.saturating_sub(GRACE_US);
        let table = self.read();
        let has_imported = table.imported.values().any(|it| it.end_us <= past_us);
        if !has_imported && !table.held.values().any(|it| it.has_ended(past_us)) {
            return Removed::default();
        }
        drop(table);
        self.write().sweep(now_us)
    }
}

impl Table {
    /// The counter with this id, unless this rule knows windows that the counter's does not.
    pub(crate) fn find(&self, id: u64, rule: &Rule) -> Option<&Arc<Counter>> {
        let held = self.held.get(&id)?;
        (!rule.reaches_beyond(&held.rule)).then_some(&held.counter)
    }

    /// The counter with this id; `true` if it is new.
    pub(crate) fn bind(&mut self, id: u64, rule: &Arc<Rule>) -> (Arc<Counter>, bool) {
        if let Some(held) = self.held.get_mut(&id) {
            // The newer list of windows reaches further.
            held.rule = Arc::clone(rule);
            return (Arc::clone(&held.counter), false);
        }
        let counter = Arc::new(self.restored(id, rule));
        let held = Held {
            counter: Arc::clone(&counter),
            rule: Arc::clone(rule),
        };
        self.held.insert(id, held);
        (counter, true)
    }

    /// Creates a counter from what was imported of it.
    fn restored(&mut self, id: u64, rule: &Arc<Rule>) -> Counter {
        let word = self.imported.remove(&id);
        let word = word.map_or_else(Word::default, |saved| saved.word(rule));
        rule.counter(word, || {
            let mut rolling = Rolling::default();
            let parts = (0..PARTS).map(|place| identity::part(id, place));
            for saved in parts.filter_map(|id| self.imported.remove(&id)) {
                saved.restore(&mut rolling);
            }
            rolling
        })
    }

    /// Imports a saved counter. Usage since then is kept.
    pub(crate) fn import(&mut self, saved: Saved) {
        let whole = identity::part(saved.id, saved.place());
        if let Some(Held { counter, rule, .. }) = self.held.get(&saved.id) {
            let word = saved.word(rule);
            let is_later = |present: Word| match rule.is_bucket() {
                true => word.low > present.low,
                false => word > present,
            };
            counter.update(|present| is_later(present).then_some(word));
        } else if let Some(held) = self.held.get(&whole)
            && let Counter::Rolling { window, .. } = &*held.counter
        {
            saved.restore(&mut lock(window));
        } else {
            self.imported.insert(saved.id, saved);
        }
    }

    /// Returns the counters that are kept in files: those of an hour and longer, or the shorter
    /// ones. Looks at none of them, so that calls wait briefly.
    pub(crate) fn kept(&self, are_long: bool) -> Vec<(u64, Held)> {
        let held = self.held.iter().filter(|(_, held)| {
            let limit = held.rule.limit();
            let is_kept = limit.window.is_some() && !limit.per.has(Dimension::Address);
            is_kept && limit.is_long() == are_long
        });
        held.map(|(&id, held)| (id, held.clone())).collect()
    }

    /// Whether one more counter would move the others to a larger table.
    pub(crate) fn is_full(&self) -> bool {
        self.held.len() == self.held.capacity()
    }

    /// Removes what has ended.
    pub(crate) fn sweep(&mut self, now_us: i64) -> Removed {
        let past_us = now_us.saturating_sub(GRACE_US);
        let mut removed = Removed::default();
        self.held.retain(|_, held| {
            let has_ended = held.has_ended(past_us);
            removed.found += usize::from(has_ended && held.rule.is_found_at_call());
            !has_ended
        });
        self.imported.retain(|_, saved| saved.end_us > past_us);
        removed
    }

    /// The counters that may be forgotten to make room: the shares that are used of them, and their
    /// ids. None that a call holds, and none that is bound when a snapshot is indexed.
    pub(crate) fn forgettable(&self, now_us: i64) -> impl Iterator<Item = (u64, u64)> {
        let found = self.held.iter();
        let found = found.filter(|(_, held)| held.rule.is_found_at_call() && held.is_free());
        found.map(move |(&id, held)| (held.rule.share(&held.counter, now_us), id))
    }

    /// Removes a counter, unless a call has got hold of it.
    pub(crate) fn forget(&mut self, id: u64, now_us: i64) -> Removed {
        let Some(held) = self.held.get(&id).filter(|held| held.is_free()) else {
            return Removed::default();
        };
        let forgotten = usize::from(held.rule.end_us(&held.counter) > now_us);
        self.held.remove(&id);
        Removed {
            found: 1,
            forgotten,
        }
    }

    /// The rule of each counter.
    pub(crate) fn rules(&self) -> Vec<Arc<Rule>> {
        self.held
            .values()
            .map(|held| Arc::clone(&held.rule))
            .collect()
    }

    pub(crate) fn count(&self) -> usize {
        self.held.len() + self.imported.len()
    }
}

impl Held {
    /// Appends the counter if it changed since the last export.
    pub(crate) fn export_changed(&self, id: u64, out: &mut Vec<Saved>) {
        if self.counter.has_changed() {
            Saved::append(id, &self.counter, &self.rule, out);
        }
    }

    /// Appends the counter if it has not ended at `now_us`.
    pub(crate) fn export_current(&self, id: u64, now_us: i64, out: &mut Vec<Saved>) {
        if self.rule.end_us(&self.counter) > now_us {
            Saved::append(id, &self.counter, &self.rule, out);
        }
    }

    /// Whether nobody else has the counter. The table is locked, so nobody can get it now.
    fn is_free(&self) -> bool {
        Arc::strong_count(&self.counter) == 1
    }

    fn has_ended(&self, past_us: i64) -> bool {
        self.is_free() && self.rule.end_us(&self.counter) <= past_us
    }
}
