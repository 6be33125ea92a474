//! The names of start tags that a document has had. A message says the same names again and again:
//! a name that was read before, and still means the same, is compared and not read.

use super::names::Namespace;

/// So many names are remembered.
const NAMES_KNOWN: usize = 64;
const SCOPES: usize = 8;

/// The name of a start tag that was read. Its place is in the text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) start: u32,
    /// 0 of none.
    pub(super) bytes: u32,
    /// Without the colon.
    pub(super) prefix_bytes: u32,
    pub(super) namespace: Namespace,
    /// The declarations that gave the namespace; see [`KnownNames::scopes`].
    pub(super) scope: u32,
}

/// Names of start tags that one document has had.
#[derive(Debug)]
pub(super) struct KnownNames {
    names: [Known; NAMES_KNOWN],
    /// Another number whenever the prefixes of this last letter may mean something else.
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

    /// Notes that a declaration of a prefix begins or ends.
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

    /// Where a name is remembered: here, or beside it with the last bit changed.
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
