//! `cache`: responds to calls with stored responses, and stores responses for later calls.

use std::sync::Arc;

use tollgate_cache::flights::Flights;
use tollgate_cache::store::{Entry, Selector, Store};
use tollgate_model::feed::CachePurge;

/// The stored responses of all workers, and the calls in progress for more.
#[derive(Debug)]
pub(crate) struct Caches {
    store: Store,
    flights: Arc<Flights<Arc<Entry>>>,
}

impl Caches {
    /// Creates caches of at most `bytes_max` bytes together.
    pub(crate) fn new(bytes_max: u64) -> Arc<Self> {
        Arc::new(Self {
            store: Store::new(bytes_max),
            flights: Arc::default(),
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
}
