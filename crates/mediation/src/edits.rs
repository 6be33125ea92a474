//! What steps change of a head: names that are removed, and field lines and parameters that are
//! set. The head itself is not copied: its writer skips what is removed and appends what is set.

use std::cell::Cell;
use std::ops::Range;

use tollgate_model::api::Method;

use crate::body_type::BodyType;
use crate::outcome::Stop;
use crate::pattern::Pattern;
use crate::scope::Scratch;
use crate::value::{BYTES_MAX, Value};

/// Bytes that are reserved for the texts of a message at the first.
const TEXT_BYTES: usize = 256;
/// Number of changes that are reserved at the first.
const EDITS: usize = 12;

/// The changes that the steps of one message make to its head, in the order of the steps.
#[derive(Debug, Default)]
pub struct Edits<'p> {
    pub(crate) fields: Pairs<'p>,
    pub(crate) parameters: Pairs<'p>,
    /// The values that steps `let` keep.
    variables: Vec<(&'p str, Kept)>,
    /// The texts that are set.
    text: Vec<u8>,
    pub(crate) path: Option<Range<usize>>,
    pub(crate) method: Option<Method>,
    pub(crate) status: Option<u16>,
    pub(crate) locations: Vec<&'static str>,
    /// What the body is by its media type, and the count of changes to fields that it was read at.
    body_type: Cell<Option<(BodyType, usize)>>,
    /// Number of values that were left out, since no header can contain them.
    pub left_out: u32,
    /// Whether steps would change the body if the message had one: the length that a response to
    /// `HEAD` announces is then wrong.
    pub would_change_body: bool,
}

/// Changes of pairs of name and value, in one list: most messages have few of them.
#[derive(Debug, Default)]
pub(crate) struct Pairs<'p> {
    edits: Vec<Edit<'p>>,
    /// Number of changes.
    changes: usize,
}

#[derive(Debug, Clone)]
enum Edit<'p> {
    Removed(&'p str),
    RemovedAll(&'p Pattern),
    /// The value is a part of the texts.
    Set(&'p str, Range<usize>),
}

/// A value that outlives the evaluation that made it.
#[derive(Debug, Clone)]
pub(crate) enum Kept {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Number(Box<str>),
    Text(Box<str>),
}

/// What a body became, if that is not its media type of before, without a coding.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) media_type: Option<&'static str>,
    pub(crate) coding: Option<&'static str>,
}

impl<'p> Edits<'p> {
    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes_no_field()
            && !self.changes_query()
            && self.path.is_none()
            && self.method.is_none()
            && self.status.is_none()
    }

    /// Whether all field lines stay as they are.
    #[must_use]
    pub fn changes_no_field(&self) -> bool {
        self.fields.edits.is_empty()
    }

    /// Whether a field line of the message is removed.
    #[must_use]
    pub fn hides_field(&self, name: &[u8]) -> bool {
        self.fields.edits.iter().any(|edit| match edit {
            Edit::Removed(removed) => removed.as_bytes().eq_ignore_ascii_case(name),
            Edit::RemovedAll(pattern) => pattern.is_header(name),
            Edit::Set(..) => false,
        })
    }

    /// Returns the field lines that are set.
    pub fn fields(&self) -> impl Iterator<Item = (&'p str, &[u8])> + Clone {
        self.fields.texts(&self.text)
    }

    /// Whether the query changes.
    #[must_use]
    pub fn changes_query(&self) -> bool {
        !self.parameters.edits.is_empty()
    }

    /// Whether a parameter with this decoded name is removed.
    #[must_use]
    pub fn hides_parameter(&self, name: &[u8]) -> bool {
        self.parameters.edits.iter().any(|edit| match edit {
            Edit::Removed(removed) => removed.as_bytes() == name,
            Edit::RemovedAll(pattern) => pattern.is_parameter(name),
            Edit::Set(..) => false,
        })
    }

    /// Returns the parameters that are set: decoded names, encoded values.
    pub fn parameters(&self) -> impl Iterator<Item = (&'p str, &[u8])> + Clone {
        self.parameters.texts(&self.text)
    }

    /// Returns the path below the upstream's base path, encoded, if it is replaced.
    #[must_use]
    pub fn path(&self) -> Option<&[u8]> {
        self.path.clone().map(|path| &self.text[path])
    }

    /// Returns the method, if it is replaced.
    #[must_use]
    pub fn method(&self) -> Option<Method> {
        self.method
    }

    /// Returns the status, if it is replaced.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// Returns the fields in which the upstream's address is replaced by the gateway's.
    #[must_use]
    pub fn locations(&self) -> &[&'static str] {
        &self.locations
    }

    /// Returns what the body is by its media type, which is read again once fields have changed.
    pub(crate) fn body_type(&self, read: impl FnOnce() -> BodyType) -> BodyType {
        match self.body_type.get() {
            Some((body_type, changes)) if changes == self.fields.changes => body_type,
            _ => {
                let body_type = read();
                self.body_type.set(Some((body_type, self.fields.changes)));
                body_type
            }
        }
    }

    /// Sets the fields that describe a new body.
    pub(crate) fn changed_body(&mut self, changed: Changed) {
        let fields = [
            ("content-type", changed.media_type),
            ("content-encoding", changed.coding),
        ];
        for (name, value) in fields {
            let Some(value) = value else { continue };
            let value = self.push_text(value.as_bytes());
            self.fields.remove(name);
            self.fields.push(name, value);
        }
    }

    /// Appends a field line.
    pub(crate) fn append_field(&mut self, name: &'static str, value: &str) {
        let value = self.push_text(value.as_bytes());
        self.fields.push(name, value);
    }

    /// Whether a field line with this name is set.
    pub(crate) fn sets_field(&self, name: &str) -> bool {
        self.fields.set().any(|(of, _)| of == name)
    }

    /// Returns the value of a variable, if a step has set it.
    pub(crate) fn variable(&self, name: &str) -> Option<Value<'_>> {
        let mut variables = self.variables.iter().rev();
        let found = variables.find(|(of, _)| *of == name);
        found.map(|(_, kept)| kept.value())
    }

    /// Returns the number of values that steps have kept.
    pub(crate) fn variable_count(&self) -> usize {
        self.variables.len()
    }

    /// Keeps the value of a variable.
    ///
    /// # Errors
    /// Fails if the texts of all variables have more than 10 MiB together.
    pub(crate) fn keep(&mut self, name: &'p str, value: Kept) -> Result<(), Stop> {
        let bytes = self.variables.iter().map(|(_, kept)| kept.bytes());
        if bytes.sum::<usize>() + value.bytes() > BYTES_MAX {
            return Err(Stop::TooLong);
        }
        self.variables.push((name, value));
        Ok(())
    }

    /// Makes a text that reads this message; returns its place among the texts.
    ///
    /// # Errors
    /// Fails if the texts of the message have more than 10 MiB together.
    pub(crate) fn make<T>(
        &mut self,
        scratch: &Scratch,
        write: impl FnOnce(&Self, &mut Vec<u8>) -> T,
    ) -> Result<(T, Range<usize>), Stop> {
        scratch.in_room(|room| {
            let written = write(self, room);
            match self.text.len() + room.len() > BYTES_MAX {
                true => Err(Stop::TooLong),
                false => Ok((written, self.push_text(room))),
            }
        })
    }

    /// Appends a text; returns its place among the texts.
    fn push_text(&mut self, text: &[u8]) -> Range<usize> {
        if self.text.capacity() == 0 {
            self.text.reserve(TEXT_BYTES);
        }
        let start = self.text.len();
        self.text.extend_from_slice(text);
        start..self.text.len()
    }
}

