//! The API keys that a worker found good last, each in the one place that its id has: a line of the
//! processor's cache, where the table of all keys reads several, on pages of their own. So those
//! that call most are found as fast among millions of keys as among a thousand.

use tollgate_model::id::ApiKeyId;

use crate::callers::Credential;

/// Keys with the same place take turns in it: of a thousand keys every ninth has another beside it.
/// All places take 512 KiB.
const PLACES: usize = 8_192;

/// Copies of what the snapshot holds.
#[derive(Debug)]
pub(crate) struct RecentKeys(Box<[Option<Place>]>);

#[derive(Debug, Clone)]
#[repr(align(64))]
struct Place {
    id: ApiKeyId,
    /// The security epoch of the snapshot that has it so.
    epoch: u64,
    key: Credential,
}

impl Default for RecentKeys {
    fn default() -> Self {
        Self(vec![None; PLACES].into())
    }
}

impl RecentKeys {
    /// The key of this id, as a snapshot of this security epoch has it.
    pub(crate) fn find(&self, id: ApiKeyId, epoch: u64) -> Option<&Credential> {
        let place = self.0[place_of(id)].as_ref()?;
        (place.id == id && place.epoch == epoch).then_some(&place.key)
    }

    /// Remembers a key that was found good in a snapshot of this security epoch.
    pub(crate) fn insert(&mut self, id: ApiKeyId, key: Credential, epoch: u64) {
        self.0[place_of(id)] = Some(Place { id, epoch, key });
    }
}

/// The lowest bits of an id are random.
fn place_of(id: ApiKeyId) -> usize {
    let bits = id.raw().rem_euclid(PLACES as i64);
    usize::try_from(bits).expect("not negative")
}

#[cfg(test)]
mod tests;
