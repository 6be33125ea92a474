//! The kept values of a document.

use std::collections::BTreeMap;

/// Estimated bytes of a member without its key, while its object is read and closed.
pub(super) const MEMBER_BYTES: usize = 2 * size_of::<Entry>();
/// Estimated bytes of an item of a list that grows.
pub(super) const ITEM_BYTES: usize = 2 * size_of::<Node>();

/// A value of the document.
#[derive(Debug)]
pub(crate) enum Node {
    /// `null`.
    Nothing,
    /// Present, but not kept.
    Skipped,
    /// A boolean or a number, as text.
    Scalar(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// An object.
    Map(Map),
}

impl Node {
    /// Returns the object, if this is one.
    pub(crate) fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the string, if this is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// An object with lookup in logarithmic time, because attackers can choose the references.
#[derive(Debug, Default)]
pub(crate) struct Map {
    /// Sorted by key.
    entries: Vec<Entry>,
    /// For an operation, its first reference to another file.
    pub(crate) outside: Option<Box<str>>,
}

/// A member of an object.
#[derive(Debug)]
struct Entry {
    key: Box<str>,
    /// Its number in document order.
    place: usize,
    /// The memory of the whole value, kept or not.
    weight: usize,
    node: Node,
}

impl Map {
    /// Returns the value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<&Node> {
        let found = self.find(key).ok()?;
        Some(&self.entries[found].node)
    }

    /// Returns the string of a key, if there is one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.value(key).and_then(Node::as_text)
    }

    /// Returns the object of a key, if there is one.
    pub(crate) fn map(&self, key: &str) -> Option<&Self> {
        self.value(key).and_then(Node::as_map)
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns keys and values in document order.
    pub(crate) fn in_order(&self) -> Vec<(&str, &Node)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|entry| entry.place);
        let pairs = entries.into_iter();
        pairs.map(|entry| (&*entry.key, &entry.node)).collect()
    }

    /// Returns the memory of all its members, in the unit of [`Value::memory`].
    ///
    /// [`Value::memory`]: crate::value::Value::memory
    pub(crate) fn weight(&self) -> usize {
        self.entries.iter().map(|entry| entry.weight).sum()
    }

    /// Returns all values, in the order of their keys.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.entries.iter_mut().map(|entry| &mut entry.node)
    }

    /// Removes a key and returns its value.
    pub(crate) fn take(&mut self, key: &str) -> Option<Node> {
        let found = self.find(key).ok()?;
        Some(self.entries.remove(found).node)
    }

    /// Replaces the value of a key, or adds the key at the end.
    pub(crate) fn put(&mut self, key: &str, node: Node) {
        match self.find(key) {
            Ok(found) => self.entries[found].node = node,
            Err(at) => {
                let last = self.entries.iter().map(|entry| entry.place).max();
                let entry = Entry {
                    key: key.into(),
                    place: last.map_or(0, |last| last + 1),
                    weight: 0,
                    node,
                };
                self.entries.insert(at, entry);
            }
        }
    }

    fn find(&self, key: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| (*entry.key).cmp(key))
    }
}

/// An object while it is read.
#[derive(Debug, Default)]
pub(super) struct OpenMap(BTreeMap<Box<str>, Open>);

#[derive(Debug)]
struct Open {
    place: usize,
    weight: usize,
    node: Node,
}

impl OpenMap {
    pub(super) fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Adds a key that the object does not have, with the memory of its whole value.
    pub(super) fn add(&mut self, key: String, weight: usize, node: Node) {
        let place = self.0.len();
        let open = Open {
            place,
            weight,
            node,
        };
        self.0.insert(key.into(), open);
    }

    pub(super) fn close(self, outside: Option<Box<str>>) -> Map {
        let entries = self.0.into_iter().map(|(key, open)| Entry {
            key,
            place: open.place,
            weight: open.weight,
            node: open.node,
        });
        Map {
            entries: entries.collect(),
            outside,
        }
    }
}
