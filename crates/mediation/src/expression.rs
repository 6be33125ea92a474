//! Expressions: a closed part of [CEL](https://cel.dev), compiled when a policy is saved and
//! evaluated for each message by [`Expression::evaluate`].
//!
//! The part has no macros, so an expression has no loop, and its work is linear in its input. It is
//! counted in the scratch; once the work of a message is exceeded, nothing has a value.
//!
//! Evaluation is total: it never fails, it gives [`Value::Absent`] where CEL reports an error. The
//! crate `cel` is the reference; `tests/cel.rs` compares both and lists the intended differences.

mod evaluate;
mod function;
mod lexer;
mod node;
mod parser;
mod pattern;
mod reference;
mod resolve;
#[cfg(test)]
mod tests;
mod whole;

use serde::{Deserialize, Serialize};

use node::Node;
use parser::Parser;
pub(crate) use pattern::{Pattern, compile_each_once};
pub use reference::reference;

use crate::name::{Available, Name};
use crate::scope::{Scope, Scratch};
use crate::value::Value;

/// An error in an expression or in a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sentence}, at byte {offset}")]
pub struct Fault {
    /// The byte offset of the error in the text.
    pub offset: usize,
    /// A sentence that explains the error, without its position.
    pub sentence: String,
}

impl Fault {
    pub(crate) fn new(offset: usize, sentence: impl Into<String>) -> Self {
        Self {
            offset,
            sentence: sentence.into(),
        }
    }
}

/// A compiled expression. Its serialized form has patterns as text, which deserializing compiles.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expression {
    root: Node,
    names: Box<[Name]>,
}

impl Expression {
    /// Compiles a text of at most 1 KiB.
    ///
    /// # Errors
    ///
    /// Fails on the first error: in the syntax, or a name that does not exist or is not available.
    pub fn parse(text: &str, available: &Available<'_>) -> Result<Self, Fault> {
        Parser::new(text, 0, available)?.parse_whole()
    }

    /// Compiles the expression of a hole, from `start` to `}}`. Returns the offset after the hole,
    /// too.
    pub(crate) fn parse_hole(
        text: &str,
        start: usize,
        available: &Available<'_>,
    ) -> Result<(Self, usize), Fault> {
        Parser::new(text, start, available)?.parse_hole()
    }

    /// Returns the names that the expression reads, each once.
    #[must_use]
    pub fn reads(&self) -> &[Name] {
        &self.names
    }

    /// Returns the name of an expression that reads it and does nothing else.
    pub(crate) fn name(&self) -> Option<&Name> {
        match &self.root {
            Node::Name(index) => self.names.get(usize::from(*index)),
            _ => None,
        }
    }

    /// Returns the name and the keys of an expression that reads a member and does nothing else,
    /// such as `body.customer.name`.
    pub(crate) fn member(&self) -> Option<(&Name, Vec<&str>)> {
        let mut path = Vec::new();
        let mut node = &self.root;
        while let Node::Select(of, key) = node {
            path.push(&**key);
            node = of;
        }
        path.reverse();
        match node {
            Node::Name(index) if !path.is_empty() => {
                Some((self.names.get(usize::from(*index))?, path))
            }
            _ => None,
        }
    }

    /// Returns the first list or text that the expression reads as a whole, such as `body.items`,
    /// among the parts of names for which `is_meant` holds.
    pub(crate) fn reads_whole(&self, is_meant: &dyn Fn(&Name) -> bool) -> Option<String> {
        whole::find_read_whole(&self.root, &self.names, is_meant)
    }

    /// Returns the first part of names for which `is_meant` holds that the expression may have the
    /// value of, such as `body.items` in `body.items.orValue([])`.
    pub(crate) fn part_of(&self, is_meant: &dyn Fn(&Name) -> bool) -> Option<String> {
        whole::find_part(&self.root, &self.names, is_meant)
    }

    /// Returns the value of the expression.
    ///
    /// Allocates only in the scratch, and only for a text or list that is not part of the message.
    #[must_use]
    pub fn evaluate<'m>(&'m self, scope: &dyn Scope<'m>, scratch: &'m Scratch) -> Value<'m> {
        evaluate::evaluate(&self.root, &self.names, scope, scratch)
    }

    /// Returns the value of the expression as a condition; `None` if it is no boolean.
    #[must_use]
    pub fn condition<'m>(&'m self, scope: &dyn Scope<'m>, scratch: &'m Scratch) -> Option<bool> {
        match self.evaluate(scope, scratch) {
            Value::Bool(is_true) => Some(is_true),
            _ => None,
        }
    }
}
