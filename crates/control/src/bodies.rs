//! Bounds the memory of request bodies over all connections and imports: [`Bodies`].
//!
//! `serve/bodies.rs` counts the bytes of a request's body as they are buffered, `fetching.rs` those
//! of a fetched document. A body counts until its request is answered, because its handler may keep
//! it that long. `Content-Length` reserves nothing: a client that announces a body and does not
//! send it uses no memory.
//!
//! If all bodies together exceed the bound, the slowest one that is still being read is dropped,
//! those of callers who are not signed in first. Signed-in callers together may use seven eighths
//! of the memory, so that some is left for sign-ins and tokens. A complete body is never dropped,
//! since its handler may have acted; if complete bodies use all the memory, the newest body is
//! dropped.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

/// Time after which a body's speed is measured: short bodies are complete by then.
const JUDGED_AFTER: Duration = Duration::from_secs(1);
/// Time after a log line in which further dropped bodies are only counted.
const QUIET: Duration = Duration::from_secs(60);

/// The body was dropped, because all bodies together exceed the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many bodies are being read")]
pub(crate) struct NoRoom;

/// Readers of bodies, including the key manager, detect a dropped body by this kind.
impl From<NoRoom> for io::Error {
    fn from(no_room: NoRoom) -> Self {
        Self::new(io::ErrorKind::QuotaExceeded, no_room)
    }
}

/// The bodies of all connections and imports.
#[derive(Debug)]
pub(crate) struct Bodies {
    bytes_max: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    next: u64,
    /// Sum over all bodies.
    bytes: usize,
    /// Sum over the bodies of signed-in callers.
    known_bytes: usize,
    bodies: HashMap<u64, Row>,
    dropped: u64,
    /// Dropped bodies since the last log line.
    unlogged: u64,
    logged: Option<Instant>,
}

#[derive(Debug)]
struct Row {
    bytes: usize,
    since: Instant,
    stage: Stage,
    /// Whether the caller is signed in.
    is_known: bool,
    /// The task that waits for more of the body.
    waker: Option<Waker>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Reading,
    Whole,
    Dropped,
}

/// Usage of [`Bodies`], for operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holding {
    pub(crate) bytes: usize,
    pub(crate) bytes_max: usize,
    pub(crate) dropped: u64,
}

/// The body of a request, or a fetched document, which counts until this is dropped.
#[derive(Debug)]
pub(crate) struct Reading {
    id: u64,
    bodies: Arc<Bodies>,
}

