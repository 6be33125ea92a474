//! Failed attempts of programs, in tables like those of people:
//!
//! - twenty failures of an OAuth2 client from an address in a quarter of an hour close that client
//!   to that address for the rest of it, for its right secret too. From other addresses it can
//!   authenticate, so that a stranger cannot lock it out;
//! - after fifty wrong access tokens from an address in a quarter of an hour, further wrong ones
//!   are answered with 429. A valid one is always accepted, because programs share addresses.
//!
//! Programs try again by themselves, and at once: ten lines are logged for an address in a quarter
//! of an hour, the rest is counted. Failures are counted when they are known, unlike those of
//! people: many requests of one client at a time are usual, and secrets are too long to be guessed.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Attempts, ClosedRow};
use crate::peer::Peer;

/// Failures of a client from an address until it is closed there.
pub(crate) const CLIENT_ATTEMPTS_MAX: u32 = 20;
/// Wrong access tokens from an address until further ones are answered with 429.
pub(crate) const TOKEN_ATTEMPTS_MAX: u32 = 50;
/// Lines for an address in a quarter of an hour, for clients and for access tokens.
pub(crate) const LINES_MAX: u32 = 10;

/// Appended to the last line that is logged for an address.
pub(crate) const LAST: &str = "; further ones from there are only counted for a quarter of an hour";

/// Attempts of one kind since the process began.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    failed: AtomicU64,
    refused: AtomicU64,
}

/// How a failure is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// The failure.
    Whole,
    /// The failure, and that further ones from its address are only counted.
    Last,
    /// Nothing.
    Nothing,
}

/// A client or an address that is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) seconds: i64,
    /// Whether it is met closed for the first time.
    pub(crate) is_first: bool,
}

impl Attempts {
    /// How long to wait where a client is closed to `peer`.
    pub(crate) fn closed_client(&self, client: &str, peer: Peer, now_us: i64) -> Option<Wait> {
        let (pair, _) = self.rows(client, peer);
        let clients = &mut self.tables().clients;
        let closed = clients.closed(pair, CLIENT_ATTEMPTS_MAX, now_us)?;
        self.clients.refuse();
        Some(closed.wait())
    }

    /// Counts a failure of a client. One that does not say which client it is has no pair.
    pub(crate) fn fail_client(&self, client: &str, peer: Peer, now_us: i64) -> Line {
        let (pair, address) = self.rows(client, peer);
        self.clients.fail();
        let mut tables = self.tables();
        if !client.is_empty() {
            tables.clients.count(pair, now_us);
        }
        line(tables.client_lines.count(address, now_us))
    }

    /// Forgets what has failed of a client at `peer`: it has proven itself.
    pub(crate) fn forget_client(&self, client: &str, peer: Peer) {
        let (pair, _) = self.rows(client, peer);
        self.tables().clients.rows.remove(&pair);
    }

    /// Counts a wrong access token; how long to wait where `peer` has sent too many.
    pub(crate) fn fail_token(&self, peer: Peer, now_us: i64) -> (Line, Option<Wait>) {
        let (_, address) = self.rows("", peer);
        let tokens = &mut self.tables().tokens;
        if let Some(closed) = tokens.closed(address, TOKEN_ATTEMPTS_MAX, now_us) {
            self.tokens.refuse();
            return (Line::Nothing, Some(closed.wait()));
        }
        self.tokens.fail();
        (line(tokens.count(address, now_us)), None)
    }
}

fn line(failures: u32) -> Line {
    match failures {
        LINES_MAX => Line::Last,
        0..LINES_MAX => Line::Whole,
        _ => Line::Nothing,
    }
}

impl Tally {
    /// An attempt has failed.
    pub(crate) fn fail(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// An attempt was refused, because too many have failed.
    pub(crate) fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// How many have failed, and how many were refused.
    pub(crate) fn read(&self) -> (u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (read(&self.failed), read(&self.refused))
    }
}

impl ClosedRow {
    fn wait(&self) -> Wait {
        Wait {
            seconds: self.seconds(),
            is_first: !self.was_told,
        }
    }
}

#[cfg(test)]
mod tests;