impl From<Value<'_>> for Kept {
    /// Copies a value. Lists, arrays and objects are not kept.
    fn from(value: Value<'_>) -> Self {
        match value {
            Value::Absent | Value::Null | Value::List(_) | Value::Json(..) => Self::Null,
            Value::Bool(boolean) => Self::Bool(boolean),
            Value::Int(integer) => Self::Int(integer),
            Value::Double(double) => Self::Double(double),
            Value::Number(digits) => Self::Number(digits.into()),
            Value::Text(text) => Self::Text(text.into()),
        }
    }
}

impl Kept {
    pub(crate) fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Absent,
            Self::Bool(boolean) => Value::Bool(*boolean),
            Self::Int(integer) => Value::Int(*integer),
            Self::Double(double) => Value::Double(*double),
            Self::Number(digits) => Value::Number(digits),
            Self::Text(text) => Value::Text(text),
        }
    }

    /// Returns the bytes of its text.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Number(text) | Self::Text(text) => text.len(),
            _ => 0,
        }
    }
}

impl<'p> Pairs<'p> {
    /// Returns the pairs that are set.
    fn set(&self) -> impl Iterator<Item = (&'p str, &Range<usize>)> + Clone {
        self.edits.iter().filter_map(|edit| match edit {
            Edit::Set(name, value) => Some((*name, value)),
            Edit::Removed(_) | Edit::RemovedAll(_) => None,
        })
    }

    fn texts<'t>(
        &'t self,
        text: &'t [u8],
    ) -> impl Iterator<Item = (&'p str, &'t [u8])> + Clone + use<'t, 'p> {
        self.set().map(|(name, value)| (name, &text[value.clone()]))
    }

    /// Returns the number of changes that are in effect.
    pub(crate) fn len(&self) -> usize {
        self.edits.len()
    }

    /// Adds a pair; the value is a part of the texts.
    pub(crate) fn push(&mut self, name: &'p str, value: Range<usize>) {
        self.add(Edit::Set(name, value));
    }

    /// Removes all pairs with a name.
    pub(crate) fn remove(&mut self, name: &'p str) {
        self.edits
            .retain(|edit| !matches!(edit, Edit::Set(of, _) if *of == name));
        self.add(Edit::Removed(name));
    }

    /// Removes all pairs with names that match; `is_like` compares those that are set.
    pub(crate) fn remove_all(
        &mut self,
        pattern: &'p Pattern,
        is_like: impl Fn(&Pattern, &[u8]) -> bool,
    ) {
        self.edits
            .retain(|edit| !matches!(edit, Edit::Set(of, _) if is_like(pattern, of.as_bytes())));
        self.add(Edit::RemovedAll(pattern));
    }

    fn add(&mut self, edit: Edit<'p>) {
        if self.edits.is_empty() {
            self.edits.reserve(EDITS);
        }
        self.changes += 1;
        self.edits.push(edit);
    }
}
