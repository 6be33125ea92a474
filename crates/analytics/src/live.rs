//! Calls as they happen: each watcher gets those that pass its filter, up to a number a second; of
//! all others it learns how many there were.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tollgate_model::id::UserId;
use tollgate_model::record::Record;
use tollgate_spool::Call;

use crate::accepted::Accepted;
use crate::query::Filter;

/// Most watchers at a time.
pub const WATCHERS_MAX: usize = 20;
/// Most watchers of one user.
pub const WATCHERS_OF_USER_MAX: usize = 10;
/// Most calls that a watcher gets in a second.
pub const WATCHED_A_SECOND: usize = 50;
const SECOND: Duration = Duration::from_secs(1);

/// The watchers of a process.
#[derive(Debug, Default)]
pub(crate) struct Watchers(Mutex<Vec<Arc<Watched>>>);

/// What a watcher has not read yet.
#[derive(Debug)]
struct Watched {
    by: UserId,
    waiting: Mutex<Waiting>,
    is_ready: Notify,
}

#[derive(Debug)]
struct Waiting {
    accepted: Accepted,
    calls: Vec<Call>,
    surplus: u64,
    /// When the present second began, and how many calls the watcher got in it.
    since: Instant,
    in_second: usize,
}

/// Watches calls until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    watched: Arc<Watched>,
    all: Arc<Watchers>,
}

/// Calls that a watcher sees, in the order in which they ended as far as that is known: workers are
/// read one after the other.
#[derive(Debug, Default)]
pub struct Seen {
    /// The calls.
    pub calls: Vec<Call>,
    /// Calls besides these that passed the filter.
    pub surplus: u64,
}

impl Watchers {
    /// Adds a watcher of the calls that pass a filter; `None` if there are too many, or too many of
    /// the user.
    pub(crate) fn add(self: &Arc<Self>, filter: &Filter, by: UserId) -> Option<Watcher> {
        let accepted = Accepted::new(filter);
        let mut all = lock(&self.0);
        let own = all.iter().filter(|it| it.by == by).count();
        if all.len() >= WATCHERS_MAX || own >= WATCHERS_OF_USER_MAX {
            return None;
        }
        let waiting = Waiting {
            accepted,
            calls: Vec::new(),
            surplus: 0,
            since: Instant::now(),
            in_second: 0,
        };
        let watched = Arc::new(Watched {
            by,
            waiting: Mutex::new(waiting),
            is_ready: Notify::new(),
        });
        all.push(Arc::clone(&watched));
        Some(Watcher {
            watched,
            all: Arc::clone(self),
        })
    }

    /// Shows calls of a worker to every watcher; `calls` passes each to what it is given.
    pub(crate) fn show(&self, worker: u64, calls: impl FnOnce(&mut dyn FnMut(&Record))) {
        let all = lock(&self.0);
        let mut waiting: Vec<_> = all.iter().map(|it| lock(&it.waiting)).collect();
        let now = Instant::now();
        calls(&mut |record| {
            for waiting in &mut waiting {
                waiting.add(worker, record, now);
            }
        });
        for (watched, waiting) in all.iter().zip(waiting) {
            if waiting.has_some() {
                watched.is_ready.notify_one();
            }
        }
    }
}

impl Waiting {
    fn add(&mut self, worker: u64, record: &Record, now: Instant) {
        if !self.accepted.passes(|dimension| dimension.of(record)) {
            return;
        }
        if now.duration_since(self.since) >= SECOND {
            (self.since, self.in_second) = (now, 0);
        }
        if self.in_second < WATCHED_A_SECOND && self.calls.len() < WATCHED_A_SECOND {
            self.in_second += 1;
            self.calls.push(Call::of(worker, record));
        } else {
            self.surplus += 1;
        }
    }

    fn has_some(&self) -> bool {
        !self.calls.is_empty() || self.surplus > 0
    }

    fn take(&mut self) -> Option<Seen> {
        self.has_some().then(|| {
            let mut calls = mem::take(&mut self.calls);
            calls.sort_by_key(|call| call.record.at_us + i64::from(call.record.total_us));
            Seen {
                calls,
                surplus: mem::take(&mut self.surplus),
            }
        })
    }
}

impl Watcher {
    /// Waits for calls. Those that come while nobody waits are kept as long as they are few.
    pub async fn next(&self) -> Seen {
        loop {
            if let Some(seen) = lock(&self.watched.waiting).take() {
                return seen;
            }
            self.watched.is_ready.notified().await;
        }
    }

    /// Watches the calls that pass another filter, also of those that were not read yet; the
    /// surplus is that of the filter before until it is read.
    pub fn watch(&self, filter: &Filter) {
        let accepted = Accepted::new(filter);
        let mut waiting = lock(&self.watched.waiting);
        let passes = |call: &Call| accepted.passes(|dimension| dimension.of(&call.record));
        waiting.calls.retain(passes);
        waiting.accepted = accepted;
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut all = lock(&self.all.0);
        all.retain(|it| !Arc::ptr_eq(it, &self.watched));
    }
}

/// A poisoned lock is safe to use: a call too many or too few is shown at most.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
