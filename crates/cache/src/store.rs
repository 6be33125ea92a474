//! The stored responses, bounded by bytes, and what removes them: purges, and calls that change
//! their target.
//!
//! A response is not stored if its call began before a purge of its version or a change of its
//! target: it may be the one from before. For that, a call [begins](Store::begin) with the counts
//! of both, which must still be the same at its end.

#[cfg(test)]
mod tests;

use std::hash::BuildHasher as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use hashbrown::{DefaultHashBuilder, HashMap};
use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};

use crate::freshness::Freshness;
use crate::key::Key;

/// Number of counters of changes; targets that share one only keep each other from being stored.
const CHANGES: usize = 4_096;
/// Bytes that an entry takes besides its key, head and body.
const ENTRY_BYTES: u64 = 256;
/// Estimated bytes of an entry, for the number of entries that the store prepares for.
const ENTRY_BYTES_MEAN: u64 = 4_096;

/// The resource that a response belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The id of the version.
    pub version: u64,
    /// Method and path of the operation, as in the configuration.
    pub operation: Arc<str>,
    /// Path and query below the version, as sent.
    pub target: Box<[u8]>,
}

/// A stored response.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its resource.
    pub resource: Resource,
    /// Its tags.
    pub tags: Box<[Box<[u8]>]>,
    /// The status.
    pub status: u16,
    /// The status line and the field lines, as in a message.
    pub head: Box<[u8]>,
    /// The body.
    pub body: Box<[u8]>,
    /// Its freshness when it arrived.
    pub freshness: Freshness,
    /// The monotonic time of its arrival, in milliseconds.
    pub arrived_ms: u64,
}

/// Selects responses of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// All of them.
    Version,
    /// Those of an operation.
    Operation(Arc<str>),
    /// Those of a path, with any query.
    Target(Box<[u8]>),
    /// Those with a tag.
    Tag(Box<[u8]>),
}

/// The counts of purges and changes when a call began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    purges: u64,
    changes: u64,
}

/// All stored responses of a process.
#[derive(Debug)]
pub struct Store {
    entries: Cache<Key, Arc<Entry>, Bytes>,
    /// The number of the last purge of each version that had one.
    purges: RwLock<HashMap<u64, u64>>,
    /// How often targets were changed.
    changes: Box<[AtomicU64]>,
    hasher: DefaultHashBuilder,
}

/// Weighs entries by their bytes.
#[derive(Debug, Clone, Copy)]
struct Bytes;

impl Weighter<Key, Arc<Entry>> for Bytes {
    fn weight(&self, key: &Key, entry: &Arc<Entry>) -> u64 {
        let tags: usize = entry.tags.iter().map(|tag| tag.len()).sum();
        let texts = key.bytes() + entry.resource.target.len() + tags;
        (texts + entry.head.len() + entry.body.len()) as u64 + ENTRY_BYTES
    }
}

impl Selector {
    fn selects(&self, entry: &Entry) -> bool {
        match self {
            Self::Version => true,
            Self::Operation(operation) => entry.resource.operation == *operation,
            Self::Target(target) => path(&entry.resource.target) == path(target),
            Self::Tag(tag) => entry.tags.contains(tag),
        }
    }
}

fn path(target: &[u8]) -> &[u8] {
    target
        .split(|&byte| byte == b'?')
        .next()
        .unwrap_or_default()
}

impl Store {
    /// Creates a store of at most `bytes_max` bytes.
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        let entries = usize::try_from(bytes_max / ENTRY_BYTES_MEAN).unwrap_or(usize::MAX);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(entries.max(1))
            .weight_capacity(bytes_max)
            .build();
        // The builder fails only without these two.
        let entries = match options {
            Ok(options) => {
                Cache::with_options(options, Bytes, Default::default(), Default::default())
            }
            Err(_) => Cache::with_weighter(entries.max(1), bytes_max, Bytes),
        };
        Self {
            entries,
            purges: RwLock::default(),
            changes: (0..CHANGES).map(|_| AtomicU64::new(0)).collect(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Returns a stored response, fresh or stale.
    #[must_use]
    pub fn find(&self, key: &Key) -> Option<Arc<Entry>> {
        self.entries.get(key)
    }

    /// Notes that a call of a resource begins.
    #[must_use]
    pub fn begin(&self, resource: &Resource) -> Begun {
        Begun {
            purges: self.last_purge(resource.version),
            changes: self.changes_of(resource).load(Ordering::Acquire),
        }
    }

    /// Stores a response, unless its version was purged or its target changed since its call began.
    /// Returns whether it is stored.
    pub fn keep(&self, key: &Key, entry: Arc<Entry>, begun: Begun) -> bool {
        // A purge waits for the lock and then removes what was inserted under it.
        let purges = self.purges.read().unwrap_or_else(PoisonError::into_inner);
        let last = purges.get(&entry.resource.version).copied().unwrap_or(0);
        if last != begun.purges {
            return false;
        }
        let resource = entry.resource.clone();
        self.entries.insert(key.clone(), entry);
        // A change counts before it removes, so either it sees the entry or this sees its count.
        if self.changes_of(&resource).load(Ordering::SeqCst) != begun.changes {
            self.entries.remove(key);
            return false;
        }
        true
    }

    /// Removes the responses of a target, with any query, since a call has changed it.
    pub fn change(&self, resource: &Resource) {
        self.changes_of(resource).fetch_add(1, Ordering::SeqCst);
        self.remove(resource.version, &Selector::Target(resource.target.clone()));
    }

    /// Removes the responses of a version that a purge selects. Purges of a version are numbered in
    /// their order; one that has been carried out already has no effect.
    pub fn purge(&self, version: u64, number: u64, selector: &Selector) {
        {
            let mut purges = self.purges.write().unwrap_or_else(PoisonError::into_inner);
            let last = purges.entry(version).or_insert(0);
            if number <= *last {
                return;
            }
            *last = number;
        }
        self.remove(version, selector);
    }

    /// Returns the number of the last purge of a version; 0 if it had none.
    #[must_use]
    pub fn last_purge(&self, version: u64) -> u64 {
        let purges = self.purges.read().unwrap_or_else(PoisonError::into_inner);
        purges.get(&version).copied().unwrap_or(0)
    }

    /// Returns the bytes of all entries.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries.weight()
    }

    fn remove(&self, version: u64, selector: &Selector) {
        self.entries
            .retain(|_, entry| entry.resource.version != version || !selector.selects(entry));
    }

    fn changes_of(&self, resource: &Resource) -> &AtomicU64 {
        let target = (resource.version, path(&resource.target));
        &self.changes[self.hasher.hash_one(target) as usize % CHANGES]
    }
}
