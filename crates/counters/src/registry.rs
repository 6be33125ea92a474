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
use crate::rule::{BoundLimit, Rule};
use crate::window;

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
/// Units of a window in the format of releases that did not number windows.
const OLD_UNITS: u64 = (1 << 40) - 1;

/// The format of the counters that [`Counters::export`] returns.
pub const FORMAT: u8 = 1;

/// A saved counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// The counter: keyed SipHash of its dimension and kind.
    pub id: u64,
    /// The upper half of its word. For a window: its index plus 1 (32 bits), and the upper 32 bits
    /// of the units used in it. For a bucket: its era.
    pub high: u64,
    /// The lower half. For a window: the lower 16 bits of the units used in it, and 48 bits that
    /// are 0. For a bucket: its theoretical arrival time, Unix nanoseconds.
    pub low: u64,
    /// When the window ends or the bucket is full again, Unix microseconds.
    pub end_us: i64,
    /// [`FORMAT`]; 0 for counters of releases that did not number windows. Those had for a window
    /// 24 bits that are not used, and the units used in it (40 bits), in the lower half.
    pub format: u8,
}

impl Saved {
    const fn new(id: u64, word: Word, end_us: i64) -> Self {
        Self {
            id,
            high: word.high,
            low: word.low,
            end_us,
            format: FORMAT,
        }
    }

    /// Returns the word in the present format; `index_at` returns the index of the counter's window
    /// at an instant, `None` for a bucket.
    fn word(&self, index_at: impl Fn(i64) -> Option<u32>) -> Word {
        let index = (self.format == 0).then(|| index_at(self.end_us.saturating_sub(1)));
        index.flatten().map_or(
            Word {
                high: self.high,
                low: self.low,
            },
            |index| window::join(index, self.low & OLD_UNITS),
        )
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
    /// The word as of the last export.
    exported: Word,
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
                let word = ruled.counter.word();
                if word != ruled.exported {
                    ruled.exported = word;
                    saved.push(Saved::new(id, word, ruled.rule.end_us(word)));
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
                Saved::new(id, word, short_end_us(id, word))
            });
            let ruled = shard.ruled.iter().map(|(&id, ruled)| {
                let word = ruled.counter.word();
                Saved::new(id, word, ruled.rule.end_us(word))
            });
            let others = ruled.filter(|it| it.id & KIND_BITS == OTHER);
            saved.extend(short.chain(others).filter(|it| it.end_us > now_us));
        }
        saved
    }

    /// Imports exported counters, before or after the limits are bound. Usage since then is kept.
    pub fn import(&self, saved: Vec<Saved>) {
        for saved in saved {
            let mut shard = self.shard(saved.id);
            if let Some(Ruled { counter, rule, .. }) = shard.ruled.get(&saved.id) {
                let word = saved.word(|us| rule.index_at(us));
                restore_later(counter, rule.is_bucket(), word);
            } else if let Some(counter) = shard.short.get(&saved.id) {
                let is_bucket = saved.id & KIND_BITS == GCRA;
                let word = saved.word(|us| short_index_at(saved.id, us));
                restore_later(counter, is_bucket, word);
            } else {
                shard.imported.insert(saved.id, saved);
            }
        }
    }

    /// Drops the counters that are not bound and have ended. Locks one shard at a time.
    pub fn sweep(&self, now_us: i64) {
        let past_us = now_us.saturating_sub(GRACE_US);
        for shard in &self.shards {
            let mut shard = lock(shard);
            // The registry is locked, so a counter with no other owner cannot be bound now.
            let is_bound = |counter: &Arc<Counter>| Arc::strong_count(counter) > 1;
            shard.short.retain(|&id, counter| {
                is_bound(counter) || short_end_us(id, counter.word()) > past_us
            });
            shard.ruled.retain(|_, ruled| {
                is_bound(&ruled.counter) || ruled.rule.end_us(ruled.counter.word()) > past_us
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
            (_, Some(Window::SECOND)) => ("fixed", SECOND),
            (_, Some(Window::MINUTE)) => ("fixed", MINUTE),
            _ => ("fixed", OTHER),
        };
        let kind = if limit.is_long() { LONG } else { short };
        let zone = limit.zone.as_deref().unwrap_or("UTC");
        let mut hasher = SipHasher24::new_with_key(&self.key);
        for word in [
            "requests",
            &limit.per.text(),
            algorithm,
            &limit.window.map_or_else(Default::default, Window::text),
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
            let saved = imported.remove(&id);
            let word = saved.map(|saved| saved.word(|us| short_index_at(id, us)));
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
        let saved = self.imported.remove(&id);
        let word = saved.map(|saved| saved.word(|us| rule.index_at(us)));
        let word = word.unwrap_or_default();
        let counter = Arc::new(Counter::new(word));
        let ruled = Ruled {
            counter: Arc::clone(&counter),
            rule: Arc::clone(rule),
            exported: word,
        };
        self.ruled.insert(id, ruled);
        counter
    }
}

/// Replaces a counter's word with the saved one, if that has a later window or more usage.
fn restore_later(counter: &Counter, is_bucket: bool, saved: Word) {
    let is_later = |word: Word| match is_bucket {
        true => saved.low > word.low,
        false => saved > word,
    };
    counter.update(|word| is_later(word).then_some(saved));
}

/// When the window of a short counter ends, or its bucket is full again, Unix microseconds; the
/// past if it was never charged.
fn short_end_us(id: u64, word: Word) -> i64 {
    let Some(length_us) = short_length_us(id) else {
        return bucket::full_us(word);
    };
    window::index(word).map_or(i64::MIN, |index| (i64::from(index) + 1) * length_us)
}

/// The index of the window of a short counter at an instant; `None` for a bucket.
fn short_index_at(id: u64, at_us: i64) -> Option<u32> {
    u32::try_from(at_us.div_euclid(short_length_us(id)?)).ok()
}

/// The length of the window of a short counter; `None` for a bucket.
fn short_length_us(id: u64) -> Option<i64> {
    let window = match id & KIND_BITS {
        SECOND => Window::SECOND,
        MINUTE => Window::MINUTE,
        _ => return None,
    };
    i64::try_from(window.length_us()).ok()
}

/// A poisoned lock is safe to use: every change of a shard is a single step.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
