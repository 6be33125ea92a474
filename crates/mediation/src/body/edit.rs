//! `json_edit`: edits of values; all other bytes stay. Each edit reads the result of the one
//! before.

use serde::{Deserialize, Serialize};

use super::path::Paths;
use super::splice::{Operation, splice};
use super::{Body, Making};
use crate::edits::{Changed, Edits};
use crate::expression::Expression;
use crate::message::Subject;
use crate::outcome::Stop;
use crate::value::Value;

/// Edits, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JsonEdit {
    pub(crate) edits: Box<[Edit]>,
}

/// An edit of the values at a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Edit {
    Set(Paths, Expression),
    Remove(Paths),
    Rename(Paths, Box<str>),
}

impl JsonEdit {
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.edits.iter().filter_map(|edit| match edit {
            Edit::Set(_, value) => Some(value),
            Edit::Remove(_) | Edit::Rename(..) => None,
        })
    }

    /// Does one of the edits. A value that does not exist is not set.
    pub(super) fn run<'m>(
        &'m self,
        body: Body<'m>,
        subject: Subject<'_, 'm>,
        edits: &Edits<'m>,
        making: Making<'_>,
    ) -> Result<Option<Changed>, Stop> {
        let (out, work) = (making.out, subject.scratch.work());
        match self.edits.get(making.part) {
            Some(Edit::Set(paths, value)) => {
                match value.evaluate(&subject.edited(edits), subject.scratch) {
                    Value::Absent => Ok(None),
                    value => splice(body, paths, Operation::Set(value), out, work),
                }
            }
            Some(Edit::Remove(paths)) => splice(body, paths, Operation::REMOVE, out, work),
            Some(Edit::Rename(paths, to)) => splice(body, paths, Operation::Rename(to), out, work),
            None => Ok(None),
        }
    }
}
