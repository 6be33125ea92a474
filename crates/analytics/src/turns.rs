//! Who reads at the same time: a few users, each for one query, and the control plane for itself.

use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::HashMap;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};
use tollgate_model::id::UserId;

/// Users who read cubes at the same time.
pub(crate) const CUBE_USERS_MAX: usize = 3;
/// Users who read single calls at the same time.
pub(crate) const SCAN_USERS_MAX: usize = 2;

/// The turns of those who read.
pub(crate) struct Turns {
    users: Arc<Semaphore>,
    /// The turn of each user who reads or waits, and that of the control plane.
    queues: Mutex<HashMap<Option<UserId>, Arc<Turn<()>>>>,
}

/// A turn; ends when it is dropped.
pub(crate) struct Held {
    _turn: OwnedMutexGuard<()>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// Creates those of so many users at a time.
    pub(crate) fn of(users: usize) -> Self {
        Self {
            users: Arc::new(Semaphore::new(users)),
            queues: Mutex::default(),
        }
    }

    /// Waits for a turn of a user, or of the control plane itself.
    pub(crate) async fn begin(&self, by: Option<UserId>) -> Held {
        let queue = {
            let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
            queues.retain(|_, queue| Arc::strong_count(queue) > 1);
            Arc::clone(queues.entry(by).or_default())
        };
        let turn = queue.lock_owned().await;
        let users = Arc::clone(&self.users);
        let permit = match by {
            Some(_) => users.acquire_owned().await.ok(),
            None => None,
        };
        Held {
            _turn: turn,
            _permit: permit,
        }
    }
}
