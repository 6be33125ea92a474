//! Rate limits for failed attempts of programs:
//!
//! - twenty failures of an OAuth2 client from an address within a quarter of an hour lock that
//!   client for that address for the rest of it, even with its correct secret. From other addresses
//!   it can authenticate, so an attacker cannot lock it out;
//! - after fifty wrong access tokens from an address within a quarter of an hour, further wrong
//!   ones get 429. A valid one is always accepted, because programs share addresses.
//!
//! Programs retry automatically and at once: at most ten lines are logged per address in a quarter
//! of an hour, further failures are only counted. Unlike those of people, failures are counted
//! after the check: concurrent requests of one client are common, and secrets are too long to be
//! guessed.

use std::sync::atomic::{AtomicU64, Ordering};

use super::{Attempts, ClosedRow};
use crate::peer::Peer;

/// Failures of a client from an address until the client is locked there.
pub(crate) const CLIENT_ATTEMPTS_MAX: u32 = 20;
/// Wrong access tokens from an address until further ones get 429.
pub(crate) const TOKEN_ATTEMPTS_MAX: u32 = 50;
/// Maximum number of log lines per address in a quarter of an hour, for clients and for access
/// tokens each.
pub(crate) const LINES_MAX: u32 = 10;

/// Appended to the last line that is logged for an address.
pub(crate) const LAST: &str = "; further failures there are only counted for a quarter of an hour";

/// Counts of one kind of attempts since the process started.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    failed: AtomicU64,
    refused: AtomicU64,
}

/// How a failure is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// As a line.
    Whole,
    /// As a line with [`LAST`]: further failures from its address are only counted.
    Last,
    /// Not at all.
    Nothing,
}

/// The wait for a locked client or address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) seconds: i64,
    /// Whether this is the first rejection.
    pub(crate) is_first: bool,
}

impl Attempts {
    /// Returns the wait if a client is locked for `peer`.
    pub(crate) fn closed_client(&self, client: &str, peer: Peer, now_us: i64) -> Option<Wait> {
        let (pair, _) = self.rows(client, peer);
        let clients = &mut self.tables().clients;
        let closed = clients.closed(pair, CLIENT_ATTEMPTS_MAX, now_us)?;
        self.clients.refuse();
        Some(closed.wait())
    }

    /// Counts a failure of a client. A failure without a client id is counted for the address only.
    pub(crate) fn fail_client(&self, client: &str, peer: Peer, now_us: i64) -> Line {
        let (pair, address) = self.rows(client, peer);
        self.clients.fail();
        let mut tables = self.tables();
        if !client.is_empty() {
            tables.clients.count(pair, now_us);
        }
        line(tables.client_lines.count(address, now_us))
    }

    /// Forgets a client's failures from `peer`, after it has authenticated.
    pub(crate) fn forget_client(&self, client: &str, peer: Peer) {
        let (pair, _) = self.rows(client, peer);
        self.tables().clients.rows.remove(&pair);
    }

    /// Counts a wrong access token. Returns how to log it, and the wait if `peer` has sent too
    /// many.
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
    /// Counts a failed attempt.
    pub(crate) fn fail(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an attempt that was rejected because of too many failures.
    pub(crate) fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of failed and rejected attempts together.
    pub(crate) fn sum(&self) -> u64 {
        let (failed, refused) = self.read();
        failed + refused
    }

    /// Returns the number of failed and of rejected attempts.
    pub(crate) fn read(&self) -> (u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (read(&self.failed), read(&self.refused))
    }
}

impl ClosedRow {
    fn wait(&self) -> Wait {
        Wait {
            seconds: self.seconds(),
            is_first: !self.was_reported,
        }
    }
}

#[cfg(test)]
mod tests;
