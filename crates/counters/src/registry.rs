//! All counters of a process, by id. Asked when a snapshot is indexed, when quotas are written
//! down and when what nobody uses is swept away: never by a request.

use std::hash::Hasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;
use siphasher::sip::SipHasher24;
use tollgate_model::limit::{Counting, ServedLimit};
use tollgate_model::plan::Window;

use crate::bucket;
use crate::counter::{Counter, Word};
use crate::rule::{Bound, Rule, per_word};
use crate::window::{self, EMPTY};

const SHARD_BITS: u32 = 6;
/// The lowest bits of an id tell how its word is read, so that a counter need not.
const KIND_BITS: u64 = 0b111;
const GCRA: u64 = 0;
const SECOND: u64 = 1;
const MINUTE: u64 = 2;
const HOUR: u64 = 3;
const QUOTA: u64 = 4;
/// How long after its end a window is kept, for calls whose clock is behind.
const GRACE_US: i64 = 60_000_000;

/// A quota's counter, as it is written down: windows of a day and longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saved {
    /// The counter: keyed SipHash of what it counts.
    pub id: u64,
    /// Window id (24 bits) and units used in it (40 bits).
    pub word: u64,
    /// Where that window ends, Unix microseconds.
    pub end_us: i64,
}

/// All counters of a process.
#[derive(Debug)]
pub struct Counters {
    key: [u8; 16],
    shards: Vec<Mutex<Shard>>,
}

#[derive(Debug, Default)]
struct Shard {
    /// Buckets and windows of an hour and shorter.
    short: HashMap<u64, Arc<Counter>>,
    quotas: HashMap<u64, Quota>,
    /// Quotas that were read back and that no snapshot has named yet.
    imported: HashMap<u64, Saved>,
}

#[derive(Debug)]
struct Quota {
    counter: Arc<Counter>,
    rule: Arc<Rule>,
    /// The word as it was last exported.
    exported: u64,
}

impl Counters {
    /// No counters yet; `key` is the cluster's, so that nobody can make two counters collide.
    #[must_use]
    pub fn new(key: [u8; 16]) -> Self {
        let shards = std::iter::repeat_with(Mutex::default);
        Self {
            key,
            shards: shards.take(1 << SHARD_BITS).collect(),
        }
    }

    /// Binds a limit to the counter of one subscription, application or version, whose raw id is
    /// `dimension`, as the limit's `per` says.
    #[must_use]
    pub fn bind(&self, limit: &ServedLimit, dimension: i64) -> Bound {
        self.bind_rule(&Arc::new(Rule::new(limit.clone())), dimension)
    }

    /// The same for a rule that many bounds share, which saves memory.
    #[must_use]
    pub fn bind_rule(&self, rule: &Arc<Rule>, dimension: i64) -> Bound {
        let id = self.id(rule.limit(), dimension);
        let mut shard = self.shard(id);
        let counter = if id & KIND_BITS == QUOTA {
            shard.quota(id, rule)
        } else {
            Arc::clone(shard.short.entry(id).or_default())
        };
        Bound::new(Arc::clone(rule), counter)
    }

    /// What of the quotas has changed since the last export.
    #[must_use]
    pub fn export(&self) -> Vec<Saved> {
        let mut saved = Vec::new();
        for shard in &self.shards {
            for (&id, quota) in &mut lock(shard).quotas {
                let word = quota.counter.word().used;
                if word != quota.exported && word != EMPTY {
                    quota.exported = word;
                    let end_us = window::end_us(quota.rule.limit(), word, 0);
                    saved.push(Saved { id, word, end_us });
                }
            }
        }
        saved
    }

    /// Takes back what was exported, before or after the limits are bound. Nothing that was used
    /// since is forgotten.
    pub fn import(&self, saved: Vec<Saved>) {
        for saved in saved {
            let mut shard = self.shard(saved.id);
            match shard.quotas.get(&saved.id) {
                Some(quota) => quota.counter.update(|word| {
                    let later = window::later(quota.rule.limit(), word.used, saved.word, 0);
                    (later != word.used).then(|| later.into())
                }),
                None => {
                    shard.imported.insert(saved.id, saved);
                }
            }
        }
    }

