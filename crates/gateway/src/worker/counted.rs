//! Events on callers' connections that a caller can cause at will: counted, and logged at most once
//! a minute.

use std::cell::RefCell;

/// Time after a log line in which further events are only counted.
const QUIET_US: i64 = 60_000_000;

/// Events of one kind on one worker since the last log line.
#[derive(Debug)]
pub(crate) struct Counted {
    message: &'static str,
    events: RefCell<Events>,
}

#[derive(Debug, Default)]
struct Events {
    count: u64,
    /// Details of the last one.
    last: String,
    logged_us: i64,
}

impl Counted {
    /// Creates a counter; `message` is the plural, as in "3 handshakes failed".
    pub(crate) fn new(message: &'static str) -> Self {
        Self {
            message,
            events: RefCell::default(),
        }
    }

    /// Counts one event.
    pub(crate) fn count(&self, last: String) {
        let mut events = self.events.borrow_mut();
        events.count += 1;
        events.last = last;
    }

    /// Logs the counted events, at most once a minute. Called about once a second.
    pub(crate) fn tick(&self, now_us: i64) {
        let mut events = self.events.borrow_mut();
        if events.count == 0 || now_us - events.logged_us < QUIET_US {
            return;
        }
        let Events { count, last, .. } = std::mem::take(&mut *events);
        events.logged_us = now_us;
        tracing::warn!(count, "{count} {}; the last: {last}", self.message);
    }
}
