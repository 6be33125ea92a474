//! The stored responses of all workers; the room `cache` uses them.
//!
//! - `keyed.rs`: what goes up of a call that has a key; `arriving.rs`: calls for responses that are
//!   stored
//! - `protection.rs`: the protections against attacks, which tests switch off

mod arriving;
mod keyed;
mod protection;

use std::sync::Arc;
use std::time::Instant;

use tollgate_cache::flights::Flights;
use tollgate_cache::store::{Begun, Entry, Selector, Store};
use tollgate_model::feed::CachePurge;

pub(crate) use arriving::{Arriving, Fetching};
pub(crate) use keyed::{Cached, Keyed};
#[cfg(test)]
pub(crate) use protection::without;
pub(crate) use protection::{Protection, protects};

/// The stored responses of all workers, and the calls in progress for more.
#[derive(Debug)]
pub(crate) struct Caches {
    pub(crate) store: Store,
    pub(crate) flights: Arc<Flights<Landing>>,
    /// The beginning of the monotonic time.
    epoch: Instant,
}

/// What callers that wait for a response get.
#[derive(Debug, Clone)]
pub(crate) struct Landing {
    pub(crate) entry: Arc<Entry>,
    /// A call that began before the response arrived, or was found: what has ended since may
    /// include it.
    pub(crate) begun: Begun,
}

impl Caches {
    /// Creates caches of at most `bytes_max` bytes together.
    pub(crate) fn new(bytes_max: u64) -> Arc<Self> {
        Arc::new(Self {
            store: Store::new(bytes_max),
            flights: Arc::default(),
            epoch: Instant::now(),
        })
    }

    /// Removes the responses that a purge selects.
    pub(crate) fn purge(&self, purge: CachePurge) {
        let version = purge.version.raw().cast_unsigned();
        let selector = Selector {
            operations: purge.selector.operations,
            targets: purge.selector.targets,
            tags: purge.selector.tags,
        };
        self.store.purge(version, purge.number, &selector);
    }

    /// The monotonic time, milliseconds.
    pub(crate) fn now_ms(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
