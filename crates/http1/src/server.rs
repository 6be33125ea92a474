//! The caller's side of an exchange: requests in, responses out, one after the other.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use tokio::task::coop::consume_budget;

use crate::body::Body;
use crate::buffer_pool::{BLOCK_BYTES, BufferPool, Scratch};
use crate::chunked::NotChunked;
use crate::connection::{Broken, Connection};
use crate::deadline::Deadline;
use crate::framing::Framing;
use crate::head::RequestHead;
use crate::pace::Pace;
use crate::parse::{self, Bounds, Malformed, Scan};
use crate::read_buffer::ReadBuffer;
use crate::socket::Socket;
use crate::view::Request;

mod transfer;
mod wait;

pub use transfer::{Answered, Times};

/// Maximum bytes of an unread body that are drained to keep the connection.
const DRAIN_BYTES_MAX: u64 = 64 * 1024;
/// Maximum bytes that are drained after the last response, so that closing does not reset it.
const LINGER_BYTES_MAX: usize = 1024 * 1024;
const LINGER: Duration = Duration::from_secs(2);

/// A connection of a caller.
#[derive(Debug)]
pub struct Server<S> {
    pub(crate) connection: Connection<S>,
    /// The timeout of this connection; waits for the upstream use it too.
    pub deadline: Deadline,
    /// The current request's head: spans of [`Server::head_bytes`].
    pub head: RequestHead,
    /// The current request's body.
    pub body: Body,
    /// The body of its response, as far as it was written.
    pub answered: Answered,
    pub(crate) times: Times,
    /// How fast the caller sends the current request's body, or reads the response.
    pub(crate) pace: Pace,
    bounds: Bounds,
    is_continue_due: bool,
    /// Whether the body has been waited for: the limit is then that of its transfer.
    is_uploading: bool,
    /// The head's bytes, if they were moved out of the way of the body. Boxed: few need it.
    kept_head: Option<Box<Scratch>>,
}

/// The result of reading more of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// More has arrived.
    Came {
        /// The number of bytes available, including framing.
        bytes: usize,
        /// Whether they seem to be all: for a chunked body that may be wrong.
        is_whole: bool,
    },
    /// Nothing, because there is no more room.
    Full,
    /// Nothing, because the caller has ended the stream.
    Ended,
}

/// Why there is no next request.
#[derive(Debug, thiserror::Error)]
pub enum NoRequest {
    /// Nothing more was sent: the stream ended, or the keep-alive time is over.
    #[error("the caller sent nothing more")]
    Idle,
    /// A head began and did not end in time.
    #[error("the head did not arrive in time")]
    HeadTime,
    /// The input is not a valid head; the connection must end.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl<S: Socket> Server<S> {
    /// Creates a server for a new connection. A head is never larger than one block, whatever
    /// `bounds` allow.
    pub fn new(
        socket: S,
        buffers: &Rc<BufferPool>,
        deadline: Deadline,
        bounds: Bounds,
        times: Times,
    ) -> Self {
        let bounds = Bounds {
            head_bytes_max: bounds.head_bytes_max.min(BLOCK_BYTES),
            ..bounds
        };
        Self {
            connection: Connection {
                socket,
                buffer: ReadBuffer::new(buffers),
            },
            deadline,
            head: RequestHead::default(),
            body: Body::default(),
            answered: Answered::default(),
            times,
            pace: Pace::new(times.floor),
            bounds,
            is_continue_due: false,
            is_uploading: false,
            kept_head: None,
        }
    }

    /// Waits for the next request's head: at most `idle` for its first byte and `head` for the
    /// rest. One empty line before it is skipped and counts as idle time (RFC 9112, section 2.2).
    /// What arrived is read after `turn`. The head is kept until [`Server::begin_body`].
    ///
    /// # Errors
    /// [`NoRequest`]; after any of them only a last response may be written.
    pub async fn next(
        &mut self,
        idle: Duration,
        head: Duration,
        turn: impl AsyncFnOnce(),
    ) -> Result<(), NoRequest> {
        self.begin_body();
        if !self.body.is_done() {
            // The next bytes are the rest of a body, never a request.
            return Err(NoRequest::Idle);
        }
        self.deadline.set(idle);
        if self.connection.buffer.bytes().is_empty() {
            let readable = self.connection.readable(&self.deadline).await;
            readable.map_err(|_| NoRequest::Idle)?;
        } else {
            // Neither a read nor a short write would let another task run.
            consume_budget().await;
        }
        turn().await;
        self.first_byte().await?;
        self.deadline.set(head);
        let bytes = self.connection.buffer.bytes();
        if !parse::usual_request(bytes, self.bounds, &mut self.head) {
            self.rest_of_head().await?;
        }
        self.body = Body::new(self.head.framing);
        self.is_continue_due = self.head.expects_continue && !self.body.is_done();
        Ok(())
    }

