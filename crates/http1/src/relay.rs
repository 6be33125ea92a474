//! Relays bodies from one side of an exchange to the other, buffer to buffer, as they arrive.

use std::time::Duration;

use crate::body::Body;
use crate::chunked::{NotChunked, push_chunk, push_end};
use crate::client::Client;
use crate::connection::Broken;
use crate::read_buffer::ReadBuffer;
use crate::server::Server;
use crate::socket::Socket;

mod ahead;
mod request;

pub use ahead::Ahead;
pub use request::{send_request, send_whole};

/// The framing of a body at its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Raw bytes: a length was announced, or the body ends with the connection.
    Plain,
    /// The chunked coding.
    Chunked {
        /// Whether trailer fields are forwarded.
        trailers: bool,
    },
}

/// How the caller's body is forwarded.
#[derive(Debug, Clone, Copy)]
pub struct RequestBody {
    /// Its framing.
    pub coding: Coding,
    /// Maximum bytes.
    pub bytes_max: u64,
    /// Whether the request may be sent again: while its body is short, all of it is kept.
    pub is_kept: bool,
}

/// How sending a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Every byte was sent.
    Whole,
    /// The upstream responded early; the rest of the body was not sent, and neither connection can
    /// be reused after the response.
    Early,
}

/// Why a request could not be sent, or a response not forwarded.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The caller left, is idle, or does not read.
    #[error("the caller's side broke")]
    Caller(#[source] Broken),
    /// The upstream's connection failed.
    #[error("the upstream's side broke")]
    Upstream(#[source] Broken),
    /// The caller's body is malformed.
    #[error("the request body is malformed")]
    CallerBody(#[source] NotChunked),
    /// The upstream's body is malformed.
    #[error("the response body is malformed")]
    UpstreamBody {
        /// The error.
        source: NotChunked,
        /// Whether the caller already has a part of the response.
        is_begun: bool,
    },
    /// The caller's body is larger than allowed.
    #[error("the request body is larger than allowed")]
    TooLarge,
}

/// Timeouts of a relay.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long the upstream may be idle.
    pub idle: Duration,
    /// How long the caller may be idle.
    pub caller_idle: Duration,
}

/// Body bytes up to this size are copied behind their head: one run of bytes is cheaper to write
/// than two, and can be sent again.
const COPY_BYTES_MAX: usize = 16 * 1024;

/// Writes `out` (the response's head) and then the upstream's body to the caller.
///
/// # Errors
/// [`RelayError`]; unless nothing was begun, the caller has a part of the response and must see the
/// connection end.
pub async fn send_answer<S: Socket, U: Socket>(
    client: &mut Client<U>,
    server: &mut Server<S>,
    out: &mut Vec<u8>,
    coding: Coding,
    limits: Limits,
) -> Result<(), RelayError> {
    client.begin_body();
    server.begin_answer();
    let answer = Answer {
        out,
        coding,
        is_begun: false,
    };
    stream(client, server, answer, limits).await
}

/// Writes the rest of the upstream's body to a caller that has been sent the beginning.
///
/// # Errors
/// [`RelayError`]; the caller must see the connection end.
pub async fn send_rest<S: Socket, U: Socket>(
    client: &mut Client<U>,
    server: &mut Server<S>,
    coding: Coding,
    limits: Limits,
) -> Result<(), RelayError> {
    let answer = Answer {
        out: &mut Vec::new(),
        coding,
        is_begun: true,
    };
    stream(client, server, answer, limits).await
}

/// A response on its way to the caller.
struct Answer<'o> {
    /// What is written before the next bytes of the body.
    out: &'o mut Vec<u8>,
    coding: Coding,
    /// Whether the caller has been sent something.
    is_begun: bool,
}

async fn stream<S: Socket, U: Socket>(
    client: &mut Client<U>,
    server: &mut Server<S>,
    answer: Answer<'_>,
    limits: Limits,
) -> Result<(), RelayError> {
    let Answer {
        out,
        coding,
        mut is_begun,
    } = answer;
    loop {
        let Client {
            connection, body, ..
        } = client;
        let before = body.bytes;
        let gathered = gather(&connection.buffer, body, out, coding);
        let direct = gathered.map_err(|source| RelayError::UpstreamBody { source, is_begun })?;
        let data = &connection.buffer.bytes()[direct.data.clone()];
        let framing = (out.len() + data.len()) as u64 - (body.bytes - before);
        server.answered.begin_part(framing);
        let written = if data.len() <= COPY_BYTES_MAX && !out.is_empty() {
            out.extend_from_slice(data);
            server
                .write_part(out, b"", limits.caller_idle, |_| ())
                .await
        } else {
            server
                .write_part(out, data, limits.caller_idle, |_| ())
                .await
        };
        written.map_err(RelayError::Caller)?;
        out.clear();
        is_begun = true;
        connection.buffer.consume(direct.consumed);
        if body.is_done() {
            return Ok(());
        }
        server.deadline.set(limits.idle);
        let filled = connection.fill(&server.deadline).await;
        if filled.map_err(RelayError::Upstream)? {
            continue;
        }
        if !body.end() {
            return Err(RelayError::Upstream(Broken::ended()));
        }
        if matches!(coding, Coding::Chunked { .. }) {
            push_end(out, b"");
            server.answered.begin_part(out.len() as u64);
            let ended = server
                .write_part(out, b"", limits.caller_idle, |_| ())
                .await;
            ended.map_err(RelayError::Caller)?;
        }
        return Ok(());
    }
}

/// The gathered part of a buffer: bytes consumed, and those to be written from where they are.
struct Gathered {
    consumed: usize,
    data: std::ops::Range<usize>,
}

/// Consumes everything that the buffer holds of a body. Bytes that are forwarded unchanged stay in
/// place; if the framing changes or is written anew, they are appended to `out`.
fn gather(
    buffer: &ReadBuffer,
    body: &mut Body,
    out: &mut Vec<u8>,
    coding: Coding,
) -> Result<Gathered, NotChunked> {
    let bytes = buffer.bytes();
    if coding == Coding::Plain && (body.rest().is_some() || body.is_until_close()) {
        let (consumed, data) = body.take(bytes)?;
        return Ok(Gathered { consumed, data });
    }
    let was_done = body.is_done();
    let mut consumed = 0;
    while !body.is_done() {
        let (count, data) = body.take(&bytes[consumed..])?;
        let data = &bytes[consumed..][data];
        match coding {
            Coding::Plain => out.extend_from_slice(data),
            Coding::Chunked { .. } => push_chunk(out, data),
        }
        consumed += count;
        if count == 0 {
            break;
        }
    }
    if let Coding::Chunked { trailers } = coding
        && body.is_done()
        && !was_done
    {
        push_end(out, if trailers { &body.trailer } else { b"" });
    }
    Ok(Gathered {
        consumed,
        data: 0..0,
    })
}

#[cfg(test)]
pub(crate) mod tests;
