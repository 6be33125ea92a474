//! Merges the small blocks of a closed segment: at one call a second, blocks of a call each would
//! take ten times as much. Places of calls stay: they are numbers, not offsets.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use crate::block::{Block, CALLS_MAX, Encoder};
use crate::call::Call;
use crate::damage::ReadError;
use crate::segment::{Segment, Summary};

/// Segments are merged if their blocks have fewer calls on average.
const SMALL: u64 = CALLS_MAX as u64 / 4;

/// A merge in progress.
pub(crate) struct Merge {
    source: Segment,
    /// What was read of the next output.
    pending: Option<Block>,
    target: File,
    written: PathBuf,
    pub(crate) merged: Summary,
    calls: Vec<Call>,
    bytes: Vec<u8>,
}

/// Whether a merge goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
}

impl Merge {
    /// Whether a segment has many small blocks.
    pub(crate) fn is_due(summary: &Summary) -> bool {
        summary.blocks > 1 && summary.calls / summary.blocks < SMALL
    }

    /// Begins to write what a segment has to a file beside it.
    pub(crate) fn begin(summary: &Summary) -> Result<Self, ReadError> {
        let source = Segment::open(&summary.named.path)?;
        let written = summary.named.path.with_extension("merging");
        let mut target = File::create(&written)?;
        target.write_all(&summary.header.to_bytes())?;
        Ok(Self {
            source,
            pending: None,
            target,
            written,
            merged: Summary::new(summary.named.clone(), summary.header),
            calls: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Writes one block. After the last one, the file takes the place of the segment.
    pub(crate) fn step(&mut self, encoder: &mut Encoder) -> Result<Progress, ReadError> {
        self.calls.clear();
        let (mut first, mut written_us) = (self.merged.next, self.merged.written_us);
        while let Some(block) = self.take()? {
            let next = first + self.calls.len() as u64;
            let count = self.calls.len() + block.head().calls as usize;
            if self.calls.is_empty() {
                first = block.head().first;
            } else if block.head().first != next || count > CALLS_MAX {
                self.pending = Some(block);
                break;
            }
            written_us = block.head().written_us;
            block.read(&mut self.calls)?;
        }
        if self.calls.is_empty() {
            self.replace()?;
            return Ok(Progress::Done);
        }
        self.bytes.clear();
        let head = encoder.encode(&self.calls, first, written_us, &mut self.bytes)?;
        self.target.write_all(&self.bytes)?;
        self.merged.add(&head);
        Ok(Progress::More)
    }

    fn take(&mut self) -> Result<Option<Block>, ReadError> {
        match self.pending.take() {
            Some(block) => Ok(Some(block)),
            None => self.source.next_block(),
        }
    }

    fn replace(&self) -> io::Result<()> {
        self.target.sync_data()?;
        fs::rename(&self.written, &self.merged.named.path)
    }
}

impl Drop for Merge {
    fn drop(&mut self) {
        // After the last step there is none.
        let _ = fs::remove_file(&self.written);
    }
}
