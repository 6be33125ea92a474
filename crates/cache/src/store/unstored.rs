//! Keys of which the last response was not stored, by their digests: two with the same one only
//! mean that a caller does not wait.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

use super::Begun;

/// Bytes that a key takes, with its places in the tables.
const KEY_BYTES: u64 = 128;

/// The keys, bounded by bytes.
#[derive(Debug)]
pub(super) struct Unstored {
    keys: Mutex<Keys>,
    keys_max: usize,
}

#[derive(Debug, Default)]
struct Keys {
    by_digest: HashMap<u64, Noted>,
    /// The times until which they are remembered, each with its digest.
    by_time: BTreeSet<(u64, u64)>,
}

#[derive(Debug, Clone, Copy)]
struct Noted {
    begun: Begun,
    until_ms: u64,
}

impl Unstored {
    pub(super) fn new(bytes_max: u64) -> Self {
        Self {
            keys: Mutex::default(),
            keys_max: usize::try_from(bytes_max / KEY_BYTES).unwrap_or(usize::MAX),
        }
    }

    fn keys(&self) -> MutexGuard<'_, Keys> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a key from now to a later time, unless a later call has noted it.
    pub(super) fn note(&self, digest: u64, begun: Begun, ms: Range<u64>) {
        let mut keys = self.keys();
        keys.sweep(ms.start);
        let noted = keys.by_digest.get(&digest);
        if noted.is_some_and(|noted| noted.begun.number > begun.number) {
            return;
        }
        keys.remove(digest);
        // With the next time to end first.
        if keys.by_digest.len() >= self.keys_max && !keys.remove_next() {
            return;
        }
        let until_ms = ms.end;
        keys.by_digest.insert(digest, Noted { begun, until_ms });
        keys.by_time.insert((until_ms, digest));
    }

    /// Returns when the call of a key that is remembered began.
    pub(super) fn find(&self, digest: u64, now_ms: u64) -> Option<Begun> {
        let mut keys = self.keys();
        keys.sweep(now_ms);
        Some(keys.by_digest.get(&digest)?.begun)
    }

    pub(super) fn remove(&self, digest: u64) {
        self.keys().remove(digest);
    }

    pub(super) fn bytes(&self) -> u64 {
        self.keys().by_digest.len() as u64 * KEY_BYTES
    }
}

impl Keys {
    fn remove(&mut self, digest: u64) {
        if let Some(noted) = self.by_digest.remove(&digest) {
            self.by_time.remove(&(noted.until_ms, digest));
        }
    }

    /// Removes the key that is forgotten next; returns whether there is one.
    fn remove_next(&mut self) -> bool {
        let next = self.by_time.pop_first();
        next.is_some_and(|(_, digest)| self.by_digest.remove(&digest).is_some())
    }

    /// Removes the keys that are not remembered any more.
    fn sweep(&mut self, now_ms: u64) {
        while self.by_time.first().is_some_and(|it| it.0 <= now_ms) {
            self.remove_next();
        }
    }
}
