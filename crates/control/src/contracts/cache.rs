//! What was made of contracts, within a bound of bytes: what was used last stays. What is more than
//! the bound alone is found as long as somebody holds it.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::mem::size_of;
use std::sync::{Arc, Weak};

use tollgate_model::compile::ContractOperation;
use tollgate_model::fault::Fault;
use tollgate_model::feed::ServedDocument;

use super::Made;

/// Bytes of an entry besides its value: its key, its rows in both tables, what counts its owners.
const ENTRY_BYTES: usize = 1_024;
/// Bytes of a row of a map and of one allocation besides what is in them.
const ROW_BYTES: usize = 64;

/// How much memory a value holds.
pub(super) trait Weight {
    /// An estimate, in bytes; what others hold too is counted as if this one held it alone.
    fn bytes(&self) -> usize;
}

/// Values by their keys, no more than a bound of bytes.
#[derive(Debug)]
pub(super) struct Cache<K, V> {
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
    pub(super) fn new(bytes_max: usize) -> Self {
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
    pub(super) fn get(&mut self, key: &K) -> Option<Arc<V>> {
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
    pub(super) fn insert(&mut self, key: K, value: &Arc<V>) {
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
    pub(super) fn forget(&mut self, is_meant: impl Fn(&K) -> bool) {
        let keys = self.entries.keys().filter(|key| is_meant(key)).cloned();
        for key in keys.collect::<Vec<_>>() {
            self.remove(&key);
        }
        self.entries.shrink_to_fit();
        self.large.retain(|key, _| !is_meant(key));
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
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

impl Weight for Made {
    /// Of most contracts the documents, as they are served.
    fn bytes(&self) -> usize {
        let documents = self.contract.documents.iter();
        let documents = documents
            .map(|it| size_of::<ServedDocument>() + it.text.len() + it.query.len() + it.etag.len());
        let operations = self.contract.operations.iter().map(|it| {
            let body = it.body.as_ref();
            let body = body.map_or(0, |(namespace, local)| namespace.len() + local.len());
            let why = it.proxy_only.as_ref().map_or(0, String::len);
            size_of::<ContractOperation>() + it.name.len() + it.action.len() + body + why
        });
        let said = &self.documentation;
        let of_operations = said
            .operations
            .iter()
            .map(|(key, text)| key.len() + text.len());
        let of_types = said.types.values().map(|text| text.len());
        let fields = said.fields.values();
        let of_fields = fields.flatten().map(|(key, text)| key.len() + text.len());
        let words = of_operations.chain(of_types).chain(of_fields);
        let words = words.map(|bytes| bytes + ROW_BYTES);
        let all = documents.chain(operations).chain(words).sum::<usize>();
        all + self.contract.plan.len() + said.fields.len() * ROW_BYTES
    }
}

impl Weight for Vec<Fault> {
    fn bytes(&self) -> usize {
        let faults = self.iter();
        let faults = faults.map(|it| it.field.len() + it.code.len() + it.detail.len());
        faults.map(|bytes| bytes + size_of::<Fault>()).sum()
    }
}

#[cfg(test)]
mod tests;
