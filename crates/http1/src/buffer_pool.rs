//! The worker's buffers, last in first out, so that the same few stay in the processor's cache
//! however many connections there are. A connection holds one only while it has data in it.

use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Bytes of a block for reading: the maximum of one system call.
pub const BLOCK_BYTES: usize = 64 * 1024;
/// Free blocks that a worker keeps; more are returned to the allocator.
const BLOCKS_FREE_MAX: usize = 64;
/// Free scratches that a worker keeps. Each exchange has one while it waits for its upstream, so as
/// many are in use as there are waiting connections.
const SCRATCHES_FREE_MAX: usize = 1024;
/// The usual size of a head: a scratch of this size rarely grows.
const SCRATCH_BYTES: usize = 1024;
/// A scratch that grew beyond this is not kept.
const SCRATCH_BYTES_MAX: usize = 16 * SCRATCH_BYTES;
/// Free buffers for whole messages that a worker keeps. They are in use while the task works or
/// waits for a slow sender, and rarely otherwise: a few suffice for any number of callers.
const MESSAGES_FREE_MAX: usize = 16;
/// A buffer that grew beyond this is not kept, so a worker keeps at most 4 MiB of them.
const MESSAGE_BYTES_MAX: usize = 256 * 1024;

/// The free buffers of one worker.
#[derive(Debug, Default)]
pub struct BufferPool {
    blocks: RefCell<Vec<Box<[u8]>>>,
    scratches: RefCell<Vec<Vec<u8>>>,
    messages: RefCell<Vec<Vec<u8>>>,
}

impl BufferPool {
    /// Returns a block to read into; its content is left over from its last use.
    #[must_use]
    pub fn block(self: &Rc<Self>) -> Block {
        let bytes = self.blocks.borrow_mut().pop();
        let bytes = bytes.unwrap_or_else(|| vec![0; BLOCK_BYTES].into_boxed_slice());
        Block {
            bytes,
            home: Rc::clone(self),
        }
    }

    /// Returns a larger block, for a message that is inspected further before it is forwarded. It
    /// does not come back to the pool.
    #[must_use]
    pub(crate) fn large(self: &Rc<Self>, bytes: usize) -> Block {
        Block {
            bytes: vec![0; bytes].into_boxed_slice(),
            home: Rc::clone(self),
        }
    }

    /// Returns an empty buffer to write into.
    #[must_use]
    pub fn scratch(self: &Rc<Self>) -> Scratch {
        let bytes = self.scratches.borrow_mut().pop();
        let bytes = bytes.unwrap_or_else(|| Vec::with_capacity(SCRATCH_BYTES));
        Scratch {
            bytes,
            home: Rc::clone(self),
            is_message: false,
        }
    }

    /// Returns an empty buffer for a whole message, usually with the capacity that an earlier one
    /// needed. It should not be held while waiting for the other side.
    #[must_use]
    pub fn message(self: &Rc<Self>) -> Scratch {
        let bytes = self.messages.borrow_mut().pop();
        Scratch {
            bytes: bytes.unwrap_or_default(),
            home: Rc::clone(self),
            is_message: true,
        }
    }
}

/// A block on loan from its worker.
#[derive(Debug)]
pub struct Block {
    bytes: Box<[u8]>,
    home: Rc<BufferPool>,
}

impl Deref for Block {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let mut free = self.home.blocks.borrow_mut();
        if free.len() < BLOCKS_FREE_MAX && self.bytes.len() == BLOCK_BYTES {
            free.push(std::mem::take(&mut self.bytes));
        }
    }
}

/// A growing buffer on loan from its worker.
#[derive(Debug)]
pub struct Scratch {
    bytes: Vec<u8>,
    home: Rc<BufferPool>,
    is_message: bool,
}

impl Deref for Scratch {
    type Target = Vec<u8>;
    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

impl DerefMut for Scratch {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let (free, free_max, bytes_max) = if self.is_message {
            (&self.home.messages, MESSAGES_FREE_MAX, MESSAGE_BYTES_MAX)
        } else {
            (&self.home.scratches, SCRATCHES_FREE_MAX, SCRATCH_BYTES_MAX)
        };
        let mut free = free.borrow_mut();
        if free.len() < free_max && self.bytes.capacity() <= bytes_max {
            self.bytes.clear();
            free.push(std::mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests;
