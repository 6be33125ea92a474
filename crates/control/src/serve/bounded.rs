//! A connection's byte stream with a bound on the time without progress: [`Bounded`].
//!
//! `serve.rs` puts it between the socket and hyper, which bounds the time of a head but waits
//! forever for a client that does not read the response. It reports activity to `places.rs`.
//!
//! It also lingers after a request that was answered before its body was read, as RFC 9112, section
//! 9.6 requires: closing a socket with unread bytes resets it, and the client may lose the
//! response.

use std::future::Future;
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::Times;
use super::places::Activity;

/// A stream that fails with [`io::ErrorKind::TimedOut`] if there is no progress for too long.
pub(super) struct Bounded<S> {
    stream: S,
    /// Runs while bytes wait to be written.
    writing: Stall,
    /// Runs while the stream waits for bytes; writes count as progress too.
    reading: Stall,
    /// The bound of `reading` after the first byte.
    idle: Duration,
    /// Runs from the end of the response, while the rest of the request is read and discarded.
    lingering: Stall,
    /// Runs while no byte of that rest arrives.
    rest: Stall,
    activity: Arc<Activity>,
}

impl<S> Bounded<S> {
    pub(super) fn new(stream: S, times: &Times, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            writing: Stall::new("the client does not read the response", times.write),
            reading: Stall::new("the connection is idle", times.silent),
            idle: times.idle,
            lingering: Stall::new("the client keeps sending", times.linger),
            rest: Stall::new("the client sends no more", times.linger / 6),
            activity,
        }
    }

    /// Updates the timers after an attempt to write.
    fn wrote<T>(
        &mut self,
        context: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.writing.stop();
            self.reading.restart();
            return tried;
        }
        Poll::Ready(Err(ready!(self.writing.poll(context))))
    }
}

impl<S: AsyncRead + Unpin> Bounded<S> {
    /// Reads and discards bytes until the client closes the connection or a bound has passed.
    fn poll_linger(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut scratch = [const { MaybeUninit::uninit() }; 16 << 10];
        while self.lingering.poll(context).is_pending() {
            let mut into = ReadBuf::uninit(&mut scratch);
            match Pin::new(&mut self.stream).poll_read(context, &mut into) {
                Poll::Ready(Ok(())) if !into.filled().is_empty() => self.rest.stop(),
                Poll::Ready(_) => break,
                Poll::Pending => return self.rest.poll(context).map(drop),
            }
        }
        Poll::Ready(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let tried = Pin::new(&mut self.stream).poll_read(context, into);
        if tried.is_ready() {
            if into.filled().len() > before {
                self.activity.receive();
                self.reading.bound = self.idle;
            }
            self.reading.stop();
            return tried;
        }
        Poll::Ready(Err(ready!(self.reading.poll(context))))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.wrote(context, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.wrote(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    // A socket has nothing to flush, so this cannot stall.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_ready() {
            self.activity.flush();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        if self.activity.has_unread() {
            ready!(self.poll_linger(context));
        }
        Poll::Ready(Ok(()))
    }
}

/// A timer that runs while there is no progress.
struct Stall {
    what: &'static str,
    bound: Duration,
    ends: Option<Pin<Box<Sleep>>>,
}

impl Stall {
    const fn new(what: &'static str, bound: Duration) -> Self {
        Self {
            what,
            bound,
            ends: None,
        }
    }

    fn stop(&mut self) {
        self.ends = None;
    }

    /// Restarts the timer if it is running; the task that it wakes stays the same.
    fn restart(&mut self) {
        if let Some(ends) = &mut self.ends {
            ends.as_mut().reset(Instant::now() + self.bound);
        }
    }

    /// Starts the timer or lets it run on; ready with the error once the bound has passed.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let bound = self.bound;
        let ends = self
            .ends
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + bound)));
        ready!(ends.as_mut().poll(context));
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, self.what))
    }
}
