//! What a reader remembers: the open elements, the attributes of the last one, and the prefixes in
//! scope.

use std::ops::Range;

use super::known_names::KnownNames;
use super::names::Namespace;

/// An attribute that declares no namespace. Offsets are of the text.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its namespace; none where it has no prefix.
    pub namespace: Namespace,
    pub(super) name: Range<u32>,
    /// Where the local part begins.
    pub(super) local: u32,
    pub(super) value: Range<u32>,
    /// Whether the value has references, or white space that counts as a space.
    pub(super) is_escaped: bool,
}

/// A declaration of a namespace that is in scope. Offsets are of the text, or of
/// [`Stack::rewritten`].
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) prefix: Range<u32>,
    pub(super) namespace: Namespace,
    pub(super) name: Range<u32>,
    pub(super) is_rewritten: bool,
    pub(super) depth: u32,
}

/// What a [`super::Reader`] remembers while it reads: kept from document to document, so that its
/// memory is taken once.
#[derive(Debug, Default)]
pub struct Stack {
    pub(super) bindings: Vec<Binding>,
    /// The names of the open elements, as they are written.
    pub(super) opened: Vec<Range<u32>>,
    /// Of the element that was opened last.
    pub(super) attributes: Vec<Attribute>,
    /// Indexes of `attributes`, sorted where there are many.
    pub(super) order: Vec<u16>,
    /// Of start tags.
    pub(super) known: KnownNames,
    /// Names of namespaces that are written with references.
    pub(super) rewritten: String,
}

impl Stack {
    /// The name of the namespace that a binding stands for.
    pub(super) fn name_of<'b>(&'b self, binding: &Binding, text: &'b str) -> &'b str {
        let from = if binding.is_rewritten {
            &self.rewritten
        } else {
            text
        };
        &from[binding.name.start as usize..binding.name.end as usize]
    }

    pub(super) fn clear(&mut self) {
        self.bindings.clear();
        self.opened.clear();
        self.attributes.clear();
        self.rewritten.clear();
        self.known.clear();
    }
}

#[inline]
pub(super) fn slice<'a>(text: &'a str, range: &Range<u32>) -> &'a str {
    &text[range.start as usize..range.end as usize]
}

/// The declaration of a prefix in the present scope.
fn find_binding<'b>(text: &str, stack: &'b Stack, prefix: &str) -> Option<&'b Binding> {
    let wanted = prefix.as_bytes();
    stack.bindings.iter().rev().find(|binding| {
        // Prefixes of one message mostly have one length, and differ at their ends.
        let bytes = &text.as_bytes()[binding.prefix.start as usize..binding.prefix.end as usize];
        bytes.last() == wanted.last() && bytes == wanted
    })
}

/// The number of what a prefix stands for in the present scope.
pub(super) fn find_namespace(text: &str, stack: &Stack, prefix: &str) -> Option<Namespace> {
    match find_binding(text, stack, prefix) {
        Some(binding) => Some(binding.namespace),
        None => undeclared(prefix).map(|found| found.0),
    }
}

/// What a prefix stands for in the present scope: its number and its name.
pub(super) fn find_prefix<'b>(
    text: &'b str,
    stack: &'b Stack,
    prefix: &str,
) -> Option<(Namespace, &'b str)> {
    if let Some(binding) = find_binding(text, stack, prefix) {
        return Some((binding.namespace, stack.name_of(binding, text)));
    }
    undeclared(prefix)
}

/// What a prefix stands for that nothing declares.
fn undeclared(prefix: &str) -> Option<(Namespace, &'static str)> {
    match prefix {
        "" => Some((Namespace::NONE, "")),
        "xml" => Some((Namespace::XML, "http://www.w3.org/XML/1998/namespace")),
        _ => None,
    }
}
