//! The two sides of an exchange. Only this module, `listener` and `upstream/connect.rs` name their
//! streams; `exchange` sees the sides as HTTP/1.1 connections. Everywhere else they are an
//! [`Exchange`](crate::exchange::Exchange) and an [`UpstreamConnection`].

use std::rc::Rc;

use tollgate_http1::Broken;
use tollgate_http1::buffer_pool::BufferPool;
use tollgate_http1::client::Client;
use tollgate_http1::deadline::Deadline;
use tollgate_http1::framing::Framing;
use tollgate_http1::pool::{Lease, NoConnection, Pool};
use tollgate_http1::server::Server;
use tollgate_http1::view::Response;

use crate::wire::stream::{CallerStream, UpstreamStream};

/// The caller's side: requests in, responses out.
pub(crate) type CallerConnection = Server<CallerStream>;

/// The length of a message body, as far as its head declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyLength {
    /// There is no body.
    None,
    /// This many bytes.
    Known(u64),
    /// Known only at its end.
    Unknown,
}

impl From<Framing> for BodyLength {
    fn from(framing: Framing) -> Self {
        match framing {
            Framing::None => Self::None,
            Framing::Length(bytes) => Self::Known(bytes),
            Framing::Chunked | Framing::UntilClose => Self::Unknown,
        }
    }
}

/// The upstream's side while an exchange uses it: a request out, its response in. Dropping it
/// closes the connection.
#[derive(Debug)]
pub(crate) struct UpstreamConnection(Lease<UpstreamStream>);

impl UpstreamConnection {
    /// The response's head, until [`Self::begin_body`].
    pub(crate) fn head(&self) -> Response<'_> {
        self.0.response()
    }

    /// Drops the response's head.
    pub(crate) fn begin_body(&mut self) {
        self.0.begin_body();
    }

    /// Bytes of the response's body read so far.
    pub(crate) fn body_bytes(&self) -> u64 {
        self.0.body.bytes
    }

    /// Bytes received of an incomplete response head.
    pub(crate) fn partial_head_bytes(&self) -> usize {
        self.0.partial_head_bytes()
    }

    /// Whether an earlier exchange has used the connection.
    pub(crate) fn is_reused(&self) -> bool {
        self.0.is_reused
    }

    /// Whether a request without a response may be sent again, see [`Client::can_send_again`].
    pub(crate) fn can_send_again(&self) -> bool {
        self.0.can_send_again()
    }

    /// Sends a whole request, head and body, until the deadline.
    pub(crate) async fn send(&mut self, request: &[u8], deadline: &Deadline) -> Result<(), Broken> {
        self.0.send(request, deadline).await
    }

    /// Returns the connection to the pool, if it can be reused.
    pub(crate) fn keep(self) {
        self.0.keep();
    }

    /// The HTTP/1.1 connection, for the exchange alone.
    pub(crate) fn http1(&mut self) -> &mut Client<UpstreamStream> {
        &mut self.0
    }
}

/// The connections of one worker to one upstream.
#[derive(Debug)]
pub(crate) struct UpstreamPool {
    pool: Rc<Pool<UpstreamStream>>,
    buffers: Rc<BufferPool>,
}

impl UpstreamPool {
    /// Creates an empty pool; its connections read into these buffers.
    pub(crate) fn new(buffers: &Rc<BufferPool>) -> Self {
        Self {
            pool: Rc::default(),
            buffers: Rc::clone(buffers),
        }
    }

    /// An idle connection, if there is one.
    pub(crate) fn take_idle(&self) -> Option<UpstreamConnection> {
        self.pool.take_idle().map(UpstreamConnection)
    }

    /// An idle connection, or a new one, or the first of `connections_max` that becomes free; see
    /// [`Pool::take`].
    pub(crate) async fn take<E>(
        &self,
        connections_max: u32,
        deadline: &Deadline,
        connect: impl AsyncFn() -> Result<UpstreamStream, E>,
    ) -> Result<UpstreamConnection, NoConnection<E>> {
        let connect = async || connect().await.map(|stream| self.client(stream));
        let taken = self.pool.take(connections_max, deadline, connect).await;
        taken.map(UpstreamConnection)
    }

    /// A new connection, even if others are idle.
    pub(crate) async fn fresh<E>(
        &self,
        connect: impl AsyncFn() -> Result<UpstreamStream, E>,
    ) -> Result<UpstreamConnection, NoConnection<E>> {
        let connect = async || connect().await.map(|stream| self.client(stream));
        self.pool.fresh(connect).await.map(UpstreamConnection)
    }

    /// Drops idle connections that ended, and those not used for `sweeps_max` sweeps.
    pub(crate) fn sweep(&self, sweeps_max: u32) {
        self.pool.sweep(sweeps_max);
    }

    fn client(&self, stream: UpstreamStream) -> Client<UpstreamStream> {
        Client::new(stream, &self.buffers)
    }
}
