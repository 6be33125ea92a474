//! A connection's bytes, with a bound on how long they may stand still: [`Bounded`].
//!
//! `serve.rs` puts it between the socket and hyper, which bounds the time of a head but waits for
//! ever for a caller who does not read the answer. It reports activity to `places.rs`.
//!
//! It also lingers where a request was answered before its body was read, as RFC 9112, 9.6 asks: a
//! socket closed with bytes unread is reset, and the caller may lose the answer.

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

/// A stream that fails with [`io::ErrorKind::TimedOut`] when nothing moves for too long.
pub(super) struct Bounded<S> {
    stream: S,
    /// Runs while bytes wait to be written.
    writing: Stall,
    /// Runs while bytes are waited for; what is written counts as movement too.
    reading: Stall,
    /// The bound of `reading` once the first byte has come.
    idle: Duration,
    /// Runs from the end of the answer, while the rest of a request is read and dropped.
    lingering: Stall,
    /// Runs while none of that rest comes.
    rest: Stall,
    activity: Arc<Activity>,
}

impl<S> Bounded<S> {
    pub(super) fn new(stream: S, times: &Times, activity: Arc<Activity>) -> Self {
        Self {
            stream,
            writing: Stall::new("the caller does not read the answer", times.write),
            reading: Stall::new("the connection is idle", times.silent),
            idle: times.idle,
            lingering: Stall::new("the caller goes on sending", times.linger),
            rest: Stall::new("the caller sends no more", times.linger / 6),
            activity,
        }
    }

    /// What an attempt to write means for the bounds.
    fn wrote<T>(
        &mut self,
        context: &mut Context<'_>,
        tried: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.writing.stop();
            self.reading.put_off();
            return tried;
        }
        Poll::Ready(Err(ready!(self.writing.poll(context))))
    }
}

impl<S: AsyncRead + Unpin> Bounded<S> {
    /// Reads on and drops what comes, until the caller closes or is given up.
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

    // A socket has nothing to flush, which cannot stand still.
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

/// A clock that runs while something stands still.
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

    /// Begins anew, if it runs; whom it wakes stays the same.
    fn put_off(&mut self) {
        if let Some(ends) = &mut self.ends {
            ends.as_mut().reset(Instant::now() + self.bound);
        }
    }

    /// Runs on, or begins; ready with the error once the bound has passed.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let bound = self.bound;
        let ends = self
            .ends
            .get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + bound)));
        ready!(ends.as_mut().poll(context));
        Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, self.what))
    }
}
