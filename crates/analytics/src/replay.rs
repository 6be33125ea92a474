//! Reads the calls of the spool that are not in the cubes: those of open minutes when a process was
//! killed, all since a backup of `usage.db` was made, or everything if that was lost.

use std::collections::{BTreeMap, VecDeque};

use hashbrown::HashMap;
use tollgate_spool::{Call, Named, ReadError, Segment};

use crate::MINUTE_US;
use crate::content::Slot;
use crate::cube::{COUNT, Level};
use crate::levels::{Marks, floor};
use crate::reached::Reached;

/// Calls that are read at once.
const CHUNK_CALLS: usize = 1_000_000;

/// Calls of the spool, as figures to be written.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// By minute. Those of made hours are in `hours` too.
    pub(crate) minutes: BTreeMap<i64, Slot>,
    /// By first minute.
    pub(crate) hours: BTreeMap<i64, Slot>,
    /// The levels of the cubes when it was read.
    pub(crate) marks: [Marks; COUNT],
    /// How far the epoch is written with it.
    pub(crate) reached: Reached,
    /// The arrival of its last call, Unix microseconds.
    pub(crate) to_us: i64,
}

/// Reads segments that earlier processes have written, one after the other.
#[derive(Debug)]
pub(crate) struct Replay {
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
    pub(crate) fn new(segments: Vec<Named>, reached: Vec<Reached>) -> Self {
        Self {
            segments: segments.into(),
            open: None,
            reached: reached.into_iter().map(|it| (it.epoch, it)).collect(),
            calls: Vec::new(),
        }
    }

    /// Reads on; `None` at the end. What cannot be read is skipped: the spool counts it as lost
    /// when it finds it.
    pub(crate) fn next(&mut self, marks: &[Marks; COUNT]) -> Option<Chunk> {
        loop {
            let epoch = self.open_next()?;
            let before = self.reached.get(&epoch).copied();
            let before = before.unwrap_or(Reached::whole(epoch, 0));
            let mut chunk = Chunk {
                minutes: BTreeMap::new(),
                hours: BTreeMap::new(),
                marks: *marks,
                reached: before,
                to_us: 0,
            };
            let mut added = 0;
            while added < CHUNK_CALLS
                && let Some(first) = self.read_block(before.first)
            {
                let numbers = first..;
                for (number, call) in numbers.zip(&self.calls) {
                    let minute = call.record.at_us.div_euclid(MINUTE_US);
                    if !before.is_written(number, minute) {
                        chunk.add(call, minute);
                        added += 1;
                    }
                }
                chunk.reached.first = before.first.max(first + self.calls.len() as u64);
                chunk.reached.next = before.next.max(chunk.reached.first);
            }
            self.reached.insert(epoch, chunk.reached);
            if added > 0 {
                return Some(chunk);
            }
        }
    }

    /// Opens the next segment unless one is open; returns its epoch.
    fn open_next(&mut self) -> Option<u64> {
        loop {
            if let Some(open) = &self.open {
                return Some(open.segment.header().epoch);
            }
            let named = self.segments.pop_front()?;
            match Segment::open(&named.path) {
                Ok(segment) => self.open = Some(Open { segment, named }),
                Err(error) => skipped(&named, &error),
            }
        }
    }

    /// Reads the next block of the open segment that has calls from `first` on; returns the number
    /// of its first call. `None` at the end of the segment.
    fn read_block(&mut self, first: u64) -> Option<u64> {
        let open = self.open.as_mut()?;
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
            Ok(Some(first)) => return Some(first),
            Ok(None) => {}
            Err(error) => skipped(&open.named, &error),
        }
        self.open = None;
        None
    }
}

fn skipped(named: &Named, error: &ReadError) {
    let path = named.path.display();
    tracing::warn!(%path, %error, "calls of {path} could not be read: they are missing in usage");
}

impl Chunk {
    fn add(&mut self, call: &Call, minute: i64) {
        let hour = floor(minute, Level::Hour.minutes());
        let marks = &self.marks;
        let record = &call.record;
        self.to_us = self.to_us.max(record.at_us);
        if marks.iter().any(|it| hour < it.hours_to) {
            let slot = self.hours.entry(hour).or_default();
            slot.add(record, |cube| hour < marks[cube].hours_to);
        }
        if marks.iter().any(|it| minute >= it.minutes_from) {
            let slot = self.minutes.entry(minute).or_default();
            slot.add(record, |cube| minute >= marks[cube].minutes_from);
        }
    }
}
