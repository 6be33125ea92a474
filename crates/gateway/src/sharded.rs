//! Maps in 256 shards, each swapped alone: a change copies a 256th of the table, and readers of
//! the old table are not disturbed.

use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashMap};

const SHARDS: usize = 256;

/// An immutable map whose copies share what did not change.
#[derive(Debug, Clone)]
pub(crate) struct Sharded<K, V> {
    hasher: DefaultHashBuilder,
    shards: Arc<[Arc<HashMap<K, V, DefaultHashBuilder>>]>,
}

impl<K: Hash + Eq + Clone, V: Clone> Default for Sharded<K, V> {
    fn default() -> Self {
        let hasher = DefaultHashBuilder::default();
        let empty = Arc::new(HashMap::with_hasher(hasher.clone()));
        Self {
            hasher,
            shards: (0..SHARDS).map(|_| Arc::clone(&empty)).collect(),
        }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Sharded<K, V> {
    pub(crate) fn find(&self, key: &K) -> Option<&V> {
        self.shards[self.shard(key)].get(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.edit(self.shard(&key)).insert(key, value);
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        self.edit(self.shard(key)).remove(key)
    }

    fn edit(&mut self, shard: usize) -> &mut HashMap<K, V, DefaultHashBuilder> {
        Arc::make_mut(&mut Arc::make_mut(&mut self.shards)[shard])
    }

    /// The map inside a shard uses the low bits of the same hash, so the shard takes others.
    fn shard(&self, key: &K) -> usize {
        let hash = self.hasher.hash_one(key);
        usize::try_from(hash >> 40).expect("24 bits fit") % SHARDS
    }
}
