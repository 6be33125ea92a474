//! A persistent hash trie: an immutable map with copies that share the unchanged parts. A change
//! copies one bucket and the path to it, however large the table is, and does not disturb readers
//! of the previous table.
//!
//! It is a hash array mapped trie (Bagwell, "Ideal Hash Trees", 2001) with full branches instead of
//! bitmaps, and with buckets of hundreds of entries instead of single ones: branches stay in the
//! processor's caches, and a look-up in a table of millions misses them about twice, as in a hash
//! map. Buckets have little spare capacity, where a hash map doubles.

use std::hash::{BuildHasher, Hash};
use std::ops::Range;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;

/// Children of a branch; each level uses the next bits of the hash, the lowest first.
const FAN_OUT: usize = 16;
const LEVEL_BITS: u32 = FAN_OUT.ilog2();
/// Levels until the hash has no more bits; keys with the same hash share a bucket there.
const DEPTH_MAX: u32 = u64::BITS / LEVEL_BITS;
/// A bucket with more entries becomes a branch.
const BUCKET_MAX: usize = 512;
/// A branch with no more entries in all becomes a bucket: half of the bound, so that a table does
/// not alternate.
const MERGED_MAX: usize = BUCKET_MAX / 2;
/// Groups of a bucket, by the highest bits of the hash.
const GROUPS: usize = 128;
const GROUP_BITS: u32 = GROUPS.ilog2();

/// An immutable map with copies that share the unchanged parts.
#[derive(Debug, Clone)]
pub(crate) struct Table<K, V> {
    hasher: DefaultHashBuilder,
    root: Node<K, V>,
}

#[derive(Debug, Clone)]
enum Node<K, V> {
    Branch(Arc<[Node<K, V>; FAN_OUT]>),
    Bucket(Arc<Bucket<K, V>>),
}

/// Entries in the order of their groups.
#[derive(Debug, Clone)]
struct Bucket<K, V> {
    entries: Vec<(K, V)>,
    /// The start of each group, and the end of the last one. They fit: only keys with the same hash
    /// make a bucket larger than its bound, and of 64 bits there are no 65,536 such keys.
    starts: [u16; GROUPS + 1],
}

impl<K, V> Default for Table<K, V> {
    fn default() -> Self {
        Self {
            hasher: DefaultHashBuilder::default(),
            root: Node::Bucket(Arc::default()),
        }
    }
}

impl<K, V> Default for Bucket<K, V> {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            starts: [0; GROUPS + 1],
        }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Table<K, V> {
    pub(crate) fn find(&self, key: &K) -> Option<&V> {
        let hash = self.hasher.hash_one(key);
        let (mut node, mut rest) = (&self.root, hash);
        loop {
            match node {
                Node::Branch(children) => node = &children[digit(rest)],
                Node::Bucket(bucket) => return bucket.find(key, hash),
            }
            rest >>= LEVEL_BITS;
        }
    }

    /// Inserts a value and returns the previous one.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        let hash = self.hasher.hash_one(&key);
        let (mut node, mut depth) = (&mut self.root, 0);
        while let Node::Branch(children) = node {
            node = &mut Arc::make_mut(children)[digit(hash >> (depth * LEVEL_BITS))];
            depth += 1;
        }
        let Node::Bucket(bucket) = node else {
            return None;
        };
        let bucket = Arc::make_mut(bucket);
        let before = bucket.insert(key, value, hash);
        if bucket.entries.len() > BUCKET_MAX && depth < DEPTH_MAX {
            *node = bucket.split(&self.hasher, depth);
        }
        before
    }

    pub(crate) fn remove(&mut self, key: &K) -> Option<V> {
        // Copy the path only if there is something to remove.
        self.find(key)?;
        let hash = self.hasher.hash_one(key);
        self.root.remove(key, hash, hash, &self.hasher)
    }
}

