//! The upstream's side of an exchange: sends a request and reads the response's head.

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

/// Bounds of an upstream's head: upstreams are configured, but not trusted with our memory.
const BOUNDS: Bounds = Bounds {
    head_bytes_max: 32 * 1024,
    fields_max: parse::FIELDS_CAP,
    target_bytes_max: 32 * 1024,
};

/// A connection to an upstream.
#[derive(Debug)]
pub struct Client<S> {
    pub(crate) connection: Connection<S>,
    /// The response's head: spans of [`Client::head_bytes`].
    pub head: ResponseHead,
    /// The response's body.
    pub body: Body,
    /// Whether an earlier exchange has used the connection.
    pub is_reused: bool,
    /// Whether the current request was sent to its last byte.
    pub(crate) is_sent: bool,
    /// Whether the current request got an interim response.
    has_interim: bool,
}

/// Why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer {
    /// The upstream closed the connection before the first byte; for a reused connection most
    /// likely because it had been idle for too long.
    #[error("the upstream closed the connection without a response")]
    Closed(#[source] io::Error),
    /// The connection failed within the head, or timed out.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The caller left and no longer waits for a response.
    #[error("the caller left before the response arrived")]
    CallerLeft,
    /// The upstream sent something that is not a response.
    #[error(transparent)]
    Malformed(#[from] Malformed),
}

impl<S: Socket> Client<S> {
    /// Creates a client for a new connection.
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

    /// Sends a complete request that is in memory, for example a second time.
    ///
    /// # Errors
    /// [`Broken`]; the connection must not be used any further.
    pub async fn send(&mut self, request: &[u8], deadline: &Deadline) -> Result<(), Broken> {
        self.begin();
        self.connection.write_all(request, b"", deadline).await?;
        self.is_sent = true;
        Ok(())
    }

    /// Begins a request: resets the state of the last response.
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

    /// Whether the input received while the request is still being sent is a response, or the
    /// beginning of one. Interim responses are dropped, since the request continues after them.
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

    /// Waits until the caller's deadline for the response's head; `is_head` is whether the request
    /// was `HEAD`. Interim responses (1xx) are returned like others; call [`Client::begin_body`]
    /// and then this again.
    ///
    /// # Errors
    /// [`NoAnswer`]; the connection must not be used any further.
    pub async fn answer<C: Socket>(
        &mut self,
        is_head: bool,
        caller: &mut Server<C>,
    ) -> Result<(), NoAnswer> {
        let mut scan = None;
        loop {
            if self.parse_head(is_head, &mut scan)? {
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

    /// Parses the head if it has arrived; returns whether it has. `scan` is how far an incomplete
    /// one was scanned, `None` before anything arrived.
    fn parse_head(&mut self, is_head: bool, scan: &mut Option<Scan>) -> Result<bool, Malformed> {
        let bytes = self.connection.buffer.bytes();
        if bytes.is_empty() {
            return Ok(false);
        }
        if scan.is_none() && parse::usual_response(bytes, BOUNDS, is_head, &mut self.head) {
            return Ok(true);
        }
        let Some(length) = scan.get_or_insert_default().advance(bytes, BOUNDS)? else {
            return Ok(false);
        };
        parse::response(&bytes[..length], BOUNDS, is_head, &mut self.head)?;
        Ok(true)
    }

    /// Reads once more, unless the caller leaves meanwhile. A caller that closes only its own
    /// direction counts as gone: the two cannot be distinguished.
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

    /// The response's head with its bytes.
    #[must_use]
    pub fn response(&self) -> Response<'_> {
        Response::new(&self.head, self.head_bytes())
    }

    /// The bytes that the head's spans refer to.
    #[must_use]
    pub fn head_bytes(&self) -> &[u8] {
        &self.connection.buffer.bytes()[..self.head.fields.head_bytes]
    }

    /// Bytes received of an incomplete response head.
    #[must_use]
    pub fn partial_head_bytes(&self) -> usize {
        self.connection.buffer.bytes().len()
    }

    /// Drops the head; its spans are no longer valid. Calling it again has no effect.
    pub fn begin_body(&mut self) {
        let head_bytes = std::mem::take(&mut self.head.fields.head_bytes);
        if head_bytes > 0 {
            self.connection.buffer.consume(head_bytes);
        }
    }

    /// Whether a request without a response may be sent again: the connection had been idle, so the
    /// upstream most likely closed it before the request arrived, and nothing came back. An interim
    /// response means that the request was received (RFC 9110, section 15.2).
    #[must_use]
    pub fn can_send_again(&self) -> bool {
        self.is_reused
            && !self.has_interim
            && self.connection.buffer.bytes().is_empty()
            && !self.connection.socket.has_partial_input()
    }

    /// Whether the connection can carry another exchange.
    #[must_use]
    pub fn is_reusable(&self) -> bool {
        self.is_sent
            && self.head.is_persistent
            && self.body.is_done()
            && self.connection.buffer.bytes().is_empty()
    }

    /// Whether the idle connection has ended or received unexpected bytes.
    #[must_use]
    pub fn is_stale(&mut self) -> bool {
        self.connection.socket.is_stale()
    }
}
