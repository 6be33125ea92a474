//! When credentials were last used: noted from the records as they are drained, written to the
//! store in batches. Gateways need not hear of it, so it does not go over the feed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::{MissedTickBehavior, interval};
use tollgate_model::credential::CredentialId;
use tollgate_model::record::Record;
use tollgate_store::{Store, StoreError, credentials};

/// How often uses are written down.
const WRITE_TIME: Duration = Duration::from_secs(60);
/// Credentials whose uses are written each time; of more, the others follow. Each changes another
/// page of the store.
const WRITTEN_MAX: usize = 10_000;
/// Credentials that are remembered until the next are taken to be written; of more, those that call
/// again come with those.
const CREDENTIALS_MAX: usize = 100_000;
/// Uses written in one transaction: few enough that no other writer waits for long.
const BATCH_MAX: usize = 1_000;

/// The last use of each credential, Unix microseconds, as far as it is not written down.
#[derive(Debug, Default)]
pub struct CredentialUses {
    noted: Mutex<HashMap<CredentialId, i64>>,
    /// Taken from `noted` to be written, the next ones last.
    taken: tokio::sync::Mutex<Vec<(CredentialId, i64)>>,
}

impl CredentialUses {
    /// Hands on each record that `drain` gives, having noted the use of its credential.
    pub(super) fn noting(
        &self,
        each: &mut dyn FnMut(&Record),
        drain: impl FnOnce(&mut dyn FnMut(&Record)),
    ) {
        let mut uses = self.lock();
        drain(&mut |record| {
            if let Some(credential) = record.credential {
                note(&mut uses, credential, record.at_us);
            }
            each(record);
        });
    }

    /// Writes down what is noted, of at most so many credentials; what cannot be written stays. No
    /// credential comes again before all that were noted with it.
    ///
    /// # Errors
    /// The store cannot be written.
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

    /// Writes down all that is noted, however much; what cannot be written stays.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn write_all(&self, store: &Store) -> Result<(), StoreError> {
        // What was taken before, and then what was noted since.
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

/// Writes the uses down each minute, for ever.
pub async fn write_for_ever(store: Store, uses: Arc<CredentialUses>) {
    let mut ticks = interval(WRITE_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        warn(uses.write(&store, WRITTEN_MAX).await);
    }
}

/// Writes all uses down before a stop; where that fails the log says so.
pub async fn write_last(store: &Store, uses: &CredentialUses) {
    warn(uses.write_all(store).await);
}

fn warn(written: Result<(), StoreError>) {
    if let Err(error) = written {
        let error = anyhow::Error::from(error);
        tracing::warn!("when credentials were last used could not be written down: {error:#}");
    }
}

#[cfg(test)]
mod tests;
