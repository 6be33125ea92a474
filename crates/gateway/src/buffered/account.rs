//! The account of one holder: what its bodies announce, what they hold, and those of them that can
//! give way.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hashbrown::HashMap;
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

use super::STEP_BYTES;
use super::announced::{Announced, UNIT_BYTES, units};
use super::watch::{Age, Body, Stage, Watch};

/// The part of the room for bodies of over [`STEP_BYTES`], in bytes.
pub(super) fn long_bytes(bytes_max: u64) -> u64 {
    // Whole units: a body of this length must not need more than there are.
    (bytes_max - bytes_max / 4) / UNIT_BYTES * UNIT_BYTES
}

#[derive(Debug)]
pub(super) struct Account {
    /// What short bodies, of up to [`STEP_BYTES`], may still announce.
    short: Semaphore,
    /// What longer ones may.
    long: Semaphore,
    long_bytes: u64,
    /// Bytes held by its bodies.
    held: AtomicU64,
    /// Those of them held by bodies that were asked to give way.
    leaving: AtomicU64,
    /// The same of all accounts.
    all_leaving: Arc<AtomicU64>,
    bodies: Mutex<Bodies>,
}

/// The bodies that can give way.
#[derive(Debug, Default)]
struct Bodies {
    next_id: u64,
    by_id: HashMap<u64, Body>,
}

impl Account {
    pub(super) fn new(bytes_max: u64, all_leaving: &Arc<AtomicU64>) -> Self {
        let long_bytes = long_bytes(bytes_max);
        let semaphore = |bytes: u64| {
            let units = usize::try_from(bytes / UNIT_BYTES).unwrap_or(usize::MAX);
            Semaphore::new(units.min(Semaphore::MAX_PERMITS))
        };
        Self {
            short: semaphore(bytes_max / 4),
            long: semaphore(long_bytes),
            long_bytes,
            held: AtomicU64::new(0),
            leaving: AtomicU64::new(0),
            all_leaving: Arc::clone(all_leaving),
            bodies: Mutex::default(),
        }
    }

    fn semaphore(&self, is_long: bool) -> &Semaphore {
        if is_long { &self.long } else { &self.short }
    }

    /// Announces a length if that fits; returns whether it does.
    pub(super) fn try_announce(&self, announced: &mut Announced, bytes: u64) -> bool {
        let Some(missing) = self.missing(*announced, bytes) else {
            return true;
        };
        let semaphore = self.semaphore(missing.is_long);
        let taken = semaphore.try_acquire_many(missing.units);
        let fits = taken.map(SemaphorePermit::forget).is_ok();
        if fits {
            self.add(announced, missing);
        }
        fits
    }

    /// Waits until a length can be announced.
    pub(super) async fn announce(&self, announced: &mut Announced, bytes: u64) {
        let Some(missing) = self.missing(*announced, bytes) else {
            return;
        };
        let semaphore = self.semaphore(missing.is_long);
        let taken = semaphore.acquire_many(missing.units).await;
        // It cannot fail: the semaphores are never closed.
        if taken.map(SemaphorePermit::forget).is_ok() {
            self.add(announced, missing);
        }
    }

    /// Returns what must be announced in addition for a body of this length, of which kind.
    fn missing(&self, announced: Announced, bytes: u64) -> Option<Announced> {
        let is_long = announced.is_long || bytes > STEP_BYTES;
        let has = if is_long == announced.is_long {
            announced.units
        } else {
            0
        };
        let units = units(bytes.min(self.long_bytes)).saturating_sub(has);
        (units > 0).then_some(Announced { is_long, units })
    }

    /// Adds what was announced. A body that turns out to be long no longer counts as a short one.
    fn add(&self, announced: &mut Announced, more: Announced) {
        if announced.is_long == more.is_long {
            announced.units += more.units;
        } else {
            self.withdraw(mem::replace(announced, more));
        }
    }

    /// Withdraws what exceeds a length.
    pub(super) fn shrink(&self, announced: &mut Announced, bytes: u64) {
        let extra = announced.units.saturating_sub(units(bytes));
        announced.units -= extra;
        self.withdraw(Announced {
            units: extra,
            ..*announced
        });
    }

