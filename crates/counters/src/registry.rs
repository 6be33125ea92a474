//! All counters of a process, by id. Used when a snapshot is indexed, when counters are saved and
//! when unused ones are swept, but never by a request.

use std::hash::Hasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use siphasher::sip::SipHasher24;
use tollgate_model::limit::{Counting, ServedLimit};
use tollgate_model::plan::Window;

use crate::bucket;
use crate::counter::{Counter, Word};
use crate::rule::{BoundLimit, Rule, per_word};
use crate::window::{self, EMPTY};

const SHARD_BITS: u32 = 6;
/// The lowest bits of an id encode the interpretation of its word, so that a counter need not.
const KIND_BITS: u64 = 0b111;
const GCRA: u64 = 0;
const SECOND: u64 = 1;
const MINUTE: u64 = 2;
/// Windows below an hour of any other length.
const OTHER: u64 = 3;
const LONG: u64 = 4;
/// How long a window is kept after its end, for calls with a clock that is behind.
const GRACE_US: i64 = 60_000_000;

/// A saved counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// The counter: keyed SipHash of its dimension and kind.
    pub id: u64,
    /// For a window: its id (24 bits) and the units used in it (40 bits). For a bucket: its
    /// theoretical arrival time, Unix nanoseconds.
    pub used: u64,
    /// A bucket's era; 0 for a window.
    pub era: u64,
    /// When the window ends or the bucket is full again, Unix microseconds.
    pub end_us: i64,
}

impl Saved {
    const fn word(&self) -> Word {
        Word {
            used: self.used,
            era: self.era,
        }
    }
}

/// All counters of a process.
#[derive(Debug)]
pub struct Counters {
    key: [u8; 16],
    shards: Vec<Mutex<Shard>>,
}

#[derive(Debug, Default)]
struct Shard {
    /// Windows of a second or a minute, and buckets below an hour: their kind and word show when
    /// they end.
    short: HashMap<u64, Arc<Counter>>,
    /// All others, which need their rule for that.
    ruled: HashMap<u64, Ruled>,
    /// Imported counters that no snapshot has used yet.
    imported: HashMap<u64, Saved>,
}

#[derive(Debug)]
struct Ruled {
    counter: Arc<Counter>,
    rule: Arc<Rule>,
    /// The usage as of the last export.
    exported: u64,
}

impl Counters {
    /// Creates an empty registry; `key` is the cluster's, so that nobody can make two counters
    /// collide.
    #[must_use]
    pub fn new(key: [u8; 16]) -> Self {
        let shards = std::iter::repeat_with(Mutex::default);
        Self {
            key,
            shards: shards.take(1 << SHARD_BITS).collect(),
        }
    }

    /// Binds a limit to the counter of one subscription, application or version; `dimension` is its
    /// raw id, according to the limit's `per`.
    #[must_use]
    pub fn bind(&self, limit: &ServedLimit, dimension: i64) -> BoundLimit {
        self.bind_rule(&Arc::new(Rule::new(limit.clone())), dimension)
    }

    /// Like [`bind`](Self::bind), for a rule shared by many bound limits, which saves memory.
    #[must_use]
    pub fn bind_rule(&self, rule: &Arc<Rule>, dimension: i64) -> BoundLimit {
        let id = self.id(rule.limit(), dimension);
        let mut shard = self.shard(id);
        let counter = match id & KIND_BITS {
            LONG | OTHER => shard.ruled(id, rule),
            _ => shard.short(id),
        };
        BoundLimit::new(Arc::clone(rule), counter)
    }

    /// Returns the counters of an hour and longer that changed since the last export. Locks one
    /// shard at a time.
    #[must_use]
    pub fn export(&self) -> Vec<Saved> {
        let mut saved = Vec::new();
        for shard in &self.shards {
            for (&id, ruled) in &mut lock(shard).ruled {
                if id & KIND_BITS != LONG {
                    continue;
                }
                let Word { used, era } = ruled.counter.word();
                if used != ruled.exported && used != EMPTY {
                    ruled.exported = used;
                    let end_us = ruled.rule.end_us(used, 0);
                    saved.push(Saved {
                        id,
                        used,
                        era,
                        end_us,
                    });
                }
            }
        }
        saved
    }

    /// Returns the shorter counters with a window that has not ended at `now_us` (Unix
    /// microseconds), or a bucket that is not full: a stop exports them too.
    #[must_use]
    pub fn export_short(&self, now_us: i64) -> Vec<Saved> {
        let mut saved = Vec::new();
        for shard in &self.shards {
            let shard = lock(shard);
            let short = shard.short.iter().map(|(&id, counter)| {
                let word = counter.word();
                (id, word, end_us(id & KIND_BITS, word.used, now_us))
            });
            let ruled = shard.ruled.iter().map(|(&id, ruled)| {
                let word = ruled.counter.word();
                (id, word, ruled.rule.end_us(word.used, now_us))
            });
            let others = ruled.filter(|(id, ..)| id & KIND_BITS == OTHER);
            for (id, Word { used, era }, end_us) in short.chain(others) {
                if used != EMPTY && end_us > now_us {
                    saved.push(Saved {
                        id,
                        used,
                        era,
                        end_us,
                    });
                }
            }
        }
        saved
    }

