//! Assertions that were used before: each is valid once (RFC 7523, section 3, rule 7). They are
//! remembered by digest until they have expired, here and in the store, which knows those of before
//! a restart. What is here bounds how many there may be.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tollgate_model::credential::Digest;
use tollgate_model::id::ClientId;

/// Assertions that are remembered at most, about 64 bytes each, besides those of [`SURE`].
const ALL_MAX: usize = 200_000;
/// Those of one client, so that no client takes all the room.
const PER_CLIENT_MAX: usize = 50_000;
/// Those that each client has room for, however much the others take: one a minute, as long as an
/// assertion lasts at most.
const SURE: usize = 64;

/// There is no room for another one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// The memory.
pub(crate) struct Replay {
    all_max: usize,
    per_client_max: usize,
    sure: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    all: usize,
    /// Until when each counts, Unix microseconds.
    by_client: HashMap<ClientId, HashMap<Digest, i64>>,
    /// Nothing expires before.
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

    /// Whether a client's assertion, by its digest and its end, comes for the first time.
    pub(crate) fn first_time(
        &self,
        client: ClientId,
        (digest, until_us): (Digest, i64),
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

    /// Forgets an assertion that could not be stored: its client may send it again.
    pub(crate) fn forget(&self, client: ClientId, digest: &Digest) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let of_client = seen.by_client.get_mut(&client);
        if of_client.is_some_and(|it| it.remove(digest).is_some()) {
            seen.all -= 1;
        }
    }

    /// Forgets those that have expired.
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
