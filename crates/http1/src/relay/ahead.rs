//! Responses that are read as fast as the upstream sends them, whatever the caller takes.

use std::future::poll_fn;
use std::mem;
use std::ops::Range;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::{COPY_BYTES_MAX, Coding, Limits, RelayError};
use crate::chunked::{NotChunked, push_chunk, push_end};
use crate::client::Client;
use crate::connection::{Broken, written};
use crate::server::Server;
use crate::socket::Socket;

/// Maximum bytes of a chunk that is written.
const CHUNK_BYTES_MAX: usize = 64 * 1024;

/// A response that is read ahead of the caller.
#[derive(Debug)]
pub struct Ahead<'o> {
    body: Vec<u8>,
    bytes_max: usize,
    /// Whether the body has arrived to its end.
    is_whole: bool,
    trailer: Vec<u8>,
    coding: Coding,
    /// The head, and what is written of the body in another form than it has there.
    out: &'o mut Vec<u8>,
    out_sent: usize,
    /// What is written of the body after `out`.
    direct: Range<usize>,
    /// Bytes of the body that are written, or in the part that is being written.
    begun: usize,
    has_end: bool,
    /// Whether a part is being written: until it is, it must not change.
    has_part: bool,
    /// Whether the caller has been sent something.
    is_begun: bool,
    /// Why it can be sent nothing more.
    broken: Option<Broken>,
}

impl<'o> Ahead<'o> {
    /// Begins with the response's head in `out` and a body in this coding.
    #[must_use]
    pub fn new(out: &'o mut Vec<u8>, coding: Coding) -> Self {
        Self {
            body: Vec::new(),
            bytes_max: 0,
            is_whole: false,
            trailer: Vec::new(),
            coding,
            out,
            out_sent: 0,
            direct: 0..0,
            begun: 0,
            has_end: coding == Coding::Plain,
            has_part: false,
            is_begun: false,
            broken: None,
        }
    }

    /// Begins the response: its time runs.
    pub fn begin<S: Socket, U: Socket>(&self, client: &mut Client<U>, server: &mut Server<S>) {
        client.begin_body();
        server.begin_answer();
    }

    /// Reads until the body is whole or exceeds `bytes_max`, by what one read brings at most;
    /// returns whether it is whole. Meanwhile the caller is sent what it takes, and `on_read` is
    /// called with the bytes that have arrived. A caller that leaves or does not read ends nothing:
    /// [`write_rest`](Self::write_rest) reports it.
    ///
    /// It can be called again with a larger bound. Otherwise, also if it is dropped, what has
    /// arrived follows by [`take_body`](Self::take_body) and `write_rest`, the rest by
    /// [`send_rest`](super::send_rest).
    ///
    /// # Errors
    /// [`RelayError`] of the upstream; unless nothing was begun, the caller has a part of the
    /// response and must see the connection end.
    pub async fn read<S: Socket, U: Socket>(
        &mut self,
        client: &mut Client<U>,
        server: &mut Server<S>,
        bytes_max: usize,
        limits: Limits,
        mut on_read: impl FnMut(usize),
    ) -> Result<bool, RelayError> {
        self.bytes_max = bytes_max;
        self.take(client)?;
        if self.is_whole {
            return Ok(self.fits());
        }
        let idle = server.deadline.sibling();
        idle.set(limits.idle);
        poll_fn(|context| {
            loop {
                if self.broken.is_none()
                    && let Poll::Ready(Err(broken)) =
                        self.poll_write(server, limits.caller_idle, context)
                {
                    self.broken = Some(broken);
                }
                if !self.fits() {
                    return Poll::Ready(Ok(false));
                }
                match client.poll_fill(context) {
                    Poll::Ready(Ok(0)) if client.body.end() => self.is_whole = true,
                    Poll::Ready(Ok(0)) => {
                        return Poll::Ready(Err(RelayError::Upstream(Broken::ended())));
                    }
                    Poll::Ready(Ok(_)) => self.take(client)?,
                    Poll::Ready(Err(error)) => {
                        return Poll::Ready(Err(RelayError::Upstream(Broken::Io(error))));
                    }
                    Poll::Pending => {
                        let late = ready!(idle.poll_due(context));
                        return Poll::Ready(Err(RelayError::Upstream(Broken::TimedOut(late))));
                    }
                }
                if self.is_whole {
                    return Poll::Ready(Ok(self.fits()));
                }
                on_read(self.body.len());
                idle.set(limits.idle);
            }
        })
        .await
    }

    fn fits(&self) -> bool {
        self.body.len() <= self.bytes_max
    }

