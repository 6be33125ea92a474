//! The interface to gateways, implemented by the binary: the key manager does not depend on the
//! control plane, which sends writes to gateways.

use std::future::Future;
use std::pin::Pin;

use tollgate_store::{StoreError, Tx};

/// Whether a write is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InForce {
    /// Applied by every gateway that follows the store.
    Everywhere,
    /// Not yet applied by one of them.
    Behind,
}

/// The gateways that follow the store.
pub trait Gateways: Send + Sync {
    /// Commits a write and waits until every gateway has applied it and everything committed before
    /// it; for a bounded time, and also if the write itself notes nothing for them.
    ///
    /// # Errors
    /// Fails like `Tx::commit`: then nothing of the write is kept.
    fn commit(
        &self,
        tx: Tx,
    ) -> Pin<Box<dyn Future<Output = Result<InForce, StoreError>> + Send + '_>>;
}
