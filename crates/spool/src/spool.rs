//! [`Spool`]: takes calls in memory; a thread of its own writes them (`writer.rs`).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tollgate_model::record::Record;

use crate::block::CALLS_MAX;
use crate::call::Call;
use crate::damage::{Damage, ReadError};
use crate::gap::Gap;
use crate::queue::{Account, Collected, Shared, lock};
use crate::segment::{self, Named, Segment};
use crate::settings::Settings;
use crate::writer::Writer;

/// How long calls are collected into a block. With the drain of workers every 250 ms, a call is on
/// its way to the file within a second.
const COLLECTED: Duration = Duration::from_millis(500);
/// How long [`Spool::settle`] waits at most.
const SETTLE_TIME: Duration = Duration::from_secs(2);

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
    folder: PathBuf,
    epoch: u64,
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
        let place = settings.folder.clone();
        let begin = || {
            let writer = Writer::open(settings, Arc::clone(&shared))?;
            let epoch = writer.epoch();
            let thread = thread::Builder::new()
                .name("spool".to_owned())
                .spawn(|| writer.run())?;
            Ok((epoch, thread))
        };
        let (epoch, writer) = begin().map_err(|error| OpenError { folder, error })?;
        Ok(Self {
            shared,
            folder: place,
            epoch,
            writer: Mutex::new(Some(writer)),
        })
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The epoch of the calls that it takes.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Number of the next call that it takes.
    #[must_use]
    pub fn next(&self) -> u64 {
        lock(&self.shared.block).block.next()
    }

    /// Waits until the calls that were taken are in the file, or lost, but not for long; returns
    /// whether they are. Blocks the thread.
    pub fn settle(&self) -> bool {
        self.shared.settle(SETTLE_TIME)
    }

    /// Begins to take calls of a worker, given by the upper half of its request ids.
    pub fn recording(&self, worker: u64) -> Recording<'_> {
        Recording {
            shared: &self.shared,
            collected: lock(&self.shared.block),
            worker,
        }
    }

    /// Counts the calls that it has taken.
    #[must_use]
    pub fn account(&self) -> Account {
        self.shared.account()
    }

    /// Bytes of its segments. Reads the folder.
    ///
    /// # Errors
    /// The system's, if the folder cannot be read.
    pub fn bytes(&self) -> io::Result<u64> {
        let segments = segment::list(&self.folder)?;
        // One that is gone meanwhile has expired.
        let sizes = segments.iter().filter_map(|it| fs::metadata(&it.path).ok());
        Ok(sizes.map(|it| it.len()).sum())
    }

    /// When its oldest segment was begun, Unix microseconds; `None` if there is no segment. Reads
    /// the folder.
    ///
    /// # Errors
    /// Fails if the folder or that segment cannot be read.
    pub fn oldest_us(&self) -> Result<Option<i64>, ReadError> {
        let segments = segment::list(&self.folder)?;
        let oldest = segments.first().map(|it| Segment::open(&it.path));
        Ok(oldest.transpose()?.map(|it| it.header().created_us))
    }

    /// Reports that a segment could not be read. It is set aside within a second, and a gap then,
    /// unless its time has come meanwhile.
    pub fn report_damaged(&self, segment: &Named, damage: Damage) {
        lock(&self.shared.damaged).push((segment.sequence, damage));
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
    collected: MutexGuard<'s, Collected>,
    worker: u64,
}

impl Recording<'_> {
    /// Takes a call; returns its number in the epoch.
    pub fn push(&mut self, record: &Record) -> u64 {
        let collected = &mut *self.collected;
        let number = collected.block.next();
        if collected.block.calls.is_empty() {
            collected.since = Instant::now();
        }
        collected.block.calls.push(Call {
            worker: self.worker,
            record: *record,
        });
        if collected.block.calls.len() == CALLS_MAX {
            self.shared.seal(collected);
        }
        number
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        if self.collected.since.elapsed() >= COLLECTED {
            self.shared.seal(&mut self.collected);
        }
    }
}

#[cfg(test)]
mod tests;
