//! Calls for responses that are stored, and bodies that arrive for that.

use std::sync::Arc;

use tollgate_cache::flights::Leader;
use tollgate_cache::key::Key;
use tollgate_cache::storable::{FAILED_MS, FORBIDDEN_MS, Unstorable};
use tollgate_cache::store::{Begun, Entry};

use super::{Caches, Landing};
use crate::buffered::Need;

/// A call for the response of a key. Dropped before that is stored or fails, it is handed on.
#[derive(Debug)]
pub(crate) struct Fetching {
    pub(crate) caches: Arc<Caches>,
    pub(crate) key: Key,
    /// When it began.
    pub(crate) begun: Begun,
    /// `None` if nobody waits for it, or no longer.
    pub(crate) leader: Option<Leader<Landing>>,
}

impl Fetching {
    /// Stores a response, and sends it to the callers that wait; unless its version was purged or
    /// its target changed since the call began, or a newer one is stored. If it answers nobody
    /// before the upstream confirms it, callers do not wait for it either.
    pub(crate) fn store(&mut self, entry: Entry) -> Arc<Entry> {
        let entry = Arc::new(entry);
        let store = &self.caches.store;
        if store.keep(&self.key, Arc::clone(&entry), self.begun) {
            if answers_others(&entry) {
                self.land(&entry);
            } else {
                self.end(FORBIDDEN_MS);
            }
        }
        entry
    }

    /// Returns the response that is stored now, or else this older one, for a call that failed;
    /// `None` if it may have ended since the call began.
    pub(crate) fn fall_back(&self, older: &Arc<Entry>) -> Option<Arc<Entry>> {
        let store = &self.caches.store;
        let entry = store.find(&self.key).unwrap_or_else(|| Arc::clone(older));
        store.is_current(self.begun).then_some(entry)
    }

    /// Sends a stored response to the callers that wait.
    pub(crate) fn land(&self, entry: &Arc<Entry>) {
        let landing = Landing {
            entry: Arc::clone(entry),
            begun: self.begun,
        };
        self.caches.flights.stored(&self.key, &landing);
    }

    /// Ends without a response, which the next call may have.
    pub(crate) fn fail(&mut self) {
        self.end(FAILED_MS);
    }

    /// Ends with a failure of the upstream that is not stored; a stored response stays.
    pub(crate) fn forbid(&mut self, reason: Unstorable) {
        self.end(reason.remembered_ms());
    }

    /// Ends with a response that is not stored; nor is one that it replaces any longer.
    pub(crate) fn replace(&mut self, reason: Unstorable) {
        self.forbid(reason);
        self.caches.store.remove(&self.key, self.begun);
    }

    /// Lets the callers that wait go; others do not wait for this time.
    fn end(&mut self, remembered_ms: u64) {
        let (store, now_ms) = (&self.caches.store, self.caches.now_ms());
        store.note_unstored(&self.key, self.begun, now_ms..now_ms + remembered_ms);
        if let Some(leader) = self.leader.take() {
            leader.release();
        }
    }
}

/// Whether a response that has just arrived answers calls without being confirmed.
fn answers_others(entry: &Entry) -> bool {
    let is_fresh = entry.freshness.age_s < entry.freshness.lifetime_s;
    is_fresh || entry.stale.while_revalidate_s > 0
}

/// A response that is stored once its body has arrived.
#[derive(Debug)]
pub(crate) struct Arriving {
    pub(crate) fetching: Fetching,
    /// The response without its body.
    pub(crate) entry: Entry,
    /// What the body needs, as far as known.
    pub(crate) need: Need,
    pub(crate) body_bytes_max: u64,
}

impl Arriving {
    /// Stores the response with its body.
    pub(crate) fn store(mut self, body: Vec<u8>) -> Arc<Entry> {
        let body = body.into();
        self.fetching.store(Entry { body, ..self.entry })
    }
}
