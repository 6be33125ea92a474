//! A worker's direct-mapped cache of recently verified API keys. A hit reads one cache line, where
//! the table of all keys reads several, on different pages: the most used keys are found as fast
//! among millions as among a thousand.
//!
//! A copy is valid while the snapshot's security epoch is the one in which it was made
//! (crate::snapshot). crate::worker::remembered caches signed tokens.

use std::borrow::Cow;

use tollgate_model::credential::Digest;
use tollgate_model::id::ApiKeyId;

use crate::snapshot::Snapshot;
use crate::snapshot::callers::Credential;

/// Slots of a worker, 512 KiB. Of a thousand keys 11 % share a slot with another and evict it.
const SLOTS: usize = 8_192;

/// Copies of keys in the snapshot.
#[derive(Debug)]
pub(crate) struct RecentKeys(Box<[Option<Slot>]>);

#[derive(Debug, Clone)]
#[repr(align(64))]
struct Slot {
    id: ApiKeyId,
    epoch: u64,
    key: Credential,
}

impl Default for RecentKeys {
    fn default() -> Self {
        Self(vec![None; SLOTS].into())
    }
}

impl RecentKeys {
    /// Returns the key with this id, if the digest is that of its secret and it may be used now.
    /// Keys with rare properties are not copied: workers would contend for their reference count.
    pub(crate) fn find<'s>(
        &mut self,
        snapshot: &'s Snapshot,
        id: ApiKeyId,
        digest: &Digest,
        now_us: i64,
    ) -> Option<Cow<'s, Credential>> {
        let slot = &mut self.0[slot_of(id)];
        let epoch = snapshot.security_epoch;
        let is_it = |slot: &&Slot| slot.id == id && slot.epoch == epoch;
        if let Some(Slot { key, .. }) = slot.as_ref().filter(is_it) {
            return key.accepts(digest, now_us).then(|| Cow::Owned(key.clone()));
        }
        let key = snapshot.api_keys.find(&id)?;
        if !key.accepts(digest, now_us) {
            return None;
        }
        if key.is_plain() {
            let key = key.clone();
            *slot = Some(Slot { id, epoch, key });
        }
        Some(Cow::Borrowed(key))
    }
}

/// By the lowest bits of an id, 22 of which are random.
fn slot_of(id: ApiKeyId) -> usize {
    let index = id.raw().rem_euclid(SLOTS as i64);
    usize::try_from(index).expect("not negative")
}

#[cfg(test)]
mod tests;
