//! A stream with its buffer. Each wait ends with data, the end of the stream, or the deadline.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use crate::deadline::{Deadline, Late};
use crate::read_buffer::ReadBuffer;
use crate::socket::Socket;

/// One end of an exchange.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    pub(crate) socket: S,
    pub(crate) buffer: ReadBuffer,
}

/// Why a wait failed.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// The deadline has passed.
    #[error("{0}")]
    TimedOut(Late),
    /// The stream failed, or ended where it must not.
    #[error("the connection broke")]
    Io(#[from] io::Error),
}

impl Broken {
    pub(crate) fn ended() -> Self {
        Self::Io(io::ErrorKind::UnexpectedEof.into())
    }
}

impl<S: Socket> Connection<S> {
    /// Waits until a read may succeed.
    pub(crate) async fn readable(&mut self, deadline: &Deadline) -> Result<(), Broken> {
        poll_fn(|context| {
            if let Poll::Ready(readable) = self.socket.poll_readable(context) {
                return Poll::Ready(Ok(readable?));
            }
            let due = deadline.poll_due(context);
            due.map(|late| Err(Broken::TimedOut(late)))
        })
        .await
    }

    /// Reads once more into the buffer; `false` at the end of the stream.
    pub(crate) async fn fill(&mut self, deadline: &Deadline) -> Result<bool, Broken> {
        poll_fn(|context| {
            if let Poll::Ready(read) = self.buffer.poll_fill(&mut self.socket, context) {
                return Poll::Ready(Ok(read? > 0));
            }
            let due = deadline.poll_due(context);
            due.map(|late| Err(Broken::TimedOut(late)))
        })
        .await
    }

    /// Writes `first` and then `second`, all of them.
    pub(crate) async fn write_all(
        &mut self,
        mut first: &[u8],
        mut second: &[u8],
        deadline: &Deadline,
    ) -> Result<(), Broken> {
        while !(first.is_empty() && second.is_empty()) {
            let late = |context: &Context<'_>| deadline.poll_due(context);
            self.write_some(&mut first, &mut second, late).await?;
        }
        Ok(())
    }

    /// Writes as much as there is room for, at least one byte, and advances the two runs; returns
    /// how much. Without room, `late` is polled for the end of the wait.
    pub(crate) async fn write_some(
        &mut self,
        first: &mut &[u8],
        second: &mut &[u8],
        mut late: impl FnMut(&Context<'_>) -> Poll<Late>,
    ) -> Result<usize, Broken> {
        let count = poll_fn(|context| {
            if let Poll::Ready(count) = self.socket.poll_write(context, first, second) {
                return Poll::Ready(count.map_err(Broken::Io));
            }
            late(context).map(|late| Err(Broken::TimedOut(late)))
        })
        .await?;
        written(first, second, count)?;
        Ok(count)
    }
}

/// Advances two runs past `count` written bytes.
pub(crate) fn written(first: &mut &[u8], second: &mut &[u8], count: usize) -> Result<(), Broken> {
    if count == 0 {
        return Err(Broken::Io(io::ErrorKind::WriteZero.into()));
    }
    let of_first = count.min(first.len());
    *first = &first[of_first..];
    *second = &second[count - of_first..];
    Ok(())
}
