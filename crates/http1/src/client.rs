//! The upstream's side of an exchange: a request out, its answer's head in.

use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll};

use crate::body::Body;
use crate::buffer_pool::BufferPool;
use crate::connection::{Broken, Connection};
use crate::deadline::Deadline;
use crate::head::ResponseHead;
use crate::parse::{self, Bounds, Malformed, Scan};
use crate::read_buffer::ReadBuffer;
use crate::server::Server;
use crate::socket::Socket;
use crate::view::Response;

/// Bounds of an upstream's head: it is configured, but not trusted with our memory.
const BOUNDS: Bounds = Bounds {
    head_bytes_max: 32 * 1024,
    fields_max: parse::FIELDS_CAP,
    target_bytes_max: 32 * 1024,
};

/// A connection to an upstream.
#[derive(Debug)]
pub struct Client<S> {
    pub(crate) connection: Connection<S>,
    /// The answer's head: spans of [`Client::head_bytes`].
    pub head: ResponseHead,
    /// The answer's body.
    pub body: Body,
    /// Whether an earlier exchange has used the connection.
    pub is_reused: bool,
    /// Whether the present request went out to its last byte.
    pub(crate) is_sent: bool,
    /// Whether the present request got an interim answer.
    has_interim: bool,
}

/// Why no answer came.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The upstream closed before the first byte: where the connection is reused, most likely
    /// because it had been idle for too long.
    #[error("the upstream closed the connection without an answer")]
    Closed(#[source] io::Error),
    /// Broke off within the head, or took too long.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The caller has left: nobody waits for an answer any more.
    #[error("the caller left before the answer came")]
    CallerLeft,
    /// What came is not an answer.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl<S: Socket> Client<S> {
    /// A connection that nothing was sent on yet.
    pub fn new(socket: S, buffers: &Rc<BufferPool>) -> Self {
        Self {
            connection: Connection {
                socket,
                buffer: ReadBuffer::new(buffers),
            },
            head: ResponseHead::default(),
            body: Body::default(),
            is_reused: false,
            is_sent: false,
            has_interim: false,
        }
    }

    /// Writes a whole request that is at hand: the way to send one again.
    ///
    /// # Errors
    /// [`Broken`]; the connection cannot be used any further.
    pub async fn send(&mut self, request: &[u8], deadline: &Deadline) -> Result<(), Broken> {
        self.begin();
        self.connection.write_all(request, b"", deadline).await?;
        self.is_sent = true;
        Ok(())
    }

    /// A request begins: what the last answer allowed is over.
    pub(crate) fn begin(&mut self) {
        self.is_sent = false;
        self.has_interim = false;
        self.head.is_persistent = false;
    }

    /// Reads once into the buffer; `Ready(0)` is the end of the stream.
    pub(crate) fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        self.connection
            .buffer
            .poll_fill(&mut self.connection.socket, context)
    }

    /// Whether what came while the request is still being sent is an answer, or the beginning of
    /// one; interim ones are dropped, since the request goes on after them.
    pub(crate) fn is_answering(&mut self) -> bool {
        const INTERIM: &[u8] = b"HTTP/1.1 1";
        loop {
            let bytes = self.connection.buffer.bytes();
            let known = bytes.len().min(INTERIM.len());
            if bytes[..known] != INTERIM[..known] || bytes.starts_with(b"HTTP/1.1 101") {
                return true;
            }
            match Scan::default().advance(bytes, BOUNDS) {
                Ok(Some(length)) => {
                    self.has_interim = true;
                    self.connection.buffer.consume(length);
                }
                Ok(None) => return false,
                Err(_) => return true,
            }
        }
    }

    /// Waits until the caller's deadline for the answer's head, to a request that was `HEAD` or
    /// not. Interim answers (1xx) come out like others; call [`Client::begin_body`] and then again.
    ///
    /// # Errors
    /// [`NoAnswer`]; the connection cannot be used any further.
    pub async fn answer<C: Socket>(
        &mut self,
        is_head: bool,
        caller: &mut Server<C>,
    ) -> Result<(), NoAnswer> {
        let mut scan = Scan::default();
        loop {
            let bytes = self.connection.buffer.bytes();
            if !bytes.is_empty()
                && let Some(length) = scan.advance(bytes, BOUNDS)?
            {
                parse::response(&bytes[..length], BOUNDS, is_head, &mut self.head)?;
                self.has_interim |= self.head.status < 200;
                self.body = Body::new(self.head.framing);
                return Ok(());
            }
            match self.fill_for(caller).await {
                Ok(true) => {}
                Ok(false) if self.connection.buffer.bytes().is_empty() => {
                    return Err(NoAnswer::Closed(io::ErrorKind::UnexpectedEof.into()));
                }
                Err(NoAnswer::Broken(Broken::Io(error)))
                    if self.connection.buffer.bytes().is_empty() =>
                {
                    return Err(NoAnswer::Closed(error));
                }
                Ok(false) => return Err(Broken::ended().into()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads once more, for a caller who may leave meanwhile. A caller who closes only its own
    /// direction counts as gone: nobody could tell it from one who has left.
    pub(crate) async fn fill_for<C: Socket>(
        &mut self,
        caller: &mut Server<C>,
    ) -> Result<bool, NoAnswer> {
        let Server {
            connection,
            deadline,
            ..
        } = caller;
        poll_fn(|context| {
            if let Poll::Ready(read) = self.poll_fill(context) {
                return Poll::Ready(Ok(read.map_err(Broken::Io)? > 0));
            }
            if connection.buffer.bytes().is_empty()
                && let Poll::Ready(read) =
                    connection.buffer.poll_fill(&mut connection.socket, context)
                && !matches!(read, Ok(1..))
            {
                return Poll::Ready(Err(NoAnswer::CallerLeft));
            }
            deadline
                .poll_due(context)
                .map(|late| Err(Broken::TimedOut(late).into()))
        })
        .await
    }

    /// The answer's head, with its bytes.
    #[must_use]
    pub fn response(&self) -> Response<'_> {
        Response::new(&self.head, self.head_bytes())
    }

    /// The bytes that the head's spans are of.
    #[must_use]
    pub fn head_bytes(&self) -> &[u8] {
        &self.connection.buffer.bytes()[..self.head.fields.head_bytes]
    }

    /// Bytes of an answer's head that have come while it is not whole.
    #[must_use]
    pub fn partial_head_bytes(&self) -> usize {
        self.connection.buffer.bytes().len()
    }

    /// Is done with the head: its spans are worth nothing from now on. Does nothing the second
    /// time.
    pub fn begin_body(&mut self) {
        let head_bytes = std::mem::take(&mut self.head.fields.head_bytes);
        if head_bytes > 0 {
            self.connection.buffer.consume(head_bytes);
        }
    }

    /// Whether a request that got no answer may be sent again: the connection had been idle, so
    /// that the upstream most likely closed it before the request came, and nothing came back for
    /// it. An interim answer says that the request was taken (RFC 9110, section 15.2).
    #[must_use]
    pub fn can_send_again(&self) -> bool {
        self.is_reused
            && !self.has_interim
            && self.connection.buffer.bytes().is_empty()
            && !self.connection.socket.has_partial_input()
    }

    /// Whether another exchange may follow on this connection.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        self.is_sent
            && self.head.is_persistent
            && self.body.is_done()
            && self.connection.buffer.bytes().is_empty()
    }

    /// Whether the idle connection has ended or holds bytes that nobody asked for.
    #[must_use]
    pub fn is_stale(&mut self) -> bool {
        self.connection.socket.is_stale()
    }
}
