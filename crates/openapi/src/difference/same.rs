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
    (old, new): (&Side<'d>, &Side<'d>),
    (one, other): (&At<'d>, &At<'d>),
    budget: &Budget,
) -> bool {
    let mut open = vec![(one.clone(), other.clone(), Are::Fields)];
    let mut seen = HashSet::new();
    while let Some((one, other, are)) = open.pop() {
        let (one, other) = match are {
            Are::Fields => (old.followed(one), new.followed(other)),
            Are::Names => (one, other),
        };
        if !seen.insert((one.address(), other.address(), are == Are::Names)) {
            continue;
        }
        let is_same = match (one.value, other.value) {
            (Value::Map(members), Value::Map(others)) => {
                budget.spend(2 * (weight(members) + weight(others)) + 1)
                    && same_members((&one, members), (&other, others), are, &mut open)
            }
            (Value::List(list), Value::List(others)) => {
                let pairs = one.items().zip(other.items());
                open.extend(pairs.map(|(one, other)| (one, other, Are::Fields)));
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

/// Compares the names of members, and adds their values to the open pairs.
fn same_members<'d>(
    (one, members): (&At<'d>, &'d Members),
    (other, others): (&At<'d>, &'d Members),
    are: Are,
    open: &mut Vec<(At<'d>, At<'d>, Are)>,
) -> bool {
    let counts = |key: &str| match are {
        Are::Fields => !IGNORED.contains(&key) && !key.starts_with("x-"),
        Are::Names => true,
    };
    let counted = |members: &'d Members| members.0.iter().filter(move |(key, _)| counts(key));
    if counted(members).count() != counted(others).count() {
        return false;
    }
    let opposites = counted(others).map(|(key, value)| (key.as_str(), value));
    let opposites: HashMap<_, _> = opposites.collect();
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
        let below = match are {
            Are::Fields if OF_NAMES.contains(&&**key) => Are::Names,
            _ => Are::Fields,
        };
        open.push((one.below(key, value), other.below(key, opposite), below));
        true
    })
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
