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
/// Credentials that are remembered between two writes; of more, those that call again come with
/// the next.
const CREDENTIALS_MAX: usize = 100_000;
/// Uses written in one transaction: few enough that no other writer waits for long.
const BATCH_MAX: usize = 1_000;

/// The last use of each credential, Unix microseconds, as far as it is not written down.
#[derive(Debug, Default)]
pub struct CredentialUses(Mutex<HashMap<CredentialId, i64>>);

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

    /// Writes down what is noted; what cannot be written stays noted.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn write(&self, store: &Store) -> Result<(), StoreError> {
        let uses: Vec<_> = self.lock().iter().map(|(&id, &us)| (id, us)).collect();
        for batch in uses.chunks(BATCH_MAX) {
            let mut tx = store.write().await?;
            credentials::used(&mut tx, batch).await?;
            tx.commit().await?;
            let mut uses = self.lock();
            for (id, used_us) in batch {
                // Unless it was used again meanwhile.
                if uses.get(id) == Some(used_us) {
                    uses.remove(id);
                }
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CredentialId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        write_or_warn(&store, &uses).await;
    }
}

/// Writes the uses down; where that fails the log says so.
pub async fn write_or_warn(store: &Store, uses: &CredentialUses) {
    if let Err(error) = uses.write(store).await {
        let error = anyhow::Error::from(error);
        tracing::warn!("when credentials were last used could not be written down: {error:#}");
    }
}

#[cfg(test)]
mod tests;