    /// Drops the counters that no bound holds and whose window is over, and empties those that are
    /// held, so that a window's id never comes round again. Locks one shard at a time.
    pub fn sweep(&self, now_us: i64) {
        let past_us = now_us.saturating_sub(GRACE_US);
        for shard in &self.shards {
            let mut shard = lock(shard);
            shard.short.retain(|&id, counter| {
                let is_over = |word| is_over(id & KIND_BITS, word, past_us);
                keep(counter, is_over)
            });
            shard.quotas.retain(|_, quota| {
                let end_us = |word| window::end_us(quota.rule.limit(), word, now_us);
                let is_over = |word: Word| end_us(word.used) <= past_us;
                keep(&quota.counter, is_over)
            });
            shard.imported.retain(|_, saved| saved.end_us > past_us);
        }
    }

    /// How many counters there are.
    #[must_use]
    pub fn count(&self) -> usize {
        let count = |shard: &Shard| shard.short.len() + shard.quotas.len() + shard.imported.len();
        self.shards.iter().map(|shard| count(&lock(shard))).sum()
    }

    /// The counter of a limit for one subscription, application or version. It depends neither on
    /// the amount nor on the plan, so a changed plan keeps what was used.
    fn id(&self, limit: &ServedLimit, dimension: i64) -> u64 {
        let (algorithm, kind) = match (&limit.counting, limit.window) {
            (Counting::Gcra { .. }, _) => ("gcra", GCRA),
            (Counting::Every { .. }, Window::Second) => ("fixed", SECOND),
            (Counting::Every { .. }, Window::Minute) => ("fixed", MINUTE),
            (Counting::Every { .. }, Window::Hour) => ("fixed", HOUR),
            (Counting::Every { .. } | Counting::At(_), _) => ("fixed", QUOTA),
        };
        let zone = limit.zone.as_deref().unwrap_or("UTC");
        let mut hasher = SipHasher24::new_with_key(&self.key);
        for word in [
            "requests",
            per_word(limit.per),
            algorithm,
            limit.window.word(),
            zone,
        ] {
            hasher.write(word.as_bytes());
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
    fn quota(&mut self, id: u64, rule: &Arc<Rule>) -> Arc<Counter> {
        if let Some(quota) = self.quotas.get_mut(&id) {
            // The newer list of windows reaches further.
            quota.rule = Arc::clone(rule);
            return Arc::clone(&quota.counter);
        }
        let word = self.imported.remove(&id).map_or(EMPTY, |saved| saved.word);
        let counter = Arc::new(Counter::new(word.into()));
        let quota = Quota {
            counter: Arc::clone(&counter),
            rule: Arc::clone(rule),
            exported: word,
        };
        self.quotas.insert(id, quota);
        counter
    }
}

/// Whether the registry keeps a counter; one that is held and over is emptied.
fn keep(counter: &Arc<Counter>, is_over: impl Fn(Word) -> bool) -> bool {
    if !is_over(counter.word()) {
        return true;
    }
    // The registry is locked, so a counter that only it holds cannot be bound now.
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

/// Whether a short counter's word tells of nothing that still matters at `past_us`.
fn is_over(kind: u64, word: Word, past_us: i64) -> bool {
    let window = match kind {
        SECOND => Window::Second,
        MINUTE => Window::Minute,
        HOUR => Window::Hour,
        _ => return bucket::is_full(word, past_us),
    };
    word.used == EMPTY || window::is_before(word.used, window, past_us)
}

/// A poisoned lock is taken over: every change of a shard is a single step.
fn lock(shard: &Mutex<Shard>) -> MutexGuard<'_, Shard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
