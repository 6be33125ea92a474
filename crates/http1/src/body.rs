//! A body as it arrives: which of the received bytes belong to it, and when it has ended.

use std::ops::Range;

use crate::chunked::{Decoder, NotChunked};
use crate::framing::Framing;

/// Follows one body through the bytes that arrive.
#[derive(Debug, Default)]
pub struct Body {
    state: State,
    /// Body bytes seen so far, framing not counted.
    pub bytes: u64,
    /// The trailer section that may be passed on, once the body is done; mostly empty.
    pub trailer: Vec<u8>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Done,
    Length(u64),
    // Boxed: most connections never carry a chunked body, and an idle one should be small.
    Chunked(Box<Decoder>),
    UntilClose,
}

impl Body {
    /// Creates a body with this framing.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        let state = match framing {
            Framing::None => State::Done,
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::Chunked(Box::default()),
            Framing::UntilClose => State::UntilClose,
        };
        Self {
            state,
            bytes: 0,
            trailer: Vec::new(),
        }
    }

    /// Whether every byte has been received.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        matches!(self.state, State::Done)
    }

    /// Whether the body ends with the connection.
    #[must_use]
    pub const fn is_until_close(&self) -> bool {
        matches!(self.state, State::UntilClose)
    }

    /// The remaining length, if the framing declares it.
    #[must_use]
    pub const fn rest(&self) -> Option<u64> {
        match self.state {
            State::Done => Some(0),
            State::Length(rest) => Some(rest),
            State::Chunked(_) | State::UntilClose => None,
        }
    }

    /// Consumes bytes from the front of `input`; returns how many, and which of them are body data.
    /// Call again until the body is done or nothing is consumed.
    ///
    /// # Errors
    /// [`NotChunked`]; the connection must not be used any further.
    pub fn take(&mut self, input: &[u8]) -> Result<(usize, Range<usize>), NotChunked> {
        let (consumed, data) = match &mut self.state {
            State::Done => (0, 0..0),
            State::UntilClose => (input.len(), 0..input.len()),
            State::Length(rest) => {
                let length = usize::try_from(*rest)
                    .unwrap_or(usize::MAX)
                    .min(input.len());
                *rest -= length as u64;
                if *rest == 0 {
                    self.state = State::Done;
                }
                (length, 0..length)
            }
            State::Chunked(decoder) => {
                let step = decoder.step(input)?;
                if step.is_end {
                    self.trailer = decoder.trailer().to_vec();
                    self.state = State::Done;
                }
                (step.consumed, step.data)
            }
        };
        self.bytes += data.len() as u64;
        Ok((consumed, data))
    }

    /// Handles the end of the connection; returns whether that is this body's end.
    #[must_use]
    pub fn end(&mut self) -> bool {
        if self.is_until_close() {
            self.state = State::Done;
        }
        self.is_done()
    }
}
