//! What has been read from a stream and is not done with yet.
//!
//! Bytes lie in a block of the worker while the task works on them; when it must wait for more,
//! they are parked in a buffer of their own size, so that a slow sender never holds a block.

use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use crate::buffer_pool::{BLOCK_BYTES, Block, BufferPool};
use crate::socket::Socket;

/// Bytes read and not yet consumed.
#[derive(Debug)]
pub(crate) struct ReadBuffer {
    home: Rc<BufferPool>,
    block: Option<Block>,
    start: usize,
    end: usize,
    parked: Vec<u8>,
}

impl ReadBuffer {
    /// An empty one that borrows its blocks from `home`.
    #[must_use]
    pub(crate) fn new(home: &Rc<BufferPool>) -> Self {
        Self {
            home: Rc::clone(home),
            block: None,
            start: 0,
            end: 0,
            parked: Vec::new(),
        }
    }

    /// What is there.
    #[must_use]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.block {
            Some(block) => &block[self.start..self.end],
            None => &self.parked,
        }
    }

    /// Is done with the first `count` bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        if self.block.is_none() {
            self.unpark();
        }
        self.start += count;
        debug_assert!(self.start <= self.end, "only what is there can be consumed");
        if self.start == self.end {
            self.block = None;
            (self.start, self.end) = (0, 0);
        }
    }

    /// Gives away all that is there, with the block that it lies in; `None` while it is parked.
    pub(crate) fn give(&mut self) -> Option<(Block, Range<usize>)> {
        let block = self.block.take()?;
        let range = self.start..self.end;
        (self.start, self.end) = (0, 0);
        Some((block, range))
    }

    /// Where its blocks are borrowed from.
    pub(crate) fn home(&self) -> &Rc<BufferPool> {
        &self.home
    }

    /// Reads once; `Ready(0)` is the end of the stream. While it waits, no block is held.
    ///
    /// # Errors
    /// The stream's own; `OutOfMemory` where the block is full of bytes that nobody consumes.
    pub(crate) fn poll_fill(
        &mut self,
        socket: &mut impl Socket,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        self.unpark();
        let block = self.block.get_or_insert_with(|| self.home.block());
        if self.end == block.len() {
            block.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == block.len() {
            return Poll::Ready(Err(io::ErrorKind::OutOfMemory.into()));
        }
        let read = socket.poll_read(context, &mut block[self.end..]);
        let Poll::Ready(Ok(count)) = read else {
            self.park();
            ready!(read)?;
            return Poll::Pending;
        };
        self.end += count;
        if self.start == self.end {
            self.block = None;
        }
        Poll::Ready(Ok(count))
    }

    /// Makes room for `bytes` in all, until what is there has been consumed.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.unpark();
        let room = self.block.as_ref().map_or(BLOCK_BYTES, |block| block.len());
        if room >= bytes {
            return;
        }
        let mut large = self.home.large(bytes);
        let count = self.bytes().len();
        large[..count].copy_from_slice(self.bytes());
        (self.start, self.end) = (0, count);
        self.block = Some(large);
    }

    /// Gives the block back before a wait; what is there lies in a buffer of its own size until it
    /// is worked on. A large block stays: it belongs to nobody else, and copying it for each wait
    /// would cost more than it saves.
    pub(crate) fn park(&mut self) {
        if self
            .block
            .as_ref()
            .is_some_and(|block| block.len() > BLOCK_BYTES)
        {
            return;
        }
        if let Some(block) = self.block.take() {
            self.parked.extend_from_slice(&block[self.start..self.end]);
            (self.start, self.end) = (0, 0);
        }
    }

    fn unpark(&mut self) {
        if self.block.is_none() && !self.parked.is_empty() {
            let mut block = self.home.block();
            block[..self.parked.len()].copy_from_slice(&self.parked);
            (self.start, self.end) = (0, self.parked.len());
            self.block = Some(block);
            self.parked = Vec::new();
        }
    }
}
