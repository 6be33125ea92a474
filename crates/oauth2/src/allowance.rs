//! Limits the number of opaque tokens per application: every gateway keeps each until its expiry,
//! so a client that requests tokens without end must not exhaust their memory.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tollgate_model::id::ApplicationId;
use tollgate_store::{StoreError, Tx, tokens};

/// How soon the tokens of an application at its limit are counted again.
const RECOUNT_US: i64 = 1_000_000;

/// The remaining tokens of applications, counted in the store from time to time.
pub(crate) struct Allowance {
    tokens_max: u64,
    left: Mutex<HashMap<ApplicationId, Left>>,
}

struct Left {
    tokens: u64,
    counted_us: i64,
}

impl Allowance {
    /// Allows `tokens_max` tokens for each application.
    pub(crate) fn new(tokens_max: u64) -> Self {
        let left = Mutex::default();
        Self { tokens_max, left }
    }

    /// Takes one token if one is left. Call it within the write of the token, so that no two take
    /// the last one; failed writes and expired or revoked tokens are corrected at the next count.
    pub(crate) async fn take(
        &self,
        tx: &mut Tx,
        application: ApplicationId,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        if let Some(is_taken) = self.take_counted(application, now_us) {
            return Ok(is_taken);
        }
        let live = tokens::live(tx, application, now_us).await?;
        let left = self.tokens_max.saturating_sub(live);
        let counted = Left {
            tokens: left.saturating_sub(1),
            counted_us: now_us,
        };
        self.left().insert(application, counted);
        Ok(left > 0)
    }

    /// Takes one by the last count; `None` if they have to be counted again.
    fn take_counted(&self, application: ApplicationId, now_us: i64) -> Option<bool> {
        let mut left = self.left();
        let left = left.get_mut(&application)?;
        if left.tokens > 0 {
            left.tokens -= 1;
            return Some(true);
        }
        let is_fresh = (0..RECOUNT_US).contains(&(now_us - left.counted_us));
        is_fresh.then_some(false)
    }

    /// Clears the counts. Call it once a minute.
    pub(crate) fn forget(&self) {
        self.left().clear();
    }

    fn left(&self) -> MutexGuard<'_, HashMap<ApplicationId, Left>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