    /// Waits until the head is whole, and parses it strictly.
    async fn rest_of_head(&mut self) -> Result<(), NoRequest> {
        let mut scan = Scan::default();
        loop {
            if let Some(length) = scan.advance(self.connection.buffer.bytes(), self.bounds)? {
                let bytes = &self.connection.buffer.bytes()[..length];
                return Ok(parse::request(bytes, self.bounds, &mut self.head)?);
            }
            match self.connection.fill(&self.deadline).await {
                Ok(true) => {}
                Err(Broken::TimedOut(_)) => return Err(NoRequest::HeadTime),
                Ok(false) | Err(_) => return Err(NoRequest::Idle),
            }
        }
    }

    /// Waits for the first byte of a request line. Some clients send an empty line after a body, so
    /// one is skipped; the parser rejects a second one.
    async fn first_byte(&mut self) -> Result<(), NoRequest> {
        let mut may_skip = true;
        loop {
            match self.connection.buffer.bytes() {
                [b'\r', b'\n', ..] if may_skip => {
                    may_skip = false;
                    self.connection.buffer.consume(2);
                    continue;
                }
                [] => {}
                [b'\r'] if may_skip => {}
                _ => return Ok(()),
            }
            if !matches!(self.connection.fill(&self.deadline).await, Ok(true)) {
                return Err(NoRequest::Idle);
            }
        }
    }

