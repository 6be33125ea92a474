//! Bounds of values (JSON Schema Validation 2020-12, sections 6.2 to 6.5). `exclusiveMinimum` is a
//! flag of `minimum` in OpenAPI 3.0 and a number in 3.1: both become the same.

use super::change::Shift;
use super::pointer::At;
use super::types::Types;
use crate::value::Value;

/// The types that the bounds below are about, in their order.
const TYPES: [Types; 4] = [Types::NUMBER, Types::STRING, Types::ARRAY, Types::OBJECT];
/// Keywords of lower and upper bounds, and their names in sentences.
const LOWER: [(&str, &str); 4] = [
    ("minimum", "minimum"),
    ("minLength", "minimum length"),
    ("minItems", "minimum number of items"),
    ("minProperties", "minimum number of properties"),
];
const UPPER: [(&str, &str); 4] = [
    ("maximum", "maximum"),
    ("maxLength", "maximum length"),
    ("maxItems", "maximum number of items"),
    ("maxProperties", "maximum number of properties"),
];
/// Relative error of quotients of `multipleOf`.
const QUOTIENT_ERROR: f64 = 1e-9;

/// The bounds of a schema.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Bounds<'d> {
    lower: [Option<Limit>; 4],
    upper: [Option<Limit>; 4],
    is_unique: bool,
    multiples: Vec<f64>,
    patterns: Vec<&'d str>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Limit {
    value: f64,
    is_exclusive: bool,
}

impl<'d> Bounds<'d> {
    /// Adds the bound of a keyword; false if it is none.
    pub(super) fn add(&mut self, schema: &At<'d>, key: &str, value: &'d Value) -> bool {
        let number = match value {
            Value::Scalar(scalar) => scalar.as_f64(),
            _ => None,
        };
        let at = |keys: &[(&str, &str); 4]| keys.iter().position(|(it, _)| *it == key);
        match (key, at(&LOWER), at(&UPPER)) {
            (_, Some(at), _) => {
                let is_exclusive = key == "minimum" && schema.is("exclusiveMinimum");
                let limit = number.map(|value| Limit {
                    value,
                    is_exclusive,
                });
                let is_vacuous = at > 0 && number == Some(0.0);
                raise(&mut self.lower[at], limit.filter(|_| !is_vacuous));
            }
            (_, _, Some(at)) => {
                let is_exclusive = key == "maximum" && schema.is("exclusiveMaximum");
                let limit = number.map(|value| Limit {
                    value,
                    is_exclusive,
                });
                lower(&mut self.upper[at], limit);
            }
            ("exclusiveMinimum", ..) => raise(&mut self.lower[0], number.map(exclusive)),
            ("exclusiveMaximum", ..) => lower(&mut self.upper[0], number.map(exclusive)),
            ("uniqueItems", ..) => self.is_unique |= schema.is("uniqueItems"),
            ("multipleOf", ..) => self.multiples.extend(number.filter(|it| *it > 0.0)),
            ("pattern", ..) => self.patterns.extend(value.as_text()),
            _ => return false,
        }
        true
    }

    /// Rewrites the bounds of integers as inclusive ones.
    pub(super) fn of_integers(&mut self) {
        if let Some(limit) = &mut self.lower[0] {
            let value = match limit.is_exclusive {
                true => limit.value.floor() + 1.0,
                false => limit.value.ceil(),
            };
            *limit = inclusive(value);
        }
        if let Some(limit) = &mut self.upper[0] {
            let value = match limit.is_exclusive {
                true => limit.value.ceil() - 1.0,
                false => limit.value.floor(),
            };
            *limit = inclusive(value);
        }
        self.multiples.retain(|it| *it != 1.0);
    }

    /// Returns what changed from the old bounds to these, for values of these types.
    pub(super) fn changes(&self, old: &Self, types: Types) -> Vec<(Shift, String)> {
        let mut changes = Vec::new();
        let lower = LOWER.iter().zip(old.lower.iter().zip(&self.lower));
        let upper = UPPER.iter().zip(old.upper.iter().zip(&self.upper));
        let (lower, upper) = (lower.map(|it| (it, true)), upper.map(|it| (it, false)));
        let applies = |of: &Types| types.intersects(*of);
        let about = TYPES.iter().chain(&TYPES).map(applies);
        for ((((_, name), (old, new)), is_lower), applies) in lower.chain(upper).zip(about) {
            let change = limit_change(name, *old, *new, is_lower);
            changes.extend(change.filter(|_| applies));
        }
        if applies(&Types::NUMBER) {
            changes.extend(multiple_change(&old.multiples, &self.multiples));
        }
        if applies(&Types::STRING) {
            changes.extend(pattern_change(&old.patterns, &self.patterns));
        }
        let unique = match (old.is_unique, self.is_unique) {
            (false, true) => Some((Shift::Narrower, "must have unique items".to_owned())),
            (true, false) => Some((Shift::Wider, "may repeat items".to_owned())),
            _ => None,
        };
        changes.extend(unique.filter(|_| applies(&Types::ARRAY)));
        changes
    }
}

