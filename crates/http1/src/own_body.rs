//! A message that is not passed on but written: its body first, whose length its head tells, then
//! the head before it, so that both go out from one place.

use std::rc::Rc;

use crate::buffer_pool::{BufferPool, Scratch};

/// Bytes before the body. A larger head goes out from where it is.
const HEAD_BYTES: usize = 1024;

/// A body with room for a head before it.
#[derive(Debug)]
pub struct OwnBody {
    bytes: Scratch,
}

impl OwnBody {
    /// One without a body, in a buffer of the worker's. It should not be held while the other side
    /// works.
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

    /// Where the body is written: what is appended. What is there already is not to be touched.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Leaves only the head, as an answer to HEAD does.
    pub fn drop_body(&mut self) {
        self.bytes.truncate(HEAD_BYTES);
    }

    /// Head and body, to be written one behind the other.
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