    pub(super) fn withdraw(&self, announced: Announced) {
        if announced.units > 0 {
            let semaphore = self.semaphore(announced.is_long);
            semaphore.add_permits(announced.units as usize);
        }
    }

    /// Asks stale bodies to give way until a length can be announced once they have left. Returns
    /// whether there will be enough.
    pub(super) fn ask_stale(&self, announced: Announced, bytes: u64) -> bool {
        let Some(missing) = self.missing(announced, bytes) else {
            return true;
        };
        let available = self.semaphore(missing.is_long).available_permits();
        let mut missing_units = (missing.units as usize).saturating_sub(available) as u64;
        let mut bodies = self.bodies();
        let is_alike = |body: &Body| body.announced.is_long == missing.is_long;
        let leaving = bodies.by_id.values();
        let leaving = leaving.filter(|body| body.leaving.is_some() && is_alike(body));
        let leaving: u64 = leaving.map(|body| u64::from(body.announced.units)).sum();
        missing_units = missing_units.saturating_sub(leaving);
        while missing_units > 0 {
            let Some(body) = bodies.next_to_leave(Age::Stale, is_alike) else {
                return false;
            };
            self.add_leaving(body.ask());
            missing_units = missing_units.saturating_sub(u64::from(body.announced.units));
        }
        true
    }

    pub(super) fn hold(&self, bytes: u64) {
        self.held.fetch_add(bytes, Ordering::AcqRel);
    }

    pub(super) fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Returns the bytes held by bodies that were not asked to give way.
    pub(super) fn stays(&self) -> u64 {
        let held = self.held.load(Ordering::Acquire);
        held.saturating_sub(self.leaving.load(Ordering::Acquire))
    }

    /// Asks the body that is next to give way; returns whether there is one.
    pub(super) fn ask_next(&self, age: Age) -> bool {
        let mut bodies = self.bodies();
        let next = bodies.next_to_leave(age, |body| body.held > 0);
        let asked = next.map(Body::ask);
        self.add_leaving(asked.unwrap_or_default());
        asked.is_some()
    }

    /// Adds to what leaves, while the bodies are locked: the asked one could be gone otherwise.
    fn add_leaving(&self, bytes: u64) {
        self.leaving.fetch_add(bytes, Ordering::AcqRel);
        self.all_leaving.fetch_add(bytes, Ordering::AcqRel);
    }

    fn bodies(&self) -> MutexGuard<'_, Bodies> {
        self.bodies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a body to those that can give way.
    pub(super) fn watch(&self, stage: Stage, announced: Announced, held: u64) -> Watch {
        let asked = Arc::new(Notify::new());
        let mut bodies = self.bodies();
        let id = bodies.next_id;
        bodies.next_id += 1;
        bodies.by_id.insert(
            id,
            Body {
                stage,
                stepped: Instant::now(),
                was_slow: false,
                announced,
                held,
                leaving: None,
                asked: Arc::clone(&asked),
            },
        );
        Watch { id, asked }
    }

    /// Notes that a body took another step.
    pub(super) fn step(&self, watch: &Watch, announced: Announced, held: u64) {
        if let Some(body) = self.bodies().by_id.get_mut(&watch.id) {
            body.step(Instant::now());
            (body.announced, body.held) = (announced, held);
        }
    }

    /// Removes a body from those that can give way.
    pub(super) fn unwatch(&self, watch: &Watch) {
        let body = self.bodies().by_id.remove(&watch.id);
        if let Some(left) = body.and_then(|body| body.leaving) {
            self.leaving.fetch_sub(left, Ordering::AcqRel);
            self.all_leaving.fetch_sub(left, Ordering::AcqRel);
        }
    }
}

impl Bodies {
    fn next_to_leave(&mut self, age: Age, may_leave: impl Fn(&Body) -> bool) -> Option<&mut Body> {
        let now = Instant::now();
        let bodies = self.by_id.values_mut();
        let bodies = bodies.filter(|body| body.leaving.is_none() && may_leave(body));
        let bodies = bodies.filter(|body| age == Age::Any || body.is_stale(now));
        bodies.min_by_key(|body| body.rank(now))
    }
}
