//! Hashing passwords without letting it take the machine: each hash needs 19 MiB and tens of
//! milliseconds (`tokens::password`), so few run at a time and few more may wait.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use tokio::sync::Semaphore;
use tollgate_tokens::password;

use crate::error::Problem;
use crate::state::random;

/// Hashes under way at a time.
const RUNNING_MAX: usize = 2;
/// Requests that may hold or await a hash at a time.
const WAITING_MAX: usize = 64;

/// No password fits it: it stands in for the hash of a user who does not exist, at the same cost.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$\
    dG9sbGdhdGUgbm9ib2R5IQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Where passwords are hashed.
#[derive(Debug)]
pub(crate) struct Passwords {
    running: Arc<Semaphore>,
    waiting: Semaphore,
}

impl Default for Passwords {
    fn default() -> Self {
        Self {
            running: Arc::new(Semaphore::new(RUNNING_MAX)),
            waiting: Semaphore::new(WAITING_MAX),
        }
    }
}

impl Passwords {
    /// Whether the password is the one of `phc`; without one it takes as long, and is not.
    ///
    /// # Errors
    /// 503 `session.busy` when too many wait.
    pub(crate) async fn verify(
        &self,
        password: String,
        phc: Option<String>,
    ) -> Result<bool, Problem> {
        self.run(move || password::verify(&password, phc.as_deref().unwrap_or(NOBODY)))
            .await
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// 503 `session.busy` when too many wait; 500 without randomness.
    pub(crate) async fn hash(&self, password: String) -> Result<String, Problem> {
        let salt = random()?;
        self.run(move || password::hash(&password, salt)).await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || {
            let detail = "too many passwords are being checked; try again";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "session.busy", detail)
                .with(header::RETRY_AFTER, 1)
        };
        let _waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let turn = Arc::clone(&self.running).acquire_owned().await;
        let turn = turn.map_err(|error| Problem::internal(&error))?;
        let work = tokio::task::spawn_blocking(move || {
            let result = work();
            // Held until the work is done, whether or not anyone still waits for it.
            drop(turn);
            result
        });
        work.await.map_err(|error| Problem::internal(&error))
    }
}

#[cfg(test)]
mod tests;
