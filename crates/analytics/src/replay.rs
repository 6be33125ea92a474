//! Reads the calls of the spool that are not in the cubes: those of open minutes when a process was
//! killed, all since a backup of `usage.db` was made, or everything if that was lost.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_model::record::Record;
use tollgate_spool::{Call, Named, ReadError, Segment, Spool};

use crate::MINUTE_US;
use crate::calls::{CallKey, Calls};
use crate::reached::Reached;

/// Calls that are read at once.
const CHUNK_CALLS: usize = 1_000_000;
/// Rows after which no more calls are read, about 50 MB.
const CHUNK_ROWS: usize = 100_000;

/// Calls of the spool, as figures to be written.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// By minute.
    pub(crate) minutes: BTreeMap<i64, Calls>,
    /// How far the epoch is written with it.
    pub(crate) reached: Reached,
    /// The arrival of its last call, Unix microseconds.
    pub(crate) to_us: i64,
    rows: usize,
}

/// Reads segments that earlier processes have written, one after the other.
#[derive(Debug)]
pub(crate) struct Replay {
    spool: Arc<Spool>,
    segments: VecDeque<Named>,
    open: Option<Open>,
    reached: HashMap<u64, Reached>,
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Open {
    segment: Segment,
    named: Named,
}

impl Replay {
    /// Prepares to read segments, the oldest first, of epochs that are written so far.
    pub(crate) fn new(spool: Arc<Spool>, segments: Vec<Named>, reached: Vec<Reached>) -> Self {
        Self {
            spool,
            segments: segments.into(),
            open: None,
            reached: reached.into_iter().map(|it| (it.epoch, it)).collect(),
            calls: Vec::new(),
        }
    }

    /// Reads on; `None` at the end. What is damaged is skipped, and a loss.
    ///
    /// # Errors
    /// The system's, if it cannot be read now. It is read again then.
    pub(crate) fn next(&mut self) -> io::Result<Option<Chunk>> {
        loop {
            let Some(epoch) = self.open_next()? else {
                return Ok(None);
            };
            let before = self.reached.get(&epoch).copied();
            let before = before.unwrap_or(Reached::whole(epoch, 0));
            let mut chunk = Chunk {
                minutes: BTreeMap::new(),
                reached: before,
                to_us: 0,
                rows: 0,
            };
            let mut added = 0;
            while added < CHUNK_CALLS
                && chunk.rows < CHUNK_ROWS
                && let Some(first) = self.read_block(chunk.reached.first)?
            {
                let numbers = first..;
                for (number, call) in numbers.zip(&self.calls) {
                    let minute = call.record.at_us.div_euclid(MINUTE_US);
                    if !before.is_written(number, minute) {
                        chunk.add(&call.record, minute);
                        added += 1;
                    }
                }
                chunk.minutes.values_mut().for_each(Calls::compact);
                chunk.reached.first = before.first.max(first + self.calls.len() as u64);
                chunk.reached.next = before.next.max(chunk.reached.first);
            }
            self.reached.insert(epoch, chunk.reached);
            if added > 0 {
                return Ok(Some(chunk));
            }
        }
    }

    /// Opens the next segment unless one is open; returns its epoch, or `None` at the end.
    fn open_next(&mut self) -> io::Result<Option<u64>> {
        loop {
            if let Some(open) = &self.open {
                return Ok(Some(open.segment.header().epoch));
            }
            let Some(named) = self.segments.pop_front() else {
                return Ok(None);
            };
            match Segment::open(&named.path) {
                Ok(segment) => self.open = Some(Open { segment, named }),
                Err(error) => self.skip(named, error)?,
            }
        }
    }

    /// Reads the next block of the open segment that has calls from `first` on; returns the number
    /// of its first call. `None` at the end of the segment.
    fn read_block(&mut self, first: u64) -> io::Result<Option<u64>> {
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        self.calls.clear();
        let calls = &mut self.calls;
        let block = open.segment.next_block_where(|head| head.next() > first);
        let read = block.and_then(|block| match block {
            Some(block) => {
                block.read(calls)?;
                Ok(Some(block.head().first))
            }
            None => Ok(None),
        });
        match read {
            Ok(Some(first)) => return Ok(Some(first)),
            Ok(None) => self.open = None,
            Err(error) => {
                if let Some(open) = self.open.take() {
                    self.skip(open.named, error)?;
                }
            }
        }
        Ok(None)
    }

    /// Skips the rest of a segment, unless it may be read later.
    fn skip(&mut self, named: Named, error: ReadError) -> io::Result<()> {
        let path = named.path.display();
        match error {
            ReadError::Io(error) if error.kind() != io::ErrorKind::NotFound => {
                self.segments.push_front(named);
                return Err(error);
            }
            ReadError::Io(error) => {
                tracing::warn!(%path, %error, "calls of {path} are missing in usage");
            }
            ReadError::Damaged(damage) => {
                tracing::warn!(%path, %damage, "calls of {path} are missing in usage");
                self.spool.report_damaged(&named, damage);
            }
        }
        Ok(())
    }
}

impl Chunk {
    fn add(&mut self, record: &Record, minute: i64) {
        self.to_us = self.to_us.max(record.at_us);
        let calls = self.minutes.entry(minute).or_default();
        let before = calls.len();
        calls.add(CallKey::of(record), record);
        self.rows += calls.len() - before;
    }
}
