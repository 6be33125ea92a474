//! The stored responses, bounded by bytes, and what ends them: purges, and calls that change their
//! target.
//!
//! A response is not stored if its call began before a purge of its version or a change of its
//! target: it may be the one from before. For that, a call [begins](Store::begin) with the counts
//! of both. Nor does it replace the response to a call that began later.

#[cfg(test)]
mod tests;
mod unstored;

use std::hash::BuildHasher as _;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use hashbrown::{DefaultHashBuilder, HashMap};
use quick_cache::sync::Cache;
use quick_cache::{OptionsBuilder, Weighter};

use crate::freshness::Freshness;
use crate::key::Key;
use unstored::Unstored;

/// Number of counters of changes; a change of a target ends the entries of all targets that share
/// its counter.
const CHANGES: usize = 1 << 16;
/// Number of parts of a store, each with its own lock and its part of the bytes.
const PARTS: u64 = 8;
/// Number of locks for storing.
const KEEP_LOCKS: usize = 64;
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

/// The times after its expiry for which a response may be sent, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stale {
    /// While a call for a new one is in progress.
    pub while_revalidate_s: u32,
    /// If the upstream fails.
    pub if_error_s: u32,
}

/// By what an upstream recognizes its response (RFC 9110, section 8.8): the values of its fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Validators {
    /// `ETag`
    pub etag: Option<Box<[u8]>>,
    /// `Last-Modified`
    pub last_modified: Option<Box<[u8]>>,
}

/// A stored response.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its resource.
    pub resource: Arc<Resource>,
    /// Its tags.
    pub tags: Arc<[Box<[u8]>]>,
    /// The status.
    pub status: u16,
    /// The status line and the field lines, as in a message.
    pub head: Box<[u8]>,
    /// The body.
    pub body: Arc<[u8]>,
    /// Its freshness when it arrived.
    pub freshness: Freshness,
    /// For how long it may be sent after its expiry.
    pub stale: Stale,
    /// By what the upstream recognizes it.
    pub validators: Validators,
    /// The monotonic time of its arrival, in milliseconds.
    pub arrived_ms: u64,
}

/// Selects responses of a version: those that one of the lists names, or all if the lists are
/// empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector {
    /// Operations, as in [`Resource::operation`].
    pub operations: Vec<String>,
    /// Paths below the version, with any query.
    pub targets: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
}

/// The order of calls, and the counts of purges and changes when one began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    /// Calls that begin later have larger ones.
    number: u64,
    version: u64,
    purges: u64,
    changes: u32,
    counter: usize,
}

/// All stored responses of a process.
#[derive(Debug)]
pub struct Store {
    entries: Cache<Key, Kept, Bytes>,
    unstored: Unstored,
    /// Number of calls so far.
    calls: AtomicU64,
    /// One by key: whether a response is newer than the stored one is decided and done at once.
    keep_locks: Box<[Mutex<()>]>,
    /// The number of the last purge of each version that had one.
    purges: RwLock<HashMap<u64, u64>>,
    /// How often targets were changed.
    changes: Box<[AtomicU32]>,
    hasher: DefaultHashBuilder,
}

/// An entry, and the counts when its call began.
#[derive(Debug, Clone)]
struct Kept {
    entry: Arc<Entry>,
    begun: Begun,
}

/// Weighs entries by their bytes.
#[derive(Debug, Clone, Copy)]
struct Bytes;

impl Weighter<Key, Kept> for Bytes {
    fn weight(&self, key: &Key, Kept { entry, .. }: &Kept) -> u64 {
        let tags: usize = entry.tags.iter().map(|tag| tag.len()).sum();
        let texts = key.bytes() + entry.resource.target.len() + tags;
        (texts + entry.head.len() + entry.body.len()) as u64 + ENTRY_BYTES
    }
}

impl Selector {
    fn selects(&self, entry: &Entry) -> bool {
        let Self {
            operations,
            targets,
            tags,
        } = self;
        let resource = &entry.resource;
        let has_tag = |tag: &String| entry.tags.iter().any(|of| **of == *tag.as_bytes());
        operations.is_empty() && targets.is_empty() && tags.is_empty()
            || operations.iter().any(|it| **it == *resource.operation)
            || targets
                .iter()
                .any(|it| path(it.as_bytes()) == path(&resource.target))
            || tags.iter().any(has_tag)
    }
}

fn path(target: &[u8]) -> &[u8] {
    let end = target.iter().position(|&byte| byte == b'?');
    &target[..end.unwrap_or(target.len())]
}

