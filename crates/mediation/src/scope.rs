//! What an expression reads from, and the memory that it writes to.

use std::cell::{Cell, RefCell};
use std::fmt::{Display, Write as _};
use std::mem;

use bumpalo::Bump;
use bumpalo::collections::{String, Vec};
use regex_automata::nfa::thompson::NFA;
use tollgate_json::tape::{Kind, NodeId, View};

use crate::name::{Name, Source};
use crate::simulation::{self, Threads};
use crate::value::{BYTES_MAX, ITEM_UNITS, TooLong, Value};
pub use crate::work::Budget;
use crate::work::{BYTES_PER_UNIT, Work};

/// The place of a member in a JSON text, if it exists.
pub(crate) type Place<'m> = Option<(&'m View<'m>, NodeId)>;

/// The places of members, in the memory of a scratch.
pub(crate) type Places<'m> = Vec<'m, Place<'m>>;

/// Memory that a scratch keeps when it is reset.
const KEPT_BYTES_MAX: usize = 256 * 1024;
/// Units for a text that is made, besides those for its bytes.
const TEXT_UNITS: usize = 8;
/// Bytes of a query that are searched with one unit.
const QUERY_BYTES_PER_UNIT: usize = 2;
/// Bytes of a head that are checked with one unit: whether they are UTF-8.
const CHECKED_BYTES_PER_UNIT: usize = 3;

/// The values of the names that expressions read: a message, its caller and its API.
///
/// Implementations leave out what no expression may see: the caller's credential and the portal's
/// session cookie.
///
/// Values borrow from the message (`'m`), not from the scope, which may change between evaluations.
pub trait Scope<'m> {
    /// Returns the value of a name; [`Value::Absent`] if it does not exist in this message.
    ///
    /// Texts of the wire that are not UTF-8 do not exist, as with [`Value::from_bytes`]. For the
    /// lines of a header and the query, [`Scratch::join_lines`] and [`Scratch::find_in_query`]
    /// return the value as documented. A text that has to be made is made in the scratch.
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m>;
}

/// A scope with one more local name, such as an item of the array that a template maps.
#[derive(Clone, Copy)]
pub struct WithLocal<'s, 'm> {
    /// The scope of all other names.
    pub outer: &'s dyn Scope<'m>,
    /// The local name.
    pub key: &'s str,
    /// Its value.
    pub value: Value<'m>,
}

impl<'m> Scope<'m> for WithLocal<'_, 'm> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        if name.source == Source::Local && *name.key == *self.key {
            return self.value;
        }
        self.outer.value(name, scratch)
    }
}

/// Memory for the texts and lists that the expressions of a step make, at most 10 MiB, and the work
/// that the steps of a message have done. Reused: no allocation in the steady state.
#[derive(Debug, Default)]
pub struct Scratch {
    bump: Bump,
    made_bytes: Cell<usize>,
    /// Whether a text or list was not made, since it exceeds the bound.
    is_exhausted: Cell<bool>,
    work: Work,
    /// Room for a text of a head while it is made.
    room: RefCell<std::vec::Vec<u8>>,
    /// The states of patterns.
    threads: RefCell<Threads>,
}

impl Scratch {
    /// Drops all texts and lists, and counts work from 0. Required between two messages.
    pub fn reset(&mut self) {
        self.work.reset();
        self.clear();
    }

    /// Like [`Self::reset`], for more steps of a message that others have run on.
    pub fn resume(&mut self, budget: Budget) {
        self.work.restore(budget);
        self.clear();
    }

    /// Returns the place in its list of the last step that began.
    #[must_use]
    pub fn step(&self) -> usize {
        self.work.step()
    }

    /// Returns the work of the message so far.
    #[must_use]
    pub fn budget(&self) -> Budget {
        self.work.budget()
    }

    /// Drops all texts and lists.
    pub(crate) fn clear(&mut self) {
        self.made_bytes.set(0);
        self.is_exhausted.set(false);
        if self.bump.allocated_bytes() > KEPT_BYTES_MAX {
            self.bump = Bump::new();
        } else {
            self.bump.reset();
        }
    }

    /// Whether a pattern matches anywhere in a text, by its states.
    pub(crate) fn simulate(&self, pattern: &NFA, text: &str) -> bool {
        simulation::is_match(pattern, text, &mut self.threads.borrow_mut(), &self.work)
    }

    /// Makes a text in memory that is reused; `write` gets it empty.
    pub(crate) fn in_room<T>(&self, write: impl FnOnce(&mut std::vec::Vec<u8>) -> T) -> T {
        let mut room = mem::take(&mut *self.room.borrow_mut());
        room.clear();
        let written = write(&mut room);
        room.shrink_to(KEPT_BYTES_MAX);
        *self.room.borrow_mut() = room;
        written
    }

