//! How often passwords may be tried, in three tables:
//!
//! - ten failures under a name from an address in a quarter of an hour close the name to that
//!   address for the rest of it. Elsewhere it stays open, so that a stranger cannot lock out its
//!   owner;
//! - fifty failures from an address under any names close it for all names, against few passwords
//!   tried on many names. Behind a proxy that is not named in `control.trusted_proxies` all callers
//!   share one address;
//! - ten wrong answers to the present password's question, by session or access token, end that
//!   session or token; twenty for a user from an address, by however many of them, close the
//!   question there. They do not count for the name, whose owner may not even know.
//!
//! An attempt counts when it begins, so that many at once are no way around; one that succeeds is
//! taken back. Who has many addresses is slowed down by `passwords`, which hashes one at a time.
//!
//! Memory is bounded: [`ROWS_MAX`] rows a table, and when they are used up the one with the fewest
//! attempts makes room, so that a flood of made-up names cannot reopen a closed one.
//!
//! Those of OAuth2 clients and access tokens are in `attempts/programs.rs`.

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

/// Attempts under one name from one address until it is closed there.
pub(crate) const ATTEMPTS_MAX: u32 = 10;
/// Attempts from one address, under whatever names, until it is closed.
pub(crate) const ADDRESS_ATTEMPTS_MAX: u32 = 50;
/// Guesses at the present password by one session or access token.
pub(crate) const GUESSES_MAX: u32 = 10;
/// Guesses at the present password of a user from one address, by whatever it was signed in with.
pub(crate) const USER_GUESSES_MAX: u32 = 20;
/// How long attempts are counted, in microseconds.
pub(crate) const WINDOW_US: i64 = 15 * 60 * 1_000_000;
/// Rows of one table.
const ROWS_MAX: usize = 10_000;

/// Attempts by name and address, by address, and by session or access token; those of programs.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    /// Of people who sign in.
    pub(crate) sign_ins: Tally,
    /// Of OAuth2 clients.
    pub(crate) clients: Tally,
    /// Of personal access tokens.
    pub(crate) tokens: Tally,
    /// Keys the rows, so that no one can choose what collides.
    keys: RandomState,
    tables: Mutex<Tables>,
}

#[derive(Debug, Default)]
struct Tables {
    /// By the hashes of name and address.
    pairs: Table<(u64, u64)>,
    addresses: Table<u64>,
    /// By session or access token, and by user and address.
    guesses: Table<u64>,
    /// By the hashes of client and address.
    clients: Table<(u64, u64)>,
    /// Failures of clients by address.
    client_lines: Table<u64>,
    /// Wrong access tokens by address.
    tokens: Table<u64>,
}

/// A name or an address that is closed.
#[derive(Debug)]
pub(crate) struct Closed {
    /// 429 `session.too_many` with `Retry-After`.
    pub(crate) problem: Problem,
    /// What to log: [`LOCKED`] or [`ADDRESS_LOCKED`], the first time that it is met closed.
    pub(crate) event: Option<&'static str>,
}

/// A name is closed to an address.
const LOCKED: &str = "session.locked";
/// An address is closed for all names.
const ADDRESS_LOCKED: &str = "session.address_locked";

/// Whose guesses at a password count together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guesser<M> {
    /// What the guesser is signed in with.
    pub(crate) means: M,
    pub(crate) user: UserId,
    pub(crate) peer: Peer,
}

impl Attempts {
    /// Counts an attempt to sign in that begins.
    ///
    /// # Errors
    /// [`Closed`] once the name is closed to `peer`, or `peer` for all names.
    pub(crate) fn begin(&self, name: &str, peer: Peer, now_us: i64) -> Result<(), Closed> {
        let (pair, address) = self.rows(name, peer);
        let mut tables = self.tables();
        let Tables {
            pairs, addresses, ..
        } = &mut *tables;
        if let Some(closed) = addresses.closed(address, ADDRESS_ATTEMPTS_MAX, now_us) {
            let detail = "too many failed attempts from your address; wait";
            self.sign_ins.refuse();
            return Err(closed.told(ADDRESS_LOCKED, detail));
        }
        if let Some(closed) = pairs.closed(pair, ATTEMPTS_MAX, now_us) {
            let detail = "too many failed attempts under this name from your address; wait";
            self.sign_ins.refuse();
            return Err(closed.told(LOCKED, detail));
        }
        pairs.count(pair, now_us);
        addresses.count(address, now_us);
        Ok(())
    }

