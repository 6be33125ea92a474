//! Names, most of which differ in their first word, and the keys of objects.

use super::{Kind, NodeId, View};

/// A name prepared for comparison.
#[derive(Debug, Clone, Copy)]
pub struct Name<'a> {
    /// The bytes of the name.
    pub bytes: &'a [u8],
    /// Its first eight bytes as a little-endian integer, padded with zeros.
    pub head: u64,
}

/// A search for a key of an object, and its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeySearch {
    /// The key, if there is one.
    pub found: Option<NodeId>,
    /// Number of keys that were compared.
    pub keys: usize,
    /// Bytes of the keys that had to be compared as a whole.
    pub bytes: usize,
}

impl<'a> Name<'a> {
    /// Prepares a name.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::within(bytes, 0, bytes.len())
    }

    /// Returns a part of a text as a name; reads a whole word of the text if there is one.
    #[inline]
    pub(super) fn within(source: &'a [u8], start: usize, end: usize) -> Self {
        let bytes = source.get(start..end).unwrap_or_default();
        let word = source.get(start..).and_then(<[u8]>::first_chunk);
        let head = match (word, bytes.len()) {
            (Some(&word), length @ 0..8) => u64::from_le_bytes(word) & !(u64::MAX << (8 * length)),
            (Some(&word), _) => u64::from_le_bytes(word),
            (None, _) => bytes
                .iter()
                .rfold(0, |head, &byte| head << 8 | u64::from(byte)),
        };
        Self { bytes, head }
    }

    /// Whether another name has the same length and the same first eight bytes.
    #[inline]
    fn begins_like(&self, other: &Name<'_>) -> bool {
        self.head == other.head && self.bytes.len() == other.bytes.len()
    }
}

impl PartialEq for Name<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.begins_like(other) && (self.bytes.len() <= 8 || self.bytes == other.bytes)
    }
}

impl Eq for Name<'_> {}

impl<'a> View<'a> {
    /// Searches the key with this name in an object.
    #[must_use]
    #[inline]
    pub fn find_counting(self, object: NodeId, name: &str) -> KeySearch {
        let name = Name::new(name.as_bytes());
        let (mut keys, mut bytes) = (0, 0);
        let found = self.keys(object).find(|(key, _)| {
            keys += 1;
            if !key.begins_like(&name) {
                return false;
            }
            bytes += name.bytes.len();
            *key == name
        });
        KeySearch {
            found: found.map(|(_, key)| key),
            keys,
            bytes,
        }
    }

    /// Returns the names of an object's keys, and the keys; none for other nodes.
    #[inline]
    pub fn keys(self, object: NodeId) -> impl Iterator<Item = (Name<'a>, NodeId)> {
        let is_object = self.kind(object) == Kind::Object;
        let mut next = is_object.then(|| self.first(object)).flatten();
        std::iter::from_fn(move || {
            let key = next?;
            let (name, after) = self.key(key);
            next = after;
            Some((name, key))
        })
    }
}
