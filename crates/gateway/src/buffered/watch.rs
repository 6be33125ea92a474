//! Bodies that can give way to others: those that wait for a caller or an upstream.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::announced::Announced;

/// The time for a step from which on a body is stale: it takes none for this long, or the last one
/// took as long.
const STALE_AGE: Duration = Duration::from_secs(1);

/// What a body waits for, in the order in which bodies give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// The rest of a request.
    Request,
    /// A caller that reads a response.
    Reader,
    /// The rest of a response to a safe method (RFC 9110, section 9.2.1).
    Upstream,
    /// The rest of a response to any other method: its call should not be repeated.
    UnsafeUpstream,
}

/// Which bodies are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    Stale,
    /// All, stale ones first.
    Any,
}

/// The body was asked to give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GaveWay;

/// A body that can give way.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) stage: Stage,
    /// When it took its last step.
    pub(super) stepped: Instant,
    /// Whether that took so long that the body is stale.
    pub(super) was_slow: bool,
    pub(super) announced: Announced,
    /// Bytes that it holds.
    pub(super) held: u64,
    /// What it held when it was asked to give way, if it was.
    pub(super) leaving: Option<u64>,
    pub(super) asked: Arc<Notify>,
}

impl Body {
    pub(super) fn is_stale(&self, now: Instant) -> bool {
        self.was_slow || self.is_resting(now)
    }

    fn is_resting(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.stepped) >= STALE_AGE
    }

    /// Notes that it takes another step.
    pub(super) fn step(&mut self, now: Instant) {
        self.was_slow = self.is_resting(now);
        self.stepped = now;
    }

    /// Sorts bodies in the order in which they give way.
    pub(super) fn rank(&self, now: Instant) -> (bool, Stage, Instant) {
        (!self.is_stale(now), self.stage, self.stepped)
    }

    /// Asks the body to give way; returns what it holds.
    pub(super) fn ask(&mut self) -> u64 {
        self.leaving = Some(self.held);
        self.asked.notify_one();
        self.held
    }
}

/// A body's place among those that can give way.
#[derive(Debug)]
pub(super) struct Watch {
    pub(super) id: u64,
    pub(super) asked: Arc<Notify>,
}

#[cfg(test)]
mod tests;