    /// Imports exported counters, before or after the limits are bound. Usage since then is kept.
    pub fn import(&self, saved: Vec<Saved>) {
        for saved in saved {
            let mut shard = self.shard(saved.id);
            if let Some(ruled) = shard.ruled.get(&saved.id) {
                let end_us = |used| ruled.rule.end_us(used, saved.end_us);
                restore_later(&ruled.counter, saved.word(), end_us);
            } else if let Some(counter) = shard.short.get(&saved.id) {
                let end_us = |used| end_us(saved.id & KIND_BITS, used, saved.end_us);
                restore_later(counter, saved.word(), end_us);
            } else {
                shard.imported.insert(saved.id, saved);
            }
        }
    }

    /// Drops the counters that are not bound and have ended, and empties those that are bound, so
    /// that a window's id is never reused with old usage. Locks one shard at a time.
    pub fn sweep(&self, now_us: i64) {
        let past_us = now_us.saturating_sub(GRACE_US);
        for shard in &self.shards {
            let mut shard = lock(shard);
            shard.short.retain(|&id, counter| {
                keep(counter, |used| {
                    end_us(id & KIND_BITS, used, past_us) <= past_us
                })
            });
            shard.ruled.retain(|_, ruled| {
                keep(&ruled.counter, |used| {
                    ruled.rule.end_us(used, now_us) <= past_us
                })
            });
            shard.imported.retain(|_, saved| saved.end_us > past_us);
        }
    }

    /// The number of counters.
    #[must_use]
    pub fn count(&self) -> usize {
        let count = |shard: &Shard| shard.short.len() + shard.ruled.len() + shard.imported.len();
        self.shards.iter().map(|shard| count(&lock(shard))).sum()
    }

    /// The id of a limit's counter for one subscription, application or version. It depends neither
    /// on the amount nor on the plan, so a changed plan keeps the usage.
    fn id(&self, limit: &ServedLimit, dimension: i64) -> u64 {
        let (algorithm, short) = match (&limit.counting, limit.window) {
            (Counting::Gcra { .. }, _) => ("gcra", GCRA),
            (_, Window::SECOND) => ("fixed", SECOND),
            (_, Window::MINUTE) => ("fixed", MINUTE),
            _ => ("fixed", OTHER),
        };
        let kind = if limit.is_long() { LONG } else { short };
        let zone = limit.zone.as_deref().unwrap_or("UTC");
        let mut hasher = SipHasher24::new_with_key(&self.key);
        for word in [
            "requests",
            per_word(limit.per),
            algorithm,
            &limit.window.text(),
            zone,
        ] {
            hasher.write(word.as_bytes());
            hasher.write(&[0]);
        }
        // Nothing without one: the ids of earlier releases stay.
        if let Some(anchor) = &limit.anchor {
            hasher.write(anchor.as_bytes());
            hasher.write(&[0]);
        }
        hasher.write(&dimension.to_le_bytes());
        (hasher.finish() & !KIND_BITS) | kind
    }

    fn shard(&self, id: u64) -> MutexGuard<'_, Shard> {
        let place = usize::try_from(id >> (64 - SHARD_BITS)).expect("six bits");
        lock(&self.shards[place])
    }
}

impl Shard {
    fn short(&mut self, id: u64) -> Arc<Counter> {
        let imported = &mut self.imported;
        let counter = self.short.entry(id).or_insert_with(|| {
            let word = imported.remove(&id).map(|saved| saved.word());
            Arc::new(Counter::new(word.unwrap_or_default()))
        });
        Arc::clone(counter)
    }

    fn ruled(&mut self, id: u64, rule: &Arc<Rule>) -> Arc<Counter> {
        if let Some(ruled) = self.ruled.get_mut(&id) {
            // The newer list of windows reaches further.
            ruled.rule = Arc::clone(rule);
            return Arc::clone(&ruled.counter);
        }
        let word = self.imported.remove(&id).map(|saved| saved.word());
        let word = word.unwrap_or_default();
        let counter = Arc::new(Counter::new(word));
        let ruled = Ruled {
            counter: Arc::clone(&counter),
            rule: Arc::clone(rule),
            exported: word.used,
        };
        self.ruled.insert(id, ruled);
        counter
    }
}

/// Replaces a counter's word with the saved one, if that has a later window or more usage.
fn restore_later(counter: &Counter, saved: Word, end_us: impl Fn(u64) -> i64) {
    let place = |used| (used != EMPTY, end_us(used), used);
    counter.update(|word| (place(saved.used) > place(word.used)).then_some(saved));
}

/// Whether the registry keeps a counter; one that is bound but has ended is emptied.
fn keep(counter: &Arc<Counter>, is_over: impl Fn(u64) -> bool) -> bool {
    let is_over = |word: Word| word.used == EMPTY || is_over(word.used);
    if !is_over(counter.word()) {
        return true;
    }
    // The registry is locked, so a counter with no other owner cannot be bound now.
    if Arc::strong_count(counter) == 1 {
        return false;
    }
    counter.update(|word| {
        let emptied = Word {
            used: EMPTY,
            ..word
        };
        (word != emptied && is_over(word)).then_some(emptied)
    });
    true
}

/// When the window of a short counter ends, or its bucket is full again, Unix microseconds.
fn end_us(kind: u64, used: u64, near_us: i64) -> i64 {
    match kind {
        SECOND => window::even_end_us(Window::SECOND, used, near_us),
        MINUTE => window::even_end_us(Window::MINUTE, used, near_us),
        _ => bucket::full_us(used),
    }
}

/// A poisoned lock is safe to use: every change of a shard is a single step.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