impl<K, V> Table<K, V> {
    pub(crate) fn for_each(&self, mut each: impl FnMut(&K, &V)) {
        self.root.for_each(&mut each);
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Node<K, V> {
    /// `rest` is the part of the hash not used by the levels above.
    fn remove(&mut self, key: &K, hash: u64, rest: u64, hasher: &DefaultHashBuilder) -> Option<V> {
        match self {
            Self::Branch(children) => {
                let children = Arc::make_mut(children);
                let child = &mut children[digit(rest)];
                let removed = child.remove(key, hash, rest >> LEVEL_BITS, hasher);
                if let Some(bucket) = merged(children, hasher) {
                    *self = Self::Bucket(Arc::new(bucket));
                }
                removed
            }
            Self::Bucket(bucket) => Arc::make_mut(bucket).remove(key, hash),
        }
    }
}

impl<K, V> Node<K, V> {
    fn for_each(&self, each: &mut impl FnMut(&K, &V)) {
        match self {
            Self::Branch(children) => children.iter().for_each(|child| child.for_each(each)),
            Self::Bucket(bucket) => bucket
                .entries
                .iter()
                .for_each(|(key, value)| each(key, value)),
        }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Bucket<K, V> {
    fn with_capacity(entries: usize) -> Self {
        Self {
            entries: Vec::with_capacity(entries),
            ..Self::default()
        }
    }

    /// The range of the entries in a hash's group.
    fn group(&self, hash: u64) -> Range<usize> {
        let group = group_of(hash);
        self.starts[group].into()..self.starts[group + 1].into()
    }

    fn find(&self, key: &K, hash: u64) -> Option<&V> {
        let mut group = self.entries[self.group(hash)].iter();
        let found = group.find(|(known, _)| known == key);
        found.map(|(_, value)| value)
    }

    fn insert(&mut self, key: K, value: V, hash: u64) -> Option<V> {
        let place = self.group(hash);
        let mut group = self.entries[place.clone()].iter_mut();
        if let Some((_, known)) = group.find(|(known, _)| *known == key) {
            return Some(std::mem::replace(known, value));
        }
        let entries = &mut self.entries;
        if entries.len() == entries.capacity() {
            // Small enough that spare capacity does not matter, large enough that few inserts
            // allocate.
            entries.reserve_exact(1 + entries.len() / 16);
        }
        entries.insert(place.end, (key, value));
        let later = &mut self.starts[group_of(hash) + 1..];
        later.iter_mut().for_each(|start| *start += 1);
        None
    }

    fn remove(&mut self, key: &K, hash: u64) -> Option<V> {
        let place = self.group(hash);
        let mut group = self.entries[place.clone()].iter();
        let at = group.position(|(known, _)| known == key)?;
        let (_, removed) = self.entries.remove(place.start + at);
        let later = &mut self.starts[group_of(hash) + 1..];
        later.iter_mut().for_each(|start| *start -= 1);
        Some(removed)
    }

    /// Returns a branch at this depth with the same entries.
    fn split(&self, hasher: &DefaultHashBuilder, depth: u32) -> Node<K, V> {
        let child_of = |hash: u64| digit(hash >> (depth * LEVEL_BITS));
        let mut counts = [0; FAN_OUT];
        for (key, _) in &self.entries {
            counts[child_of(hasher.hash_one(key))] += 1;
        }
        let mut children = counts.map(Self::with_capacity);
        for (key, value) in &self.entries {
            let hash = hasher.hash_one(key);
            children[child_of(hash)].insert(key.clone(), value.clone(), hash);
        }
        Node::Branch(Arc::new(children.map(Arc::new).map(Node::Bucket)))
    }
}

/// The index of the child for a hash.
fn digit(rest: u64) -> usize {
    usize::try_from(rest % FAN_OUT as u64).expect("below 16")
}

/// The index of the group for a hash.
fn group_of(hash: u64) -> usize {
    usize::try_from(hash >> (u64::BITS - GROUP_BITS)).expect("below 128")
}

/// Returns a bucket with the entries of all children, if they are few.
fn merged<K: Hash + Eq + Clone, V: Clone>(
    children: &[Node<K, V>],
    hasher: &DefaultHashBuilder,
) -> Option<Bucket<K, V>> {
    let mut count = 0;
    for child in children {
        let Node::Bucket(bucket) = child else {
            return None;
        };
        count += bucket.entries.len();
        if count > MERGED_MAX {
            return None;
        }
    }
    let mut all = Bucket::with_capacity(count);
    for child in children {
        child.for_each(&mut |key, value| {
            all.insert(key.clone(), value.clone(), hasher.hash_one(key));
        });
    }
    Some(all)
}

#[cfg(test)]
mod tests;
