//! Equality of meaning: ignores texts, examples, extensions and the names of references.

use std::collections::{HashMap, HashSet};

use super::document::{BYTES_OF_VALUE, Budget, Side};
use super::pointer::{At, size};
use crate::value::{Members, Value};

/// The kind of an object's members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Are {
    Fields,
    /// Names of objects with fields.
    Names,
}

/// A value of the old document and its counterpart in the new one.
struct Opposites<'d> {
    one: At<'d>,
    other: At<'d>,
    /// The kind of their members, if they are objects.
    are: Are,
}

/// Fields without a meaning for calls.
const IGNORED: [&str; 8] = [
    "title",
    "description",
    "summary",
    "example",
    "examples",
    "externalDocs",
    "deprecated",
    "$comment",
];
/// Fields that contain objects by name.
const OF_NAMES: [&str; 11] = [
    "properties",
    "patternProperties",
    "dependentSchemas",
    "dependencies",
    "$defs",
    "headers",
    "content",
    "responses",
    "callbacks",
    "encoding",
    "mapping",
];
/// Fields that contain data.
const OF_DATA: [&str; 3] = ["default", "const", "enum"];
/// Lists without an order.
const SETS: [&str; 3] = ["required", "type", "enum"];

/// Whether the values have the same meaning. Every pair of values is visited once, so circles end.
/// False if the budget is spent.
pub(super) fn same<'d>(
    old: &Side<'d>,
    new: &Side<'d>,
    one: &At<'d>,
    other: &At<'d>,
    budget: &Budget,
) -> bool {
    let mut open = vec![Opposites::fields(one.clone(), other.clone())];
    let mut seen = HashSet::new();
    while let Some(unresolved) = open.pop() {
        let opposites = unresolved.followed(old, new);
        let Opposites { one, other, are } = &opposites;
        if !seen.insert((one.address(), other.address(), *are == Are::Names)) {
            continue;
        }
        let is_same = match (one.value, other.value) {
            (Value::Map(members), Value::Map(others)) => {
                budget.spend(2 * (weight(members) + weight(others)) + 1)
                    && opposites.compare_members(members, others, &mut open)
            }
            (Value::List(list), Value::List(others)) => {
                let items = one.items().zip(other.items());
                open.extend(items.map(|(one, other)| Opposites::fields(one, other)));
                budget.spend(list.len() + 1) && list.len() == others.len()
            }
            (one, other) => budget.spend(size(one) + 1) && one == other,
        };
        if !is_same {
            return false;
        }
    }
    true
}

/// The work of hashing members: their number, and the size of those that are data.
fn weight(members: &Members) -> usize {
    let data = members
        .0
        .iter()
        .filter(|(key, _)| OF_DATA.contains(&&**key));
    members.0.len()
        + data
            .map(|(_, it)| it.bytes() / BYTES_OF_VALUE)
            .sum::<usize>()
}

impl<'d> Opposites<'d> {
    /// Returns opposites that have fields as members.
    const fn fields(one: At<'d>, other: At<'d>) -> Self {
        let are = Are::Fields;
        Self { one, other, are }
    }

    /// Returns the targets of references, which only objects with fields can be.
    fn followed(self, old: &Side<'d>, new: &Side<'d>) -> Self {
        match self.are {
            Are::Fields => Self::fields(old.followed(self.one), new.followed(self.other)),
            Are::Names => self,
        }
    }

    /// Compares the names of the members, and adds their values to the open opposites.
    fn compare_members(
        &self,
        members: &'d Members,
        others: &'d Members,
        open: &mut Vec<Self>,
    ) -> bool {
        let are = self.are;
        let counts = |key: &str| match are {
            Are::Fields => !IGNORED.contains(&key) && !key.starts_with("x-"),
            Are::Names => true,
        };
        let counted = |members: &'d Members| members.0.iter().filter(move |(key, _)| counts(key));
        if counted(members).count() != counted(others).count() {
            return false;
        }
        let opposites: HashMap<_, _> = counted(others)
            .map(|(key, value)| (key.as_str(), value))
            .collect();
        counted(members).all(|(key, value)| {
            let Some(&opposite) = opposites.get(key.as_str()) else {
                return false;
            };
            if are == Are::Fields && SETS.contains(&&**key) {
                return same_sets(value, opposite);
            }
            if are == Are::Fields && OF_DATA.contains(&&**key) {
                return value == opposite;
            }
            open.push(Self {
                one: self.one.below(key, value),
                other: self.other.below(key, opposite),
                are: match are {
                    Are::Fields if OF_NAMES.contains(&&**key) => Are::Names,
                    _ => Are::Fields,
                },
            });
            true
        })
    }
}

fn same_sets(one: &Value, other: &Value) -> bool {
    let items = |value: &Value| match value {
        Value::List(list) => list.iter().map(written).collect(),
        single => HashSet::from([written(single)]),
    };
    items(one) == items(other)
}

/// Writes a value so that equal values are equal texts.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::Scalar(serde_json::Value::Number(number)) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            format!("{float}")
        }
        value => serde_json::to_string(value).unwrap_or_default(),
    }
}
