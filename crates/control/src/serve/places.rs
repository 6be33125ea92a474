//! Limits on the number of connections: [`Places`]. `serve.rs` takes a [`Place`] for each.
//!
//! If no place is free, the connection that has been silent longest is closed to make room for the
//! new one: first connections without a byte of a head, then those with an incomplete head, then
//! those with an incomplete request body. A complete request keeps its place. If such requests hold
//! all places, a new connection gets one of a small reserve, which serves only the process's
//! health.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;
use tollgate_fetch::Networks;

use crate::peer::Peer;

/// Maximum numbers of places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    /// For all clients.
    pub(super) all: usize,
    /// For each client address.
    pub(super) per_address: usize,
    /// In the reserve, in addition.
    pub(super) reserve: usize,
}

/// The places of all connections, limited in total and per client address.
pub(super) struct Places {
    sizes: Sizes,
    /// Reverse proxies, which are exempt from the bound per address.
    trusted: Networks,
    held: Arc<Mutex<Held>>,
}

#[derive(Default)]
struct Held {
    next: u64,
    places: HashMap<u64, Holder>,
}

struct Holder {
    /// The client that the place counts for; `None` for a trusted proxy.
    caller: Option<IpAddr>,
    is_reserve: bool,
    activity: Arc<Activity>,
}

/// A connection's place, until it is dropped or another connection takes it.
pub(super) struct Place {
    id: u64,
    /// Whether it belongs to the reserve.
    pub(super) is_reserve: bool,
    /// The connection's activity, to be updated by the code that drives it.
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

    /// Returns a place for a new connection, after closing a silent one if necessary; `None` if the
    /// reserve is full of requests in progress, too.
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
    /// Returns whether fewer than `size` of these places are taken, after closing the connections
    /// that have been silent longest if necessary.
    fn room(&mut self, size: usize, is_meant: impl Fn(&Holder) -> bool) -> bool {
        while self.places.values().filter(|it| is_meant(it)).count() >= size {
            let silent = self.places.iter().filter(|(_, holder)| is_meant(holder));
            let silent = silent.filter_map(|(&id, holder)| Some((holder.activity.silence()?, id)));
            let Some((_, longest)) = silent.min() else {
                return false;
            };
            // If its request has just begun, it is no longer a candidate.
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

/// A connection's activity, as far as its place depends on it.
pub(super) struct Activity {
    phase: Mutex<Phase>,
    closed: Notify,
    /// Whether the last request was dropped before all of it was read.
    has_unread: AtomicBool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// The client has to send more; none of it has arrived since this instant.
    Waiting(Awaited, Instant),
    /// A request is in progress.
    Busy,
    /// The response is complete, but not all of it is sent.
    Answered,
    /// Another connection has taken the place.
    Closed,
}

/// What the client has to send, in the order in which connections lose their places.
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
    /// Records that bytes have arrived.
    pub(super) fn receive(&self) {
        self.change(|phase| match phase {
            Phase::Waiting(Awaited::Request, since) => Phase::Waiting(Awaited::Head, since),
            other => other,
        });
    }

    /// Records a complete head. Returns false if the place is gone: the request must not be
    /// executed.
    pub(super) fn begin(&self) -> bool {
        self.has_unread.store(false, Ordering::Relaxed);
        let begun = self.change(|phase| match phase {
            Phase::Closed => Phase::Closed,
            _ => Phase::Busy,
        });
        begun == Phase::Busy
    }

    /// Records that the request needs more of its body to proceed.
    pub(super) fn await_body(&self) {
        self.change(|phase| match phase {
            Phase::Busy => Phase::Waiting(Awaited::Body, Instant::now()),
            other => other,
        });
    }

    /// Records that a part of the body has arrived, or that no more of it is needed. Returns false
    /// if the place is gone.
    pub(super) fn resume(&self) -> bool {
        let resumed = self.change(|phase| match phase {
            Phase::Waiting(Awaited::Body, _) => Phase::Busy,
            other => other,
        });
        resumed != Phase::Closed
    }

    /// Records that the rest of the request's body will not be read.
    pub(super) fn leave_unread(&self) {
        self.has_unread.store(true, Ordering::Relaxed);
    }

    /// Returns whether bytes of a request may still arrive that will not be read.
    pub(super) fn has_unread(&self) -> bool {
        self.has_unread.load(Ordering::Relaxed)
    }

    /// Records that the response is complete.
    pub(super) fn answer(&self) {
        self.change(|phase| match phase {
            Phase::Busy => Phase::Answered,
            other => other,
        });
    }

    /// Records that everything written has been sent.
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

    /// Takes the place away, unless a complete request is in progress. Returns whether it is gone.
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

    /// Returns the rank of a connection that may be closed: what it waits for, then since when.
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

/// Locks a mutex. Each change is complete, so the value is consistent even after a panic elsewhere.
fn lock<T>(guarded: &Mutex<T>) -> MutexGuard<'_, T> {
    guarded.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
