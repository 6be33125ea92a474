//! A cache of expensive values with a bound in bytes, which evicts the least recently used. A value
//! larger than the bound is found as long as it is in use elsewhere.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Weak};

/// Overhead of an entry in bytes: its key, its rows in both tables, its reference counts.
const ENTRY_BYTES: usize = 1_024;

/// The memory used by a value.
pub(crate) trait Weight {
    /// Estimates the memory in bytes; shared data is counted in full.
    fn bytes(&self) -> usize;
}

/// A least-recently-used cache with a bound in bytes.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    bytes_max: usize,
    bytes: usize,
    entries: HashMap<Arc<K>, Entry<V>>,
    /// The keys in order of last use.
    used: BTreeMap<u64, Arc<K>>,
    uses: u64,
    /// Values larger than the bound.
    large: HashMap<K, Weak<V>>,
}

#[derive(Debug)]
struct Entry<V> {
    value: Arc<V>,
    bytes: usize,
    used: u64,
}

impl<K: Eq + Hash, V: Weight> Cache<K, V> {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            bytes: 0,
            entries: HashMap::new(),
            used: BTreeMap::new(),
            uses: 0,
            large: HashMap::new(),
        }
    }

    /// Returns the value of a key, and marks it as the most recently used.
    pub(crate) fn get(&mut self, key: &K) -> Option<Arc<V>> {
        let Some(entry) = self.entries.get_mut(key) else {
            return self.large.get(key)?.upgrade();
        };
        let key = self.used.remove(&entry.used)?;
        self.uses += 1;
        entry.used = self.uses;
        self.used.insert(self.uses, key);
        Some(Arc::clone(&entry.value))
    }

    /// Inserts a value. One larger than the bound is found only while it is in use elsewhere.
    pub(crate) fn insert(&mut self, key: K, value: &Arc<V>) {
        self.remove(&key);
        let bytes = value.bytes().saturating_add(ENTRY_BYTES);
        self.large.retain(|_, it| it.strong_count() > 0);
        if bytes > self.bytes_max {
            self.large.insert(key, Arc::downgrade(value));
            return;
        }
        while self.bytes > self.bytes_max - bytes
            && let Some(oldest) = self.used.values().next().cloned()
        {
            self.remove(&oldest);
        }
        let key = Arc::new(key);
        self.uses += 1;
        self.used.insert(self.uses, Arc::clone(&key));
        let entry = Entry {
            value: Arc::clone(value),
            bytes,
            used: self.uses,
        };
        self.entries.insert(key, entry);
        self.bytes += bytes;
    }

    /// Removes all entries with keys for which `is_meant` returns true.
    pub(crate) fn forget(&mut self, is_meant: impl Fn(&K) -> bool) {
        let keys = self.entries.keys().filter(|key| is_meant(key)).cloned();
        for key in keys.collect::<Vec<_>>() {
            self.remove(&key);
        }
        self.entries.shrink_to_fit();
        self.large.retain(|key, _| !is_meant(key));
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn remove(&mut self, key: &K) {
        self.large.remove(key);
        if let Some(entry) = self.entries.remove(key.borrow()) {
            self.used.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests;