    /// Reserves bytes of the bound.
    fn take(&self, bytes: usize) -> Option<()> {
        let made_bytes = self.made_bytes.get().saturating_add(bytes);
        if made_bytes > BYTES_MAX {
            self.is_exhausted.set(true);
            return None;
        }
        self.made_bytes.set(made_bytes);
        Some(())
    }

    /// Whether a text or list has no value because its bytes exceed the bound.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }

    /// Returns the work of the message.
    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    /// Returns the units of work since the last reset.
    #[must_use]
    pub fn spent(&self) -> usize {
        self.work.spent()
    }

    /// Returns a member of an object, and counts the names that it is compared with.
    pub fn member<'a>(&self, of: Value<'a>, key: &str) -> Value<'a> {
        let Value::Json(view, node) = of else {
            return Value::Absent;
        };
        let found = self.work.find_key(*view, node, key);
        found.map_or(Value::Absent, |key| Value::from_json(view, view.value(key)))
    }

    /// Appends a value as JSON (RFC 8259), without white space. Numbers and strings of a JSON text
    /// stay as written; no value, infinities and NaN become `null`. Counts the work.
    ///
    /// # Errors
    ///
    /// Fails if a list, array or object has more than 10 MiB; nothing is appended then.
    pub fn write_json(&self, value: Value<'_>, out: &mut std::vec::Vec<u8>) -> Result<(), TooLong> {
        value.write_json(out, &self.work)
    }

    /// Counts the work of reading bytes of a head, such as its path.
    pub fn spend_read(&self, bytes: usize) {
        self.work.spend_bytes(bytes);
    }

    /// Counts the work of visiting field lines of a head, and of reading bytes of them.
    pub fn spend_lines(&self, lines: usize, bytes: usize) {
        self.work.spend_lines(lines, bytes);
    }

    /// Counts the work of checking whether bytes of a head are UTF-8.
    fn spend_check(&self, bytes: usize) {
        self.work.spend(bytes / CHECKED_BYTES_PER_UNIT);
    }

    /// Makes a text of at most `bytes_max` bytes.
    pub(crate) fn text<'a>(
        &'a self,
        bytes_max: usize,
        write: impl FnOnce(&mut String<'a>) -> Option<()>,
    ) -> Value<'a> {
        if !self.work.spend(TEXT_UNITS + bytes_max / BYTES_PER_UNIT) {
            return Value::Absent;
        }
        let made = self.take(bytes_max).and_then(|()| {
            let mut text = String::with_capacity_in(bytes_max, &self.bump);
            write(&mut text)?;
            Some(text.into_bump_str())
        });
        made.map_or(Value::Absent, Value::Text)
    }

    /// Makes a list of `length` items; no value if one of them has none.
    pub(crate) fn list<'a>(
        &'a self,
        length: usize,
        items: impl Iterator<Item = Value<'a>>,
    ) -> Value<'a> {
        let bytes = length.saturating_mul(size_of::<Value<'_>>());
        if !self.work.spend(TEXT_UNITS + length * ITEM_UNITS) || self.take(bytes).is_none() {
            return Value::Absent;
        }
        let mut list = Vec::with_capacity_in(length, &self.bump);
        list.extend(items);
        match list.iter().any(|item| matches!(item, Value::Absent)) {
            true => Value::Absent,
            false => Value::List(list.into_bump_slice()),
        }
    }

    /// Returns an empty list for the places of a template's members.
    pub(crate) fn places(&self) -> Places<'_> {
        Vec::new_in(&self.bump)
    }

    /// Copies the value of a variable or local if it is a list. Otherwise lists could contain each
    /// other many times: a few steps would make a value that takes forever to compare.
    pub(crate) fn copy_list<'a>(&'a self, value: Value<'a>, depth_max: usize) -> Value<'a> {
        let items = match value {
            Value::List(items) if depth_max > 0 => items,
            Value::List(_) => return Value::Absent,
            Value::Json(view, node) => {
                let is_within = self.take_nodes(view, node).is_some();
                return if is_within { value } else { Value::Absent };
            }
            _ => return value,
        };
        let copied = items
            .iter()
            .map(|item| self.copy_list(*item, depth_max - 1));
        self.list(items.len(), copied)
    }

    /// Reserves a byte of the bound for each node of a JSON text.
    fn take_nodes(&self, view: &View<'_>, node: NodeId) -> Option<()> {
        self.work.spend(1).then(|| self.take(1))??;
        view.children(node)
            .try_for_each(|child| match view.kind(child) {
                Kind::Key => self.take_nodes(view, view.value(child)),
                _ => self.take_nodes(view, child),
            })
    }

    /// Copies the text of a value that the message does not hold. Lists, arrays and objects are not
    /// copied.
    pub(crate) fn copy(&self, value: Value<'_>) -> Value<'_> {
        let copied = |of: &str| {
            self.text(of.len(), |text| {
                text.push_str(of);
                Some(())
            })
        };
        match value {
            Value::Text(text) => copied(text),
            Value::Number(digits) => match copied(digits) {
                Value::Text(digits) => Value::Number(digits),
                _ => Value::Absent,
            },
            Value::Bool(boolean) => Value::Bool(boolean),
            Value::Int(integer) => Value::Int(integer),
            Value::Double(double) => Value::Double(double),
            Value::Absent | Value::Null | Value::List(_) | Value::Json(..) => Value::Absent,
        }
    }

    /// Like [`Scratch::join_lines`], for lines that the message does not hold.
    pub(crate) fn join_copies<'l>(
        &self,
        lines: impl Iterator<Item = &'l [u8]> + Clone,
    ) -> Value<'_> {
        let bytes = lines.clone().map(|line| line.len() + 2).sum();
        self.spend_check(bytes);
        self.text(bytes, |text| {
            for (index, line) in lines.enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                text.push_str(std::str::from_utf8(line).ok()?);
            }
            Some(())
        })
    }

    /// Makes the text of a value such as an id or an address.
    pub fn display<'a>(&'a self, value: impl Display) -> Value<'a> {
        const BYTES_MAX: usize = 64;
        self.text(BYTES_MAX, |text| write!(text, "{value}").ok())
    }

    /// Returns the value of a header: its lines, joined with `, ` (RFC 9110, section 5.2).
    pub fn join_lines<'a>(&'a self, lines: impl Iterator<Item = &'a [u8]> + Clone) -> Value<'a> {
        let mut rest = lines.clone();
        let Some(first) = rest.next() else {
            return Value::Absent;
        };
        if rest.next().is_none() {
            self.spend_check(first.len());
            return Value::from_bytes(first);
        }
        let bytes = lines.clone().map(|line| line.len() + 2).sum();
        self.spend_check(bytes);
        self.text(bytes, |text| {
            for line in lines {
                if !text.is_empty() {
                    text.push_str(", ");
                }
                text.push_str(std::str::from_utf8(line).ok()?);
            }
            Some(())
        })
    }

    /// Returns the first value of a key in a query as sent, decoded as forms are; no value if it is
    /// not UTF-8 or malformed.
    #[must_use]
    pub fn find_in_query<'a>(&'a self, query: &'a [u8], key: &str) -> Value<'a> {
        let pairs = query.split(|&byte| byte == b'&').map(|pair| {
            let middle = pair.iter().position(|&byte| byte == b'=');
            let (key, value) = pair.split_at(middle.unwrap_or(pair.len()));
            (key, value.get(1..).unwrap_or_default())
        });
        if !self.work.spend(query.len() / QUERY_BYTES_PER_UNIT) {
            return Value::Absent;
        }
        let is_key = |raw: &[u8]| decode(raw, true).eq(key.bytes().map(Some));
        let mut found = pairs.filter(|it| !it.0.is_empty() && is_key(it.0));
        found
            .next()
            .map_or(Value::Absent, |it| self.decode(it.1, true))
    }

    /// Decodes a segment of a path or, with plus signs as spaces, a value of a query; no value if
    /// it is not UTF-8 or malformed.
    #[must_use]
    pub fn decode<'a>(&'a self, raw: &'a [u8], is_query: bool) -> Value<'a> {
        if raw.iter().any(|&byte| byte == b'%' || byte == b'+') {
            return self.decode_copy(raw, is_query);
        }
        match self.work.spend(TEXT_UNITS + raw.len()) {
            true => Value::from_bytes(raw),
            false => Value::Absent,
        }
    }

    /// Like [`Self::decode`], for bytes that the message does not hold.
    pub(crate) fn decode_copy(&self, raw: &[u8], is_query: bool) -> Value<'_> {
        if !self.work.spend(TEXT_UNITS + raw.len()) || self.take(raw.len()).is_none() {
            return Value::Absent;
        }
        let mut bytes = Vec::with_capacity_in(raw.len(), &self.bump);
        for byte in decode(raw, is_query) {
            match byte {
                Some(byte) => bytes.push(byte),
                None => return Value::Absent,
            }
        }
        Value::from_bytes(bytes.into_bump_slice())
    }
}

/// Returns the bytes of a percent-encoded text (RFC 3986, section 2.1); `None` for a malformed one.
pub(crate) fn decode(raw: &[u8], is_query: bool) -> impl Iterator<Item = Option<u8>> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        Some(match byte {
            b'%' => {
                let decoded = digit(after.first()).zip(digit(after.get(1)));
                rest = after.get(2..).unwrap_or_default();
                decoded.and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            b'+' if is_query => Some(b' '),
            _ => Some(byte),
        })
    })
}

#[cfg(test)]
mod tests;
