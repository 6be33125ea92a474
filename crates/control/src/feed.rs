//! Tells gateways what changed. Half B writes it; this is the name that handlers use.

use tollgate_store::Store;

use crate::state::Clock;

/// Tells gateways what changed.
pub struct Feed {
    _store: Store,
    _clock: Clock,
}

impl Feed {
    /// A feed of this store.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self {
            _store: store,
            _clock: clock,
        }
    }

    /// Waits until every gateway has what was committed.
    pub async fn catch_up(&self) {}
}
