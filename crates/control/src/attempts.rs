//! Rate limits for password attempts, in three tables:
//!
//! - ten failures for a name from an address within a quarter of an hour lock the name for that
//!   address for the rest of it. Other addresses are not affected, so an attacker cannot lock out
//!   the user;
//! - fifty failures from an address for any names lock the address for all names, against attacks
//!   that try few passwords on many names. Behind a proxy that is not in `control.trusted_proxies`
//!   all callers share one address;
//! - ten wrong current passwords, in requests that require it, end the session or access token
//!   that sent them; twenty for a user from an address, with any number of sessions or tokens, lock
//!   such requests there. They do not count as failures for the name: its owner may not have made
//!   them.
//!
//! An attempt is counted when it begins, so that concurrent attempts cannot exceed the limit, and
//! uncounted if it succeeds. Attackers with many addresses are slowed down by `passwords`, which
//! hashes one password at a time.
//!
//! Memory is bounded: each table has at most [`ROWS_MAX`] rows. A full table evicts the row with
//! the fewest attempts, so a flood of made-up names cannot unlock a locked one.
//!
//! `attempts/programs.rs` has those of OAuth2 clients and access tokens.

use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{StatusCode, header};
use tollgate_model::id::UserId;
use tollgate_model::name::normalized;

use crate::error::Problem;
use crate::peer::Peer;

pub(crate) mod programs;

use programs::Tally;

/// Attempts for a name from an address until the name is locked there.
pub(crate) const ATTEMPTS_MAX: u32 = 10;
/// Attempts from an address, for any names, until the address is locked.
pub(crate) const ADDRESS_ATTEMPTS_MAX: u32 = 50;
/// Guesses of the current password by one session or access token.
pub(crate) const GUESSES_MAX: u32 = 10;
/// Guesses of a user's current password from one address, over all sessions and access tokens.
pub(crate) const USER_GUESSES_MAX: u32 = 20;
/// Window in which attempts are counted, in microseconds.
pub(crate) const WINDOW_US: i64 = 15 * 60 * 1_000_000;
/// Maximum number of rows per table.
const ROWS_MAX: usize = 10_000;

/// Counters of attempts, of people and of programs.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    /// Sign-ins of people.
    pub(crate) sign_ins: Tally,
    /// Authentications of OAuth2 clients.
    pub(crate) clients: Tally,
    /// Requests with personal access tokens.
    pub(crate) tokens: Tally,
    /// Random hash keys, so that attackers cannot construct collisions.
    keys: RandomState,
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    /// Keyed by the hashes of name and address.
    pairs: Table<(u64, u64)>,
    addresses: Table<u64>,
    /// Keyed by session or access token, and by user and address.
    guesses: Table<u64>,
    /// Keyed by the hashes of client and address.
    clients: Table<(u64, u64)>,
    /// Failures of clients, keyed by address.
    client_lines: Table<u64>,
    /// Wrong access tokens, keyed by address.
    tokens: Table<u64>,
}

/// The rejection of an attempt for a locked name or address.
#[derive(Debug)]
pub(crate) struct Closed {
    /// 429 `session.too_many` with `Retry-After`.
    pub(crate) problem: Problem,
    /// Event to log: [`LOCKED`] or [`ADDRESS_LOCKED`]; only for the first rejection.
    pub(crate) event: Option<&'static str>,
}

/// Audit event: a name is locked for an address.
const LOCKED: &str = "session.locked";
/// Audit event: an address is locked for all names.
const ADDRESS_LOCKED: &str = "session.address_locked";

/// A caller that guesses a password. Guesses are counted per `means`, and per `user` and `peer`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guesser<M> {
    /// The session or access token of the request.
    pub(crate) means: M,
    pub(crate) user: UserId,
    pub(crate) peer: Peer,
}

impl Attempts {
    /// Counts an attempt to sign in, before the password is checked.
    ///
    /// # Errors
    /// Fails if the name is locked for `peer`, or `peer` is locked for all names.
    pub(crate) fn begin(&self, name: &str, peer: Peer, now_us: i64) -> Result<(), Closed> {
        let (pair, address) = self.rows(name, peer);
        let mut tables = self.tables();
        let Tables {
            pairs, addresses, ..
        } = &mut *tables;
        if let Some(closed) = addresses.closed(address, ADDRESS_ATTEMPTS_MAX, now_us) {
            let detail = "too many failed attempts from your address; try again later";
            self.sign_ins.refuse();
            return Err(closed.into_closed(ADDRESS_LOCKED, detail));
        }
        if let Some(closed) = pairs.closed(pair, ATTEMPTS_MAX, now_us) {
            let detail = "too many failed attempts for this name from your address; try again \
                          later";
            self.sign_ins.refuse();
            return Err(closed.into_closed(LOCKED, detail));
        }
        pairs.count(pair, now_us);
        addresses.count(address, now_us);
        Ok(())
    }

    /// Uncounts an attempt that succeeded, and forgets the failures for this name from this
    /// address.
    pub(crate) fn succeed(&self, name: &str, peer: Peer) {
        let (pair, address) = self.rows(name, peer);
        let mut tables = self.tables();
        tables.pairs.rows.remove(&pair);
        tables.addresses.take_back(address);
    }

    /// Uncounts an attempt that ended without a result.
    pub(crate) fn abandon(&self, name: &str, peer: Peer) {
        let (pair, address) = self.rows(name, peer);
        let mut tables = self.tables();
        tables.pairs.take_back(pair);
        tables.addresses.take_back(address);
    }

