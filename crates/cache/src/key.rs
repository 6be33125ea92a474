//! Keys of stored responses: everything that the upstream's answer may depend on, compared whole.

#[cfg(test)]
mod tests;

use std::sync::Arc;

/// A key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(Arc<[u8]>);

/// Builds a key of parts. No two lists of parts have the same key: each part has its length in
/// front, and one that does not exist differs from an empty one.
#[derive(Debug)]
pub struct KeyBuilder(Vec<u8>);

/// Room for the keys of most calls, so that building one does not allocate again and again.
const ROOM_BYTES: usize = 512;

impl Default for KeyBuilder {
    fn default() -> Self {
        Self(Vec::with_capacity(ROOM_BYTES))
    }
}

impl KeyBuilder {
    /// Starts a new key in the same memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a number.
    pub fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    /// Adds a part, or that it does not exist.
    pub fn part(&mut self, part: Option<&[u8]>) {
        match part {
            None => self.number(u64::MAX),
            Some(part) => {
                self.number(part.len() as u64);
                self.0.extend_from_slice(part);
            }
        }
    }

    /// Adds parts, such as the lines of a field, and their number.
    pub fn parts<'p>(&mut self, parts: impl Iterator<Item = &'p [u8]>) {
        let at = self.0.len();
        self.number(0);
        let mut count = 0_u64;
        for part in parts {
            self.part(Some(part));
            count += 1;
        }
        self.0[at..at + 8].copy_from_slice(&count.to_le_bytes());
    }

    /// Returns the key.
    #[must_use]
    pub fn key(&self) -> Key {
        Key(self.0.as_slice().into())
    }
}

impl Key {
    /// Returns the number of its bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.len()
    }
}
