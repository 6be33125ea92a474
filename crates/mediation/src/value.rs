//! Values of expressions: equality, order and text as in CEL.

use std::cmp::Ordering;
use std::io::Write as _;

use tollgate_json::push_string;
use tollgate_json::tape::{Kind, NodeId, View};

use crate::double::{self, Shortest};
use crate::outcome::Stop;
use crate::work::{BYTES_PER_UNIT, ESCAPED_BYTES_PER_UNIT, Work};

/// Maximum bytes of a list, array or object that is written.
pub const BYTES_MAX: usize = 10 * 1024 * 1024;

/// Units for an item of a list that is looked at.
pub(crate) const ITEM_UNITS: usize = 3;
/// Units for parsing a number, and the digits that are parsed with one more.
const NUMBER_UNITS: usize = 2;
const DIGITS_PER_UNIT: usize = 2;

/// The error of writing a value with more than [`BYTES_MAX`] bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the value has more than 10 MiB")]
pub struct TooLong;

impl From<TooLong> for Stop {
    fn from(_: TooLong) -> Self {
        Self::TooLong
    }
}

/// The value of an expression.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// No value: what is missing, of the wrong type or out of range. CEL reports an error.
    Absent,
    /// `null`, also of JSON.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A double.
    Double(f64),
    /// A number of a JSON text, as written.
    Number(&'a str),
    /// A text.
    Text(&'a str),
    /// A list that an expression made.
    List(&'a [Value<'a>]),
    /// An array or object of a JSON text.
    Json(&'a View<'a>, NodeId),
}

/// A number for arithmetic and comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    Int(i64),
    Double(f64),
}

impl Number {
    pub(crate) fn double(self) -> f64 {
        match self {
            Self::Int(integer) => integer as f64,
            Self::Double(double) => double,
        }
    }
}

impl<'a> Value<'a> {
    /// Returns a value of a JSON text.
    #[must_use]
    pub fn from_json(view: &'a View<'a>, node: NodeId) -> Self {
        match view.kind(node) {
            Kind::Null => Self::Null,
            Kind::True => Self::Bool(true),
            Kind::False => Self::Bool(false),
            Kind::Number => Self::Number(view.text(node)),
            Kind::Text | Kind::Word | Kind::Key => Self::Text(view.text(node)),
            Kind::Array | Kind::Object => Self::Json(view, node),
        }
    }

    /// Returns bytes of a message as text; no value if they are not UTF-8.
    #[must_use]
    pub fn from_bytes(bytes: &'a [u8]) -> Self {
        std::str::from_utf8(bytes).map_or(Self::Absent, Self::Text)
    }

    /// Whether there is no value, or `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Absent | Self::Null)
    }

    fn is_number(self) -> bool {
        matches!(self, Self::Int(_) | Self::Double(_) | Self::Number(_))
    }

    /// Returns the number of a number; its digits count as work.
    pub(crate) fn number(self, work: &Work) -> Option<Number> {
        match self {
            Self::Int(integer) => Some(Number::Int(integer)),
            Self::Double(double) => Some(Number::Double(double)),
            Self::Number(text) => {
                if !work.spend(NUMBER_UNITS + text.len() / DIGITS_PER_UNIT) {
                    return None;
                }
                let integer = text.parse().map(Number::Int);
                let double = || double::parse(text, work).map(Number::Double);
                integer.ok().or_else(double)
            }
            _ => None,
        }
    }

    /// Returns the items of a list or array.
    #[must_use]
    pub fn items(self) -> Option<impl Iterator<Item = Value<'a>> + Clone> {
        let (list, json) = match self {
            Self::List(items) => (items, None),
            Self::Json(view, node) if view.kind(node) == Kind::Array => {
                (&[][..], Some((view, node)))
            }
            _ => return None,
        };
        let mut next = json.and_then(|(view, node)| view.first(node));
        let of_json = std::iter::from_fn(move || {
            let (view, _) = json?;
            let item = next?;
            next = view.next(item);
            Some(Self::from_json(view, item))
        });
        Some(list.iter().copied().chain(of_json))
    }

    /// Returns the value with the digits of a number parsed, for several comparisons.
    pub(crate) fn parsed(self, work: &Work) -> Self {
        match (self, self.number(work)) {
            (Self::Number(_), Some(Number::Int(integer))) => Self::Int(integer),
            (Self::Number(_), Some(Number::Double(double))) => Self::Double(double),
            (value, _) => value,
        }
    }

    /// Compares as `==`. `None` if there is no value, if objects would have to be compared, or if
    /// the work is exceeded.
    pub(crate) fn equals(self, other: Self, work: &Work) -> Option<bool> {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => {
                let is_as_long = one.len() == other.len();
                let has_work = !is_as_long || work.spend(1 + one.len() / BYTES_PER_UNIT);
                has_work.then(|| is_as_long && one == other)
            }
            (Self::Absent, _) | (_, Self::Absent) => None,
            (Self::Null, Self::Null) => Some(true),
            (Self::Bool(one), Self::Bool(other)) => Some(one == other),
            (Self::List(_) | Self::Json(..), Self::List(_) | Self::Json(..)) => {
                match (self.items(), other.items()) {
                    (Some(items), Some(others)) => equal_items(items, others, work),
                    (None, None) => None,
                    _ => Some(false),
                }
            }
            _ if self.is_number() && other.is_number() => {
                let (one, other) = (self.number(work)?, other.number(work)?);
                Some(compare_numbers(one, other) == Some(Ordering::Equal))
            }
            _ => Some(false),
        }
    }

    /// Compares as `<`. `None` if there is no order, or if the work is exceeded.
    pub(crate) fn compare(self, other: Self, work: &Work) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => {
                let has_work = work.spend_bytes(one.len().min(other.len()));
                has_work.then(|| one.cmp(other))
            }
            (Self::Bool(one), Self::Bool(other)) => Some(one.cmp(&other)),
            _ => compare_numbers(self.number(work)?, other.number(work)?),
        }
    }

    /// Appends the value as JSON (RFC 8259), without white space. Numbers and strings of a JSON
    /// text stay as written; no value, infinities and NaN become `null`. Counts the work, except
    /// that for the bytes that are written.
    ///
    /// # Errors
    ///
    /// Fails if a list, array or object has more than 10 MiB; nothing is appended then.
    pub(crate) fn write_json(self, out: &mut Vec<u8>, work: &Work) -> Result<(), TooLong> {
        let start = out.len();
        let written = self.push_json(out, start + BYTES_MAX);
        if written.is_err() {
            out.truncate(start);
        }
        work.spend(written?);
        Ok(())
    }

    /// Appends the value, and returns the units of work; fails if `out` gets longer than `end`.
    fn push_json(self, out: &mut Vec<u8>, end: usize) -> Result<usize, TooLong> {
        let mut units = ITEM_UNITS;
        match self {
            Self::Absent | Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(boolean) => push_display(out, boolean),
            Self::Int(integer) => push_display(out, integer),
            Self::Double(double) if double.is_finite() => push_display(out, Shortest(double)),
            Self::Double(_) => out.extend_from_slice(b"null"),
            Self::Number(digits) => out.extend_from_slice(digits.as_bytes()),
            Self::Text(text) => {
                let start = out.len();
                push_string(out, text);
                units += (out.len() - start) / ESCAPED_BYTES_PER_UNIT;
            }
            Self::Json(view, node) => units = push_node(view, node, out, end)?,
            Self::List(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    units += item.push_json(out, end)?;
                }
                out.push(b']');
            }
        }
        match out.len() > end {
            true => Err(TooLong),
            false => Ok(units),
        }
    }
}

