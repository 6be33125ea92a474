//! Gateways that follow, lag, or have a store with a full disk.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use tollgate_store::{StoreError, Tx};

use crate::gateways::{Gateways, InForce};

/// The behaviour of the gateways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Do {
    Follow = 0,
    Lag = 1,
    /// The disk is full at the commit.
    Full = 2,
}

#[derive(Default)]
pub(crate) struct FakeGateways {
    does: AtomicU8,
    /// Number of writes so far.
    pub(crate) commits: AtomicUsize,
}

impl Gateways for FakeGateways {
    fn commit(
        &self,
        tx: Tx,
    ) -> Pin<Box<dyn Future<Output = Result<InForce, StoreError>> + Send + '_>> {
        Box::pin(async move {
            if self.does.load(Ordering::Relaxed) == Do::Full as u8 {
                drop(tx);
                return Err(StoreError::Full);
            }
            tx.commit().await?;
            self.commits.fetch_add(1, Ordering::Relaxed);
            match self.does.load(Ordering::Relaxed) {
                0 => Ok(InForce::Everywhere),
                _ => Ok(InForce::Behind),
            }
        })
    }
}

impl FakeGateways {
    pub(crate) fn set(&self, what: Do) {
        self.does.store(what as u8, Ordering::Relaxed);
    }
}
