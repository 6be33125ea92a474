//! Keys of skipped objects: their length, and whether they start a reference.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A key of an object that is only searched for references.
pub(super) struct Key {
    pub(super) is_reference: bool,
    /// Its length; 0 if it is not a string.
    pub(super) bytes: usize,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(KeyVisitor)
    }
}

const OTHER_KEY: Key = Key {
    is_reference: false,
    bytes: 0,
};

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<Key, E> {
        Ok(Key {
            is_reference: key == "$ref",
            bytes: key.len(),
        })
    }

    // YAML allows keys of every type.
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Key, E> {
        Ok(OTHER_KEY)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Key, E> {
        Ok(OTHER_KEY)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Key, E> {
        Ok(OTHER_KEY)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Key, E> {
        Ok(OTHER_KEY)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Key, E> {
        Ok(OTHER_KEY)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, from: A) -> Result<Key, A::Error> {
        IgnoredAny.visit_seq(from).map(|_| OTHER_KEY)
    }

    fn visit_map<A: MapAccess<'de>>(self, from: A) -> Result<Key, A::Error> {
        IgnoredAny.visit_map(from).map(|_| OTHER_KEY)
    }
}
