//! Bodies read to their end: for messages that are not forwarded before all of them has been seen.

use std::ops::{Deref, Range};
use std::time::Duration;

use crate::body::Body;
use crate::buffer_pool::{Block, Scratch};
use crate::chunked::NotChunked;
use crate::client::{Client, NoAnswer};
use crate::connection::Broken;
use crate::read_buffer::ReadBuffer;
use crate::server::Server;
use crate::socket::Socket;

/// A body that was read to its end.
#[derive(Debug)]
pub struct WholeBody(Held);

#[derive(Debug)]
enum Held {
    /// It arrived in one run, with nothing after it.
    InPlace(Block, Range<usize>),
    Copied(Scratch),
}

impl Deref for WholeBody {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Held::InPlace(block, range) => &block[range.clone()],
            Held::Copied(bytes) => bytes,
        }
    }
}

/// Why a body was not read to its end; its connection cannot be reused.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// It is larger than allowed.
    #[error("the body is too large")]
    TooLarge,
    /// Its chunks are malformed.
    #[error("the body is malformed")]
    Malformed(#[from] NotChunked),
    /// It stopped arriving.
    #[error("the body ended early")]
    Broken(#[from] Broken),
    /// The caller left and no longer waits for a response.
    #[error("the caller left while the response arrived")]
    CallerLeft,
}

impl<S: Socket> Server<S> {
    /// Reads the whole body, sending `100 Continue` if the caller waits for it; `None` if the
    /// reading pauses. Drops the head, unless it is [kept](Server::keep_head).
    ///
    /// # Errors
    /// [`Unread`]; only a last response may follow.
    pub async fn read_body(
        &mut self,
        reading: &mut Reading,
        idle: Duration,
    ) -> Result<Option<WholeBody>, Unread> {
        if !self.has_kept_head() {
            self.begin_body();
        }
        loop {
            match reading.step(&mut self.connection.buffer, &mut self.body)? {
                Step::Whole(whole) => {
                    self.end_upload();
                    return Ok(Some(whole));
                }
                Step::Pause => return Ok(None),
                Step::More => {}
            }
            self.invite_body().await?;
            if !self.fill_body(idle).await? {
                return Err(Broken::ended().into());
            }
        }
    }
}

impl<S: Socket> Client<S> {
    /// Reads the whole response body, unless the caller leaves meanwhile; uses the caller's
    /// deadline. `None` if the reading pauses. Drops the head.
    ///
    /// # Errors
    /// [`Unread`].
    pub async fn read_body<C: Socket>(
        &mut self,
        caller: &mut Server<C>,
        reading: &mut Reading,
        idle: Duration,
    ) -> Result<Option<WholeBody>, Unread> {
        self.begin_body();
        loop {
            match reading.step(&mut self.connection.buffer, &mut self.body)? {
                Step::Whole(whole) => return Ok(Some(whole)),
                Step::Pause => return Ok(None),
                Step::More => {}
            }
            caller.deadline.set(idle);
            if !self.fill_for(caller).await? && !self.body.end() {
                return Err(Broken::ended().into());
            }
        }
    }
}

/// Maximum capacity reserved for an announced length; a larger body has to arrive first.
const RESERVED_BYTES_MAX: usize = 256 * 1024;

/// A body being read.
#[derive(Debug)]
pub struct Reading {
    bytes_max: u64,
    /// Bytes that may be held before the reading pauses.
    held_max: u64,
    copied: Option<Scratch>,
}

/// What follows the bytes that have arrived.
enum Step {
    More,
    Pause,
    Whole(WholeBody),
}

impl Reading {
    /// Begins to read a body of at most `bytes_max` bytes.
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            held_max: bytes_max,
            copied: None,
        }
    }

    /// Pauses before more than this many bytes of the body are held. With the bound of the body,
    /// the reading does not pause any more.
    pub fn pause_at(&mut self, bytes: u64) {
        self.held_max = bytes;
    }

    /// Consumes the received bytes; returns the body if that was its end.
    fn step(&mut self, buffer: &mut ReadBuffer, body: &mut Body) -> Result<Step, Unread> {
        let rest = body.rest();
        if rest.is_some_and(|rest| rest > self.bytes_max.saturating_sub(body.bytes)) {
            return Err(Unread::TooLarge);
        }
        let arrived = buffer.bytes().len();
        if arrived == 0 && !body.is_done() {
            return Ok(Step::More);
        }
        if arrived > 0
            && rest == Some(arrived as u64)
            && self.copied.is_none()
            && let Some((block, range)) = buffer.take_block()
        {
            body.take(&block[range.clone()])?;
            return Ok(Step::Whole(WholeBody(Held::InPlace(block, range))));
        }
        let out = self.copied.get_or_insert_with(|| buffer.home().message());
        // Of a body of unknown length, what arrived may be less without its framing.
        let more = rest.map_or(arrived as u64, |rest| rest.min(arrived as u64));
        if self.held_max < self.bytes_max && out.len() as u64 + more > self.held_max {
            return Ok(Step::Pause);
        }
        if let Some(rest) = rest {
            let room = usize::try_from(rest).unwrap_or(RESERVED_BYTES_MAX);
            out.reserve(room.min(RESERVED_BYTES_MAX));
        }
        copy(buffer, body, out, self.bytes_max)?;
        let is_done = body.is_done();
        let copied = self.copied.take_if(|_| is_done);
        Ok(copied.map_or(Step::More, |it| Step::Whole(WholeBody(Held::Copied(it)))))
    }
}

/// Moves the received bytes of a body to `out`.
fn copy(
    buffer: &mut ReadBuffer,
    body: &mut Body,
    out: &mut Vec<u8>,
    bytes_max: u64,
) -> Result<(), Unread> {
    let bytes = buffer.bytes();
    let mut consumed = 0;
    let mut taken = Ok(());
    while !body.is_done() && consumed < bytes.len() {
        match body.take(&bytes[consumed..]) {
            Ok((0, _)) => break,
            Ok((count, data)) => {
                if body.bytes > bytes_max {
                    taken = Err(Unread::TooLarge);
                    break;
                }
                out.extend_from_slice(&bytes[consumed..][data]);
                consumed += count;
            }
            Err(error) => {
                taken = Err(error.into());
                break;
            }
        }
    }
    // Also if the body is rejected: `body` is past these bytes. If they stayed, they would be taken
    // for the next message.
    buffer.consume(if taken.is_ok() { consumed } else { bytes.len() });
    taken
}

impl From<NoAnswer> for Unread {
    fn from(error: NoAnswer) -> Self {
        match error {
            NoAnswer::CallerLeft => Self::CallerLeft,
            NoAnswer::Broken(broken) => Self::Broken(broken),
            NoAnswer::Closed(_) | NoAnswer::Malformed(_) => Self::Broken(Broken::ended()),
        }
    }
}

#[cfg(test)]
mod tests;
