//! Who may hold how many connections at a time: [`Places`]. `serve.rs` takes a [`Place`] for each.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Peer;

/// The connections of all callers, and of each.
pub(super) struct Places {
    all: Arc<Semaphore>,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
    per_address: usize,
}

/// Room for a connection among all; not yet anybody's.
pub(super) type Room = OwnedSemaphorePermit;

/// A connection's place, until it is dropped.
pub(super) struct Place {
    _room: Room,
    caller: IpAddr,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Places {
    pub(super) fn new(all: usize, per_address: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(all)),
            held: Arc::default(),
            per_address,
        }
    }

    /// Waits until there is room for one more.
    pub(super) async fn room(&self) -> Room {
        let room = Arc::clone(&self.all).acquire_owned().await;
        room.expect("nobody closes the semaphore")
    }

    /// A place for a caller; none where the caller has all that one may have.
    pub(super) fn take(&self, room: Room, peer: Peer) -> Option<Place> {
        let caller = peer.network();
        let mut counts = lock(&self.held);
        let count = counts.entry(caller).or_default();
        if *count >= self.per_address {
            return None;
        }
        *count += 1;
        Some(Place {
            _room: room,
            caller,
            held: Arc::clone(&self.held),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = lock(&self.held);
        if let Some(count) = counts.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.caller);
            }
        }
    }
}

/// Each change of a count is whole, so a panic elsewhere leaves the counts right.
fn lock(held: &Mutex<HashMap<IpAddr, usize>>) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
