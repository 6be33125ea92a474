//! TLS over TCP as the engine needs it: rustls' unbuffered sessions on the worker's blocks.
//!
//! What is received is decrypted in a block of the worker and copied once, to where it is read;
//! what is written is encrypted into a block and leaves in one system call. A connection at rest
//! holds no buffer, but for a part of a record that has come.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use rustls::unbuffered::{
    ConnectionState, EncodeError, EncodeTlsData, EncryptError, UnbufferedStatus, WriteTraffic,
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tollgate_http1::buffer_pool::{BLOCK_BYTES, BufferPool};
use tollgate_http1::socket::Socket;

use super::session::Session;

/// Bytes that are encrypted at a time: with what four records add they fit in a block.
const PLAIN_BYTES_MAX: usize = BLOCK_BYTES - 1024;
/// Bytes of plaintext that one record holds (RFC 8446, section 5.1).
const RECORD_BYTES_MAX: usize = 16 * 1024;
/// Bytes that are read at once at least, however little room their plaintext has.
const READ_BYTES_MIN: usize = 4 * 1024;
/// Reads of what came to an idle connection, before it is taken for one that nobody can use.
const IDLE_READS_MAX: usize = 4;
/// Room for an alert.
const ALERT_BYTES: usize = 64;

/// A TLS session over a TCP stream.
pub(crate) struct TlsStream<T: Session> {
    tcp: TcpStream,
    session: T,
    buffers: Rc<BufferPool>,
    /// Received and not decrypted: a part of a record, or of a handshake message.
    received: Vec<u8>,
    /// Decrypted and not read, for want of room.
    decrypted: Vec<u8>,
    /// Encrypted and not sent.
    outgoing: Vec<u8>,
    /// Bytes of the next write that are in `outgoing` already.
    owed: usize,
    /// The other side has said that nothing more comes.
    is_ended: bool,
    /// We have said so.
    is_finished: bool,
    /// The other side has broken the protocol: the session is not to be asked any more.
    is_broken: bool,
}

