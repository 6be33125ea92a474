//! The access log: one line for each call, built from its record and its texts, and written by a
//! thread of its own. Calls never wait for it: lines that find no room are dropped and counted.
//!
//! [`WorkerLines`] joins the records and texts of a worker and formats the lines that the filter
//! selects; `queue` takes them to the thread in `writer`, which appends them to a `file`.

mod escape;
mod field;
mod file;
mod filter;
mod format;
mod lines;
mod names;
mod queue;
mod secrets;
mod texts;
mod time;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use field::{FIELDS, Field};
pub use file::OpenError;
pub use filter::{Filter, StatusRanges};
pub use format::{Format, Template, TemplateError};
pub use lines::WorkerLines;
pub use names::{LineNames, Naming};

use file::Destination;
use lines::LineSettings;
use queue::Queue;
use writer::Writer;

/// What is written, and to which file.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The file, or `-` for standard output.
    pub path: PathBuf,
    /// The format of lines.
    pub format: Format,
    /// The calls that get a line.
    pub filter: Filter,
    /// Size from which the file is rotated, bytes.
    pub rotate_bytes: u64,
    /// Number of rotated files that are kept.
    pub keep: u32,
}

/// The access log of a process. Clones share it.
#[derive(Debug, Clone)]
pub struct AccessLog {
    path: PathBuf,
    queue: Arc<Queue>,
    settings: Arc<LineSettings>,
}

/// The condition of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The file, or `-` for standard output.
    pub path: PathBuf,
    /// Lines that were dropped since the start.
    pub dropped_lines: u64,
    /// Lines without texts, because those of their calls were lost.
    pub lost_texts: u64,
    /// Bytes that wait to be written.
    pub waiting_bytes: usize,
    /// How long the oldest of them have waited.
    pub lag: Duration,
    /// Why lines cannot be written, while they cannot.
    pub problem: Option<String>,
}

impl AccessLog {
    /// Opens the file and starts the thread that writes it.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, with one sentence, or if there can be no thread.
    pub fn open(settings: Settings) -> Result<Self, OpenError> {
        let Settings {
            path,
            format,
            filter,
            rotate_bytes,
            keep,
        } = settings;
        let destination = Destination::open(&path, rotate_bytes, keep)?;
        let queue = Arc::<Queue>::default();
        Writer::start(destination, Arc::clone(&queue)).map_err(OpenError::Thread)?;
        Ok(Self {
            path,
            queue,
            settings: Arc::new(LineSettings { format, filter }),
        })
    }

    /// Returns the writer of the lines of a worker, given by the upper half of its request ids.
    #[must_use]
    pub fn of_worker(&self, worker: u64, naming: Arc<dyn Naming>) -> WorkerLines {
        WorkerLines::new(
            worker,
            naming,
            Arc::clone(&self.settings),
            Arc::clone(&self.queue),
        )
    }

    /// Whether lines go to standard output.
    #[must_use]
    pub fn is_standard_output(&self) -> bool {
        file::is_standard_output(&self.path)
    }

    /// Opens the file again, for example because it was renamed. If that fails, the open file is
    /// kept.
    pub fn reopen(&self) {
        self.queue.reopen();
    }

    /// Returns the current condition.
    #[must_use]
    pub fn condition(&self) -> Condition {
        self.queue.condition(self.path.clone())
    }

    /// Writes the waiting lines for at most `patience`, and ends the thread. Blocks.
    pub fn close(&self, patience: Duration) {
        let left = self.queue.close(patience);
        if left > 0 {
            tracing::warn!(
                left,
                "access log: {left} lines could not be written before the end"
            );
        }
    }
}

#[cfg(test)]
mod tests;
