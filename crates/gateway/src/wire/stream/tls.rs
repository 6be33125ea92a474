//! TLS over TCP for the engine: rustls' unbuffered sessions on the worker's blocks.
//!
//! Received data is decrypted in a worker's block and copied once, to its reader; written data is
//! encrypted into a block and sent with one system call. An idle connection holds partial records.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedStatus, WriteTraffic,
};
use tokio::net::TcpStream;
use tollgate_http1::buffer_pool::{BLOCK_BYTES, BufferPool};
use tollgate_http1::socket::{Socket, TcpSocket};

use super::session::Session;

/// Bytes encrypted at a time: with the overhead of four records they fit in a block.
const PLAIN_BYTES_MAX: usize = BLOCK_BYTES - 1024;
/// Plaintext bytes of one record (RFC 8446, section 5.1).
const RECORD_BYTES_MAX: usize = 16 * 1024;
/// Minimum bytes of one read, even with less room for the plaintext.
const READ_BYTES_MIN: usize = 4 * 1024;
/// Maximum reads of input on an idle connection before it is considered unusable.
const IDLE_READS_MAX: usize = 4;
/// Room for an alert.
const ALERT_BYTES: usize = 64;

/// A TLS session over a TCP stream.
pub(crate) struct TlsStream<T: Session> {
    tcp: TcpSocket,
    session: T,
    buffers: Rc<BufferPool>,
    /// Received but not decrypted: a partial record or handshake message.
    received: Vec<u8>,
    /// Decrypted but not read, for lack of room.
    decrypted: Vec<u8>,
    /// Encrypted but not sent.
    outgoing: Vec<u8>,
    /// Bytes of the next write that are already in `outgoing`.
    owed: usize,
    /// The other side has sent `close_notify`.
    is_ended: bool,
    /// We have sent `close_notify`.
    is_finished: bool,
    /// The other side violated the protocol; the session must not be used any more.
    is_broken: bool,
}

impl<T: Session> TlsStream<T> {
    pub(super) fn new(tcp: TcpStream, session: T, buffers: &Rc<BufferPool>) -> Self {
        Self {
            tcp: tcp.into(),
            session,
            buffers: Rc::clone(buffers),
            received: Vec::new(),
            decrypted: Vec::new(),
            outgoing: Vec::new(),
            owed: 0,
            is_ended: false,
            is_finished: false,
            is_broken: false,
        }
    }

    /// Performs the handshake until both sides may send and all of its messages are sent.
    pub(super) async fn handshake(&mut self) -> io::Result<()> {
        self.advance(&mut [], &mut [])?;
        poll_fn(|context| {
            loop {
                ready!(self.poll_send(context))?;
                if !self.session.common().is_handshaking() {
                    return Poll::Ready(Ok(()));
                }
                ready!(self.poll_receive(context, &mut []))?;
            }
        })
        .await
    }

