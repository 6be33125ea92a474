//! The head of a message as expressions of steps see it: the message as it arrived, with the
//! changes of the steps before.

use std::io::Write as _;

use tollgate_model::media_type::MediaType;

use crate::body_type::BodyType;
use crate::edits::{Edits, Kept};
use crate::name::{Name, Source};
use crate::scope::{Scope, Scratch};
use crate::value::Value;
use crate::work::search_steps;

/// Units for finding the value of a name, and for each change of a step that is compared with it.
const LOOKUP_UNITS: usize = 8;
const CHANGE_UNITS: usize = 2;

/// A message with a head that steps change.
pub trait Message<'m>: Scope<'m> {
    /// Returns the next field line with this name, in any case, at or after a position, and the
    /// position after it. Positions begin at 0. Counts the lines that it visits:
    /// [`Scratch::spend_lines`].
    fn next_line(
        &self,
        name: &str,
        position: usize,
        scratch: &Scratch,
    ) -> Option<(usize, &'m [u8])>;

    /// Returns the query of a request as sent, without the caller's credential.
    fn query(&self) -> &'m [u8];

    /// Returns the source of this message's field lines.
    fn fields_source(&self) -> Source;

    /// Returns the length of the body, as far as the head declares it.
    fn body_length(&self) -> BodyLength;
}

/// The length of a message's body, as far as its head declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyLength {
    /// There is no body, or an empty one.
    None,
    /// This many bytes.
    Known(u64),
    /// Known only at its end.
    Unknown,
}

/// A source of messages that live as long as one step: the body that a step reads is often made by
/// the step before.
pub trait Messages {
    /// The message.
    type Message<'m>: Message<'m>
    where
        Self: 'm;

    /// Returns the message.
    fn message<'m>(&'m self) -> Self::Message<'m>;
}

/// The message that a step runs on, and the memory that the step writes to.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'e, 'm> {
    pub(crate) message: &'e dyn Message<'m>,
    /// The body, if it is whole and JSON.
    pub(crate) body: Value<'m>,
    pub(crate) scratch: &'m Scratch,
}

impl<'e, 'm> Subject<'e, 'm> {
    /// Returns the message with the changes of the steps before.
    pub(crate) fn edited(self, edits: &'e Edits<'m>) -> Edited<'e, 'm> {
        let Self {
            message,
            body,
            scratch,
        } = self;
        Edited {
            message,
            edits,
            body,
            scratch,
        }
    }
}

/// A message with the changes of the steps before.
#[derive(Clone, Copy)]
pub(crate) struct Edited<'e, 'm> {
    pub(crate) message: &'e dyn Message<'m>,
    pub(crate) edits: &'e Edits<'m>,
    /// The body, if it is whole and JSON.
    pub(crate) body: Value<'m>,
    /// Counts the lines of the head that are visited.
    pub(crate) scratch: &'e Scratch,
}

