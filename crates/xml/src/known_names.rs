//! A cache of the names of start tags in a document. Messages repeat the same names: a name that
//! was read before and has the same meaning is compared instead of parsed.

use crate::names::Namespace;

/// Maximum number of names in the cache.
const NAMES_KNOWN: usize = 64;
const SCOPES: usize = 8;

/// The name of a start tag, located in the text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) start: u32,
    /// 0 for an unused entry.
    pub(super) bytes: u32,
    /// Length without the colon.
    pub(super) prefix_bytes: u32,
    pub(super) namespace: Namespace,
    /// The scope in which the namespace was resolved; see [`KnownNames::scopes`].
    pub(super) scope: u32,
}

/// The names of start tags in one document.
#[derive(Debug)]
pub(super) struct KnownNames {
    names: [Known; NAMES_KNOWN],
    /// A number for each class of prefixes by their last letter, changed whenever their meaning may
    /// change.
    scopes: [u32; SCOPES],
}

impl Default for KnownNames {
    fn default() -> Self {
        Self {
            names: [Known::default(); NAMES_KNOWN],
            scopes: [0; SCOPES],
        }
    }
}

impl KnownNames {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Records that a declaration of a prefix begins or ends.
    pub(super) fn leave_scope(&mut self, prefix: &str) {
        self.scopes[Self::scope_place(prefix)] += 1;
    }

    pub(super) fn scope(&self, prefix: &str) -> u32 {
        self.scopes[Self::scope_place(prefix)]
    }

    fn scope_place(prefix: &str) -> usize {
        let last = prefix.as_bytes().last();
        last.map_or(0, |&last| usize::from(last) % SCOPES)
    }

    /// Returns the place of a name: it is stored here, or next to it with the last bit flipped.
    fn place(name: &[u8]) -> usize {
        let (Some(&middle), Some(&last)) = (name.get(name.len() / 2), name.last()) else {
            return 0;
        };
        let mixed = u32::from_le_bytes([last, middle, name.len() as u8, 0]);
        (mixed.wrapping_mul(0x9E37_79B1) >> 26) as usize % NAMES_KNOWN
    }

    pub(super) fn find(&self, text: &str, name: &[u8]) -> Option<Known> {
        let place = Self::place(name);
        let is_same = |known: &&Known| {
            let (start, bytes) = (known.start as usize, known.bytes as usize);
            bytes == name.len()
                && bytes > 0
                && text.as_bytes().get(start..start + bytes) == Some(name)
        };
        let places = [&self.names[place], &self.names[place ^ 1]];
        places.into_iter().find(is_same).copied()
    }

    pub(super) fn remember(&mut self, name: &[u8], known: Known) {
        let place = Self::place(name);
        self.names[place ^ 1] = std::mem::replace(&mut self.names[place], known);
    }
}
