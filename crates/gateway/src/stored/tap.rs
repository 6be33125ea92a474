//! The body of a response that is stored as it passes.

use std::mem;
use std::sync::Arc;

use tollgate_cache::flights::Leader;
use tollgate_cache::store::{Begun, Entry};
use tollgate_http1::relay;

use super::Caches;
use crate::buffered::Room;

/// The right to store the response of a key: its flight, and the counts when its call began.
pub(crate) type Right = (Leader<Arc<Entry>>, Begun);

/// Collects the body of a response, within its bound, and then stores the response. Dropped before
/// the end of the body, it hands the flight on.
#[derive(Debug)]
pub(crate) struct Tap {
    caches: Arc<Caches>,
    /// The right to store the response, which has no body yet; `None` once it is stored, or its
    /// body too long.
    right: Option<(Right, Entry)>,
    body: Vec<u8>,
    bytes_max: usize,
    _room: Room,
}

impl Tap {
    /// Collects a body of at most `bytes_max` bytes, in this room.
    pub(crate) fn new(
        caches: &Arc<Caches>,
        right: Right,
        entry: Entry,
        (bytes_max, room): (usize, Room),
    ) -> Self {
        Self {
            caches: Arc::clone(caches),
            right: Some((right, entry)),
            body: Vec::new(),
            bytes_max,
            _room: room,
        }
    }
}

impl relay::Tap for Tap {
    fn take(&mut self, bytes: &[u8]) {
        if self.body.len() + bytes.len() <= self.bytes_max {
            return self.body.extend_from_slice(bytes);
        }
        mem::take(&mut self.body);
        self.bytes_max = 0;
        if let Some(((leader, _), _)) = self.right.take() {
            leader.unstorable(self.caches.now_ms());
        }
    }

    fn end(&mut self) {
        if let Some((right, entry)) = self.right.take() {
            let body = mem::take(&mut self.body).into();
            drop(store(&self.caches, right, Entry { body, ..entry }));
        }
    }
}

/// Stores a response and ends its flight with it. If its version was purged or its target changed
/// since its call began, the flight is handed on.
pub(crate) fn store(caches: &Caches, (leader, begun): Right, entry: Entry) -> Arc<Entry> {
    let entry = Arc::new(entry);
    let is_kept = leader
        .key()
        .is_some_and(|key| caches.store.keep(key, Arc::clone(&entry), begun));
    if is_kept {
        leader.stored(&entry);
    }
    entry
}
