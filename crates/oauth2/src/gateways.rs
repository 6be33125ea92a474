//! What the binary hands in: how a write reaches the gateways. The key manager does not know the
//! control plane, which does it.

use std::future::Future;
use std::pin::Pin;

use tollgate_store::{StoreError, Tx};

/// Whether what was written acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InForce {
    /// At every gateway that follows.
    Everywhere,
    /// Not yet at one of them, which follows.
    Behind,
}

/// The gateways that follow the store.
pub trait Gateways: Send + Sync {
    /// Commits a write and waits until every gateway has applied it, and all that was committed
    /// before it; for a bounded time, and also where the write itself says nothing to them.
    ///
    /// # Errors
    /// As `Tx::commit`: nothing of the write stays then.
    fn commit(
        &self,
        tx: Tx,
    ) -> Pin<Box<dyn Future<Output = Result<InForce, StoreError>> + Send + '_>>;
}
