//! How fast one side of a transfer moves its bytes: [`Pace`], checked against a [`Floor`].
//!
//! Only the time spent waiting for that side counts: a caller that reads everything an upstream
//! sends is never slow, however little that is. It is counted in ticks of the [`Deadline`], so that
//! no clock is read.

use std::task::{Context, Poll};
use std::time::Duration;

use crate::deadline::{Deadline, Late, ticks};

/// The minimum rate of a side while the other one waits for it.
#[derive(Debug, Clone, Copy)]
pub struct Floor {
    /// Bytes within a window; 0 means no minimum.
    bytes: u64,
    /// The window: ticks spent waiting.
    ticks: u32,
}

impl Floor {
    /// No minimum.
    pub const NONE: Self = Self { bytes: 0, ticks: 0 };

    /// Requires this many bytes a second, averaged over `window`; 0 means no minimum.
    #[must_use]
    pub fn new(bytes_per_second: u32, window: Duration) -> Self {
        let bytes = u128::from(bytes_per_second) * window.as_millis() / 1_000;
        Self {
            bytes: u64::try_from(bytes).unwrap_or(u64::MAX),
            ticks: ticks(window),
        }
    }
}

/// The bytes of one side in the current window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pace {
    floor: Floor,
    bytes: u64,
    /// Ticks spent waiting for it.
    waited: u32,
    /// The tick at which the current wait began, if there is one.
    since: Option<u32>,
}

impl Pace {
    /// Begins a transfer.
    pub(crate) fn new(floor: Floor) -> Self {
        Self {
            floor,
            bytes: 0,
            waited: 0,
            since: None,
        }
    }

    /// Begins a wait for this side: sets the deadline to `idle`, or to the time when its bytes
    /// would be too few.
    pub(crate) fn wait(&mut self, deadline: &Deadline, idle: Duration) {
        self.since = Some(deadline.now());
        let Floor { bytes, ticks } = self.floor;
        if bytes == 0 {
            return deadline.set(idle);
        }
        let left = ticks.saturating_sub(self.waited);
        // With enough bytes for this window, the next one counts.
        let next = if self.bytes >= bytes { ticks } else { 0 };
        deadline.set_within(idle, left.saturating_add(next));
    }

    /// Returns ready once the deadline of the current wait has passed; the first call begins the
    /// wait. Writes usually find room at once, so they pay for a wait only if there is one.
    pub(crate) fn poll_late(
        &mut self,
        deadline: &Deadline,
        idle: Duration,
        context: &Context<'_>,
    ) -> Poll<Late> {
        if self.since.is_none() {
            self.wait(deadline, idle);
        }
        deadline.poll_due(context)
    }

    /// Adds bytes, and ends the wait for them if there was one.
    pub(crate) fn add_moved(&mut self, deadline: &Deadline, bytes: usize) {
        if let Some(since) = self.since.take() {
            self.waited = self.waited.saturating_add(deadline.now() - since);
            if self.is_over() {
                (self.bytes, self.waited) = (0, self.waited - self.floor.ticks);
            }
        }
        self.bytes = self.bytes.saturating_add(bytes as u64);
        if self.is_over() {
            (self.bytes, self.waited) = (0, 0);
        }
    }

    /// Whether the window has ended with enough bytes.
    fn is_over(&self) -> bool {
        self.waited >= self.floor.ticks && self.bytes >= self.floor.bytes
    }
}

#[cfg(test)]
mod tests;