impl Bodies {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self {
            bytes_max,
            held: Mutex::default(),
        }
    }

    /// Registers a body to be read, of a caller who is not signed in.
    pub(crate) fn begin(self: &Arc<Self>) -> Reading {
        let mut held = self.held();
        held.next += 1;
        let id = held.next;
        let row = Row {
            bytes: 0,
            since: Instant::now(),
            stage: Stage::Reading,
            is_known: false,
            waker: None,
        };
        held.bodies.insert(id, row);
        Reading {
            id,
            bodies: Arc::clone(self),
        }
    }

    /// Returns the current usage, and the number of bodies dropped since the process started.
    pub(crate) fn holding(&self) -> Holding {
        let held = self.held();
        Holding {
            bytes: held.bytes,
            bytes_max: self.bytes_max,
            dropped: held.dropped,
        }
    }

    /// Maximum bytes for bodies of signed-in callers: an eighth is reserved for sign-ins and
    /// tokens.
    fn known_bytes_max(&self) -> usize {
        self.bytes_max - self.bytes_max / 8
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Each change is complete, so the data is consistent after a panic in another thread.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reading {
    /// Marks the caller as signed in: its body is dropped after those of anonymous callers.
    pub(crate) fn mark_known(&self) {
        let mut held = self.bodies.held();
        if let Some(row) = held.bodies.get_mut(&self.id)
            && !std::mem::replace(&mut row.is_known, true)
        {
            let bytes = row.bytes;
            held.known_bytes += bytes;
        }
    }

    /// Counts bytes that are about to be buffered, and drops slower bodies if they exceed the
    /// bound.
    ///
    /// # Errors
    /// Fails if this body was dropped, now or before.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), NoRoom> {
        let mut held = self.bodies.held();
        held.count(self.id, bytes)?;
        let now = Instant::now();
        while held.known_bytes > self.bodies.known_bytes_max() {
            let slowest = held.slowest(now, |row| row.is_known);
            held.drop_body(slowest.unwrap_or(self.id));
        }
        while held.bytes > self.bodies.bytes_max {
            let slowest = held.slowest(now, |_| true).unwrap_or(self.id);
            held.drop_body(slowest);
        }
        held.log(self.bodies.bytes_max);
        held.check(self.id)
    }

    /// Registers `waker` to be woken when the body is dropped.
    ///
    /// # Errors
    /// Fails if the body was dropped before.
    pub(crate) fn watch(&self, waker: &Waker) -> Result<(), NoRoom> {
        let mut held = self.bodies.held();
        if let Some(row) = held.bodies.get_mut(&self.id) {
            row.waker = Some(waker.clone());
        }
        held.check(self.id)
    }

    /// Waits until the body is dropped.
    pub(crate) async fn dropped(&self) {
        poll_fn(|context| match self.watch(context.waker()) {
            Ok(()) => Poll::Pending,
            Err(NoRoom) => Poll::Ready(()),
        })
        .await;
    }

    /// Marks the body as complete: it is no longer dropped.
    pub(crate) fn complete(&self) {
        self.change(|row| {
            if row.stage == Stage::Reading {
                row.stage = Stage::Whole;
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.bodies.held().bodies.get_mut(&self.id) {
            change(row);
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let mut held = self.bodies.held();
        if let Some(row) = held.bodies.remove(&self.id) {
            held.release(row.bytes, row.is_known);
        }
    }
}

impl Held {
    fn count(&mut self, id: u64, bytes: usize) -> Result<(), NoRoom> {
        self.check(id)?;
        if let Some(row) = self.bodies.get_mut(&id) {
            row.bytes += bytes;
            self.bytes += bytes;
            self.known_bytes += if row.is_known { bytes } else { 0 };
        }
        Ok(())
    }

    fn release(&mut self, bytes: usize, is_known: bool) {
        self.bytes -= bytes;
        self.known_bytes -= if is_known { bytes } else { 0 };
    }

    fn check(&self, id: u64) -> Result<(), NoRoom> {
        let row = self.bodies.get(&id);
        match row.is_some_and(|row| row.stage != Stage::Dropped) {
            true => Ok(()),
            false => Err(NoRoom),
        }
    }

    /// Returns the body to drop next: those of anonymous callers first, then the one with the
    /// fewest bytes per second; of bodies too new to have a speed, the oldest.
    fn slowest(&self, now: Instant, is_meant: impl Fn(&Row) -> bool) -> Option<u64> {
        let rows = self.bodies.iter().filter(|(_, row)| is_meant(row));
        let candidates = rows.filter(|(_, row)| row.stage == Stage::Reading && row.bytes > 0);
        let slowest = candidates.min_by_key(|(_, row)| {
            let age = now.duration_since(row.since);
            let speed = (age >= JUDGED_AFTER).then(|| row.bytes as u128 * 1_000 / age.as_millis());
            (row.is_known, speed.unwrap_or(u128::MAX), Reverse(age))
        });
        slowest.map(|(id, _)| *id)
    }

    fn drop_body(&mut self, id: u64) {
        let Some(row) = self.bodies.get_mut(&id) else {
            return;
        };
        row.stage = Stage::Dropped;
        let (bytes, is_known) = (std::mem::take(&mut row.bytes), row.is_known);
        self.dropped += 1;
        self.unlogged += 1;
        if let Some(waker) = row.waker.take() {
            waker.wake();
        }
        self.release(bytes, is_known);
    }

    /// Logs the number of dropped bodies, at most once a minute.
    fn log(&mut self, bytes_max: usize) {
        let is_quiet = self.logged.is_some_and(|at| at.elapsed() < QUIET);
        if self.unlogged == 0 || is_quiet {
            return;
        }
        let count = std::mem::take(&mut self.unlogged);
        self.logged = Some(Instant::now());
        tracing::warn!(
            count,
            "bodies being read exceeded control.bodies_bytes_max ({bytes_max} bytes): dropped the \
             {count} slowest"
        );
    }
}

#[cfg(test)]
mod tests;
