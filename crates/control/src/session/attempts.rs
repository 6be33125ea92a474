//! How often a name may be tried: ten failures in a quarter of an hour, then the name is closed
//! for the rest of it. An attempt counts when it begins, so that many at once are no way around.
//!
//! Memory is bounded: [`NAMES_MAX`] names, and when they are used up the one with the fewest
//! attempts makes room, so that a flood of made-up names cannot reopen a closed one.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use axum::http::{StatusCode, header};

use crate::error::Problem;

/// Attempts under one name until it is closed.
pub(crate) const ATTEMPTS_MAX: u32 = 10;
/// How long attempts are counted, in microseconds.
pub(crate) const WINDOW_US: i64 = 15 * 60 * 1_000_000;
/// Names that are remembered at a time.
const NAMES_MAX: usize = 10_000;

/// Attempts by name.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    /// Keys the names, so that no one can choose what collides.
    keys: RandomState,
    by_name: Mutex<HashMap<u64, Count>>,
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
    /// 429 `session.too_many` with `Retry-After` once the name is closed.
    pub(crate) fn begin(&self, name: &str, now_us: i64) -> Result<(), Problem> {
        let key = self.keys.hash_one(name);
        let mut by_name = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        if by_name.len() >= NAMES_MAX && !by_name.contains_key(&key) {
            make_room(&mut by_name, now_us);
        }
        let fresh = Count {
            since_us: now_us,
            attempts: 0,
        };
        let count = match by_name.entry(key) {
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
        let detail = "too many failed attempts under this name; wait, or ask an administrator";
        let status = StatusCode::TOO_MANY_REQUESTS;
        Err(Problem::new(status, "session.too_many", detail)
            .with(header::RETRY_AFTER, wait_us.div_euclid(1_000_000) + 1))
    }

    /// Forgets a name whose attempt succeeded.
    pub(crate) fn forget(&self, name: &str) {
        let key = self.keys.hash_one(name);
        let mut by_name = self.by_name.lock().unwrap_or_else(PoisonError::into_inner);
        by_name.remove(&key);
    }
}

fn make_room(by_name: &mut HashMap<u64, Count>, now_us: i64) {
    by_name.retain(|_, count| !count.is_over(now_us));
    if by_name.len() < NAMES_MAX {
        return;
    }
    let least = by_name.iter().min_by_key(|(_, count)| count.attempts);
    if let Some(key) = least.map(|(&key, _)| key) {
        by_name.remove(&key);
    }
}

#[cfg(test)]
mod tests;
