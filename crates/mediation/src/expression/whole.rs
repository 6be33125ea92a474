//! Finds what an expression reads as a whole: a list that `in` searches, a text that a function
//! goes through.

use super::function::Function;
use super::node::{Node, Operator};
use crate::name::Name;

/// Returns the first value that is read as a whole, such as `body.items`, among the parts of names
/// for which `is_meant` holds.
pub(super) fn find(
    node: &Node,
    names: &[Name],
    is_meant: &dyn Fn(&Name) -> bool,
) -> Option<String> {
    let read = match node {
        Node::Binary(Operator::In, nodes) => nodes.last(),
        Node::Call(function, nodes) if goes_through(*function) => nodes.first(),
        Node::Matches(of, _) => Some(&**of),
        _ => None,
    };
    let of = |node: &Node| {
        let name = names.get(node.selected_name()?)?;
        is_meant(name).then(|| path(node, name))
    };
    let mut children = node.children().iter();
    read.and_then(of)
        .or_else(|| children.find_map(|it| find(it, names, is_meant)))
}

/// Whether a function takes time in proportion to its first operand.
fn goes_through(function: Function) -> bool {
    match function {
        Function::Size
        | Function::Contains
        | Function::LowerAscii
        | Function::UpperAscii
        | Function::Base64
        | Function::UrlEncode => true,
        Function::Has
        | Function::StartsWith
        | Function::EndsWith
        | Function::Matches
        | Function::String
        | Function::Int
        | Function::Double
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
