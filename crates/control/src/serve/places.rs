//! Who may hold how many connections at a time: [`Places`]. `serve.rs` takes a [`Place`] for each.
//!
//! Where room is short, the connection that has been silent for longest gives its place to the new
//! one: first those of which no byte of a head is there, then those whose head is not complete,
//! then those whose request's body is not. A request that is whole keeps its place. Where all
//! places are held by such, a new connection is let into a small reserve, which answers for the
//! process's health alone.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tollgate_fetch::Networks;

use crate::peer::Peer;

/// How many places there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// Of all callers.
    pub(super) all: usize,
    /// Of each client address.
    pub(super) per_address: usize,
    /// Of the reserve, besides.
    pub(super) reserve: usize,
}

/// The connections of all callers, and of each.
pub(super) struct Places {
    sizes: Sizes,
    /// Reverse proxies: the bound for each address does not count for them.
    trusted: Networks,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    next: u64,
    places: HashMap<u64, Holder>,
}

struct Holder {
    /// Whom it counts for; nobody for a trusted proxy.
    caller: Option<IpAddr>,
    is_reserve: bool,
    activity: Arc<Activity>,
}

/// A connection's place, until it is dropped or another connection needs it more.
pub(super) struct Place {
    id: u64,
    /// Whether it is one of the reserve.
    pub(super) is_reserve: bool,
    /// What the connection does, to be told by who drives it.
    pub(super) activity: Arc<Activity>,
    held: Arc<Mutex<Held>>,
}

impl Places {
    pub(super) fn new(sizes: Sizes, trusted: Networks) -> Self {
        Self {
            sizes,
            trusted,
            held: Arc::default(),
        }
    }

    /// A place for a new connection, at the cost of a silent one where that is needed; none where
    /// the reserve too is full of requests under way.
    pub(super) fn take(&self, peer: Peer) -> Option<Place> {
        let caller = (!self.trusted.contain(peer.0)).then(|| peer.network());
        let mut held = lock(&self.held);
        let is_callers =
            |holder: &Holder| !holder.is_reserve && caller.is_some() && holder.caller == caller;
        let is_regular = |holder: &Holder| !holder.is_reserve;
        let has_room =
            held.room(self.sizes.per_address, is_callers) && held.room(self.sizes.all, is_regular);
        if !has_room && !held.room(self.sizes.reserve, |holder| holder.is_reserve) {
            return None;
        }
        held.next += 1;
        let (id, is_reserve) = (held.next, !has_room);
        let activity = Arc::<Activity>::default();
        let holder = Holder {
            caller,
            is_reserve,
            activity: Arc::clone(&activity),
        };
        held.places.insert(id, holder);
        Some(Place {
            id,
            is_reserve,
            activity,
            held: Arc::clone(&self.held),
        })
    }
}

impl Held {
    /// Whether there is one more place among these, of so many; made by closing the connection
    /// that is silent for longest, if that is what it takes.
    fn room(&mut self, size: usize, is_meant: impl Fn(&Holder) -> bool) -> bool {
        while self.places.values().filter(|it| is_meant(it)).count() >= size {
            let silent = self.places.iter().filter(|(_, holder)| is_meant(holder));
            let silent = silent.filter_map(|(&id, holder)| Some((holder.activity.silence()?, id)));
            let Some((_, longest)) = silent.min() else {
                return false;
            };
            // One whose request began just now is no candidate any more.
            if self.places[&longest].activity.close() {
                self.places.remove(&longest);
            }
        }
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.held).places.remove(&self.id);
    }
}

/// What a connection does, as far as its place depends on it.
pub(super) struct Activity {
    phase: Mutex<Phase>,
    closed: Notify,
    /// Whether the last request was dropped before all of it was read.
    has_unread: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The caller has to send more; since when nothing of it has come.
    Waiting(Awaited, Instant),
    /// A request is under way.
    Busy,
    /// The answer is complete, but not all of it is sent.
    Answered,
    /// Another connection has taken the place.
    Closed,
}

/// What a caller has to send, in the order in which connections give their places away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Awaited {
    /// Any byte of a request.
    Request,
    /// The rest of a head.
    Head,
    /// More of a request's body.
    Body,
}

impl Activity {
    /// Bytes have come.
    pub(super) fn receive(&self) {
        self.change(|phase| match phase {
            Phase::Waiting(Awaited::Request, since) => Phase::Waiting(Awaited::Head, since),
            other => other,
        });
    }

    /// A head is complete; false where the place is gone, so that nothing may come of it.
    pub(super) fn begin(&self) -> bool {
        self.has_unread.store(false, Ordering::Relaxed);
        let begun = self.change(|phase| match phase {
            Phase::Closed => Phase::Closed,
            _ => Phase::Busy,
        });
        begun == Phase::Busy
    }

    /// The request goes on only when more of its body has come.
    pub(super) fn await_body(&self) {
        self.change(|phase| match phase {
            Phase::Busy => Phase::Waiting(Awaited::Body, Instant::now()),
            other => other,
        });
    }

    /// A part of the body has come, or no more of it is wanted; false where the place is gone.
    pub(super) fn resume(&self) -> bool {
        let resumed = self.change(|phase| match phase {
            Phase::Waiting(Awaited::Body, _) => Phase::Busy,
            other => other,
        });
        resumed != Phase::Closed
    }

    /// Nobody reads the rest of the request's body.
    pub(super) fn leave_unread(&self) {
        self.has_unread.store(true, Ordering::Relaxed);
    }

    /// Whether bytes of a request may still come that nobody wants.
    pub(super) fn has_unread(&self) -> bool {
        self.has_unread.load(Ordering::Relaxed)
    }

    /// The answer is complete.
    pub(super) fn answer(&self) {
        self.change(|phase| match phase {
            Phase::Busy => Phase::Answered,
            other => other,
        });
    }

    /// All that was written is sent.
    pub(super) fn flush(&self) {
        self.change(|phase| match phase {
            Phase::Answered => Phase::Waiting(Awaited::Request, Instant::now()),
            other => other,
        });
    }

    /// Waits until another connection has taken the place.
    pub(super) async fn closed(&self) {
        self.closed.notified().await;
    }

    /// Takes the place away, unless a whole request is under way.
    fn close(&self) -> bool {
        let closed = self.change(|phase| match phase {
            Phase::Waiting(..) => Phase::Closed,
            other => other,
        });
        if closed == Phase::Closed {
            self.closed.notify_one();
        }
        closed == Phase::Closed
    }

    /// Orders the connections that may be closed: by what they wait for, then by since when.
    fn silence(&self) -> Option<(Awaited, Instant)> {
        match *lock(&self.phase) {
            Phase::Waiting(awaited, since) => Some((awaited, since)),
            Phase::Busy | Phase::Answered | Phase::Closed => None,
        }
    }

    fn change(&self, next: impl Fn(Phase) -> Phase) -> Phase {
        let mut phase = lock(&self.phase);
        *phase = next(*phase);
        *phase
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self {
            phase: Mutex::new(Phase::Waiting(Awaited::Request, Instant::now())),
            closed: Notify::new(),
            has_unread: AtomicBool::new(false),
        }
    }
}

/// Each change is whole, so a panic elsewhere leaves what is guarded right.
fn lock<T>(guarded: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