    /// Reads once from TCP and decrypts; returns the bytes written to `room`, 0 if only a partial
    /// record or no application data arrived.
    fn poll_receive(
        &mut self,
        context: &mut Context<'_>,
        room: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_broken {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let mut block = self.buffers.block();
        let kept = self.received.len();
        let read_max = room.len().max(kept + READ_BYTES_MIN).min(block.len());
        if kept >= read_max {
            let error = "a handshake message is too large";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, error)));
        }
        let count = ready!(self.tcp.poll_read(context, &mut block[kept..read_max]))?;
        if count == 0 {
            // Without close_notify, an attacker may have cut it (RFC 8446, section 6.1).
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        let written = self.decrypt(&mut block, kept + count, room)?;
        // The protocol's own responses need not wait for a write. A failure shows in the next one.
        let _ = self.poll_send(context);
        Poll::Ready(Ok(written))
    }

    /// Processes the first `end` bytes of a block, which has room at its front for the kept bytes.
    fn decrypt(&mut self, block: &mut [u8], end: usize, room: &mut [u8]) -> io::Result<usize> {
        let kept = std::mem::take(&mut self.received);
        block[..kept.len()].copy_from_slice(&kept);
        let advanced = self.advance(&mut block[..end], room);
        let (used, written) = advanced.inspect_err(|_| self.try_send())?;
        self.received.extend_from_slice(&block[used..end]);
        Ok(written)
    }

    /// Processes `received`; returns how many bytes were consumed, and how many bytes of plaintext
    /// were written to `room`. Plaintext without room there is kept.
    fn advance(&mut self, received: &mut [u8], room: &mut [u8]) -> io::Result<(usize, usize)> {
        let (mut used, mut written) = (0, 0);
        loop {
            let UnbufferedStatus { discard, state } = self.session.process(&mut received[used..]);
            used += discard;
            match state {
                Ok(ConnectionState::ReadTraffic(mut traffic)) => {
                    while let Some(record) = traffic.next_record() {
                        let record = record.map_err(invalid)?;
                        used += record.discard;
                        let free = &mut room[written..];
                        let (now, later) = record
                            .payload
                            .split_at(record.payload.len().min(free.len()));
                        free[..now.len()].copy_from_slice(now);
                        written += now.len();
                        self.decrypted.extend_from_slice(later);
                    }
                }
                Ok(ConnectionState::EncodeTlsData(data)) => encode(data, &mut self.outgoing)?,
                Ok(ConnectionState::TransmitTlsData(data)) => data.done(),
                Ok(ConnectionState::PeerClosed) => self.is_ended = true,
                Ok(_) => return Ok((used, written)),
                Err(error) => {
                    self.is_broken = true;
                    self.encode_alert();
                    return Err(invalid(error));
                }
            }
        }
    }

    /// Encodes the alert for the other side after an error. Nothing more is received, or rustls
    /// would accept the bytes that it failed at.
    fn encode_alert(&mut self) {
        while self.session.common().wants_write()
            && let Ok(ConnectionState::EncodeTlsData(data)) = self.session.process(&mut []).state
            && encode(data, &mut self.outgoing).is_ok()
        {}
    }

    /// Calls `write` with the session's traffic once `outgoing` has all pending messages.
    fn write_traffic<R>(
        &mut self,
        write: impl FnOnce(WriteTraffic<'_, T::Data>) -> R,
    ) -> io::Result<R> {
        if self.is_broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        loop {
            let UnbufferedStatus { discard, state } = self.session.process(&mut self.received);
            let state = state.map_err(|error| {
                self.is_broken = true;
                invalid(error)
            });
            match state? {
                ConnectionState::WriteTraffic(traffic) => return Ok(write(traffic)),
                ConnectionState::EncodeTlsData(data) => encode(data, &mut self.outgoing)?,
                ConnectionState::TransmitTlsData(data) => data.done(),
                ConnectionState::PeerClosed => self.is_ended = true,
                _ => return Err(io::ErrorKind::NotConnected.into()),
            }
            self.received.drain(..discard);
        }
    }

    /// Encrypts as much of the two runs as fits into a block, and sends what it can at once.
    fn poll_write_more(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        let first = &first[..first.len().min(PLAIN_BYTES_MAX)];
        let second = &second[..second.len().min(PLAIN_BYTES_MAX - first.len())];
        let (mut block, mut room) = (self.buffers.block(), self.buffers.block());
        let [one, other] = joined(first, second, &mut room);
        let end = self.write_traffic(|mut traffic| {
            let end = traffic.encrypt(one, &mut block)?;
            Ok(end + traffic.encrypt(other, &mut block[end..])?)
        })?;
        let end = end.map_err(|error: EncryptError| io::Error::other(error))?;
        self.owed = first.len() + second.len();
        let mut sent = 0;
        while self.outgoing.is_empty() && sent < end {
            match self.tcp.poll_write(context, &block[sent..end], b"") {
                Poll::Ready(count) => sent += nonzero(count?)?,
                Poll::Pending => break,
            }
        }
        self.outgoing.extend_from_slice(&block[sent..end]);
        self.poll_owed(context, sent)
    }

    /// Sends encrypted bytes, of which `sent` were just sent; returns the completed bytes of the
    /// write. They are reported as they are sent, so that a slow reader is seen to read.
    fn poll_owed(&mut self, context: &mut Context<'_>, sent: usize) -> Poll<io::Result<usize>> {
        let before = self.outgoing.len();
        if self.poll_send(context)?.is_ready() {
            return Poll::Ready(Ok(std::mem::take(&mut self.owed)));
        }
        let sent = sent + before - self.outgoing.len();
        let done = sent.min(self.owed.saturating_sub(1));
        if done == 0 {
            return Poll::Pending;
        }
        self.owed -= done;
        Poll::Ready(Ok(done))
    }

    /// Sends the encrypted bytes.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outgoing.is_empty() {
            let count = ready!(self.tcp.poll_write(context, &self.outgoing, b""))?;
            self.outgoing.drain(..nonzero(count)?);
        }
        self.outgoing = Vec::new();
        Poll::Ready(Ok(()))
    }

    /// Sends what it can at once: the final alert, which nothing waits for.
    fn try_send(&mut self) {
        if !self.outgoing.is_empty()
            && let Ok(count) = self.tcp.stream().try_write(&self.outgoing)
        {
            self.outgoing.drain(..count);
        }
    }

    /// Queues `close_notify` (RFC 8446, section 6.1); once.
    fn finish(&mut self) -> io::Result<()> {
        if self.is_broken || std::mem::replace(&mut self.is_finished, true) {
            return Ok(());
        }
        let mut alert = [0; ALERT_BYTES];
        let bytes = self.write_traffic(|mut traffic| traffic.queue_close_notify(&mut alert))?;
        let bytes = bytes.map_err(io::Error::other)?;
        self.outgoing.extend_from_slice(&alert[..bytes]);
        Ok(())
    }
}

