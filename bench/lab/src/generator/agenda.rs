//! What is due when: users that think, connections that pause after a failure, and the schedule of
//! an open loop.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::load::Pace;

#[cfg(test)]
mod tests;

/// Pause of a connection after its first failure; doubles with each further one …
const PAUSE_NS_MIN: u64 = 10_000_000;
/// … up to this maximum.
const PAUSE_NS_MAX: u64 = 1_000_000_000;

/// Connections that have something to do later. Each is in it at most once, so it never grows
/// beyond its reserved capacity.
#[derive(Debug)]
pub(crate) struct Agenda {
    due: BinaryHeap<Reverse<(u64, u32)>>,
}

impl Agenda {
    pub(crate) fn new(connections: u32) -> Self {
        Self {
            due: BinaryHeap::with_capacity(connections as usize),
        }
    }

    pub(crate) fn note(&mut self, due_ns: u64, connection: u32) {
        self.due.push(Reverse((due_ns, connection)));
    }

    /// Removes and returns the next connection that is due.
    pub(crate) fn next_due(&mut self, now_ns: u64) -> Option<u32> {
        let Reverse((due_ns, connection)) = *self.due.peek()?;
        if due_ns > now_ns {
            return None;
        }
        self.due.pop();
        Some(connection)
    }

    /// Returns when the next connection is due.
    pub(crate) fn due_ns(&self) -> u64 {
        self.due
            .peek()
            .map_or(u64::MAX, |Reverse((due_ns, _))| *due_ns)
    }
}

/// Returns how long a connection pauses after `failures` failures in a row.
pub(crate) fn pause_ns(failures: u32) -> u64 {
    (PAUSE_NS_MIN << failures.saturating_sub(1).min(10)).min(PAUSE_NS_MAX)
}

/// The start times of an open loop's requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Schedule {
    from_ns: u64,
    every_ns: f64,
    started: u64,
}

impl Schedule {
    /// Returns `None` for users, who start a request after the previous response.
    pub(crate) fn from_pace(pace: Pace, from_ns: u64) -> Option<Self> {
        match pace {
            Pace::Closed { .. } => None,
            Pace::Open { per_second, .. } => Some(Self {
                from_ns,
                every_ns: 1e9 / per_second,
                started: 0,
            }),
        }
    }

    /// Returns when the next request starts.
    pub(crate) fn due_ns(&self) -> u64 {
        self.from_ns + (self.started as f64 * self.every_ns) as u64
    }

    /// Advances to the next request.
    pub(crate) fn advance(&mut self) {
        self.started += 1;
    }

    /// Returns the time from one start to the next.
    pub(crate) fn every_ns(&self) -> u64 {
        self.every_ns as u64
    }
}