impl<'e, 'm> Edited<'e, 'm> {
    /// Returns the field lines with a name.
    pub(crate) fn lines<'n>(
        &self,
        name: &'n str,
    ) -> impl Iterator<Item = &'e [u8]> + Clone + use<'e, 'm, 'n> {
        let set = self.edits.fields().filter(move |(of, _)| *of == name);
        let sent = self.sent(name).map(|line| -> &'e [u8] { line });
        sent.chain(set.map(|(_, value)| value))
    }

    /// Returns the field lines with a name that arrived and are not removed.
    fn sent<'n>(&self, name: &'n str) -> impl Iterator<Item = &'m [u8]> + Clone + use<'e, 'm, 'n> {
        let (message, edits, scratch) = (self.message, self.edits, self.scratch);
        let mut position = (!edits.hides_field(name.as_bytes())).then_some(0);
        std::iter::from_fn(move || {
            let (next, line) = message.next_line(name, position?, scratch)?;
            position = Some(next);
            Some(line)
        })
    }

    /// Returns the media type of the body; `None` without one, or with several.
    pub(crate) fn media_type(&self) -> Option<MediaType<'e>> {
        let mut lines = self.lines("content-type");
        let media_type = MediaType::parse(lines.next()?)?;
        lines.next().is_none().then_some(media_type)
    }

    /// Returns what the body is by its media type.
    pub(crate) fn body_type(&self) -> BodyType {
        self.edits
            .body_type(|| self.media_type().map(BodyType::new).unwrap_or_default())
    }

    /// Whether the query has a parameter with this decoded name.
    pub(crate) fn has_parameter(&self, name: &str, scratch: &'m Scratch) -> bool {
        !matches!(self.parameter(name, scratch), Value::Absent)
    }

    fn parameter(&self, name: &str, scratch: &'m Scratch) -> Value<'m> {
        if !self.edits.hides_parameter(name.as_bytes()) {
            let sent = scratch.find_in_query(self.message.query(), name);
            if !matches!(sent, Value::Absent) {
                return sent;
            }
        }
        let mut set = self.edits.parameters().filter(|(of, _)| *of == name);
        set.next()
            .map_or(Value::Absent, |(_, value)| scratch.decode_copy(value, true))
    }

    /// Returns the units for finding the value of a name, besides those for the lines and texts of
    /// the message.
    fn lookup_units(&self, source: Source) -> usize {
        let changes = match source {
            Source::Body | Source::Local => return 0,
            Source::Variable => self.edits.variable_count(),
            Source::Query => self.edits.parameters.len(),
            source if source == self.message.fields_source() => self.edits.fields.len(),
            _ => 0,
        };
        LOOKUP_UNITS + CHANGE_UNITS * changes
    }
}

impl<'m> Scope<'m> for Edited<'_, 'm> {
    fn value(&self, name: &'m Name, scratch: &'m Scratch) -> Value<'m> {
        if !scratch.work().spend(self.lookup_units(name.source)) {
            return Value::Absent;
        }
        match name.source {
            Source::Variable => match self.edits.variable(&name.key) {
                Some(value) => scratch.copy(value),
                None => self.message.value(name, scratch),
            },
            Source::Body => self.body,
            Source::Query if self.edits.changes_query() => self.parameter(&name.key, scratch),
            source if source == self.message.fields_source() => {
                match self.edits.sets_field(&name.key) {
                    true => scratch.join_copies(self.lines(&name.key)),
                    false => scratch.join_lines(self.sent(&name.key)),
                }
            }
            _ => self.message.value(name, scratch),
        }
    }
}

/// The values that later steps read of a request after its head is gone, at most 8 KiB of text.
#[derive(Debug, Default)]
pub struct KeptNames {
    /// The values of the program's names, in their order.
    values: Vec<Kept>,
}

/// Maximum bytes of texts that are kept; what exceeds it has no value.
const KEPT_BYTES_MAX: usize = 8 * 1024;

impl KeptNames {
    /// Copies the values of these names.
    pub(crate) fn new<'m>(names: &'m [Name], scope: &dyn Scope<'m>, scratch: &'m Scratch) -> Self {
        let mut rest = KEPT_BYTES_MAX;
        let values = names.iter().map(|name| {
            let value = Kept::from(scope.value(name, scratch));
            match rest.checked_sub(value.bytes()) {
                Some(left) => {
                    rest = left;
                    value
                }
                None => Kept::Null,
            }
        });
        Self {
            values: values.collect(),
        }
    }

    /// Returns the value of a name, if it is one of those that were kept, in their order.
    #[must_use]
    pub fn value(&self, names: &[Name], name: &Name, scratch: &Scratch) -> Option<Value<'_>> {
        scratch.work().spend(search_steps(names.len()));
        let index = names.binary_search(name).ok()?;
        self.values.get(index).map(Kept::value)
    }

    /// Writes the kept values of some of the names. Two lists of values never read alike.
    pub fn write(&self, names: &[Name], written: &[Name], out: &mut Vec<u8>) {
        for name in written {
            let index = names.iter().position(|of| of == name);
            let value = index.and_then(|index| self.values.get(index));
            // Writing to memory does not fail.
            let _ = write!(out, "{value:?};");
        }
    }
}
