//! What waits for the writer, shared by it and those who record.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::block::CALLS_MAX;
use crate::call::Call;
use crate::damage::Damage;
use crate::gap::{Gap, GapReason};

/// Most calls in memory that wait for the file, about 70 MB; more are a counted loss.
const WAITING_MAX: usize = 8 * CALLS_MAX;

/// Calls with successive numbers.
#[derive(Debug)]
pub(crate) struct Calls {
    /// Number of the first one in the epoch.
    pub(crate) first: u64,
    pub(crate) calls: Vec<Call>,
}

/// The calls of the next block.
#[derive(Debug)]
pub(crate) struct Collected {
    pub(crate) block: Calls,
    /// When the first of them was taken.
    pub(crate) since: Instant,
}

/// The calls that wait for the writer.
#[derive(Debug, Default)]
struct Queue {
    blocks: VecDeque<Calls>,
    /// How many they are, with the block that is being written.
    waiting: usize,
    /// How many were written.
    stored: u64,
    /// How many found no room, or were given up.
    lost: u64,
    /// Whether the last attempt to write failed.
    is_failing: bool,
    is_closing: bool,
}

/// The calls that a spool has taken since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Account {
    /// Calls taken.
    pub taken: u64,
    /// Those written to files, also to files that were removed since.
    pub stored: u64,
    /// Those in memory that wait for the file.
    pub waiting: u64,
    /// Those that found no room in memory, or could not be written before the end.
    pub lost: u64,
    /// Whether the files cannot be written now.
    pub is_failing: bool,
}

/// What those who record and the writer share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) block: Mutex<Collected>,
    queue: Mutex<Queue>,
    changed: Condvar,
    pub(crate) gaps: Mutex<Vec<Gap>>,
    /// Segments that could not be read, by sequence.
    pub(crate) damaged: Mutex<Vec<(u64, Damage)>>,
}

impl Default for Shared {
    fn default() -> Self {
        Self {
            block: Mutex::new(Collected {
                block: Calls {
                    first: 0,
                    calls: Vec::new(),
                },
                since: Instant::now(),
            }),
            queue: Mutex::default(),
            changed: Condvar::new(),
            gaps: Mutex::default(),
            damaged: Mutex::default(),
        }
    }
}

/// What the writer does next.
#[derive(Debug)]
pub(crate) enum Work {
    /// Write these calls.
    Block(Calls),
    /// Nothing has come in time.
    Upkeep,
}

impl Calls {
    /// Number of the call after the last one.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.calls.len() as u64
    }
}

impl Shared {
    /// Hands the calls of a block to the writer.
    pub(crate) fn seal(&self, collected: &mut Collected) {
        let count = collected.block.calls.len();
        if count == 0 {
            return;
        }
        let next = Calls {
            first: collected.block.next(),
            // The next block is probably as large.
            calls: Vec::with_capacity(count),
        };
        let sealed = std::mem::replace(&mut collected.block, next);
        let mut queue = lock(&self.queue);
        if queue.waiting + count > WAITING_MAX {
            queue.lost += count as u64;
            drop(queue);
            return self.note_lost(&sealed.calls);
        }
        queue.waiting += count;
        queue.blocks.push_back(sealed);
        drop(queue);
        self.changed.notify_all();
    }

    /// Waits at most this long for calls; `None` once all are taken and the spool is closing.
    pub(crate) fn next(&self, pause: Duration) -> Option<Work> {
        let is_idle = |queue: &mut Queue| queue.blocks.is_empty() && !queue.is_closing;
        let waited = self
            .changed
            .wait_timeout_while(lock(&self.queue), pause, is_idle);
        let (mut queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match queue.blocks.pop_front() {
            Some(block) => Some(Work::Block(block)),
            None if queue.is_closing => None,
            None => Some(Work::Upkeep),
        }
    }

    /// Waits this long, or until the spool is closing; returns whether it is.
    pub(crate) fn pause(&self, pause: Duration) -> bool {
        let is_open = |queue: &mut Queue| !queue.is_closing;
        let waited = self
            .changed
            .wait_timeout_while(lock(&self.queue), pause, is_open);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.is_closing
    }

    /// Ends the writer's work once everything is written.
    pub(crate) fn close(&self) {
        self.seal(&mut lock(&self.block));
        lock(&self.queue).is_closing = true;
        self.changed.notify_all();
    }

    /// Calls of a block are written.
    pub(crate) fn stored(&self, calls: usize) {
        let mut queue = lock(&self.queue);
        queue.waiting -= calls;
        queue.stored += calls as u64;
        drop(queue);
        self.changed.notify_all();
    }

    /// Gives up calls of a block.
    pub(crate) fn give_up(&self, calls: &[Call]) {
        let mut queue = lock(&self.queue);
        queue.waiting -= calls.len();
        queue.lost += calls.len() as u64;
        drop(queue);
        self.note_lost(calls);
        self.changed.notify_all();
    }

    /// Waits at most this long until every call that was taken is written or lost; returns whether
    /// it is.
    pub(crate) fn settle(&self, pause: Duration) -> bool {
        self.seal(&mut lock(&self.block));
        let is_waiting = |queue: &mut Queue| queue.waiting > 0;
        let waited = self
            .changed
            .wait_timeout_while(lock(&self.queue), pause, is_waiting);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        queue.waiting == 0
    }

    /// Counts the calls so far.
    pub(crate) fn account(&self) -> Account {
        // Both are locked, so that no call is between them.
        let collected = lock(&self.block);
        let queue = lock(&self.queue);
        Account {
            taken: collected.block.next(),
            stored: queue.stored,
            waiting: (collected.block.calls.len() + queue.waiting) as u64,
            lost: queue.lost,
            is_failing: queue.is_failing,
        }
    }

    /// Notes whether the last attempt to write failed; returns whether the one before did.
    pub(crate) fn set_failing(&self, is_failing: bool) -> bool {
        std::mem::replace(&mut lock(&self.queue).is_failing, is_failing)
    }

    /// Notes the loss of calls that found no room, or could not be written.
    fn note_lost(&self, calls: &[Call]) {
        let times = || calls.iter().map(|it| it.record.at_us);
        self.note(Gap {
            reason: GapReason::Behind,
            from_us: times().min().unwrap_or_default(),
            to_us: times().max().unwrap_or_default(),
            calls: Some(calls.len() as u64),
        });
    }

    /// Takes all room for waiting calls, or gives it back.
    #[cfg(test)]
    pub(crate) fn fill(&self, is_full: bool) {
        lock(&self.queue).waiting = if is_full { WAITING_MAX } else { 0 };
    }

    pub(crate) fn note(&self, gap: Gap) {
        lock(&self.gaps).push(gap);
    }
}

/// A poisoned lock is safe to use: nothing behind it is left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
