//! The head of a message as expressions of steps see it: the message as it arrived, with the
//! changes of the steps before.

use crate::edits::{Edits, Kept};
use crate::name::{Name, Source};
use crate::scope::{Scope, Scratch};
use crate::value::Value;

/// A message whose head steps change.
pub trait Message: Scope {
    /// Returns the next field line with this name, in any case, at or after a position, and the
    /// position after it. Positions begin at 0.
    fn next_line(&self, name: &str, position: usize) -> Option<(usize, &[u8])>;

    /// Returns the query of a request as sent, without the caller's credential.
    fn query(&self) -> &[u8];

    /// Returns the source of this message's field lines.
    fn fields_source(&self) -> Source;
}

/// A message with the changes of the steps before.
pub(crate) struct Edited<'m> {
    pub(crate) message: &'m dyn Message,
    pub(crate) edits: &'m Edits<'m>,
}

impl<'m> Edited<'m> {
    /// Returns the field lines with a name.
    pub(crate) fn lines<'n>(
        &self,
        name: &'n str,
    ) -> impl Iterator<Item = &'m [u8]> + Clone + use<'m, 'n> {
        let (message, edits) = (self.message, self.edits);
        let mut position = (!edits.hides_field(name.as_bytes())).then_some(0);
        let own = std::iter::from_fn(move || {
            let (next, line) = message.next_line(name, position?)?;
            position = Some(next);
            Some(line)
        });
        let set = edits.fields().filter(move |(of, _)| *of == name);
        own.chain(set.map(|(_, value)| value))
    }

    /// Whether the query has a parameter with this decoded name.
    pub(crate) fn has_parameter(&self, name: &str, scratch: &Scratch) -> bool {
        !matches!(self.parameter(name, scratch), Value::Absent)
    }

    fn parameter<'a>(&'a self, name: &str, scratch: &'a Scratch) -> Value<'a> {
        if !self.edits.hides_parameter(name.as_bytes()) {
            let sent = scratch.find_in_query(self.message.query(), name);
            if !matches!(sent, Value::Absent) {
                return sent;
            }
        }
        let mut set = self.edits.parameters().filter(|(of, _)| *of == name);
        set.next().map_or(Value::Absent, |(_, value)| scratch.decode(value, true))
    }
}

impl Scope for Edited<'_> {
    fn value<'a>(&'a self, name: &'a Name, scratch: &'a Scratch) -> Value<'a> {
        match name.source {
            Source::Variable => self.edits.variable(&name.key),
            Source::Query if self.edits.changes_query() => self.parameter(&name.key, scratch),
            source if source == self.message.fields_source() => {
                scratch.join_lines(self.lines(&name.key))
            }
            _ => self.message.value(name, scratch),
        }
    }
}

/// What later steps read of a request whose head is gone by then, at most 8 KiB of text.
#[derive(Debug, Default)]
pub struct KeptNames {
    /// The values of the program's names, in their order.
    values: Vec<Kept>,
}

/// Maximum bytes of texts that are kept; what exceeds it has no value.
const KEPT_BYTES_MAX: usize = 8 * 1024;

impl KeptNames {
    /// Copies the values of these names.
    pub(crate) fn new(names: &[Name], scope: &dyn Scope, scratch: &Scratch) -> Self {
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

    /// Returns the value of a name, if it is one of those that were kept.
    #[must_use]
    pub fn value(&self, names: &[Name], name: &Name) -> Option<Value<'_>> {
        let index = names.iter().position(|of| of == name)?;
        self.values.get(index).map(Kept::value)
    }
}