impl<T: Session> Socket for TlsStream<T> {
    fn poll_readable(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.decrypted.is_empty() || self.is_ended || self.is_broken {
            return Poll::Ready(Ok(()));
        }
        self.tcp.poll_readable(context)
    }

    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        if self.is_finished {
            // Input after our own end is only discarded.
            return self.tcp.poll_read(context, room);
        }
        loop {
            if !self.decrypted.is_empty() {
                let count = room.len().min(self.decrypted.len());
                room[..count].copy_from_slice(&self.decrypted[..count]);
                self.decrypted.drain(..count);
                if self.decrypted.is_empty() {
                    self.decrypted = Vec::new();
                }
                return Poll::Ready(Ok(count));
            }
            if self.is_ended {
                return Poll::Ready(Ok(0));
            }
            let count = ready!(self.poll_receive(context, room))?;
            if count > 0 {
                return Poll::Ready(Ok(count));
            }
        }
    }

    fn poll_write(
        &mut self,
        context: &mut Context<'_>,
        first: &[u8],
        second: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.owed > 0 {
            return self.poll_owed(context, 0);
        }
        self.poll_write_more(context, first, second)
    }

    fn poll_finish(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.finish()?;
        ready!(self.poll_send(context))?;
        self.tcp.poll_finish(context)
    }

    fn abort(&mut self) -> io::Result<()> {
        self.is_finished = true;
        self.tcp.abort()
    }

    fn has_partial_input(&self) -> bool {
        !self.received.is_empty()
    }

    /// Protocol messages on an idle connection (session tickets, key updates) do not make it stale.
    fn is_stale(&mut self) -> bool {
        for _ in 0..IDLE_READS_MAX {
            if self.is_broken || self.is_ended || !self.decrypted.is_empty() {
                return true;
            }
            let mut block = self.buffers.block();
            let kept = self.received.len();
            let came = match self.tcp.stream().try_read(&mut block[kept..]) {
                Ok(0) => return true,
                Ok(count) => self.decrypt(&mut block, kept + count, &mut []),
                Err(error) => {
                    let is_quiet = error.kind() == io::ErrorKind::WouldBlock;
                    return !is_quiet || self.has_partial_input();
                }
            };
            if came.is_err() {
                return true;
            }
        }
        // A well-behaved peer does not send that much on an idle session.
        true
    }
}

impl<T: Session> Drop for TlsStream<T> {
    fn drop(&mut self) {
        if !self.session.common().is_handshaking() && self.owed == 0 && self.finish().is_ok() {
            self.try_send();
        }
    }
}

impl<T: Session> fmt::Debug for TlsStream<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsStream").finish_non_exhaustive()
    }
}

/// Joins two runs if one record holds both: a record costs more than a copy.
fn joined<'a>(first: &'a [u8], second: &'a [u8], room: &'a mut [u8]) -> [&'a [u8]; 2] {
    let bytes = first.len() + second.len();
    if first.is_empty() || second.is_empty() || bytes > RECORD_BYTES_MAX {
        return [first, second];
    }
    room[..first.len()].copy_from_slice(first);
    room[first.len()..bytes].copy_from_slice(second);
    [&room[..bytes], b""]
}

/// Appends a message of the protocol itself.
fn encode<Data>(mut data: EncodeTlsData<'_, Data>, out: &mut Vec<u8>) -> io::Result<()> {
    let start = out.len();
    // An attempt without room returns the required size.
    let Err(EncodeError::InsufficientSize(needed)) = data.encode(&mut []) else {
        return Ok(());
    };
    out.resize(start + needed.required_size, 0);
    data.encode(&mut out[start..]).map_err(io::Error::other)?;
    Ok(())
}

/// Fails unless at least one byte was written.
fn nonzero(count: usize) -> io::Result<usize> {
    match count {
        0 => Err(io::ErrorKind::WriteZero.into()),
        count => Ok(count),
    }
}

fn invalid(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
