//! When keys were last used: noted from the records as they are drained, written to the store in
//! batches. Gateways need not hear of it, so it does not go over the feed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashbrown::HashMap;
use tokio::time::{MissedTickBehavior, interval};
use tollgate_model::id::ApiKeyId;
use tollgate_model::record::Record;
use tollgate_store::{Store, StoreError, api_keys};

/// How often uses are written down.
const WRITE_TIME: Duration = Duration::from_secs(60);
/// Keys that are remembered between two writes; of more, those that call again come with the next.
const KEYS_MAX: usize = 100_000;
/// Uses written in one transaction: few enough that no other writer waits for long.
const BATCH_MAX: usize = 1_000;

/// The last use of each key, Unix microseconds, as far as it is not written down.
#[derive(Debug, Default)]
pub struct KeyUses(Mutex<HashMap<ApiKeyId, i64>>);

impl KeyUses {
    /// Hands on each record that `drain` gives, having noted the use of its key.
    pub(super) fn noting(
        &self,
        each: &mut dyn FnMut(&Record),
        drain: impl FnOnce(&mut dyn FnMut(&Record)),
    ) {
        let mut uses = self.lock();
        drain(&mut |record| {
            if let Some(key) = record.key {
                note(&mut uses, key, record.at_us);
            }
            each(record);
        });
    }

    /// Writes down what is noted; what cannot be written stays noted.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn write(&self, store: &Store) -> Result<(), StoreError> {
        let uses: Vec<_> = self.lock().iter().map(|(&key, &us)| (key, us)).collect();
        for batch in uses.chunks(BATCH_MAX) {
            let mut tx = store.write().await?;
            api_keys::used(&mut tx, batch).await?;
            tx.commit().await?;
            let mut uses = self.lock();
            for (key, used_us) in batch {
                // Unless it was used again meanwhile.
                if uses.get(key) == Some(used_us) {
                    uses.remove(key);
                }
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ApiKeyId, i64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn note(uses: &mut HashMap<ApiKeyId, i64>, key: ApiKeyId, at_us: i64) {
    if let Some(last_us) = uses.get_mut(&key) {
        *last_us = at_us.max(*last_us);
    } else if uses.len() < KEYS_MAX {
        uses.insert(key, at_us);
    }
}

/// Writes the uses down each minute, for ever.
pub async fn write_for_ever(store: Store, uses: Arc<KeyUses>) {
    let mut ticks = interval(WRITE_TIME);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        write_or_warn(&store, &uses).await;
    }
}

/// Writes the uses down; where that fails the log says so.
pub async fn write_or_warn(store: &Store, uses: &KeyUses) {
    if let Err(error) = uses.write(store).await {
        let error = anyhow::Error::from(error);
        tracing::warn!("when keys were last used could not be written down: {error:#}");
    }
}

#[cfg(test)]
mod tests;
