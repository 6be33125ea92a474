//! Values that are costly to make, within a bound of bytes: those used last stay. A value larger
//! than the bound is found for as long as it is held elsewhere.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::{Arc, Weak};

/// Bytes of an entry besides its value: its key, its rows in both tables, what counts its owners.
const ENTRY_BYTES: usize = 1_024;

/// How much memory a value holds.
pub(crate) trait Weight {
    /// An estimate, in bytes; what others hold too is counted as if this one held it alone.
    fn bytes(&self) -> usize;
}

/// Values by their keys, no more than a bound of bytes.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    bytes_max: usize,
    bytes: usize,
    entries: HashMap<Arc<K>, Entry<V>>,
    /// The keys, by when they were used last.
    used: BTreeMap<u64, Arc<K>>,
    uses: u64,
    /// Values that are more than the bound alone.
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

    /// The value of a key, which is the one that was used last from now on.
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

    /// Remembers a value; one that is more than the bound alone while others hold it.
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

    /// Forgets all values of keys like this.
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
