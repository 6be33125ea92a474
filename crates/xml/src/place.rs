//! A saved position in a document, for documents that begin with the same bytes.

use std::ops::Range;

use crate::names::Namespace;
use crate::reader::{Reader, Tag};
use crate::stack::{Attribute, Binding, slice};

/// The state of a reader after a start tag, and the bytes up to there.
#[derive(Debug, Default)]
pub struct Place {
    text: String,
    namespace: Namespace,
    prefix: Range<u32>,
    local: Range<u32>,
    bindings: Vec<Binding>,
    opened: Vec<Range<u32>>,
    attributes: Vec<Attribute>,
    rewritten: String,
    offset: usize,
    depth: u32,
    is_empty: bool,
    refuses_instructions: bool,
}

impl<'a> Reader<'a, '_> {
    /// Saves the position after the start tag that was read last.
    pub fn note(&self, tag: Tag<'_>, place: &mut Place) {
        let name = (self.offset + 1) as u32;
        let prefix_bytes = tag.prefix.len() as u32;
        let local = name + prefix_bytes + u32::from(prefix_bytes > 0);
        place.text.clear();
        place.text.push_str(&self.text[..self.end]);
        place.namespace = tag.namespace;
        place.prefix = name..name + prefix_bytes;
        place.local = local..local + tag.local.len() as u32;
        place.bindings.clone_from(&self.stack.bindings);
        place.opened.clone_from(&self.stack.opened);
        place.attributes.clone_from(&self.stack.attributes);
        place.rewritten.clone_from(&self.stack.rewritten);
        place.offset = self.offset;
        place.depth = self.depth;
        place.is_empty = self.is_empty;
        place.refuses_instructions = self.refuses_instructions;
    }

    /// Moves from the beginning of a document to a position saved in another one, and returns the
    /// start tag before it. Returns `None`, and changes nothing, if this document begins with other
    /// bytes. Both must be read with the same names and bounds.
    pub fn go_to(&mut self, place: &Place) -> Option<Tag<'a>> {
        if !self.text.starts_with(&place.text) {
            return None;
        }
        self.stack.bindings.clone_from(&place.bindings);
        self.stack.opened.clone_from(&place.opened);
        self.stack.attributes.clone_from(&place.attributes);
        self.stack.rewritten.clone_from(&place.rewritten);
        self.end = place.text.len();
        self.offset = place.offset;
        self.depth = place.depth;
        self.has_root = true;
        self.is_empty = place.is_empty;
        self.refuses_instructions = place.refuses_instructions;
        Some(Tag {
            namespace: place.namespace,
            prefix: slice(self.text, &place.prefix),
            local: slice(self.text, &place.local),
        })
    }
}
