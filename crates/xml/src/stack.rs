//! The state of a reader: the open elements, the attributes of the last one, and the prefixes in
//! scope.

use std::ops::Range;

use crate::known_names::KnownNames;
use crate::names::Namespace;

/// An attribute other than a namespace declaration. Offsets are into the text.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its namespace; none if it has no prefix.
    pub namespace: Namespace,
    /// The index of the first binding to the same name, if the namespace is [`Namespace::OTHER`].
    pub(super) first_binding: u32,
    pub(super) name: Range<u32>,
    /// The start of the local part.
    pub(super) local: u32,
    pub(super) value: Range<u32>,
    /// Whether normalisation changes the value: it has references, or white space other than
    /// spaces.
    pub(super) is_escaped: bool,
}

/// A namespace declaration in scope. Offsets are into the text, or into [`Stack::rewritten`].
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) prefix: Range<u32>,
    /// The [mark](prefix_mark) of the prefix: one comparison distinguishes most prefixes.
    pub(super) mark: u32,
    pub(super) namespace: Namespace,
    /// The index of the first binding to the same name, if the namespace is [`Namespace::OTHER`].
    pub(super) first_binding: u32,
    pub(super) name: Range<u32>,
    pub(super) is_rewritten: bool,
    pub(super) depth: u32,
}

/// The state of a [`crate::Reader`], kept from document to document so that memory is allocated
/// once.
#[derive(Debug, Default)]
pub struct Stack {
    pub(super) bindings: Vec<Binding>,
    /// The names of the open elements, as written.
    pub(super) opened: Vec<Range<u32>>,
    /// The attributes of the element that was opened last.
    pub(super) attributes: Vec<Attribute>,
    /// Indexes of `attributes`, sorted if there are many.
    pub(super) order: Vec<u16>,
    /// The names of start tags.
    pub(super) known: KnownNames,
    /// Names of namespaces that are written with references.
    pub(super) rewritten: String,
}

impl Stack {
    /// Returns the index of the first binding to a name, which may be the next one; 0 unless the
    /// namespace is [`Namespace::OTHER`].
    pub(super) fn first_binding(&self, namespace: Namespace, name: &str, text: &str) -> u32 {
        if namespace != Namespace::OTHER {
            return 0;
        }
        let mut bindings = self.bindings.iter();
        let first = bindings.position(|binding| self.name_of(binding, text) == name);
        first.unwrap_or(self.bindings.len()) as u32
    }

    /// Returns the name of a binding's namespace.
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

/// Returns the mark of a prefix: equal prefixes have equal marks, others mostly do not (FNV-1a).
pub(super) fn prefix_mark(prefix: &str) -> u32 {
    prefix.bytes().fold(0x811C_9DC5, |mark, byte| {
        (mark ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Returns the declaration of a prefix in the current scope.
fn find_binding<'b>(text: &str, stack: &'b Stack, prefix: &str) -> Option<&'b Binding> {
    let mark = prefix_mark(prefix);
    let mut bindings = stack.bindings.iter().rev();
    bindings.find(|binding| binding.mark == mark && slice(text, &binding.prefix) == prefix)
}

/// Returns the number of a prefix's namespace in the current scope.
pub(super) fn find_namespace(text: &str, stack: &Stack, prefix: &str) -> Option<Namespace> {
    find_first_binding(text, stack, prefix).map(|found| found.0)
}

/// Returns the number of a prefix's namespace in the current scope, and the index of the first
/// binding to its name.
pub(super) fn find_first_binding(
    text: &str,
    stack: &Stack,
    prefix: &str,
) -> Option<(Namespace, u32)> {
    match find_binding(text, stack, prefix) {
        Some(binding) => Some((binding.namespace, binding.first_binding)),
        None => undeclared(prefix).map(|found| (found.0, 0)),
    }
}

/// Returns number and name of a prefix's namespace in the current scope.
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

/// Returns the namespace of a prefix that needs no declaration.
fn undeclared(prefix: &str) -> Option<(Namespace, &'static str)> {
    match prefix {
        "" => Some((Namespace::NONE, "")),
        "xml" => Some((Namespace::XML, "http://www.w3.org/XML/1998/namespace")),
        _ => None,
    }
}
