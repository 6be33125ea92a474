//! Types of schemas, and null, which is none of them here.

use super::pointer::At;
use crate::value::{Members, Value};

/// Keywords that do not constrain values.
const ANNOTATIONS: [&str; 7] = [
    "type",
    "title",
    "description",
    "example",
    "examples",
    "deprecated",
    "externalDocs",
];

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(pub(super) u8);

const TYPES: [(&str, u8); 6] = [
    ("number", 1 | 2),
    ("integer", 1),
    ("string", 4),
    ("boolean", 8),
    ("array", 16),
    ("object", 32),
];

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ALL: Self = Self(u8::MAX);
    pub(super) const INTEGER: Self = Self(1);
    pub(super) const NUMBER: Self = Self(1 | 2);
    pub(super) const STRING: Self = Self(4);
    /// Types that are written as one text in paths, queries and header fields.
    pub(super) const PLAIN: Self = Self(1 | 2 | 4 | 8);
    pub(super) const ARRAY: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);

    fn of_word(word: &str) -> Self {
        let known = TYPES.iter().find(|(name, _)| *name == word);
        Self(known.map_or(64, |(_, bits)| *bits))
    }

    /// Whether it is more than one type; integers are numbers.
    pub(super) const fn are_several(self) -> bool {
        let types = self.0 & !2;
        types & types.wrapping_sub(1) != 0
    }

    pub(super) const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(super) const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the types that are in both.
    pub(super) const fn shared(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Writes the types for people.
    pub(super) fn words(self) -> String {
        let mut words: Vec<_> = TYPES
            .iter()
            .filter(|(name, bits)| {
                self.contains(Self(*bits)) && !(*name == "integer" && self.contains(Self(3)))
            })
            .map(|(name, _)| *name)
            .collect();
        if self.0 & 64 != 0 {
            words.push("another type");
        }
        match words.is_empty() {
            true => "nothing".to_owned(),
            false => words.join(" or "),
        }
    }
}

/// The types of the keyword `type`, and whether null is among them.
pub(super) fn types_of(value: &Value) -> (Types, bool) {
    let words = match value {
        Value::List(list) => list.as_slice(),
        single => std::slice::from_ref(single),
    };
    let words = words.iter().filter_map(Value::as_text);
    let folded = words.fold((0, false), |(bits, has_null), word| match word {
        "null" => (bits, true),
        word => (bits | Types::of_word(word).0, has_null),
    });
    (Types(folded.0), folded.1)
}

pub(super) const fn is_null(value: &Value) -> bool {
    matches!(value, Value::Scalar(serde_json::Value::Null))
}

pub(super) fn has_null_value(members: &Members) -> bool {
    match (members.value("enum"), members.value("const")) {
        (Some(Value::List(values)), _) => values.iter().any(is_null),
        (_, Some(value)) => is_null(value),
        _ => false,
    }
}

/// Whether null is the only value.
pub(super) fn is_null_schema(members: &Members) -> bool {
    match members.value("type") {
        Some(value) => types_of(value) == (Types::NONE, true),
        None => match (members.value("enum"), members.value("const")) {
            (Some(Value::List(values)), _) => !values.is_empty() && values.iter().all(is_null),
            (_, Some(value)) => is_null(value),
            _ => false,
        },
    }
}

/// The types of a schema that has nothing else.
pub(super) fn pure_type(at: &At<'_>) -> Option<Types> {
    let members = at.map()?;
    let is_pure = |key: &str| ANNOTATIONS.contains(&key) || key.starts_with("x-");
    let (types, has_null) = types_of(members.value("type")?);
    let is_pure = !has_null && members.0.iter().all(|(key, _)| is_pure(key));
    is_pure.then_some(types)
}
