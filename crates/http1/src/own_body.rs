//! A message written by the gateway rather than forwarded: first its body, which determines the
//! length in the head, then the head in front of it, so that both are sent from one buffer.

use std::rc::Rc;

use crate::buffer_pool::{BufferPool, Scratch};

/// Bytes reserved before the body. A larger head is sent from where it is.
const HEAD_BYTES: usize = 1024;

/// A body with reserved space for a head before it.
#[derive(Debug)]
pub struct OwnBody {
    bytes: Scratch,
}

impl OwnBody {
    /// Creates an empty body in a buffer of the worker's pool. It should not be held while waiting
    /// for the other side.
    #[must_use]
    pub fn new(home: &Rc<BufferPool>) -> Self {
        let mut bytes = home.message();
        bytes.resize(HEAD_BYTES, 0);
        Self { bytes }
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.bytes[HEAD_BYTES..]
    }

    /// The buffer to append the body to. Existing bytes must not be changed.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Leaves only the head, as in a response to HEAD.
    pub fn drop_body(&mut self) {
        self.bytes.truncate(HEAD_BYTES);
    }

    /// Returns head and body as two runs to be written in order.
    #[must_use]
    pub fn behind<'a>(&'a mut self, head: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let Some(start) = HEAD_BYTES.checked_sub(head.len()) else {
            return (head, self.body());
        };
        self.bytes[start..HEAD_BYTES].copy_from_slice(head);
        (&self.bytes[start..], b"")
    }
}

#[cfg(test)]
mod tests;
