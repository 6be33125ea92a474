//! Bounded password hashing: each hash needs 19 MiB and tens of milliseconds (`tokens::password`),
//! so hashes run one after the other and only a few requests may wait.
//!
//! They run on one thread of their own, not on the blocking pool: the allocator keeps a thread's
//! memory for its next use, so 19 MiB are kept once and not for every thread of the pool.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;

use axum::http::{StatusCode, header};
use tokio::sync::{Semaphore, oneshot};
use tollgate_tokens::password;

use crate::error::Problem;
use crate::random;

/// Maximum number of requests that wait for a hash at a time.
const WAITING_MAX: usize = 64;

/// Used as the hash of a user who does not exist, at the same cost; no password matches it.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$\
    dG9sbGdhdGUgbm9ib2R5IQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

type Work = Box<dyn FnOnce() + Send>;

/// The thread that hashes passwords, and the requests that wait for it.
#[derive(Debug)]
pub(crate) struct Passwords {
    thread: mpsc::SyncSender<Work>,
    waiting: Semaphore,
}

impl Default for Passwords {
    fn default() -> Self {
        let (thread, work) = mpsc::sync_channel::<Work>(WAITING_MAX);
        // Ends with the last sender. `waiting` admits no more than the channel holds, so no send
        // blocks.
        thread::spawn(move || {
            for work in work {
                // The waiting request sees its end of the channel dropped.
                drop(catch_unwind(AssertUnwindSafe(work)));
            }
        });
        Self {
            thread,
            waiting: Semaphore::new(WAITING_MAX),
        }
    }
}

impl Passwords {
    /// Returns whether the password matches `phc`; without one it takes the same time and does not.
    ///
    /// # Errors
    /// 503 `session.busy` if too many requests wait.
    pub(crate) async fn verify(
        &self,
        password: String,
        phc: Option<String>,
    ) -> Result<bool, Problem> {
        self.run(move || password::verify(&password, phc.as_deref().unwrap_or(NOBODY)))
            .await
    }

    /// Returns the PHC string of a password.
    ///
    /// # Errors
    /// 503 `session.busy` if too many requests wait; 500 without randomness.
    pub(crate) async fn hash(&self, password: String) -> Result<String, Problem> {
        let salt = random::bytes()?;
        self.run(move || password::hash(&password, salt)).await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || {
            let detail = "too many passwords are being checked; try again later";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "session.busy", detail)
                .with(header::RETRY_AFTER, 1)
        };
        let _waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let (done, result) = oneshot::channel();
        // Whether or not a request still waits for the result.
        let work = Box::new(move || drop(done.send(work())));
        self.thread
            .send(work)
            .map_err(|error| Problem::internal(&error))?;
        result.await.map_err(|error| Problem::internal(&error))
    }
}

#[cfg(test)]
mod tests;
