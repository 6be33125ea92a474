//! [`WorkerLines`]: the lines of the calls of one worker.

use std::fmt;
use std::sync::Arc;

use tollgate_model::call_text::CallText;
use tollgate_model::record::Record;

use super::field::Call;
use super::filter::Filter;
use super::format::Format;
use super::names::{KnownNames, Naming};
use super::queue::{Chunk, Queue};
use super::texts::PendingTexts;
use super::time::Times;

/// Size from which lines are handed to the thread, bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// What lines consist of, and which calls get one.
#[derive(Debug)]
pub(super) struct LineSettings {
    pub(super) format: Format,
    pub(super) filter: Filter,
}

/// Writes the lines of one worker's calls.
///
/// A drain begins with [`Self::begin`]. Then [`Self::add_texts`] is called for the texts of all
/// calls that have begun, and [`Self::add`] for each record. If calls wait for their texts after
/// that ([`Self::is_waiting`]), texts are drained once more. [`Self::flush`] hands over the lines.
pub struct WorkerLines {
    worker: u64,
    settings: Arc<LineSettings>,
    queue: Arc<Queue>,
    texts: PendingTexts,
    /// Records that came before their texts were drained.
    waiting: Vec<Record>,
    names: KnownNames,
    /// Calls that only `one_in` selects from.
    rest: u64,
    times: Times,
    chunk: Chunk,
}

impl fmt::Debug for WorkerLines {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("WorkerLines").finish_non_exhaustive()
    }
}

impl WorkerLines {
    pub(super) fn new(
        worker: u64,
        naming: Arc<dyn Naming>,
        settings: Arc<LineSettings>,
        queue: Arc<Queue>,
    ) -> Self {
        Self {
            worker,
            settings,
            queue,
            texts: PendingTexts::default(),
            waiting: Vec::new(),
            names: KnownNames::new(naming),
            rest: 0,
            times: Times::default(),
            chunk: Chunk::default(),
        }
    }

    /// Begins a drain at `now_us`, Unix microseconds.
    pub fn begin(&mut self, now_us: i64) {
        self.names.refresh(now_us);
    }

    /// Keeps the encoded texts of a call until its record comes.
    pub fn add_texts(&mut self, frame: &[u8]) {
        self.texts.insert(frame);
    }

    /// Adds the line of a call, if the filter selects it.
    pub fn add(&mut self, record: &Record) {
        match self.texts.take(record.number) {
            Some(frame) => {
                self.write(record, CallText::decode(&frame));
                self.texts.give_back(frame);
            }
            None => self.waiting.push(*record),
        }
    }

    /// Whether calls wait for their texts.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Adds the lines of the calls that wait, without texts if those were lost, and hands all lines
    /// to the thread.
    pub fn flush(&mut self) {
        for record in std::mem::take(&mut self.waiting) {
            let frame = self.texts.take(record.number);
            self.write(&record, frame.as_deref().and_then(CallText::decode));
        }
        self.hand_over();
    }

    fn write(&mut self, record: &Record, texts: Option<CallText<'_>>) {
        if !self.settings.filter.selects(record, &mut self.rest) {
            return;
        }
        if texts.is_none() {
            self.queue.count_lost_text();
        }
        let (names, secrets) = match record.version {
            None => (None, None),
            Some(version) => self.names.of_call(version, record.revision),
        };
        let call = Call {
            record,
            worker: self.worker,
            texts,
            names: names.as_deref(),
            secrets,
        };
        let Chunk { bytes, lines } = &mut self.chunk;
        self.settings
            .format
            .push_line(&call, &mut self.times, bytes);
        *lines += 1;
        if bytes.len() >= CHUNK_BYTES {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        if self.chunk.lines > 0 {
            self.queue.push(std::mem::take(&mut self.chunk));
        }
    }
}
