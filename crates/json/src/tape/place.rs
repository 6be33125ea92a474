//! The place of a node: in the text, and as a JSON Pointer.

use std::num::NonZeroU32;
use std::ops::Range;

use super::{Kind, NodeId, View};

impl<'a> View<'a> {
    /// Returns the place of a value or a key in the text, strings with their quotes; an empty range
    /// for what was joined.
    #[must_use]
    #[inline]
    pub fn span(self, id: NodeId) -> Range<usize> {
        let node = &self.nodes[id.index()];
        let start = node.start as usize;
        let end = node.end.map_or(0, NonZeroU32::get) as usize;
        match node.kind {
            Kind::Null | Kind::True => start..start + 4,
            Kind::False => start..start + 5,
            Kind::Number => start..end,
            Kind::Text | Kind::Key if !node.is_unescaped => start - 1..end + 1,
            Kind::Text | Kind::Key => {
                let found = self
                    .escaped
                    .binary_search_by_key(&node.start, |it| it.unescaped);
                let place = found.ok().and_then(|index| self.escaped.get(index));
                place.map_or(0..0, |it| it.start as usize..it.end as usize)
            }
            Kind::Array | Kind::Object if node.mark != 0 => start..end,
            Kind::Array | Kind::Object | Kind::Word => 0..0,
        }
    }

    /// Returns a value or a key as it is in the text, strings with their quotes; nothing for what
    /// was joined.
    #[must_use]
    #[inline]
    pub fn raw(self, id: NodeId) -> &'a str {
        &self.json[self.span(id)]
    }

    /// Returns the position of a node as a JSON Pointer ([RFC
    /// 6901](https://www.rfc-editor.org/rfc/rfc6901)). Searches the whole tape: for errors only.
    #[must_use]
    pub fn pointer(self, id: NodeId) -> String {
        let mut pointer = String::new();
        for root in [self.root, self.beside].into_iter().flatten() {
            if self.walk(root, id, &mut pointer) {
                break;
            }
        }
        pointer
    }

    /// Appends the path from `at` to `id`, if `id` is below.
    fn walk(self, at: NodeId, id: NodeId, pointer: &mut String) -> bool {
        if at == id {
            return true;
        }
        let is_object = self.kind(at) == Kind::Object;
        for (position, child) in self.children(at).enumerate() {
            let length = pointer.len();
            let value = if is_object {
                push_token(pointer, self.text(child));
                self.value(child)
            } else {
                push_token(pointer, &position.to_string());
                child
            };
            if child == id || self.walk(value, id, pointer) {
                return true;
            }
            pointer.truncate(length);
        }
        false
    }
}

/// Appends a reference token to a JSON Pointer.
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            _ => pointer.push(character),
        }
    }
}
