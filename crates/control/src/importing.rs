//! Admission of imports: [`Importing`] bounds the memory of documents that are parsed at a time,
//! and runs the parsers on threads of their own.
//!
//! An import reserves the most memory that its document can take before the document is parsed, in
//! the order of arrival. So do the examples of a document for a draft, and a comparison of two
//! documents; a comparison that needs more than it has reserved is refused. Nothing is reserved
//! while another server is slow. A body that waits counts among the bodies in memory (`bodies.rs`).
//! The threads have a lower priority than those that answer requests, so no request waits for a
//! parser. There are few of them, because the allocator keeps a thread's memory for its next use.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use axum::http::{StatusCode, header};
use rustix::process::setpriority_process;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, timeout};

use crate::error::Problem;

/// Bytes per permit.
const UNIT_BYTES: usize = 1 << 20;
/// Maximum units of all imports that are parsed at a time.
const UNITS_MAX: u32 = 256;
/// The same in bytes.
pub(crate) const BYTES_MAX: usize = UNITS_MAX as usize * UNIT_BYTES;
/// Maximum number of imports that wait for memory at a time.
const WAITING_MAX: usize = 64;
/// Maximum time that an import waits for memory, over all its reservations.
const WAIT_MAX: Duration = Duration::from_secs(30);
/// Number of threads that parse.
const THREADS: usize = 2;
/// Niceness of the import threads; the control plane's runtime has a smaller one (a higher
/// priority).
const NICENESS: i32 = 10;

type Work = Box<dyn FnOnce() + Send>;

/// The memory and the threads of imports.
#[derive(Debug)]
pub(crate) struct Importing {
    memory: Arc<Semaphore>,
    waiting: Semaphore,
    wait_max: Duration,
    /// Starts with the first import.
    threads: OnceLock<mpsc::SyncSender<Work>>,
}

/// The admission of one import, which may reserve memory several times.
#[derive(Debug)]
pub(crate) struct Admission<'i> {
    importing: &'i Importing,
    /// Time that it may still wait.
    wait_left: Duration,
}

/// The memory that an import may take until this is dropped.
#[derive(Debug)]
pub(crate) struct Reservation(OwnedSemaphorePermit);

impl Reservation {
    /// Returns the reserved bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.0.num_permits() * UNIT_BYTES
    }

    /// Frees all but `bytes` of the memory.
    pub(crate) fn shrink(mut self, bytes: usize) -> Self {
        let excess = self.0.num_permits().saturating_sub(units(bytes) as usize);
        drop(self.0.split(excess));
        self
    }
}

impl Default for Importing {
    fn default() -> Self {
        Self::with_wait(WAIT_MAX)
    }
}

impl Importing {
    fn with_wait(wait_max: Duration) -> Self {
        Self {
            memory: Arc::new(Semaphore::new(UNITS_MAX as usize)),
            waiting: Semaphore::new(WAITING_MAX),
            wait_max,
            threads: OnceLock::new(),
        }
    }

    /// Begins the admission of an import.
    pub(crate) const fn admission(&self) -> Admission<'_> {
        Admission {
            importing: self,
            wait_left: self.wait_max,
        }
    }

    fn threads(&self) -> io::Result<&mpsc::SyncSender<Work>> {
        if let Some(threads) = self.threads.get() {
            return Ok(threads);
        }
        let started = start_threads()?;
        Ok(self.threads.get_or_init(|| started))
    }
}

impl Admission<'_> {
    /// Rejects further reservations unless the memory is free at once: a database write must not
    /// wait for imports.
    #[must_use]
    pub(crate) const fn without_wait(self) -> Self {
        Self {
            wait_left: Duration::ZERO,
            ..self
        }
    }

    /// Waits until `bytes` of memory are free, [`BYTES_MAX`] at most, and reserves them. An import
    /// must not reserve more while it holds a reservation, which could wait forever.
    ///
    /// # Errors
    /// 503 `documents.full` if too many wait, or the waits of the import take too long together.
    pub(crate) async fn reserve(&mut self, bytes: usize) -> Result<Reservation, Problem> {
        let full = || {
            let detail = "too many documents are being read; try again later";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "documents.full", detail)
                .with(header::RETRY_AFTER, 5)
        };
        let Importing {
            memory, waiting, ..
        } = self.importing;
        let _waiting = waiting.try_acquire().map_err(|_| full())?;
        let acquiring = Arc::clone(memory).acquire_many_owned(units(bytes));
        let started = Instant::now();
        let acquired = timeout(self.wait_left, acquiring).await;
        self.wait_left = self.wait_left.saturating_sub(started.elapsed());
        let permit = acquired.map_err(|_| full())?;
        Ok(Reservation(
            permit.map_err(|error| Problem::internal(&error))?,
        ))
    }

    /// Runs work on a thread for imports. The reservation is held until the work has ended, even if
    /// the client disconnects; work that has not begun by then is dropped.
    ///
    /// # Errors
    /// 500 if the work panics, or no thread can be started.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        reservation: Reservation,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(T, Reservation), Problem> {
        let (done, result) = oneshot::channel();
        let task = Box::new(move || {
            if !done.is_closed() {
                // The request may be gone by now: then the result is dropped here.
                drop(done.send((work(), reservation)));
            }
        });
        let threads = self.importing.threads();
        let threads = threads.map_err(|error| Problem::internal(&error))?;
        threads
            .send(task)
            .map_err(|error| Problem::internal(&error))?;
        result.await.map_err(|error| Problem::internal(&error))
    }
}

/// Returns the units of so many bytes, of which an import reserves at least one.
fn units(bytes: usize) -> u32 {
    let units = u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(UNITS_MAX);
    units.clamp(1, UNITS_MAX)
}

/// Starts the threads, which end when the sender is dropped.
fn start_threads() -> io::Result<mpsc::SyncSender<Work>> {
    // At most one piece of work per reservation is queued, so sending never blocks.
    let (sender, receiver) = mpsc::sync_channel::<Work>(UNITS_MAX as usize);
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..THREADS {
        let receiver = Arc::clone(&receiver);
        let run = move || {
            // On Linux this is the calling thread's niceness, not the whole process's.
            let _ = setpriority_process(None, NICENESS);
            loop {
                let next = receiver
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .recv();
                let Ok(work) = next else { return };
                // The waiting request sees its end of the channel dropped.
                drop(catch_unwind(AssertUnwindSafe(work)));
            }
        };
        thread::Builder::new()
            .name("import".to_owned())
            .spawn(run)?;
    }
    Ok(sender)
}

#[cfg(test)]
mod tests;
