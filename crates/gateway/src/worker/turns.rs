//! Turns: in which order a busy worker begins requests and continues them.
//!
//! The system reports what has arrived in the order of arrival. With thousands of connections, a
//! worker that followed it would begin thousands of requests before it came to an upstream's first
//! response; the state of each would have left the processor's caches by then. A connection
//! therefore waits for its turn, unless few requests are in progress. In each turn of the loop a
//! few begin, the longest waiting first, and everything else that can continue does. So requests
//! that wait for a slow upstream delay no other.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

use tokio::task::yield_now;

/// How many connections have a turn together.
pub(crate) const TOGETHER: usize = 64;

/// The connections of a worker that wait for their turn.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    waiting: RefCell<VecDeque<Waker>>,
    /// The number of the next one to wait.
    next: Cell<u64>,
    /// How many of them had their turn: those with a smaller number.
    given: Cell<u64>,
    /// Wakes [`Turns::give`].
    giver: RefCell<Option<Waker>>,
}

impl Turns {
    /// Waits for a turn. If the future is dropped, its turn passes unused.
    pub(crate) async fn wait(&self) {
        let number = self.next.replace(self.next.get() + 1);
        let mut is_queued = false;
        poll_fn(|context| {
            if number < self.given.get() {
                return Poll::Ready(());
            }
            // The waker of a task stays the same.
            if !std::mem::replace(&mut is_queued, true) {
                self.waiting.borrow_mut().push_back(context.waker().clone());
                if let Some(giver) = self.giver.take() {
                    giver.wake();
                }
            }
            Poll::Pending
        })
        .await;
    }

    /// Gives turns, as long as it is polled.
    pub(crate) async fn give(&self) {
        loop {
            poll_fn(|context| {
                if self.waiting.borrow().is_empty() {
                    self.giver.replace(Some(context.waker().clone()));
                    return Poll::Pending;
                }
                Poll::Ready(())
            })
            .await;
            // Until the runtime has asked the system for what can continue, and queued it.
            yield_now().await;
            for _ in 0..TOGETHER {
                let Some(waker) = self.waiting.borrow_mut().pop_front() else {
                    break;
                };
                self.given.set(self.given.get() + 1);
                waker.wake();
            }
        }
    }
}

#[cfg(test)]
mod tests;