const fn exclusive(value: f64) -> Limit {
    Limit {
        value,
        is_exclusive: true,
    }
}

const fn inclusive(value: f64) -> Limit {
    Limit {
        value,
        is_exclusive: false,
    }
}

/// Replaces a lower bound by a higher one.
fn raise(bound: &mut Option<Limit>, limit: Option<Limit>) {
    let Some(limit) = limit else { return };
    let is_tighter = bound.is_none_or(|it| is_above(limit, it));
    if is_tighter {
        *bound = Some(limit);
    }
}

/// Replaces an upper bound by a lower one.
fn lower(bound: &mut Option<Limit>, limit: Option<Limit>) {
    let Some(limit) = limit else { return };
    let is_tighter = bound.is_none_or(|it| is_below(limit, it));
    if is_tighter {
        *bound = Some(limit);
    }
}

fn is_above(one: Limit, other: Limit) -> bool {
    one.value > other.value || one.value == other.value && one.is_exclusive && !other.is_exclusive
}

fn is_below(one: Limit, other: Limit) -> bool {
    one.value < other.value || one.value == other.value && one.is_exclusive && !other.is_exclusive
}

fn limit_change(
    name: &str,
    old: Option<Limit>,
    new: Option<Limit>,
    is_lower: bool,
) -> Option<(Shift, String)> {
    let words = |limit: Limit| match limit.is_exclusive {
        true => format!("{} (exclusive)", limit.value),
        false => limit.value.to_string(),
    };
    match (old, new) {
        (None, Some(new)) => Some((Shift::Narrower, format!("has a {name} of {}", words(new)))),
        (Some(old), None) => {
            let what = format!("no longer has a {name} of {}", words(old));
            Some((Shift::Wider, what))
        }
        (Some(old), Some(new)) if old != new => {
            let is_narrower = match is_lower {
                true => is_above(new, old),
                false => is_below(new, old),
            };
            let shift = match is_narrower {
                true => Shift::Narrower,
                false => Shift::Wider,
            };
            let what = format!("has a {name} of {} instead of {}", words(new), words(old));
            Some((shift, what))
        }
        _ => None,
    }
}

fn multiple_change(old: &[f64], new: &[f64]) -> Option<(Shift, String)> {
    let divides = |divisor: f64, it: f64| {
        let quotient = it / divisor;
        (quotient - quotient.round()).abs() <= QUOTIENT_ERROR * quotient.abs()
    };
    match (old, new) {
        (old, new) if old == new => None,
        ([], [new, ..]) => Some((Shift::Narrower, format!("must be a multiple of {new}"))),
        ([old, ..], []) => {
            let what = format!("no longer must be a multiple of {old}");
            Some((Shift::Wider, what))
        }
        ([old], [new]) => {
            let shift = match (divides(*old, *new), divides(*new, *old)) {
                (true, _) => Shift::Narrower,
                (_, true) => Shift::Wider,
                _ => Shift::Both,
            };
            Some((
                shift,
                format!("must be a multiple of {new} instead of {old}"),
            ))
        }
        _ => Some((
            Shift::Unknown,
            "must be a multiple of other numbers".to_owned(),
        )),
    }
}

/// Whether one regular expression matches what another matches is not judged.
fn pattern_change(old: &[&str], new: &[&str]) -> Option<(Shift, String)> {
    let gone = old.iter().find(|it| !new.contains(it));
    let added = new.iter().find(|it| !old.contains(it));
    match (gone, added) {
        (None, None) => None,
        (None, Some(new)) => Some((Shift::Narrower, format!("must match the pattern `{new}`"))),
        (Some(old), None) => {
            let what = format!("no longer must match the pattern `{old}`");
            Some((Shift::Wider, what))
        }
        (Some(old), Some(new)) => {
            let what = format!("must match the pattern `{new}` instead of `{old}`");
            Some((Shift::Unknown, what))
        }
    }
}
