//! Timeouts that cost nothing per byte: setting one is two stores.
//!
//! A worker's [`Timer`] counts ticks of [`TICK`]; each connection has one [`Deadline`], a slot in
//! the timer's table, and a second one while both its sides are waited for. A tick scans the table
//! once and wakes the tasks that are due. Timeouts are therefore up to two ticks late and never
//! early.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// How often a worker checks for due deadlines.
pub const TICK: Duration = Duration::from_millis(100);
const TICKS_PER_SECOND: u64 = 1_000 / TICK.as_millis() as u64;
const NEVER: u32 = u32::MAX;

#[derive(Debug)]
struct Slot {
    due: u32,
    waker: Option<Waker>,
}

#[derive(Debug, Default)]
struct Table {
    now: Cell<u32>,
    slots: RefCell<Vec<Slot>>,
    free: RefCell<Vec<usize>>,
}

/// The deadlines of one worker.
#[derive(Debug, Clone, Default)]
pub struct Timer {
    table: Rc<Table>,
}

impl Timer {
    /// Creates a deadline that is not set.
    #[must_use]
    pub fn deadline(&self) -> Deadline {
        let slot = Slot {
            due: NEVER,
            waker: None,
        };
        let mut slots = self.table.slots.borrow_mut();
        let at = match self.table.free.borrow_mut().pop() {
            Some(at) => {
                slots[at] = slot;
                at
            }
            None => {
                slots.push(slot);
                slots.len() - 1
            }
        };
        Deadline {
            table: Rc::clone(&self.table),
            at,
            limit: Cell::new((NEVER, Late::Exchange)),
            slow: Cell::new(NEVER),
        }
    }

    /// Advances by one tick and wakes the tasks that are due. The worker calls it every [`TICK`].
    pub fn tick(&self) {
        let now = self.table.now.get() + 1;
        self.table.now.set(now);
        for slot in self.table.slots.borrow_mut().iter_mut() {
            if slot.due <= now
                && let Some(waker) = slot.waker.take()
            {
                waker.wake();
            }
        }
    }
}

/// The timeout of one connection. Dropping it frees its slot.
#[derive(Debug)]
pub struct Deadline {
    table: Rc<Table>,
    at: usize,
    /// The tick of the overall limit, and the reason to report then.
    limit: Cell<(u32, Late)>,
    /// The tick at which too few bytes will have moved, unless more arrive before.
    slow: Cell<u32>,
}

/// Why a deadline passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Late {
    /// No data was received or sent for too long.
    #[error("nothing moved in time")]
    Idle,
    /// Fewer bytes moved than the [floor](crate::pace::Floor) requires.
    #[error("too few bytes moved in time")]
    Slow,
    /// The [limit](Deadline::limit) of an exchange has passed.
    #[error("the time limit of the exchange has passed")]
    Exchange,
    /// The [limit](Deadline::limit) of a transfer has passed.
    #[error("the time limit of the transfer has passed")]
    Transfer,
}

impl Deadline {
    /// Sets the deadline to `after` from now, or to the [limit](Self::limit) if that comes first.
    pub fn set(&self, after: Duration) {
        self.set_due(self.due(after), NEVER);
    }

    /// Like [`Self::set`], but passes after this many ticks at the latest.
    pub(crate) fn set_within(&self, after: Duration, ticks: u32) {
        // One tick more, since the current one is partly over.
        let slow = self.now().saturating_add(ticks).saturating_add(1);
        self.set_due(self.due(after), slow);
    }

    fn set_due(&self, due: u32, slow: u32) {
        self.slow.set(slow);
        let due = due.min(slow).min(self.limit.get().0);
        self.table.slots.borrow_mut()[self.at].due = due;
    }

    /// Limits every deadline [set](Self::set) from now on: the time of a whole exchange or
    /// transfer, as named by `late`.
    pub fn limit(&self, after: Duration, late: Late) {
        self.limit.set((self.due(after), late));
    }

    /// Ticks of the timer so far.
    pub(crate) fn now(&self) -> u32 {
        self.table.now.get()
    }

    /// Creates another deadline for the same connection, with the same limit.
    pub(crate) fn sibling(&self) -> Self {
        let timer = Timer {
            table: Rc::clone(&self.table),
        };
        let sibling = timer.deadline();
        sibling.limit.set(self.limit.get());
        sibling
    }

    /// The time that is left of the [limit](Self::limit), if there is one.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let (limit, _) = self.limit.get();
        let ticks = limit.saturating_sub(self.now());
        (limit != NEVER).then(|| TICK * ticks)
    }

    /// Removes the limit.
    pub fn unlimit(&self) {
        self.limit.set((NEVER, Late::Exchange));
    }

    /// Returns ready once the deadline has passed; until then, registers the task to be woken.
    pub fn poll_due(&self, context: &Context<'_>) -> Poll<Late> {
        let mut slots = self.table.slots.borrow_mut();
        let slot = &mut slots[self.at];
        if slot.due <= self.now() {
            return Poll::Ready(self.late());
        }
        match &mut slot.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    fn late(&self) -> Late {
        let now = self.now();
        let (limit, late) = self.limit.get();
        if limit <= now {
            late
        } else if self.slow.get() <= now {
            Late::Slow
        } else {
            Late::Idle
        }
    }

    fn due(&self, after: Duration) -> u32 {
        // One tick more, since the current one is partly over.
        let ticks = ticks(after).saturating_add(1);
        self.now().saturating_add(ticks).min(NEVER - 1)
    }
}

/// Converts a time to whole ticks, rounding up.
pub(crate) fn ticks(time: Duration) -> u32 {
    // Called several times a request, so it avoids a division of 128 bits.
    let whole = time.as_secs().saturating_mul(TICKS_PER_SECOND);
    let part = u64::from(time.subsec_millis()).div_ceil(TICK.as_millis() as u64);
    u32::try_from(whole.saturating_add(part)).unwrap_or(NEVER)
}

impl Drop for Deadline {
    fn drop(&mut self) {
        self.table.slots.borrow_mut()[self.at] = Slot {
            due: NEVER,
            waker: None,
        };
        self.table.free.borrow_mut().push(self.at);
    }
}

#[cfg(test)]
mod tests;
