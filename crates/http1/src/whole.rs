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
    /// Reads the whole body, sending `100 Continue` if the caller waits for it. Drops the head.
    ///
    /// # Errors
    /// [`Unread`]; only a last response may follow.
    pub async fn read_body(&mut self, bytes_max: u64, idle: Duration) -> Result<WholeBody, Unread> {
        self.begin_body();
        let mut reading = Reading::new(bytes_max);
        loop {
            if let Some(whole) = reading.step(&mut self.connection.buffer, &mut self.body)? {
                self.end_upload();
                return Ok(whole);
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
    /// deadline. Drops the head.
    ///
    /// # Errors
    /// [`Unread`].
    pub async fn read_body<C: Socket>(
        &mut self,
        caller: &mut Server<C>,
        bytes_max: u64,
        idle: Duration,
    ) -> Result<WholeBody, Unread> {
        self.begin_body();
        let mut reading = Reading::new(bytes_max);
        loop {
            if let Some(whole) = reading.step(&mut self.connection.buffer, &mut self.body)? {
                return Ok(whole);
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
struct Reading {
    bytes_max: u64,
    copied: Option<Scratch>,
}

impl Reading {
    fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            copied: None,
        }
    }

    /// Consumes the received bytes; returns the body if that was its end.
    fn step(
        &mut self,
        buffer: &mut ReadBuffer,
        body: &mut Body,
    ) -> Result<Option<WholeBody>, Unread> {
        let rest = body.rest();
        if rest.is_some_and(|rest| rest > self.bytes_max.saturating_sub(body.bytes)) {
            return Err(Unread::TooLarge);
        }
        let arrived = buffer.bytes().len();
        if arrived == 0 && !body.is_done() {
            return Ok(None);
        }
        if arrived > 0
            && rest == Some(arrived as u64)
            && self.copied.is_none()
            && let Some((block, range)) = buffer.take_block()
        {
            body.take(&block[range.clone()])?;
            return Ok(Some(WholeBody(Held::InPlace(block, range))));
        }
        let out = self.copied.get_or_insert_with(|| buffer.home().message());
        if let Some(rest) = rest {
            let room = usize::try_from(rest).unwrap_or(RESERVED_BYTES_MAX);
            out.reserve(room.min(RESERVED_BYTES_MAX));
        }
        copy(buffer, body, out, self.bytes_max)?;
        let is_done = body.is_done();
        Ok(self
            .copied
            .take_if(|_| is_done)
            .map(|it| WholeBody(Held::Copied(it))))
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
