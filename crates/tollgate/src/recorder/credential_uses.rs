//! The last uses of credentials: recorded from the drained records, written to the store in
//! batches. Gateways do not need them, so they are not sent over the feed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::{MissedTickBehavior, interval};
use tollgate_model::credential::CredentialId;
use tollgate_model::record::Record;
use tollgate_store::{Store, StoreError, credentials};

/// Interval at which uses are written.
const WRITE_TIME: Duration = Duration::from_secs(60);
/// Maximum number of credentials written at each interval; the others follow at the next. Each
/// write changes another page of the store.
const WRITTEN_MAX: usize = 10_000;
/// Maximum number of credentials remembered until the next batch is taken; others are recorded at
/// a later call.
const CREDENTIALS_MAX: usize = 100_000;
/// Number of uses written in one transaction: few enough that no other writer waits for long.
const BATCH_MAX: usize = 1_000;

/// The last use of each credential that is not written yet, Unix microseconds.
#[derive(Debug, Default)]
pub struct CredentialUses {
    noted: Mutex<HashMap<CredentialId, i64>>,
    /// Taken from `noted` for writing, in reverse order.
    taken: tokio::sync::Mutex<Vec<(CredentialId, i64)>>,
}

impl CredentialUses {
    /// Passes each record from `drain` to `each` and records the use of its credential.
    pub(super) fn noting(
        &self,
        each: &mut dyn FnMut(&Record),
        drain: impl FnOnce(&mut dyn FnMut(&Record)),
    ) {
        let mut uses = self.lock();
        drain(&mut |record| {
            if let Some(credential) = record.credential() {
                note(&mut uses, credential, record.at_us);
            }
            each(record);
        });
    }

    /// Writes the recorded uses of at most `at_most` credentials; uses that cannot be written are
    /// kept. No credential is written again before all that were recorded with it.
    ///
    /// # Errors
    /// Fails if the database write fails.
    pub async fn write(&self, store: &Store, at_most: usize) -> Result<(), StoreError> {
        let mut taken = self.taken.lock().await;
        if taken.is_empty() {
            taken.extend(self.lock().drain());
            // Neighbours may share a page.
            taken.sort_unstable();
        }
        let rest = taken.len().saturating_sub(at_most);
        while taken.len() > rest {
            let batch = taken.len().saturating_sub(BATCH_MAX).max(rest);
            #[expect(clippy::disallowed_methods, reason = "last uses")]
            let mut tx = store.write().await?;
            credentials::used(&mut tx, &taken[batch..]).await?;
            tx.commit().await?;
            taken.truncate(batch);
        }
        Ok(())
    }

    /// Writes all recorded uses; uses that cannot be written are kept.
    ///
    /// # Errors
    /// Fails if the database write fails.
    pub async fn write_all(&self, store: &Store) -> Result<(), StoreError> {
        // First those taken before, then those recorded since.
        self.write(store, usize::MAX).await?;
        self.write(store, usize::MAX).await
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CredentialId, i64>> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note(uses: &mut HashMap<CredentialId, i64>, id: CredentialId, at_us: i64) {
    if let Some(last_us) = uses.get_mut(&id) {
        *last_us = at_us.max(*last_us);
    } else if uses.len() < CREDENTIALS_MAX {
        uses.insert(id, at_us);
    }
}

/// Writes the uses each minute, forever.
pub async fn write_periodically(store: Store, uses: Arc<CredentialUses>) {
    let mut ticks = interval(WRITE_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        warn(uses.write(&store, WRITTEN_MAX).await);
    }
}

/// Writes all uses before a stop; logs a failure.
pub async fn write_last(store: &Store, uses: &CredentialUses) {
    warn(uses.write_all(store).await);
}

fn warn(written: Result<(), StoreError>) {
    if let Err(error) = written {
        let error = anyhow::Error::from(error);
        tracing::warn!("last uses of credentials cannot be written: {error:#}");
    }
}

#[cfg(test)]
mod tests;
