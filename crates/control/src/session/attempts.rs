//! How often a name may be tried from an address: ten failures in a quarter of an hour, then the
//! name is closed to that address for the rest of it. Elsewhere it stays open, so that a stranger
//! cannot lock out its owner. An attempt counts when it begins, so that many at once are no way
//! around. Who has many addresses is slowed down by `passwords`, which hashes one at a time.
//!
//! Memory is bounded: [`PAIRS_MAX`] pairs, and when they are used up the one with the fewest
//! attempts makes room, so that a flood of made-up names cannot reopen a closed one.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use axum::http::{StatusCode, header};

use crate::error::Problem;
use crate::serve::Peer;

/// Attempts under one name from one address until it is closed there.
pub(crate) const ATTEMPTS_MAX: u32 = 10;
/// How long attempts are counted, in microseconds.
pub(crate) const WINDOW_US: i64 = 15 * 60 * 1_000_000;
/// Pairs of a name and an address that are remembered at a time.
const PAIRS_MAX: usize = 10_000;

/// Attempts by name and address.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    /// Keys the pairs, so that no one can choose what collides.
    keys: RandomState,
    by_pair: Mutex<HashMap<u64, Count>>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    since_us: i64,
    attempts: u32,
}

impl Count {
    const fn is_over(&self, now_us: i64) -> bool {
        now_us - self.since_us >= WINDOW_US
    }
}

impl Attempts {
    /// Counts an attempt that begins.
    ///
    /// # Errors
    /// 429 `session.too_many` with `Retry-After` once the name is closed to `peer`.
    pub(crate) fn begin(&self, name: &str, peer: Peer, now_us: i64) -> Result<(), Problem> {
        let key = self.key(name, peer);
        let mut by_pair = self.by_pair.lock().unwrap_or_else(PoisonError::into_inner);
        if by_pair.len() >= PAIRS_MAX && !by_pair.contains_key(&key) {
            make_room(&mut by_pair, now_us);
        }
        let fresh = Count {
            since_us: now_us,
            attempts: 0,
        };
        let count = match by_pair.entry(key) {
            Entry::Occupied(mut slot) if slot.get().is_over(now_us) => {
                slot.insert(fresh);
                slot.into_mut()
            }
            slot => slot.or_insert(fresh),
        };
        if count.attempts < ATTEMPTS_MAX {
            count.attempts += 1;
            return Ok(());
        }
        let wait_us = count.since_us + WINDOW_US - now_us;
        let detail = "too many failed attempts under this name from your address; wait";
        let status = StatusCode::TOO_MANY_REQUESTS;
        Err(Problem::new(status, "session.too_many", detail)
            .with(header::RETRY_AFTER, wait_us.div_euclid(1_000_000) + 1))
    }

    /// Forgets a name whose attempt succeeded, from this address.
    pub(crate) fn forget(&self, name: &str, peer: Peer) {
        let key = self.key(name, peer);
        let mut by_pair = self.by_pair.lock().unwrap_or_else(PoisonError::into_inner);
        by_pair.remove(&key);
    }

    fn key(&self, name: &str, peer: Peer) -> u64 {
        self.keys.hash_one((name, peer.network()))
    }
}

fn make_room(by_pair: &mut HashMap<u64, Count>, now_us: i64) {
    by_pair.retain(|_, count| !count.is_over(now_us));
    if by_pair.len() < PAIRS_MAX {
        return;
    }
    let least = by_pair.iter().min_by_key(|(_, count)| count.attempts);
    if let Some(key) = least.map(|(&key, _)| key) {
        by_pair.remove(&key);
    }
}

#[cfg(test)]
mod tests;
