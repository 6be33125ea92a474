//! Notes on steps that can be saved, but may exceed the work of a message.

use crate::expression::Expression;
use crate::name::{Name, Source};

/// A note on a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// JSON Pointer of the expression from the configuration.
    pub field: String,
    /// Stable code.
    pub code: &'static str,
    /// Explanation, one sentence.
    pub detail: String,
}

impl Note {
    /// Returns the note on an expression inside `$each`, if it reads a list or text as a whole that
    /// is not part of the innermost item.
    pub(crate) fn on_each(expression: &Expression, locals: &[&str], field: &str) -> Option<Self> {
        let item = locals.last()?;
        let read = expression.reads_whole(&|name| is_outer(name, item))?;
        Some(Self::new(&read, field))
    }

    /// Returns the note on the list of `$each` inside `$each`, if it is not part of the innermost
    /// item, or reads such a list or text as a whole.
    pub(crate) fn on_inner_each(of: &Expression, locals: &[&str], field: &str) -> Option<Self> {
        let item = locals.last()?;
        match of.part_of(&|name| is_outer(name, item)) {
            Some(part) => Some(Self::new(&part, field)),
            None => Self::on_each(of, locals, field),
        }
    }

    fn new(read: &str, field: &str) -> Self {
        Self {
            field: field.to_owned(),
            code: "policy.work",
            detail: format!(
                "`{read}` is read as a whole for each item: a call that exceeds the work of a \
                 message is refused with 500 mediate.policy; a value that is the same for all \
                 items can be kept by a step let"
            ),
        }
    }
}

/// Whether a name has the same value for all items of the innermost `$each`.
fn is_outer(name: &Name, item: &str) -> bool {
    match name.source {
        Source::Body | Source::Variable => true,
        Source::Local => *name.key != *item,
        _ => false,
    }
}
