//! The engine's interface to a stream, implemented by TCP and TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A stream of bytes in both directions.
pub trait Socket {
    /// Reads into `room`; 0 is the end of the stream.
    ///
    /// # Errors
    /// The stream's own.
    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>>;

    /// Writes some of two runs of bytes, the first one first. Until it is ready, it must be called
    /// with the same runs: a stream may have accepted bytes that it has not sent, such as a TLS
    /// record. The returned bytes have been sent.
    ///
    /// # Errors
    /// The stream's own.
    fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>>;

    /// Ends the writing direction.
    ///
    /// # Errors
    /// The stream's own.
    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Makes the stream, when dropped, end such that the other side sees that it was cut.
    ///
    /// # Errors
    /// The stream's own.
    fn abort(&mut self) -> io::Result<()>;

    /// Whether input has arrived that cannot be read yet, such as a partial TLS record.
    fn has_partial_input(&self) -> bool {
        false
    }

    /// Whether an idle stream has ended or received unexpected bytes. Needs a system call only if
    /// something happened to it.
    fn is_stale(&mut self) -> bool;
}

impl Socket for TcpStream {
    // tokio's `poll_read` takes a short read as "drained" and saves the call that would confirm it.
    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut room = ReadBuf::new(room);
        AsyncRead::poll_read(Pin::new(self), context, &mut room).map_ok(|()| room.filled().len())
    }

    fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        match (first, second) {
            ([], only) | (only, []) => AsyncWrite::poll_write(Pin::new(self), context, only),
            (first, second) => {
                let both = [IoSlice::new(first), IoSlice::new(second)];
                AsyncWrite::poll_write_vectored(Pin::new(self), context, &both)
            }
        }
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_shutdown(Pin::new(self), context)
    }

    fn abort(&mut self) -> io::Result<()> {
        self.set_zero_linger()
    }

    fn is_stale(&mut self) -> bool {
        let nothing = self.try_read(&mut [0]);
        !matches!(nothing, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}