/// Appends a value of a JSON text, without white space between its parts, which stay as written.
/// Counts the work, except that for the bytes that are written.
///
/// # Errors
///
/// Fails if the value has more than 10 MiB.
pub(crate) fn write_node(
    view: &View<'_>,
    node: NodeId,
    out: &mut Vec<u8>,
    work: &Work,
) -> Result<(), TooLong> {
    let end = out.len() + BYTES_MAX;
    work.spend(push_node(view, node, out, end)?);
    Ok(())
}

/// Appends a value of a JSON text, and returns the units of work; fails if `out` gets longer than
/// `end`.
fn push_node(
    view: &View<'_>,
    node: NodeId,
    out: &mut Vec<u8>,
    end: usize,
) -> Result<usize, TooLong> {
    let (open, close) = match view.kind(node) {
        Kind::Array => (b'[', b']'),
        Kind::Object => (b'{', b'}'),
        _ => {
            out.extend_from_slice(view.raw(node).as_bytes());
            return Ok(ITEM_UNITS);
        }
    };
    let mut units = ITEM_UNITS;
    out.push(open);
    let mut next = view.first(node);
    while let Some(child) = next {
        match view.kind(child) {
            Kind::Key => {
                out.extend_from_slice(view.raw(child).as_bytes());
                out.push(b':');
                units += push_node(view, view.value(child), out, end)?;
            }
            _ => units += push_node(view, child, out, end)?,
        }
        if out.len() > end {
            return Err(TooLong);
        }
        next = view.next(child);
        if next.is_some() {
            out.push(b',');
        }
    }
    out.push(close);
    Ok(units)
}

/// Compares two lists. `None` if only items that cannot be compared could make a difference, or if
/// the work is exceeded.
fn equal_items<'a>(
    mut items: impl Iterator<Item = Value<'a>>,
    mut others: impl Iterator<Item = Value<'a>>,
    work: &Work,
) -> Option<bool> {
    let mut are_equal = Some(true);
    loop {
        if !work.spend(2 * ITEM_UNITS) {
            return None;
        }
        match (items.next(), others.next()) {
            (Some(item), Some(other)) => match item.equals(other, work) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => are_equal = None,
            },
            (None, None) => return are_equal,
            _ => return Some(false),
        }
    }
}

pub(crate) fn push_display(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value}");
}

/// As CEL does in most implementations: an integer becomes a double beside one.
fn compare_numbers(one: Number, other: Number) -> Option<Ordering> {
    match (one, other) {
        (Number::Int(one), Number::Int(other)) => Some(one.cmp(&other)),
        _ => one.double().partial_cmp(&other.double()),
    }
}
