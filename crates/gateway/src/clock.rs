//! A worker's clock: wall-clock time measured on the monotonic clock, so that a call costs one
//! reading. It follows changes of the wall clock within a second.

use std::cell::Cell;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Difference from the wall clock, in microseconds, above which the clock is reset.
const STEP_US: i64 = 50_000;

/// A worker's clock.
#[derive(Debug)]
pub(crate) struct Clock {
    anchor: Cell<(Instant, i64)>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            anchor: Cell::new((Instant::now(), wall_us())),
        }
    }

    /// Unix microseconds now.
    pub(crate) fn now_us(&self) -> i64 {
        let (since, wall) = self.anchor.get();
        wall + i64::try_from(since.elapsed().as_micros()).unwrap_or(i64::MAX / 2)
    }

    /// Follows changes of the wall clock; called about once a second.
    pub(crate) fn follow(&self) {
        let wall = wall_us();
        if (wall - self.now_us()).abs() > STEP_US {
            self.anchor.set((Instant::now(), wall));
        }
    }
}

/// Unix microseconds now, by the wall clock.
pub(crate) fn wall_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX / 2)
}