    /// Unlocks a name for all addresses.
    pub(crate) fn unlock(&self, name: &str) {
        let name = self.name_row(name);
        let mut tables = self.tables();
        tables.pairs.rows.retain(|(of, _), _| *of != name);
    }

    /// Counts a guess of the caller's current password, before it is checked. Returns whether it is
    /// the last one allowed for the caller's session or access token.
    ///
    /// # Errors
    /// 429 `session.too_many` with `Retry-After` after [`GUESSES_MAX`] guesses by this session or
    /// token, or [`USER_GUESSES_MAX`] for this user from this address.
    pub(crate) fn begin_guess<M: Hash>(
        &self,
        guesser: Guesser<M>,
        now_us: i64,
    ) -> Result<bool, Problem> {
        let [means, user] = self.guess_rows(guesser);
        let guesses = &mut self.tables().guesses;
        for (row, max) in [(means, GUESSES_MAX), (user, USER_GUESSES_MAX)] {
            if let Some(closed) = guesses.closed(row, max, now_us) {
                let detail = "too many wrong passwords; try again later";
                return Err(closed.into_closed(LOCKED, detail).problem);
            }
        }
        guesses.count(user, now_us);
        Ok(guesses.count(means, now_us) >= GUESSES_MAX)
    }

    /// Uncounts a guess that ended without a result.
    pub(crate) fn abandon_guess<M: Hash>(&self, guesser: Guesser<M>) {
        let rows = self.guess_rows(guesser);
        let guesses = &mut self.tables().guesses;
        rows.iter().for_each(|&row| guesses.take_back(row));
    }

    /// Forgets the caller's guesses, after a correct one.
    pub(crate) fn forget_guesses<M: Hash>(&self, guesser: Guesser<M>) {
        let rows = self.guess_rows(guesser);
        let guesses = &mut self.tables().guesses;
        for row in rows {
            guesses.rows.remove(&row);
        }
    }

    /// Returns the row of the caller's session or token, and that of its user and address.
    fn guess_rows<M: Hash>(&self, guesser: Guesser<M>) -> [u64; 2] {
        let user = (guesser.user.raw(), guesser.peer.network());
        [self.keys.hash_one(guesser.means), self.keys.hash_one(user)]
    }

    fn rows(&self, name: &str, peer: Peer) -> ((u64, u64), u64) {
        let address = self.keys.hash_one(peer.network());
        ((self.name_row(name), address), address)
    }

    /// Returns the same row for all Unicode compatibility forms of a name, which sign in as the
    /// same user: other forms allow no further attempts.
    fn name_row(&self, name: &str) -> u64 {
        self.keys.hash_one(&*normalized(name))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Attempts, counted per row.
#[derive(Debug)]
struct Table<K> {
    rows: HashMap<K, Count>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    since_us: i64,
    attempts: u32,
    /// Whether an attempt was rejected before.
    was_reported: bool,
}

/// A locked row.
struct ClosedRow {
    wait_us: i64,
    was_reported: bool,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        let rows = HashMap::new();
        Self { rows }
    }
}

impl<K: Copy + Eq + Hash> Table<K> {
    /// Returns the row if it is locked: it has `max` attempts within the window.
    fn closed(&mut self, row: K, max: u32, now_us: i64) -> Option<ClosedRow> {
        let count = self.rows.get_mut(&row)?;
        if count.is_over(now_us) || count.attempts < max {
            return None;
        }
        let wait_us = count.since_us + WINDOW_US - now_us;
        let was_reported = std::mem::replace(&mut count.was_reported, true);
        Some(ClosedRow {
            wait_us,
            was_reported,
        })
    }

    /// Counts an attempt. Returns the number of attempts in the row.
    fn count(&mut self, row: K, now_us: i64) -> u32 {
        if self.rows.len() >= ROWS_MAX && !self.rows.contains_key(&row) {
            self.make_room(now_us);
        }
        let fresh = Count {
            since_us: now_us,
            attempts: 0,
            was_reported: false,
        };
        let count = match self.rows.entry(row) {
            Entry::Occupied(mut slot) if slot.get().is_over(now_us) => {
                slot.insert(fresh);
                slot.into_mut()
            }
            slot => slot.or_insert(fresh),
        };
        count.attempts += 1;
        count.attempts
    }

    fn take_back(&mut self, row: K) {
        if let Some(count) = self.rows.get_mut(&row) {
            count.attempts = count.attempts.saturating_sub(1);
        }
    }

    fn make_room(&mut self, now_us: i64) {
        self.rows.retain(|_, count| !count.is_over(now_us));
        if self.rows.len() < ROWS_MAX {
            return;
        }
        let least = self.rows.iter().min_by_key(|(_, count)| count.attempts);
        if let Some(row) = least.map(|(&row, _)| row) {
            self.rows.remove(&row);
        }
    }
}

impl Count {
    const fn is_over(&self, now_us: i64) -> bool {
        now_us - self.since_us >= WINDOW_US
    }
}

impl ClosedRow {
    /// Seconds for `Retry-After`.
    fn seconds(&self) -> i64 {
        self.wait_us.div_euclid(1_000_000) + 1
    }

    fn into_closed(self, event: &'static str, detail: &str) -> Closed {
        let seconds = self.seconds();
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "session.too_many", detail);
        Closed {
            problem: problem.with(header::RETRY_AFTER, seconds),
            event: (!self.was_reported).then_some(event),
        }
    }
}

#[cfg(test)]
mod tests;