impl Store {
    /// Creates a store of at most `bytes_max` bytes, one part in 32 of them for keys without a
    /// stored response. An entry has at most an eighth of the rest.
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        let unstored = Unstored::new(bytes_max / 32);
        let bytes_max = bytes_max - bytes_max / 32;
        let entries = usize::try_from(bytes_max / ENTRY_BYTES_MEAN).unwrap_or(usize::MAX);
        let options = OptionsBuilder::new()
            .estimated_items_capacity(entries.max(1))
            .weight_capacity(bytes_max)
            .shards(PARTS as usize)
            .build();
        // The builder fails only without these.
        let entries = match options {
            Ok(options) => {
                Cache::with_options(options, Bytes, Default::default(), Default::default())
            }
            Err(_) => Cache::with_weighter(entries.max(1), bytes_max, Bytes),
        };
        Self {
            entries,
            unstored,
            calls: AtomicU64::new(0),
            keep_locks: (0..KEEP_LOCKS).map(|_| Mutex::default()).collect(),
            purges: RwLock::default(),
            changes: (0..CHANGES).map(|_| AtomicU32::new(0)).collect(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Returns a stored response, fresh or stale, unless its target was changed since.
    #[must_use]
    pub fn find(&self, key: &Key) -> Option<Arc<Entry>> {
        let Kept { entry, begun } = self.entries.get(key)?;
        self.is_unchanged(begun).then_some(entry)
    }

    /// Notes that a call of a version and a target, with or without its query, begins.
    #[must_use]
    pub fn begin(&self, version: u64, target: &[u8]) -> Begun {
        let counter = self.counter(version, target);
        Begun {
            number: self.calls.fetch_add(1, Ordering::Relaxed),
            version,
            purges: self.last_purge(version),
            changes: self.changes[counter].load(Ordering::Acquire),
            counter,
        }
    }

    /// Stores a response, unless its version was purged or its target changed since its call began,
    /// or the response to a later call is stored. Returns whether it is stored.
    pub fn keep(&self, key: &Key, entry: Arc<Entry>, begun: Begun) -> bool {
        // A purge waits for the lock and then removes what was inserted under it.
        let purges = self.purges.read().unwrap_or_else(PoisonError::into_inner);
        let last = purges.get(&begun.version).copied().unwrap_or(0);
        if last != begun.purges || !self.is_unchanged(begun) {
            return false;
        }
        let digest = self.hasher.hash_one(key);
        let _guard = self.keep_lock(digest);
        if self.has_later(key, begun) {
            return false;
        }
        self.entries.insert(key.clone(), Kept { entry, begun });
        self.unstored.remove(digest);
        true
    }

    /// Removes the response of a key unless its call began after this one.
    pub fn remove(&self, key: &Key, begun: Begun) {
        let is_older = |kept: &Kept| kept.begun.number < begun.number;
        self.entries.remove_if(key, is_older);
    }

    /// Remembers that the response of this call, for this key, was not stored, from now to a later
    /// monotonic time in milliseconds; unless the response to a later call is stored.
    pub fn note_unstored(&self, key: &Key, begun: Begun, ms: Range<u64>) {
        let digest = self.hasher.hash_one(key);
        let _guard = self.keep_lock(digest);
        if !self.has_later(key, begun) {
            self.unstored.note(digest, begun, ms);
        }
    }

    fn keep_lock(&self, digest: u64) -> MutexGuard<'_, ()> {
        let lock = &self.keep_locks[digest as usize % KEEP_LOCKS];
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the response to a later call is stored.
    fn has_later(&self, key: &Key, begun: Begun) -> bool {
        let stored = self.entries.peek(key);
        stored.is_some_and(|it| it.begun.number > begun.number && self.is_unchanged(it.begun))
    }

    /// Whether the last response of a key was not stored, as far as that is remembered; a purge or
    /// a change since then ends it.
    #[must_use]
    pub fn is_unstored(&self, key: &Key, now_ms: u64) -> bool {
        let digest = self.hasher.hash_one(key);
        let begun = self.unstored.find(digest, now_ms);
        begun.is_some_and(|begun| self.is_current(begun))
    }

    /// Whether neither a purge of its version nor a change of its target was carried out since a
    /// call began.
    #[must_use]
    pub fn is_current(&self, begun: Begun) -> bool {
        self.last_purge(begun.version) == begun.purges && self.is_unchanged(begun)
    }

    fn is_unchanged(&self, begun: Begun) -> bool {
        self.changes[begun.counter].load(Ordering::Acquire) == begun.changes
    }

    /// Ends the responses of a version's target, with any query, since a call has changed it.
    pub fn change(&self, version: u64, target: &[u8]) {
        self.changes[self.counter(version, target)].fetch_add(1, Ordering::AcqRel);
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
        self.entries.retain(|_, Kept { entry, .. }| {
            entry.resource.version != version || !selector.selects(entry)
        });
    }

    /// Returns the number of the last purge of a version; 0 if it had none.
    #[must_use]
    pub fn last_purge(&self, version: u64) -> u64 {
        let purges = self.purges.read().unwrap_or_else(PoisonError::into_inner);
        purges.get(&version).copied().unwrap_or(0)
    }

    /// Returns the bytes of all entries, and of the keys that have none.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.entries.weight() + self.unstored.bytes()
    }

    fn counter(&self, version: u64, target: &[u8]) -> usize {
        // Some back ends ignore case.
        let path = path(target).to_ascii_lowercase();
        self.hasher.hash_one((version, path)) as usize % CHANGES
    }
}