    /// The current request's head with its bytes.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        Request::new(&self.head, self.head_bytes())
    }

    /// The bytes that the head's spans refer to.
    #[must_use]
    pub fn head_bytes(&self) -> &[u8] {
        match &self.kept_head {
            None => &self.connection.buffer.bytes()[..self.head.fields.head_bytes],
            Some(kept) => kept,
        }
    }

    /// Drops the head; its spans are no longer valid. Calling it again has no effect.
    pub fn begin_body(&mut self) {
        let head_bytes = std::mem::take(&mut self.head.fields.head_bytes);
        if head_bytes > 0 && self.kept_head.take().is_none() {
            self.connection.buffer.consume(head_bytes);
        }
    }

    /// Copies the head, so that it stays until [`Server::begin_body`] while the body is read.
    pub fn keep_head(&mut self) {
        let head_bytes = self.buffered_head_bytes();
        if head_bytes > 0 {
            let mut kept = self.connection.buffer.home().scratch();
            kept.extend_from_slice(&self.connection.buffer.bytes()[..head_bytes]);
            self.connection.buffer.consume(head_bytes);
            self.kept_head = Some(Box::new(kept));
        }
    }

    pub(crate) fn has_kept_head(&self) -> bool {
        self.kept_head.is_some()
    }

    /// Bytes of the head in front of the body in the buffer.
    fn buffered_head_bytes(&self) -> usize {
        match self.kept_head {
            None => self.head.fields.head_bytes,
            Some(_) => 0,
        }
    }

    /// Drops the head and holds no block until the following bytes are processed: used before a
    /// wait for anything but the caller.
    pub fn park(&mut self) {
        self.begin_body();
        self.connection.buffer.park();
    }

    /// Returns the bytes of the body that have arrived, while the head is still in front of them,
    /// and whether they are all. Nothing is consumed; `scratch` gets the bytes if they are chunked.
    ///
    /// # Errors
    /// [`NotChunked`]; the connection must not be used any further.
    pub fn peek<'a>(&'a self, scratch: &'a mut Vec<u8>) -> Result<(&'a [u8], bool), NotChunked> {
        if self.kept_head.is_some() {
            return Ok((b"", self.body.is_done()));
        }
        let arrived = &self.connection.buffer.bytes()[self.head.fields.head_bytes..];
        let mut body = Body::new(self.head.framing);
        if let Framing::Chunked = self.head.framing {
            scratch.clear();
            let mut at = 0;
            while !body.is_done() {
                let (count, data) = body.take(&arrived[at..])?;
                scratch.extend_from_slice(&arrived[at..][data]);
                at += count;
                if count == 0 {
                    break;
                }
            }
            return Ok((scratch, body.is_done()));
        }
        let (_, data) = body.take(arrived)?;
        Ok((&arrived[data], body.is_done()))
    }

    /// Reads more of the body, after the head and the bytes that have arrived: at most `bytes_max`
    /// of it, including its framing.
    ///
    /// # Errors
    /// [`Broken`] if no more arrives.
    pub async fn peek_more(&mut self, bytes_max: usize, idle: Duration) -> Result<More, Broken> {
        let head_bytes = self.head.fields.head_bytes;
        let (room, before) = (head_bytes + bytes_max, self.connection.buffer.bytes().len());
        if before >= room {
            return Ok(More::Full);
        }
        if before >= BLOCK_BYTES {
            self.connection.buffer.reserve(room);
        }
        if !self.fill_body(idle).await? {
            return Ok(More::Ended);
        }
        let bytes = self.connection.buffer.bytes().len() - head_bytes;
        let is_whole = match self.head.framing {
            Framing::Length(length) => bytes as u64 >= length,
            // The last read of a chunked body always ends with an empty line.
            Framing::Chunked => self.connection.buffer.bytes().ends_with(b"\r\n\r\n"),
            Framing::None | Framing::UntilClose => true,
        };
        Ok(More::Came { bytes, is_whole })
    }

    /// Sends `100 Continue` to a caller that waits for it (RFC 9110, section 10.1.1). Does nothing
    /// for others, or once bytes of the body have arrived.
    ///
    /// # Errors
    /// [`Broken`] if the caller left.
    pub async fn invite_body(&mut self) -> Result<(), Broken> {
        let head_bytes = self.buffered_head_bytes();
        let has_begun = self.body.bytes > 0 || self.connection.buffer.bytes().len() > head_bytes;
        if std::mem::take(&mut self.is_continue_due) && !has_begun {
            let invitation = b"HTTP/1.1 100 Continue\r\n\r\n";
            let written = self.connection.write_all(invitation, b"", &self.deadline);
            // A part of it may have been sent, so the connection cannot be used any more.
            written.await.map_err(|_| Broken::ended())?;
        }
        Ok(())
    }

    /// Writes a response, or a part of one.
    ///
    /// # Errors
    /// [`Broken`] if the caller left or does not read.
    pub async fn write(&mut self, bytes: &[u8], idle: Duration) -> Result<(), Broken> {
        self.deadline.set(idle);
        self.write_more(bytes).await
    }

    /// Like [`Server::write`], keeping the current deadline.
    ///
    /// # Errors
    /// [`Broken`] if the caller left or does not read.
    pub async fn write_more(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        self.connection.write_all(bytes, b"", &self.deadline).await
    }

    /// Whether the connection can be kept after a response that leaves the body unread: the rest is
    /// small, and the caller is certainly sending it.
    #[must_use]
    pub fn can_drain(&self) -> bool {
        self.body.rest().is_some_and(|rest| rest <= DRAIN_BYTES_MAX)
            && (self.body.is_done() || !self.is_continue_due)
    }

    /// Drains the rest of the body.
    ///
    /// # Errors
    /// [`Broken`] if it does not arrive.
    pub async fn drain(&mut self, idle: Duration) -> Result<(), Broken> {
        self.begin_body();
        self.deadline.set(idle);
        while !self.body.is_done() {
            if self.connection.buffer.bytes().is_empty()
                && !self.connection.fill(&self.deadline).await?
            {
                return Err(Broken::ended());
            }
            let taken = self.body.take(self.connection.buffer.bytes());
            let (consumed, _) = taken.map_err(|_| Broken::ended())?;
            self.connection.buffer.consume(consumed);
        }
        Ok(())
    }

    /// Resets the connection, so that the caller sees that its response was cut if only the end of
    /// the connection delimits it.
    pub fn abort(mut self) {
        // If it cannot be reset, it is closed.
        drop(self.connection.socket.abort());
    }

    /// Closes the connection without losing the last response to a reset: stops writing, and drains
    /// input for a while (RFC 9112, section 9.6).
    pub async fn close(mut self) {
        let Self {
            connection,
            deadline,
            ..
        } = &mut self;
        deadline.unlimit();
        deadline.set(LINGER);
        let is_finished = poll_fn(|context| match connection.socket.poll_finish(context) {
            Poll::Ready(finished) => Poll::Ready(finished.is_ok()),
            Poll::Pending => deadline.poll_due(context).map(|_| false),
        });
        if !is_finished.await {
            return;
        }
        let mut read = 0;
        loop {
            let count = connection.buffer.bytes().len();
            connection.buffer.consume(count);
            read += count;
            if read >= LINGER_BYTES_MAX || !matches!(connection.fill(deadline).await, Ok(true)) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests;
