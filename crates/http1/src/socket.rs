//! The engine's interface to a stream, implemented by TCP and TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::io::retry_on_intr;
use rustix::net::{RecvFlags, SendFlags, recv, send, sendmsg};
use tokio::io::{AsyncWrite, Interest};
use tokio::net::TcpStream;
use tokio::task::coop::poll_proceed;

/// Bytes from which a write spends the task's budget.
const LONG_WRITE_BYTES: usize = 8 * 1024;

/// A stream of bytes in both directions.
pub trait Socket {
    /// Returns ready if a read may succeed; otherwise registers the task to be woken.
    ///
    /// # Errors
    /// The stream's own.
    fn poll_readable(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

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

/// A TCP stream. Its calls are the system's own (`rustix`): those of the C library are cancellation
/// points of threads, which cost more than the rest of a call.
#[derive(Debug)]
pub struct TcpSocket {
    stream: TcpStream,
    /// Whether the last read filled its room, so that the next may succeed too. Only such reads,
    /// and long writes, spend the task's budget: otherwise a transfer between two fast peers would
    /// never yield.
    is_bulk: bool,
}

impl TcpSocket {
    /// The stream itself.
    #[must_use]
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Tries an operation that transfers at most `bytes_max` bytes. One that transfers fewer has
    /// emptied or filled the socket's buffer: the operation is not tried again before the system
    /// reports more.
    fn try_transfer(
        &self,
        interest: Interest,
        bytes_max: usize,
        mut transfer: impl FnMut() -> rustix::io::Result<usize>,
    ) -> io::Result<usize> {
        let mut moved = None;
        let tried = self.stream.try_io(interest, || {
            let count = retry_on_intr(&mut transfer)?;
            moved = Some(count);
            match count < bytes_max && count > 0 {
                true => Err(io::ErrorKind::WouldBlock.into()),
                false => Ok(()),
            }
        });
        match moved {
            Some(count) => Ok(count),
            None => tried.map(|()| 0),
        }
    }
}

impl From<TcpStream> for TcpSocket {
    fn from(stream: TcpStream) -> Self {
        Self {
            stream,
            is_bulk: false,
        }
    }
}

impl Socket for TcpSocket {
    fn poll_readable(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.poll_read_ready(context)
    }

    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        if self.is_bulk {
            ready!(poll_proceed(context)).made_progress();
        }
        loop {
            let read = self.try_transfer(Interest::READABLE, room.len(), || {
                let (_, count) = recv(&self.stream, &mut *room, RecvFlags::empty())?;
                Ok(count)
            });
            match read {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_read_ready(context))?;
                }
                read => {
                    self.is_bulk = matches!(read, Ok(count) if count == room.len());
                    return Poll::Ready(read);
                }
            }
        }
    }

    fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        let bytes_max = first.len() + second.len();
        if bytes_max >= LONG_WRITE_BYTES {
            ready!(poll_proceed(context)).made_progress();
        }
        loop {
            let written = self.try_transfer(Interest::WRITABLE, bytes_max, || {
                // A stream that the other side has reset must not end the process.
                let flags = SendFlags::NOSIGNAL;
                match (first, second) {
                    ([], only) | (only, []) => send(&self.stream, only, flags),
                    (first, second) => {
                        let both = [IoSlice::new(first), IoSlice::new(second)];
                        sendmsg(&self.stream, &both, &mut Default::default(), flags)
                    }
                }
            });
            match written {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_write_ready(context))?;
                }
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        AsyncWrite::poll_shutdown(Pin::new(&mut self.stream), context)
    }

    fn abort(&mut self) -> io::Result<()> {
        self.stream.set_zero_linger()
    }

    fn is_stale(&mut self) -> bool {
        let nothing = self.stream.try_read(&mut [0]);
        !matches!(nothing, Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

#[cfg(test)]
mod tests;
