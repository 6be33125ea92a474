//! [`Spool`]: takes calls in memory; a thread of its own writes them (`writer.rs`).

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tollgate_model::record::Record;

use crate::block::CALLS_MAX;
use crate::call::Call;
use crate::gap::Gap;
use crate::queue::{Collected, Shared, lock};
use crate::settings::Settings;
use crate::writer::Writer;

/// How long calls are collected into a block. With the drain of workers every 250 ms, a call is on
/// its way to the file within a second.
const COLLECTED: Duration = Duration::from_millis(500);

/// Why the spool cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the spool {folder} cannot be used: {error}")]
pub struct OpenError {
    /// Its folder.
    pub folder: String,
    /// The system's error.
    pub error: io::Error,
}

/// The spool of a process, open for writing.
#[derive(Debug)]
pub struct Spool {
    shared: Arc<Shared>,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl Spool {
    /// Opens or creates the spool in a folder. Segments that cannot be read are set aside under
    /// names ending in `.damaged`; each is logged, and a gap.
    ///
    /// # Errors
    /// [`OpenError`] if the folder cannot be created, read or written.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        let folder = settings.folder.display().to_string();
        let shared = Arc::new(Shared::default());
        let begin = || {
            let writer = Writer::open(settings, Arc::clone(&shared))?;
            thread::Builder::new()
                .name("spool".to_owned())
                .spawn(|| writer.run())
        };
        let writer = begin().map_err(|error| OpenError { folder, error })?;
        Ok(Self {
            shared,
            writer: Mutex::new(Some(writer)),
        })
    }

    /// Begins to take calls of a worker, given by the upper half of its request ids.
    pub fn recording(&self, worker: u64) -> Recording<'_> {
        Recording {
            shared: &self.shared,
            block: lock(&self.shared.block),
            worker,
        }
    }

    /// Takes the gaps that were found since the last call.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        std::mem::take(&mut *lock(&self.shared.gaps))
    }

    /// Writes everything that was taken. Later calls are lost.
    pub fn close(&self) {
        self.shared.close();
        let writer = lock(&self.writer).take();
        if writer.is_some_and(|writer| writer.join().is_err()) {
            tracing::error!("the thread of the spool panicked");
        }
    }
}

/// Takes calls of a worker while it lives.
#[derive(Debug)]
pub struct Recording<'s> {
    shared: &'s Shared,
    block: MutexGuard<'s, Collected>,
    worker: u64,
}

impl Recording<'_> {
    /// Takes a call.
    pub fn push(&mut self, record: &Record) {
        if self.block.calls.is_empty() {
            self.block.since = Instant::now();
        }
        self.block.calls.push(Call {
            worker: self.worker,
            record: *record,
        });
        if self.block.calls.len() == CALLS_MAX {
            self.shared.seal(&mut self.block);
        }
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if self.block.since.elapsed() >= COLLECTED {
            self.shared.seal(&mut self.block);
        }
    }
}

#[cfg(test)]
mod tests;
