//! Finds what an expression reads as a whole: a list that `in` searches, a text that a function
//! goes through, lists and texts that are compared or joined.

use std::slice;

use super::function::Function;
use super::node::{Node, Operator};
use crate::name::Name;

/// Whether a name is one of those that are searched for.
type IsMeant<'s> = &'s dyn Fn(&Name) -> bool;

/// Returns the first value that a part of an expression reads as a whole, such as `body.items`,
/// among the names for which `is_meant` holds and their parts.
pub(super) fn find_read_whole(
    node: &Node,
    names: &[Name],
    is_meant: IsMeant<'_>,
) -> Option<String> {
    Search { names, is_meant }.find_read_whole(node)
}

/// Returns the first of these names, or of their parts, that an expression may have the value of.
pub(super) fn find_part(node: &Node, names: &[Name], is_meant: IsMeant<'_>) -> Option<String> {
    Search { names, is_meant }.find_part(node)
}

/// Operands that take time in proportion to their values.
enum ReadWhole<'n> {
    /// Each of these.
    Each(&'n [Node]),
    /// Both, up to the end of the shorter one.
    Both(&'n [Node]),
}

struct Search<'s> {
    names: &'s [Name],
    is_meant: IsMeant<'s>,
}

impl Search<'_> {
    fn find_read_whole(&self, node: &Node) -> Option<String> {
        let read = match operands(node) {
            ReadWhole::Each(nodes) => nodes.iter().find_map(|it| self.find_part(it)),
            ReadWhole::Both(nodes) => {
                let parts = nodes.iter().map(|it| self.find_part(it));
                let parts: Option<Vec<_>> = parts.collect();
                parts.and_then(|parts| parts.into_iter().next())
            }
        };
        let mut children = node.children().iter();
        read.or_else(|| children.find_map(|it| self.find_read_whole(it)))
    }

    fn find_part(&self, node: &Node) -> Option<String> {
        let alternatives = match node {
            Node::Call(Function::OrValue, nodes) | Node::Binary(Operator::Add, nodes) => &**nodes,
            Node::Choose(nodes) => nodes.get(1..).unwrap_or_default(),
            _ => {
                let name = self.names.get(node.selected_name()?)?;
                return (self.is_meant)(name).then(|| path(node, name));
            }
        };
        alternatives.iter().find_map(|it| self.find_part(it))
    }
}

/// Returns the operands that a node reads as a whole, if they are lists or texts.
fn operands(node: &Node) -> ReadWhole<'_> {
    match node {
        Node::Binary(Operator::In, nodes) => ReadWhole::Each(nodes.get(1..).unwrap_or_default()),
        Node::Binary(operator, nodes) if goes_through_both(*operator) => ReadWhole::Both(nodes),
        Node::Call(Function::StartsWith | Function::EndsWith, nodes) => ReadWhole::Both(nodes),
        Node::Call(function, nodes) if goes_through(*function) => {
            ReadWhole::Each(nodes.get(..1).unwrap_or_default())
        }
        Node::Matches(of, _) => ReadWhole::Each(slice::from_ref(of)),
        _ => ReadWhole::Each(&[]),
    }
}

/// Whether an operator takes time in proportion to both operands.
fn goes_through_both(operator: Operator) -> bool {
    match operator {
        Operator::Equal
        | Operator::NotEqual
        | Operator::Less
        | Operator::LessOrEqual
        | Operator::Greater
        | Operator::GreaterOrEqual
        | Operator::Add => true,
        Operator::Subtract
        | Operator::Multiply
        | Operator::Divide
        | Operator::Remainder
        | Operator::In => false,
    }
}

/// Whether a function takes time in proportion to its first operand.
fn goes_through(function: Function) -> bool {
    match function {
        Function::Size
        | Function::Contains
        | Function::LowerAscii
        | Function::UpperAscii
        | Function::Int
        | Function::Double
        | Function::Base64
        | Function::UrlEncode => true,
        Function::Has
        | Function::StartsWith
        | Function::EndsWith
        | Function::Matches
        | Function::String
        | Function::Bool
        | Function::OrValue => false,
    }
}

/// Returns the text of a name or of a part of it.
fn path(node: &Node, name: &Name) -> String {
    match node {
        Node::Select(of, key) => format!("{}.{key}", path(of, name)),
        Node::Index(nodes) => match &**nodes {
            [of, Node::Int(index)] => format!("{}[{index}]", path(of, name)),
            [of, ..] => format!("{}[…]", path(of, name)),
            [] => name.to_string(),
        },
        _ => name.to_string(),
    }
}
