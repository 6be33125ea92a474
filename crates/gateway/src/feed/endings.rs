//! Removes what expires by itself from the snapshot within a minute, without an event: API keys,
//! HTTP Basic users and their passwords from before a rotation, tokens, revocations.
//!
//! The expiry is in the entries themselves. A table is scanned at most once a minute, and only if
//! it may have an expired entry: a million entries take some milliseconds of the reader's thread,
//! whereas a list of expiries would take memory for each of them.

use std::sync::Arc;

use tollgate_model::id::BasicUserId;

use super::Reader;
use crate::snapshot::callers::{Credential, Reach};
use crate::snapshot::table::Table;

const MINUTE_US: i64 = 60_000_000;

/// The earliest expiry in each table.
#[derive(Debug, Default)]
pub(super) struct Endings {
    pub(super) api_keys: Earliest,
    pub(super) basic_users: Earliest,
    pub(super) tokens: Earliest,
    pub(super) revocations: Earliest,
}

/// A time before which nothing in a table ends, Unix microseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Earliest(i64);

impl Default for Earliest {
    fn default() -> Self {
        Self(i64::MAX)
    }
}

impl Earliest {
    /// Notes an expiry.
    pub(super) fn note(&mut self, until_us: i64) {
        self.0 = self.0.min(until_us);
    }

    /// The keys of entries that expired before `before_us`; all times are Unix microseconds.
    fn ended<K: Copy, V>(
        &mut self,
        table: &Table<K, V>,
        before_us: i64,
        until_us: impl Fn(&V) -> i64,
    ) -> Vec<K> {
        let mut ended = Vec::new();
        if self.0 >= before_us {
            return ended;
        }
        self.0 = i64::MAX;
        table.for_each(|&key, value| match until_us(value) {
            until_us if until_us < before_us => ended.push(key),
            until_us => self.note(until_us),
        });
        ended
    }
}

/// When an HTTP Basic user or the password from before a rotation expires, whichever comes first.
pub(super) fn user_ends_us(user: &Credential) -> i64 {
    let previous = user.previous().map(|(_, until_us)| until_us);
    user.ends_us().min(previous.unwrap_or(i64::MAX))
}

impl Reader {
    /// Removes what expired before this minute.
    pub(super) fn forget_ended(&mut self, now_us: i64) {
        let before_us = now_us - now_us.rem_euclid(MINUTE_US);
        let (snapshot, endings) = (&mut self.snapshot, &mut self.nouns.endings);
        let keys = (endings.api_keys).ended(&snapshot.api_keys, before_us, Credential::ends_us);
        let users = (endings.basic_users).ended(&snapshot.basic_users, before_us, user_ends_us);
        let tokens = (endings.tokens).ended(&snapshot.tokens, before_us, |it| it.expires_us);
        let revocations = &snapshot.revoked_tokens;
        let revocations = (endings.revocations).ended(revocations, before_us, |&until_us| until_us);
        let count = keys.len() + users.len() + tokens.len() + revocations.len();
        if count == 0 {
            return;
        }
        if !keys.is_empty() {
            // If one is added again, a cached copy would have its old expiry.
            snapshot.security_epoch += 1;
        }
        for id in keys {
            snapshot.api_keys.remove(&id);
        }
        for id in tokens {
            snapshot.tokens.remove(&id);
        }
        for id in revocations {
            snapshot.revoked_tokens.remove(&id);
        }
        for id in users {
            self.forget_user(id, before_us);
        }
        self.current.replace(self.snapshot.clone());
        // Reaches still held by the workers' snapshots are removed the next time.
        let is_used = |reach: &Arc<Reach>| Arc::strong_count(reach) > 1;
        self.nouns.reaches.retain(is_used);
    }

    /// Removes an expired user, or only the password from before a rotation.
    fn forget_user(&mut self, id: BasicUserId, before_us: i64) {
        let user = self.end_basic_user(id);
        if let Some(user) = user.filter(|user| user.ends_us() >= before_us) {
            self.put_basic_user(id, user.without_previous());
        }
    }
}
