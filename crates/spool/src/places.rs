//! Blocks by their places, so that the last ones are read first, and a call is found by its id.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

use crate::block::{Block, HEAD_BYTES, Head, OfWorker};
use crate::damage::{Damage, ReadError};
use crate::segment::Segment;

/// Where a block is in its segment.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Its head.
    pub head: Head,
    /// Where its body begins, in bytes from the beginning of the file.
    body_at: u64,
}

impl Segment {
    /// Lists the blocks that are not read yet. One that is cut off is left out: somebody writes it.
    ///
    /// # Errors
    /// Fails if a head is damaged or cannot be read.
    pub fn places(&mut self) -> Result<Vec<Place>, ReadError> {
        let mut places = Vec::new();
        loop {
            let body_at = self.at() + HEAD_BYTES as u64;
            match self.next_head() {
                Ok(Some(head)) => places.push(Place { head, body_at }),
                Ok(None) | Err(ReadError::Damaged(Damage::Cut)) => return Ok(places),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads a block.
    ///
    /// # Errors
    /// Fails if it is damaged or cannot be read.
    pub fn block(&self, place: &Place) -> Result<Block, ReadError> {
        let bytes = usize::try_from(place.head.body_bytes()).map_err(|_| Damage::Undecodable)?;
        let body = read_at(self.file(), place.body_at, bytes)?;
        Ok(Block::new(place.head, body)?)
    }

    /// Whether a block has calls of a worker. Checksums are not compared.
    ///
    /// # Errors
    /// Fails if the block is damaged or cannot be read.
    pub fn has_worker(&self, place: &Place, worker: u64) -> Result<bool, ReadError> {
        Ok(self.worker(place, worker)?.is_some())
    }

    /// Looks for the call with a number in a worker, in a block; `None` if that has no call of the
    /// worker. Checksums are not compared.
    ///
    /// # Errors
    /// Fails if the block is damaged or cannot be read.
    pub fn look_for(
        &self,
        place: &Place,
        worker: u64,
        number: u64,
    ) -> Result<Option<OfWorker>, ReadError> {
        let Some(worker) = self.worker(place, worker)? else {
            return Ok(None);
        };
        let [_, numbers] = place.head.numbers_at();
        let found = place
            .head
            .look_for(&self.section(place, numbers)?, worker, number);
        Ok(Some(found.ok_or(Damage::Undecodable)?))
    }

    fn worker(&self, place: &Place, worker: u64) -> Result<Option<u64>, ReadError> {
        let [workers, _] = place.head.numbers_at();
        let worker = place.head.worker(&self.section(place, workers)?, worker);
        Ok(worker.ok_or(Damage::Undecodable)?)
    }

    fn section(&self, place: &Place, range: Range<usize>) -> Result<Vec<u8>, ReadError> {
        read_at(self.file(), place.body_at + range.start as u64, range.len())
    }
}

fn read_at(file: &File, at: u64, bytes: usize) -> Result<Vec<u8>, ReadError> {
    let mut read = vec![0; bytes];
    file.read_exact_at(&mut read, at)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Damage::Cut.into(),
            _ => ReadError::Io(error),
        })?;
    Ok(read)
}

#[cfg(test)]
mod tests;
