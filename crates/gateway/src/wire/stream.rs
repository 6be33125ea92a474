//! The gateway's stream: TCP, or TLS over it. Only connections and their creators name it;
//! everything else is independent of which one it is.

use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ServerConfig;
use rustls::client::UnbufferedClientConnection;
use rustls::server::UnbufferedServerConnection;
use socket2::SockRef;
use tokio::net::TcpStream;
use tollgate_http1::buffer_pool::BufferPool;
use tollgate_http1::socket::{Socket, TcpSocket};

mod session;
mod tls;

use super::trust::UpstreamTls;
use session::Session;
use tls::TlsStream;

/// Unsent bytes that the kernel accepts before a socket is full; it is writable again below half of
/// them. Bytes in flight are not counted.
const UNSENT_BYTES_MAX: u32 = 16 * 1024;

/// Bounds the unsent bytes of a socket (`TCP_NOTSENT_LOWAT`).
///
/// Without this bound the kernel takes megabytes, and reports room only once a third of them has
/// been acknowledged: a caller that reads 16 kB a second appears idle for more than a minute. The
/// gateway also runs on systems without this option.
pub(crate) fn bound_unsent(socket: &SockRef<'_>) {
    if let Err(error) = socket.set_tcp_notsent_lowat(UNSENT_BYTES_MAX) {
        tracing::debug!(%error, "the system does not bound the unsent bytes of a connection");
    }
}

/// The stream of a caller's connection.
pub(crate) type CallerStream = Stream<UnbufferedServerConnection>;

/// The stream of an upstream's connection.
pub(crate) type UpstreamStream = Stream<UnbufferedClientConnection>;

/// A stream of bytes, encrypted or not.
pub(crate) enum Stream<T: Session> {
    Plain(TcpSocket),
    // Boxed, so that TLS state does not make plain connections larger.
    Tls(Box<TlsStream<T>>),
}

impl CallerStream {
    /// Performs the server side of a caller's TLS handshake.
    ///
    /// # Errors
    /// The caller left, or there is no common TLS version or cipher suite; the caller got an alert.
    pub(crate) async fn accept(
        stream: TcpStream,
        tls: &Arc<ServerConfig>,
        buffers: &Rc<BufferPool>,
    ) -> io::Result<Self> {
        let session = UnbufferedServerConnection::new(Arc::clone(tls)).map_err(io::Error::other)?;
        let mut stream = Box::new(TlsStream::new(stream, session, buffers));
        stream.handshake().await?;
        Ok(Self::Tls(stream))
    }
}

impl UpstreamStream {
    /// Performs the handshake with an upstream, which must prove that it has the name.
    ///
    /// # Errors
    /// The connection's own; `InvalidData` with a [`rustls::Error`] inside if the upstream does not
    /// prove it or does not support TLS.
    pub(crate) async fn connect(
        stream: TcpStream,
        tls: &UpstreamTls,
        buffers: &Rc<BufferPool>,
    ) -> io::Result<Self> {
        let session = UnbufferedClientConnection::new(Arc::clone(&tls.config), tls.name.clone());
        let session = session.map_err(io::Error::other)?;
        let mut stream = Box::new(TlsStream::new(stream, session, buffers));
        stream.handshake().await?;
        Ok(Self::Tls(stream))
    }
}

impl<T: Session> fmt::Debug for Stream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(stream) => stream.fmt(f),
            Self::Tls(stream) => stream.fmt(f),
        }
    }
}

impl<T: Session> Socket for Stream<T> {
    fn poll_readable(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => stream.poll_readable(context),
            Self::Tls(stream) => stream.poll_readable(context),
        }
    }

    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(stream) => stream.poll_read(context, room),
            Self::Tls(stream) => stream.poll_read(context, room),
        }
    }

    fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self {
            Self::Plain(stream) => Socket::poll_write(stream, context, first, second),
            Self::Tls(stream) => stream.poll_write(context, first, second),
        }
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Plain(stream) => stream.poll_finish(context),
            Self::Tls(stream) => stream.poll_finish(context),
        }
    }

    fn abort(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.abort(),
            Self::Tls(stream) => stream.abort(),
        }
    }

    fn has_partial_input(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Tls(stream) => stream.has_partial_input(),
        }
    }

    fn is_stale(&mut self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_stale(),
            Self::Tls(stream) => stream.is_stale(),
        }
    }
}

#[cfg(test)]
mod tests;
