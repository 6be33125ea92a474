//! Notes on what can be saved, but may not do what was meant: steps that may exceed the work of a
//! message, and paths that may reach other operations of the back end.

use tollgate_model::api::{Configuration, Operation};
use tollgate_model::path::Paths;
use tollgate_model::pattern::{SegmentKey, overlap, segment_keys};

use crate::expression::Expression;
use crate::name::{Name, Source};

/// Maximum number of operations with the rest of a path that are compared with others.
const RESTS_MAX: usize = 100;

/// A note on a step or an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// JSON Pointer of the expression or the path from the configuration.
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

/// Returns the notes on operations that take the rest of a path beside operations with scopes that
/// they do not require: a back end that ignores case may find these in a path that matches only the
/// rest.
pub(crate) fn on_rests(configuration: &Configuration) -> Vec<Note> {
    if configuration.paths == Paths::IgnoreCase {
        return Vec::new();
    }
    let operations = || configuration.operations.iter();
    let keys = |it: &Operation| segment_keys(&it.path, <[u8]>::to_ascii_lowercase);
    let scoped = operations().filter(|it| !it.scopes.is_empty());
    let scoped: Vec<(_, Vec<SegmentKey>)> = scoped.map(|it| (it, keys(it))).collect();
    let rests = operations()
        .enumerate()
        .filter(|(_, it)| it.path.rest().is_some());
    let notes = rests.take(RESTS_MAX).filter_map(|(index, it)| {
        let own = keys(it);
        let lacks = |scope: &&String| !it.scopes.contains(scope);
        let mut others = scoped.iter().filter(|(other, keys)| {
            other.path != it.path && other.scopes.iter().any(|it| lacks(&it)) && overlap(&own, keys)
        });
        let (other, _) = others.next()?;
        let lacking: Vec<_> = other.scopes.iter().filter(lacks).cloned().collect();
        Some(Note {
            field: format!("/operations/{index}/path"),
            code: "operation.rest",
            detail: format!(
                "{} {} also matches the path of {} {} in upper or lower case, without requiring \
                 {}: if the back end ignores case, set paths to ignore_case",
                it.method,
                it.path,
                other.method,
                other.path,
                lacking.join(", ")
            ),
        })
    });
    notes.collect()
}

/// Whether a name has the same value for all items of the innermost `$each`.
fn is_outer(name: &Name, item: &str) -> bool {
    match name.source {
        Source::Body | Source::Variable => true,
        Source::Local => *name.key != *item,
        _ => false,
    }
}
