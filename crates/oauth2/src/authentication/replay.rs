//! Assertions that were used before: each is valid once (RFC 7523, section 3, rule 7). Their
//! digests are kept until they expire, in memory and in the store, which also has those from before
//! a restart. The memory bounds their number.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tollgate_model::credential::Digest;
use tollgate_model::id::ClientId;

/// Maximum number of assertions, about 64 bytes each, besides those of [`SURE`].
const ALL_MAX: usize = 200_000;
/// Maximum number for one client, so that no client takes all the room.
const PER_CLIENT_MAX: usize = 50_000;
/// Number guaranteed to each client, however many the others use: one a minute for the maximum
/// lifetime of an assertion.
const SURE: usize = 64;

/// There is no room for another assertion.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// The assertions in memory.
pub(crate) struct Replay {
    all_max: usize,
    per_client_max: usize,
    sure: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    all: usize,
    /// Expiry of each, Unix microseconds.
    by_client: HashMap<ClientId, HashMap<Digest, i64>>,
    /// Nothing expires earlier.
    next_end_us: i64,
}

impl Default for Replay {
    fn default() -> Self {
        Self::bounded(ALL_MAX, PER_CLIENT_MAX, SURE)
    }
}

impl Replay {
    fn bounded(all_max: usize, per_client_max: usize, sure: usize) -> Self {
        Self {
            all_max,
            per_client_max,
            sure,
            seen: Mutex::default(),
        }
    }

    /// Records a client's assertion, by digest and expiry; returns whether it is used for the first
    /// time.
    pub(crate) fn first_time(
        &self,
        client: ClientId,
        digest: Digest,
        until_us: i64,
        now_us: i64,
    ) -> Result<bool, Full> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let of_client = seen.by_client.get(&client);
        if of_client.is_some_and(|it| it.contains_key(&digest)) {
            return Ok(false);
        }
        let is_full = |seen: &Seen| {
            let of_client = seen.by_client.get(&client).map_or(0, HashMap::len);
            let is_shared_full = seen.all >= self.all_max && of_client >= self.sure;
            is_shared_full || of_client >= self.per_client_max
        };
        if is_full(&seen) {
            seen.sweep(now_us);
        }
        if is_full(&seen) {
            return Err(Full);
        }
        if seen.all == 0 || until_us < seen.next_end_us {
            seen.next_end_us = until_us;
        }
        seen.all += 1;
        let of_client = seen.by_client.entry(client).or_default();
        of_client.insert(digest, until_us);
        Ok(true)
    }

    /// Removes an assertion that could not be stored: its client may send it again.
    pub(crate) fn forget(&self, client: ClientId, digest: &Digest) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let of_client = seen.by_client.get_mut(&client);
        if of_client.is_some_and(|it| it.remove(digest).is_some()) {
            seen.all -= 1;
        }
    }

    /// Removes expired assertions.
    pub(crate) fn sweep(&self, now_us: i64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.sweep(now_us);
    }
}

impl Seen {
    fn sweep(&mut self, now_us: i64) {
        if now_us < self.next_end_us {
            return;
        }
        self.by_client.retain(|_, seen| {
            seen.retain(|_, until_us| *until_us > now_us);
            !seen.is_empty()
        });
        self.all = self.by_client.values().map(HashMap::len).sum();
        let ends = self.by_client.values().flat_map(HashMap::values);
        self.next_end_us = ends.copied().min().unwrap_or(i64::MAX);
    }
}

#[cfg(test)]
mod tests;
