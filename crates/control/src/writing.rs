//! Whether the store accepts writes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tollgate_store::{Store, StoreError};

use crate::error::Problem;

/// Time for which an outcome is kept, so that frequent checks cost no disk writes.
const KEPT: Duration = Duration::from_secs(1);
/// Maximum time that a response waits for a write; a slower one counts as slow, not as failed.
const PATIENCE: Duration = Duration::from_millis(500);

/// Whether the store accepts writes, found by trying, once a second at most.
#[derive(Default)]
pub(crate) struct Writing(Arc<Mutex<Option<Tried>>>);

struct Tried {
    at: Instant,
    outcome: Result<(), Problem>,
}

impl Writing {
    /// Checks that a write succeeds now, or did within the last second.
    pub(crate) async fn check(&self, store: &Store) -> Result<(), Problem> {
        let Ok(mut tried) = timeout(PATIENCE, Arc::clone(&self.0).lock_owned()).await else {
            return Ok(());
        };
        if let Some(tried) = tried.as_ref().filter(|tried| tried.at.elapsed() < KEPT) {
            return tried.outcome.clone();
        }
        let store = store.clone();
        // A task of its own: the next check finds its outcome even if this request was cancelled.
        let trying = tokio::spawn(async move {
            let outcome = match store.probe().await {
                Err(StoreError::Busy) => Ok(()),
                outcome => outcome.map_err(Problem::from),
            };
            *tried = Some(Tried {
                at: Instant::now(),
                outcome: outcome.clone(),
            });
            outcome
        });
        match timeout(PATIENCE, trying).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panicked)) => Err(Problem::internal(&panicked)),
            Err(_) => Ok(()),
        }
    }
}