    /// Bytes that have arrived of the body.
    #[must_use]
    pub fn body_bytes(&self) -> usize {
        self.body.len()
    }

    /// Moves out what has arrived of the body.
    #[must_use]
    pub fn take_body(&mut self) -> Vec<u8> {
        mem::take(&mut self.body)
    }

    /// Writes the rest of what has arrived, of which `body` is the moved-out body; with the end of
    /// the response if that is whole. `on_moved` is called with the bytes that the caller takes.
    ///
    /// # Errors
    /// [`Broken`] if the caller left or does not read, also before.
    pub async fn write_rest<S: Socket>(
        &mut self,
        server: &mut Server<S>,
        body: &[u8],
        idle: Duration,
        mut on_moved: impl FnMut(usize),
    ) -> Result<(), Broken> {
        if let Some(broken) = self.broken.take() {
            return Err(broken);
        }
        while self.prepare(server, body) {
            let parts = (&self.out[self.out_sent..], &body[self.direct.clone()]);
            let written = server.write_part(parts.0, parts.1, idle, &mut on_moved);
            written.await?;
            self.end_part();
        }
        Ok(())
    }

    /// Takes the bytes of the body that the client has read.
    fn take<U: Socket>(&mut self, client: &mut Client<U>) -> Result<(), RelayError> {
        // Of a part that waits to be written, a stream may have accepted bytes.
        let is_begun = self.is_begun || self.has_part;
        let taken = self.take_read(client);
        taken.map_err(|source| RelayError::UpstreamBody { source, is_begun })
    }

    fn take_read<U: Socket>(&mut self, client: &mut Client<U>) -> Result<(), NotChunked> {
        let Client {
            connection, body, ..
        } = client;
        let bytes = connection.buffer.bytes();
        let mut consumed = 0;
        while !body.is_done() {
            let (count, data) = body.take(&bytes[consumed..])?;
            self.body.extend_from_slice(&bytes[consumed..][data]);
            consumed += count;
            if count == 0 {
                break;
            }
        }
        connection.buffer.consume(consumed);
        if body.is_done() {
            self.is_whole = true;
            self.trailer = mem::take(&mut body.trailer);
        }
        Ok(())
    }

    /// Writes what the caller takes; ready once there is no more.
    fn poll_write<S: Socket>(
        &mut self,
        server: &mut Server<S>,
        idle: Duration,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Broken>> {
        let body = mem::take(&mut self.body);
        let polled = self.poll_write_of(&body, server, idle, context);
        self.body = body;
        polled
    }

    fn poll_write_of<S: Socket>(
        &mut self,
        body: &[u8],
        server: &mut Server<S>,
        idle: Duration,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Broken>> {
        while self.prepare(server, body) {
            let mut first = &self.out[self.out_sent..];
            let mut second = &body[self.direct.clone()];
            let Poll::Ready(count) = server.poll_write_part(first, second, idle, context)? else {
                return Poll::Pending;
            };
            written(&mut first, &mut second, count)?;
            self.is_begun = true;
            self.out_sent = self.out.len() - first.len();
            self.direct.start = self.direct.end - second.len();
            if first.is_empty() && second.is_empty() {
                self.end_part();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Prepares the next part, unless one is being written; returns whether there is one.
    fn prepare<S: Socket>(&mut self, server: &mut Server<S>, body: &[u8]) -> bool {
        if self.has_part {
            return true;
        }
        let head_bytes = self.out.len();
        let rest = &body[self.begun..];
        match self.coding {
            Coding::Plain if head_bytes > 0 && rest.len() <= COPY_BYTES_MAX => {
                self.out.extend_from_slice(rest);
                self.begun = body.len();
            }
            Coding::Plain => {
                self.direct = self.begun..body.len();
                self.begun = body.len();
            }
            Coding::Chunked { trailers } => {
                let chunk = &rest[..rest.len().min(CHUNK_BYTES_MAX)];
                push_chunk(self.out, chunk);
                self.begun += chunk.len();
                if self.is_whole && self.begun == body.len() && !self.has_end {
                    push_end(self.out, if trailers { &self.trailer } else { b"" });
                    self.has_end = true;
                }
            }
        }
        let of_body = rest.len() - (body.len() - self.begun);
        let bytes = self.out.len() + self.direct.len();
        server.answered.begin_part((bytes - of_body) as u64);
        self.has_part = bytes > 0;
        self.has_part
    }

    fn end_part(&mut self) {
        self.out.clear();
        self.out_sent = 0;
        self.direct = self.begun..self.begun;
        self.has_part = false;
    }
}

#[cfg(test)]
mod tests;
