//! What ends by itself leaves the snapshot within a minute after its end, without an event: API
//! keys, users of HTTP Basic and their passwords before a rotation, tokens, revocations.
//!
//! The entries themselves say when they end. A table is walked for those that have ended, at most
//! once a minute and only where there may be one: a million entries take some milliseconds of the
//! reader's thread, where a list of ends would take memory beside each of them.

use std::sync::Arc;

use tollgate_model::id::BasicUserId;

use super::Reader;
use crate::snapshot::callers::{Credential, Reach};
use crate::snapshot::table::Table;

const MINUTE_US: i64 = 60_000_000;

/// When something in the tables ends first.
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
    /// Something ends then.
    pub(super) fn note(&mut self, until_us: i64) {
        self.0 = self.0.min(until_us);
    }

    /// The keys of what has ended before `before_us`, all by Unix microseconds.
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

/// When a user of HTTP Basic or the password before a rotation ends, whichever is first.
pub(super) fn user_ends_us(user: &Credential) -> i64 {
    let previous = user.previous().map(|(_, until_us)| until_us);
    user.ends_us().min(previous.unwrap_or(i64::MAX))
}

impl Reader {
    /// Takes out what ended before this minute.
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
            // Where one is put again, a copy has its end of before.
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
        // What the workers' snapshots still hold goes the next time.
        let is_used = |reach: &Arc<Reach>| Arc::strong_count(reach) > 1;
        self.nouns.reaches.retain(is_used);
    }

    /// Takes out a user that has ended, or only the password before a rotation.
    fn forget_user(&mut self, id: BasicUserId, before_us: i64) {
        let user = self.end_basic_user(id);
        if let Some(user) = user.filter(|user| user.ends_us() >= before_us) {
            self.put_basic_user(id, user.without_previous());
        }
    }
}
