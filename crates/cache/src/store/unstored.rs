//! Keys whose last response was not stored, by their digests: two with the same one only mean that
//! a caller does not wait.

use quick_cache::sync::Cache;

use super::Begun;

/// Bytes that a key takes, with its place in the table.
const KEY_BYTES: u64 = 128;

/// The keys, bounded by bytes.
#[derive(Debug)]
pub(super) struct Unstored {
    keys: Cache<u64, Noted>,
}

#[derive(Debug, Clone, Copy)]
struct Noted {
    begun: Begun,
    until_ms: u64,
}

impl Unstored {
    pub(super) fn new(bytes_max: u64) -> Self {
        let keys = usize::try_from(bytes_max / KEY_BYTES).unwrap_or(usize::MAX);
        Self {
            keys: Cache::new(keys.max(1)),
        }
    }

    pub(super) fn insert(&self, digest: u64, begun: Begun, until_ms: u64) {
        self.keys.insert(digest, Noted { begun, until_ms });
    }

    /// Returns when the call began whose response was not stored.
    pub(super) fn find(&self, digest: u64, now_ms: u64) -> Option<Begun> {
        let noted = self.keys.get(&digest)?;
        if now_ms >= noted.until_ms {
            self.keys.remove(&digest);
            return None;
        }
        Some(noted.begun)
    }

    pub(super) fn remove(&self, digest: u64) {
        self.keys.remove(&digest);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.keys.len() as u64 * KEY_BYTES
    }
}
