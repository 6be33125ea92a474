//! A whole document with its members in their order, since people expect operations and fields in
//! the order in which they were written.

use std::cell::Cell;
use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Scalar;

/// Overhead in bytes of an allocation.
pub(crate) const ALLOCATION_BYTES: usize = 16;
/// Estimated bytes of a value in a list, without what it contains.
pub(crate) const VALUE_BYTES: usize = size_of::<Value>() + size_of::<Value>() / 2;

/// Returns the estimated bytes of a member of an object, without its value.
pub(crate) const fn member_bytes(name_bytes: usize) -> usize {
    size_of::<(String, Value)>() - size_of::<Value>() + ALLOCATION_BYTES + name_bytes
}

/// A value of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Neither a list nor an object.
    Scalar(Scalar),
    /// A list.
    List(Vec<Value>),
    /// An object.
    Map(Members),
}

/// The members of an object.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Members(pub(crate) Vec<(String, Value)>);

impl Value {
    /// Returns a string.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Scalar(Scalar::String(text.into()))
    }

    /// Returns the string, if this is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Scalar(Scalar::String(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the approximate size as JSON, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Scalar(Scalar::String(text)) => text.len() + 2,
            Self::Scalar(_) => 4,
            Self::List(list) => list.iter().map(|it| it.bytes() + 1).sum::<usize>() + 2,
            Self::Map(members) => {
                let members = members.0.iter();
                members
                    .map(|(name, it)| name.len() + it.bytes() + 4)
                    .sum::<usize>()
                    + 2
            }
        }
    }

    /// Returns the estimated bytes of memory.
    pub(crate) fn memory(&self) -> usize {
        VALUE_BYTES
            + match self {
                Self::Scalar(Scalar::String(text)) => ALLOCATION_BYTES + text.len(),
                Self::Scalar(_) => 0,
                Self::List(list) => list.iter().map(Self::memory).sum(),
                Self::Map(members) => members.memory(),
            }
    }

    /// Returns the object, if this is one.
    pub(crate) const fn as_map(&self) -> Option<&Members> {
        match self {
            Self::Map(members) => Some(members),
            _ => None,
        }
    }
}

impl Members {
    /// Creates an object. Of members with the same name, the last value counts, at the place of the
    /// first.
    pub(crate) fn from_last(given: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut members = Self::default();
        let mut places = HashMap::new();
        for (name, value) in given {
            match places.get(&name) {
                Some(&place) => members.0[place] = (name, value),
                None => {
                    places.insert(name.clone(), members.0.len());
                    members.0.push((name, value));
                }
            }
        }
        members
    }

    /// Returns the value of a member.
    pub(crate) fn value(&self, key: &str) -> Option<&Value> {
        let mut members = self.0.iter();
        members.find(|(name, _)| name == key).map(|(_, it)| it)
    }

    /// Returns the estimated bytes of memory of all members.
    pub(crate) fn memory(&self) -> usize {
        let members = self.0.iter();
        members
            .map(|(name, it)| member_bytes(name.len()) + it.memory())
            .sum()
    }

    /// Removes a member and returns its value.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        let place = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(place).1)
    }

    /// Replaces a member, or adds it at the end.
    pub(crate) fn put(&mut self, key: &str, value: Value) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, it)) => *it = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Value {
    fn from(members: [(&str, Value); N]) -> Self {
        let members = members.map(|(key, value)| (key.to_owned(), value));
        Self::Map(Members(members.into()))
    }
}

/// The estimated memory that a document may still take while it is read.
#[derive(Debug)]
pub(crate) struct MemoryLeft(Cell<Option<usize>>);

impl MemoryLeft {
    pub(crate) const fn new(bytes: usize) -> Self {
        Self(Cell::new(Some(bytes)))
    }

    /// Whether the document needs more.
    pub(crate) const fn is_exceeded(&self) -> bool {
        self.0.get().is_none()
    }

    fn charge<E: Error>(&self, bytes: usize) -> Result<(), E> {
        let left = self.0.get().and_then(|left| left.checked_sub(bytes));
        self.0.set(left);
        left.map(drop)
            .ok_or_else(|| E::custom("the document takes too much memory"))
    }
}

/// Reads a value within the memory that is left, in the unit of [`Value::memory`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed<'m>(pub(crate) &'m MemoryLeft);

impl Seed<'_> {
    fn scalar<E: Error>(self, scalar: Scalar) -> Result<Value, E> {
        self.0.charge(VALUE_BYTES)?;
        Ok(Value::Scalar(scalar))
    }

    fn text<E: Error>(self, text: &str) -> Result<Value, E> {
        self.0.charge(VALUE_BYTES + ALLOCATION_BYTES + text.len())?;
        Ok(Value::text(text))
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        self.scalar(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.scalar(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.scalar(value.into())
    }

    // Numbers of this size are not portable in JSON.
    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.text(&value.to_string())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.text(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        self.scalar(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        self.text(value)
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        self.scalar(Scalar::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        self.scalar(Scalar::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        self.0.charge(VALUE_BYTES)?;
        let mut list = Vec::new();
        while let Some(value) = from.next_element_seed(self)? {
            list.push(value);
        }
        list.shrink_to_fit();
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        self.0.charge(VALUE_BYTES)?;
        let mut members = Vec::new();
        while let Some(name) = from.next_key::<String>()? {
            self.0.charge(member_bytes(name.len()))?;
            members.push((name, from.next_value_seed(self)?));
        }
        members.shrink_to_fit();
        Ok(Value::Map(Members(members)))
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(scalar) => scalar.serialize(to),
            Self::List(list) => list.serialize(to),
            Self::Map(members) => members.serialize(to),
        }
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}
