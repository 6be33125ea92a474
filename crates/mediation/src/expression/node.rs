//! The tree of a compiled expression.

use std::slice;

use serde::{Deserialize, Serialize};

use super::function::Function;
use super::pattern::Pattern;

/// Maximum depth of a tree, of the parser's recursion, and of a list that a variable holds.
pub(super) const DEPTH_MAX: usize = 64;

/// A part of an expression and its operands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Box<str>),
    List(Box<[Node]>),
    /// An index in the names of the expression.
    Name(u16),
    Select(Box<Node>, Box<str>),
    /// Container and index.
    Index(Box<[Node]>),
    Not(Box<Node>),
    Negate(Box<Node>),
    /// At least two operands of `&&`.
    All(Box<[Node]>),
    /// At least two operands of `||`.
    Any(Box<[Node]>),
    /// Condition and both alternatives.
    Choose(Box<[Node]>),
    /// Two operands.
    Binary(Operator, Box<[Node]>),
    Call(Function, Box<[Node]>),
    Matches(Box<Node>, Pattern),
}

/// An operator between two operands that are always evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

impl Node {
    pub(super) fn children(&self) -> &[Self] {
        match self {
            Self::Null
            | Self::Bool(_)
            | Self::Int(_)
            | Self::Double(_)
            | Self::Text(_)
            | Self::Name(_) => &[],
            Self::Select(of, _) | Self::Not(of) | Self::Negate(of) | Self::Matches(of, _) => {
                slice::from_ref(of)
            }
            Self::List(nodes)
            | Self::Index(nodes)
            | Self::All(nodes)
            | Self::Any(nodes)
            | Self::Choose(nodes)
            | Self::Binary(_, nodes)
            | Self::Call(_, nodes) => nodes,
        }
    }

    /// Returns the index of the name that the node is or selects a part of, if any.
    pub(super) fn selected_name(&self) -> Option<usize> {
        match self {
            Self::Name(index) => Some(usize::from(*index)),
            Self::Select(of, _) => of.selected_name(),
            Self::Index(nodes) => nodes.first()?.selected_name(),
            _ => None,
        }
    }

    /// Returns the number of levels of the tree.
    pub(super) fn depth(&self) -> usize {
        let deepest = self.children().iter().map(Self::depth).max();
        deepest.unwrap_or(0) + 1
    }
}