    /// Takes an attempt back that succeeded; what failed before under this name from this address
    /// is forgotten with it.
    pub(crate) fn succeed(&self, name: &str, peer: Peer) {
        let (pair, address) = self.rows(name, peer);
        let mut tables = self.tables();
        tables.pairs.rows.remove(&pair);
        tables.addresses.take_back(address);
    }

    /// Takes an attempt back that came to no answer.
    pub(crate) fn abandon(&self, name: &str, peer: Peer) {
        let (pair, address) = self.rows(name, peer);
        let mut tables = self.tables();
        tables.pairs.take_back(pair);
        tables.addresses.take_back(address);
    }

    /// Opens a name to all addresses again.
    pub(crate) fn unlock(&self, name: &str) {
        let name = self.name_row(name);
        let mut tables = self.tables();
        tables.pairs.rows.retain(|(of, _), _| *of != name);
    }

    /// Counts a guess at the caller's present password that begins; whether it is the last one of
    /// the caller's session or access token.
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
                let detail = "too many wrong passwords; wait";
                return Err(closed.told(LOCKED, detail).problem);
            }
        }
        guesses.count(user, now_us);
        Ok(guesses.count(means, now_us) >= GUESSES_MAX)
    }

    /// Takes a guess back that came to no answer.
    pub(crate) fn abandon_guess<M: Hash>(&self, guesser: Guesser<M>) {
        let rows = self.guess_rows(guesser);
        let guesses = &mut self.tables().guesses;
        rows.iter().for_each(|&row| guesses.take_back(row));
    }

    /// Forgets the guesses at the caller's password, of which one was right.
    pub(crate) fn forget_guesses<M: Hash>(&self, guesser: Guesser<M>) {
        let rows = self.guess_rows(guesser);
        let guesses = &mut self.tables().guesses;
        for row in rows {
            guesses.rows.remove(&row);
        }
    }

    /// The rows of what the caller is signed in with, and of its user at its address.
    fn guess_rows<M: Hash>(&self, guesser: Guesser<M>) -> [u64; 2] {
        let user = (guesser.user.raw(), guesser.peer.network());
        [self.keys.hash_one(guesser.means), self.keys.hash_one(user)]
    }

    fn rows(&self, name: &str, peer: Peer) -> ((u64, u64), u64) {
        let address = self.keys.hash_one(peer.network());
        ((self.name_row(name), address), address)
    }

    /// Returns one row for all names that sign in as the same user: another compatibility form of a
    /// name gives no further attempts.
    fn name_row(&self, name: &str) -> u64 {
        self.keys.hash_one(&*normalized(name))
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Attempts by row.
#[derive(Debug)]
struct Table<K> {
    rows: HashMap<K, Count>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    since_us: i64,
    attempts: u32,
    /// Whether it was met closed before.
    was_told: bool,
}

/// A row that is closed.
struct ClosedRow {
    wait_us: i64,
    was_told: bool,
}

impl<K> Default for Table<K> {
    fn default() -> Self {
        let rows = HashMap::new();
        Self { rows }
    }
}

impl<K: Copy + Eq + Hash> Table<K> {
    /// The row, if it has as many attempts as may be.
    fn closed(&mut self, row: K, max: u32, now_us: i64) -> Option<ClosedRow> {
        let count = self.rows.get_mut(&row)?;
        if count.is_over(now_us) || count.attempts < max {
            return None;
        }
        let wait_us = count.since_us + WINDOW_US - now_us;
        let was_told = std::mem::replace(&mut count.was_told, true);
        Some(ClosedRow { wait_us, was_told })
    }

    /// Counts one more; how many there are.
    fn count(&mut self, row: K, now_us: i64) -> u32 {
        if self.rows.len() >= ROWS_MAX && !self.rows.contains_key(&row) {
            self.make_room(now_us);
        }
        let fresh = Count {
            since_us: now_us,
            attempts: 0,
            was_told: false,
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
    /// For `Retry-After`.
    fn seconds(&self) -> i64 {
        self.wait_us.div_euclid(1_000_000) + 1
    }

    fn told(self, event: &'static str, detail: &str) -> Closed {
        let seconds = self.seconds();
        let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "session.too_many", detail);
        Closed {
            problem: problem.with(header::RETRY_AFTER, seconds),
            event: (!self.was_told).then_some(event),
        }
    }
}

#[cfg(test)]
mod tests;
