//! The workers' clock: wall-clock time measured on the monotonic clock, so that a call costs one
//! reading. It follows changes of the wall clock within a second, for all workers at once: between
//! workers with different windows, usage of both would be lost with each call.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Difference from the wall clock, in microseconds, above which the clock is reset.
const STEP_US: i64 = 50_000;

/// The clock of all workers.
#[derive(Debug)]
pub(crate) struct Clock {
    since: Instant,
    /// The wall clock at `since`, as seen last, Unix microseconds. Nothing else is published
    /// through it.
    began_us: AtomicI64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            since: Instant::now(),
            began_us: AtomicI64::new(wall_us()),
        }
    }
}

impl Clock {
    /// Unix microseconds now.
    pub(crate) fn now_us(&self) -> i64 {
        self.began_us.load(Ordering::Relaxed) + self.elapsed_us()
    }

    /// Follows changes of the wall clock; each worker calls it about once a second.
    pub(crate) fn follow(&self) {
        self.follow_to(wall_us());
    }

    fn follow_to(&self, wall_us: i64) {
        if (wall_us - self.now_us()).abs() > STEP_US {
            let began_us = wall_us - self.elapsed_us();
            self.began_us.store(began_us, Ordering::Relaxed);
        }
    }

    fn elapsed_us(&self) -> i64 {
        i64::try_from(self.since.elapsed().as_micros()).unwrap_or(i64::MAX / 2)
    }
}

/// Unix microseconds now, by the wall clock.
pub(crate) fn wall_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX / 2)
}

#[cfg(test)]
mod tests;
