//! Bodies from one side of an exchange to the other, from buffer to buffer, as they come.

use std::time::Duration;

use crate::body::Body;
use crate::chunked::{NotChunked, push_chunk, push_end};
use crate::client::Client;
use crate::connection::Broken;
use crate::read_buffer::ReadBuffer;
use crate::server::Server;
use crate::socket::Socket;

mod request;

pub use request::{send_request, send_whole};

/// How a body is framed where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Its bytes and nothing else: a length was announced, or the connection's end is its end.
    Plain,
    /// The chunked coding.
    Chunked {
        /// Trailer fields are passed on.
        trailers: bool,
    },
}

/// How the caller's body goes on.
#[derive(Debug, Clone, Copy)]
pub struct RequestBody {
    /// How it is framed.
    pub coding: Coding,
    /// Bytes of it at most.
    pub bytes_max: u64,
    /// The request may be sent again: as long as its body is short, all of it stays at hand.
    pub is_kept: bool,
}

/// How sending a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sent {
    /// Every byte went out.
    Whole,
    /// The upstream answers already; the rest of the body was not sent, and neither connection
    /// can go on after the answer.
    Early,
}

/// Why a request could not be sent, or an answer not passed on.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The caller left, stands still, or does not read.
    #[error("the caller's side broke")]
    Caller(#[source] Broken),
    /// The upstream's side broke off.
    #[error("the upstream's side broke")]
    Upstream(#[source] Broken),
    /// The caller's body is not well-formed.
    #[error("the request's body is not well-formed")]
    CallerBody(#[source] NotChunked),
    /// The upstream's body is not well-formed.
    #[error("the answer's body is not well-formed")]
    UpstreamBody {
        /// What is wrong.
        source: NotChunked,
        /// The caller has a part of the answer already.
        is_begun: bool,
    },
    /// The caller's body is larger than allowed.
    #[error("the request's body is larger than allowed")]
    TooLarge,
}

/// Time-outs of a relay.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How long the upstream may stand still.
    pub idle: Duration,
    /// How long the caller may stand still.
    pub caller_idle: Duration,
}

/// Up to this size the bytes of a body are copied behind their head: one run of bytes is cheaper to
/// write than two, and can be sent again.
const COPY_BYTES_MAX: usize = 16 * 1024;

/// Writes `out` (the answer's head) to the caller and the upstream's body after it.
///
/// # Errors
/// [`RelayError`]; unless it says that nothing was begun, the caller has a part of the answer and
/// must see the connection end.
pub async fn send_answer<S: Socket, U: Socket>(
    client: &mut Client<U>,
    server: &mut Server<S>,
    out: &mut Vec<u8>,
    coding: Coding,
    limits: Limits,
) -> Result<(), RelayError> {
    client.begin_body();
    server.begin_answer();
    let mut is_begun = false;
    loop {
        let Client {
            connection, body, ..
        } = client;
        let gathered = gather(&connection.buffer, body, out, coding);
        let direct = gathered.map_err(|source| RelayError::UpstreamBody { source, is_begun })?;
        let data = &connection.buffer.bytes()[direct.data.clone()];
        let written = if data.len() <= COPY_BYTES_MAX && !out.is_empty() {
            out.extend_from_slice(data);
            server.write_part(out, b"", limits.caller_idle).await
        } else {
            server.write_part(out, data, limits.caller_idle).await
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
            let ended = server.write_part(out, b"", limits.caller_idle).await;
            ended.map_err(RelayError::Caller)?;
        }
        return Ok(());
    }
}

/// What of a buffer was gathered: bytes done with, and those to be written as they lie there.
struct Gathered {
    consumed: usize,
    data: std::ops::Range<usize>,
}

/// Takes all that the buffer holds of a body. Where its bytes go on as they are, they stay in
/// place; where the framing changes or is written anew, they are appended to `out`.
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
