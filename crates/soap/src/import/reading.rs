//! State shared by the readers of contracts and schemas: names, places, notes and the budget.

use std::collections::BTreeSet;
use std::sync::Arc;

use roxmltree::Node;

use super::ImportError;
use super::limits::Limits;
use super::name::{self, QName};
use super::notes::{Notes, Place, Sources, offset};

/// Maximum characters of a documentation that are kept.
const DOCUMENTATION_MAX: usize = 2_000;

/// The state of one import.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) sources: Sources,
    pub(super) notes: Notes,
    limits: Limits,
    components: usize,
    strings: BTreeSet<Arc<str>>,
}

impl Reading {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            sources: Sources::default(),
            notes: Notes::default(),
            limits,
            components: 0,
            strings: BTreeSet::new(),
        }
    }

    /// Counts a component and returns its number.
    pub(super) fn component(&mut self) -> Result<u32, ImportError> {
        self.components += 1;
        if self.components > self.limits.components_max {
            return Err(ImportError::TooManyComponents(self.limits.components_max));
        }
        Ok(offset(self.components))
    }

    /// Returns a shared copy of a string.
    pub(super) fn string(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.strings.get(text) {
            return Arc::clone(known);
        }
        let new: Arc<str> = text.into();
        self.strings.insert(Arc::clone(&new));
        new
    }

    pub(super) fn name(&mut self, namespace: &str, local: &str) -> QName {
        QName {
            namespace: self.string(namespace),
            local: self.string(local.trim()),
        }
    }

    /// Resolves a value of type `QName` at a node. Without a prefix it is in the default namespace,
    /// or else in `otherwise`.
    pub(super) fn reference(
        &mut self,
        node: Node<'_, '_>,
        place: Place,
        value: &str,
        otherwise: &str,
    ) -> QName {
        let value = value.trim();
        match value.split_once(':') {
            None => {
                let namespace = node.lookup_namespace_uri(None).unwrap_or_default();
                let is_none = namespace.is_empty();
                self.name(if is_none { otherwise } else { namespace }, value)
            }
            // Bound without being declared (Namespaces in XML 1.0, section 3).
            Some(("xml", local)) => self.name(name::XML, local),
            Some((prefix, local)) => match node.lookup_namespace_uri(Some(prefix)) {
                Some(namespace) => self.name(namespace, local),
                None => {
                    let detail = format!("the prefix of `{value}` is not declared");
                    self.notes.push("wsdl.prefix", place, detail);
                    // No name has this namespace, so each lookup reports it as unknown.
                    self.name("?", value)
                }
            },
        }
    }
}

/// Returns the child elements.
pub(super) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// Returns the namespace and local name of an element.
pub(super) fn tag<'a>(node: Node<'a, '_>) -> (&'a str, &'a str) {
    let name = node.tag_name();
    (name.namespace().unwrap_or_default(), name.name())
}

/// Returns an attribute without namespace, with surrounding white space removed; empty if absent.
pub(super) fn attribute<'a>(node: Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_default().trim()
}

pub(super) fn is_true(node: Node<'_, '_>, name: &str) -> bool {
    matches!(attribute(node, name), "true" | "1")
}

/// Returns the first documentation of a component: a child, or within its annotation.
pub(super) fn documentation(node: Node<'_, '_>) -> Option<Box<str>> {
    let found = elements(node).find_map(|child| match child.tag_name().name() {
        "documentation" => Some(child),
        "annotation" => elements(child).find(|part| part.tag_name().name() == "documentation"),
        _ => None,
    })?;
    let mut text = String::new();
    for part in found.descendants().filter(Node::is_text) {
        for word in part.text().unwrap_or_default().split_whitespace() {
            if text.len() + word.len() >= DOCUMENTATION_MAX {
                return Some(text.into());
            }
            let gap = if text.is_empty() { "" } else { " " };
            text.push_str(gap);
            text.push_str(word);
        }
    }
    (!text.is_empty()).then(|| text.into())
}