impl<T: Session> TlsStream<T> {
    pub(super) fn new(tcp: TcpStream, session: T, buffers: &Rc<BufferPool>) -> Self {
        Self {
            tcp,
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

    /// Makes the handshake, until both sides may send and all that it takes is sent.
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

    /// Reads once from TCP and decrypts what has come; bytes written to `room`, 0 where only a part
    /// of a record or nothing for the reader came.
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
            let error = "a handshake message is larger than is read";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, error)));
        }
        let mut free = ReadBuf::new(&mut block[kept..read_max]);
        ready!(Pin::new(&mut self.tcp).poll_read(context, &mut free))?;
        let count = free.filled().len();
        if count == 0 {
            // Whoever cuts a connection off must not be taken for the other side (RFC 8446,
            // section 6.1).
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        let written = self.take(&mut block, kept + count, room)?;
        // What the protocol answers by itself need not wait for a write. Whether it breaks is seen
        // by the next one.
        let _ = self.poll_send(context);
        Poll::Ready(Ok(written))
    }

    /// Works on the first `end` bytes of a block, with room at its front for what was kept.
    fn take(&mut self, block: &mut [u8], end: usize, room: &mut [u8]) -> io::Result<usize> {
        let kept = std::mem::take(&mut self.received);
        block[..kept.len()].copy_from_slice(&kept);
        let advanced = self.advance(&mut block[..end], room);
        let (used, written) = advanced.inspect_err(|_| self.try_send())?;
        self.received.extend_from_slice(&block[used..end]);
        Ok(written)
    }

    /// Works on `received`: how many of its bytes are done with, and how many of plaintext were
    /// written to `room`; what finds no room there is kept.
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

    /// After an error: the alert that says so to the other side. Nothing more is received, or
    /// rustls would take the bytes that it has failed at for good ones.
    fn encode_alert(&mut self) {
        while self.session.common().wants_write()
            && let Ok(ConnectionState::EncodeTlsData(data)) = self.session.process(&mut []).state
            && encode(data, &mut self.outgoing).is_ok()
        {}
    }

    /// Hands what may be written to `write`, once all that the protocol has to say itself is in
    /// `outgoing`.
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

    /// Encrypts from the two runs what fits into a block, and sends of it what goes at once.
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
            match Pin::new(&mut self.tcp).poll_write(context, &block[sent..end]) {
                Poll::Ready(count) => sent += some(count?)?,
                Poll::Pending => break,
            }
        }
        self.outgoing.extend_from_slice(&block[sent..end]);
        self.poll_owed(context, sent)
    }

    /// Sends what is encrypted, of which `sent` bytes have gone just now; bytes of the write that
    /// are done with. They are told as they go, so that a slow reader is seen to read.
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

    /// Sends what is encrypted.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.outgoing.is_empty() {
            let count = ready!(Pin::new(&mut self.tcp).poll_write(context, &self.outgoing))?;
            self.outgoing.drain(..some(count)?);
        }
        self.outgoing = Vec::new();
        Poll::Ready(Ok(()))
    }

    /// Sends what goes at once: the last word, which nobody waits for.
    fn try_send(&mut self) {
        if !self.outgoing.is_empty()
            && let Ok(count) = self.tcp.try_write(&self.outgoing)
        {
            self.outgoing.drain(..count);
        }
    }

    /// Says that nothing more comes (RFC 8446, section 6.1); once.
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
    fn poll_read(&mut self, context: &mut Context<'_>, room: &mut [u8]) -> Poll<io::Result<usize>> {
        if self.is_finished {
            // What comes after our own end is only read away.
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
        Pin::new(&mut self.tcp).poll_shutdown(context)
    }

    fn abort(&mut self) -> io::Result<()> {
        self.is_finished = true;
        self.tcp.set_zero_linger()
    }

    fn has_partial_input(&self) -> bool {
        !self.received.is_empty()
    }

    /// What the protocol says meanwhile (session tickets, new keys) is no sign of it.
    fn is_stale(&mut self) -> bool {
        for _ in 0..IDLE_READS_MAX {
            if self.is_broken || self.is_ended || !self.decrypted.is_empty() {
                return true;
            }
            let mut block = self.buffers.block();
            let kept = self.received.len();
            let came = match self.tcp.try_read(&mut block[kept..]) {
                Ok(0) => return true,
                Ok(count) => self.take(&mut block, kept + count, &mut []),
                Err(error) => {
                    let is_quiet = error.kind() == io::ErrorKind::WouldBlock;
                    return !is_quiet || self.has_partial_input();
                }
            };
            if came.is_err() {
                return true;
            }
        }
        // Nobody has that much to say about an idle session.
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

/// Two runs as one where a record holds both: a record costs more than a copy.
fn joined<'a>(first: &'a [u8], second: &'a [u8], room: &'a mut [u8]) -> [&'a [u8]; 2] {
    let bytes = first.len() + second.len();
    if first.is_empty() || second.is_empty() || bytes > RECORD_BYTES_MAX {
        return [first, second];
    }
    room[..first.len()].copy_from_slice(first);
    room[first.len()..bytes].copy_from_slice(second);
    [&room[..bytes], b""]
}

/// Appends a message of the protocol's own.
fn encode<Data>(mut data: EncodeTlsData<'_, Data>, out: &mut Vec<u8>) -> io::Result<()> {
    let start = out.len();
    // How much room it needs is told by too little of it.
    let Err(EncodeError::InsufficientSize(needed)) = data.encode(&mut []) else {
        return Ok(());
    };
    out.resize(start + needed.required_size, 0);
    data.encode(&mut out[start..]).map_err(io::Error::other)?;
    Ok(())
}

/// At least one byte was written.
fn some(count: usize) -> io::Result<usize> {
    match count {
        0 => Err(io::ErrorKind::WriteZero.into()),
        count => Ok(count),
    }
}

fn invalid(error: rustls::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
