//! Callers' TLS handshakes that came to nothing: counted, and told once in a while.

use std::cell::RefCell;
use std::io;
use std::net::IpAddr;

use crate::warnings::chain;

/// How long after a line further failures are only counted.
const QUIET_US: i64 = 60_000_000;

/// What failed at one worker since it was told last.
#[derive(Debug, Default)]
pub(crate) struct Handshakes(RefCell<Failed>);

#[derive(Debug, Default)]
struct Failed {
    count: u64,
    /// Whose it was and why, the last time.
    last: String,
    told_us: i64,
}

impl Handshakes {
    /// Counts a handshake that failed.
    pub(crate) fn failed(&self, peer: IpAddr, error: &io::Error) {
        let mut failed = self.0.borrow_mut();
        failed.count += 1;
        failed.last = format!("{}: {}", peer.to_canonical(), chain(error));
    }

    /// Tells what was counted, at most once a minute. Called about once a second.
    pub(crate) fn tick(&self, now_us: i64) {
        let mut failed = self.0.borrow_mut();
        if failed.count == 0 || now_us - failed.told_us < QUIET_US {
            return;
        }
        let Failed { count, last, .. } = std::mem::take(&mut *failed);
        failed.told_us = now_us;
        tracing::warn!(
            count,
            "{count} TLS handshakes of callers failed; the last: {last}"
        );
    }
}
