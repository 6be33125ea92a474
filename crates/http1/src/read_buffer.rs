//! Bytes read from a stream and not yet consumed.
//!
//! They are in a block of the worker while the task works on them; when it has to wait for more,
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
    /// Creates an empty buffer that borrows its blocks from `home`.
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

    /// The bytes available.
    #[must_use]
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.block {
            Some(block) => &block[self.start..self.end],
            None => &self.parked,
        }
    }

    /// Consumes the first `count` bytes.
    pub(crate) fn consume(&mut self, count: usize) {
        if self.block.is_none() {
            self.unpark();
        }
        self.start += count;
        debug_assert!(
            self.start <= self.end,
            "only available bytes can be consumed"
        );
        if self.start == self.end {
            self.block = None;
            (self.start, self.end) = (0, 0);
        }
    }

    /// Moves out all bytes with their block; `None` while they are parked.
    pub(crate) fn take_block(&mut self) -> Option<(Block, Range<usize>)> {
        let block = self.block.take()?;
        let range = self.start..self.end;
        (self.start, self.end) = (0, 0);
        Some((block, range))
    }

    /// The pool that its blocks are borrowed from.
    pub(crate) fn home(&self) -> &Rc<BufferPool> {
        &self.home
    }

    /// Reads once; `Ready(0)` is the end of the stream. No block is held while waiting.
    ///
    /// # Errors
    /// The stream's own; `OutOfMemory` if the block is full of unconsumed bytes.
    pub(crate) fn poll_fill(
        &mut self,
        socket: &mut impl Socket,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        if self.block.is_none() {
            ready!(socket.poll_readable(context))?;
            self.unpark();
        }
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

    /// Makes room for `bytes` in all, until the present bytes have been consumed.
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

    /// Returns the block to the pool before a wait; its bytes are kept in a buffer of their own
    /// size until they are processed. A large block is kept: it is not shared, and copying it for
    /// each wait would cost more than it saves.
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
