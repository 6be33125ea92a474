//! Bodies from one side of an exchange to the other, from buffer to buffer, as they come.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use crate::body::Body;
use crate::chunked::{NotChunked, push_chunk, push_end};
use crate::client::Client;
use crate::connection::{Broken, written};
use crate::deadline::Deadline;
use crate::read_buffer::ReadBuffer;
use crate::server::Server;
use crate::socket::Socket;

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

/// Sends `out` (the request's head) and the caller's body after it, until all is sent or the
/// upstream answers. Afterwards `out` holds the whole request, head and body, or nothing: what is
/// there can be [sent](Client::send) again. Interim answers that come before the body's end are
/// dropped.
///
/// # Errors
/// [`RelayError`]; the upstream's connection cannot be used any further.
pub async fn send_request<S: Socket, U: Socket>(
    server: &mut Server<S>,
    client: &mut Client<U>,
    out: &mut Vec<u8>,
    RequestBody { coding, bytes_max }: RequestBody,
    limits: Limits,
) -> Result<Sent, RelayError> {
    server.begin_body();
    server.deadline.set(limits.idle);
    client.begin();
    let mut is_first = true;
    loop {
        let Server {
            connection,
            body,
            deadline,
            ..
        } = server;
        let direct =
            gather(&connection.buffer, body, out, coding).map_err(RelayError::CallerBody)?;
        let data = &connection.buffer.bytes()[direct.data.clone()];
        let is_copied = is_first && data.len() <= COPY_BYTES_MAX;
        let sent = if body.bytes > bytes_max {
            Err(RelayError::TooLarge)
        } else if is_copied {
            out.extend_from_slice(data);
            send(client, out, b"", (deadline, limits.idle)).await
        } else {
            send(client, out, data, (deadline, limits.idle)).await
        };
        // Whatever became of it: `body` is past these bytes. Were they still here, they would be
        // taken for the next request.
        connection.buffer.consume(direct.consumed);
        if !(is_copied && body.is_done()) {
            out.clear();
        }
        is_first = false;
        let sent = sent?;
        if sent == Sent::Early || body.is_done() {
            client.is_sent = sent == Sent::Whole;
            return Ok(sent);
        }
        server.invite_body().await.map_err(RelayError::Caller)?;
        server.deadline.set(limits.caller_idle);
        if wait_for_body(server, client).await? == Sent::Early {
            return Ok(Sent::Early);
        }
        server.deadline.set(limits.idle);
    }
}

/// Sends a request that is whole at hand, until all is sent or the upstream answers. The caller's
/// own body has been read before.
///
/// # Errors
/// [`RelayError::Upstream`]; the upstream's connection cannot be used any further.
pub async fn send_whole<S: Socket, U: Socket>(
    server: &mut Server<S>,
    client: &mut Client<U>,
    (head, body): (&[u8], &[u8]),
    limits: Limits,
) -> Result<Sent, RelayError> {
    server.deadline.set(limits.idle);
    client.begin();
    let sent = send(client, head, body, (&server.deadline, limits.idle)).await?;
    client.is_sent = sent == Sent::Whole;
    Ok(sent)
}

/// Up to this size the first bytes of a body are copied behind their head: one run of bytes is
/// cheaper to write than two, and can be sent again.
const COPY_BYTES_MAX: usize = 16 * 1024;

/// Writes to the upstream; an answer that begins meanwhile ends the writing, also one that was
/// sent before the upstream closed its side.
async fn send<U: Socket>(
    client: &mut Client<U>,
    mut first: &[u8],
    mut second: &[u8],
    (deadline, idle): (&Deadline, Duration),
) -> Result<Sent, RelayError> {
    while !(first.is_empty() && second.is_empty()) {
        let count = poll_fn(|context| {
            let write = client.connection.socket.poll_write(context, first, second);
            if let Poll::Ready(Ok(count)) = write {
                return Poll::Ready(Ok(Some(count)));
            }
            while let Poll::Ready(Ok(1..)) = client.poll_fill(context) {
                if client.is_answering() {
                    return Poll::Ready(Ok(None));
                }
            }
            if let Poll::Ready(Err(error)) = write {
                return Poll::Ready(Err(Broken::Io(error)));
            }
            deadline.poll_due(context).map(|()| Err(Broken::TimedOut))
        });
        match count.await.map_err(RelayError::Upstream)? {
            Some(count) => {
                written(&mut first, &mut second, count).map_err(RelayError::Upstream)?;
                deadline.set(idle);
            }
            None => return Ok(Sent::Early),
        }
    }
    Ok(Sent::Whole)
}

/// Waits for more of the caller's body, or for the upstream's answer.
async fn wait_for_body<S: Socket, U: Socket>(
    server: &mut Server<S>,
    client: &mut Client<U>,
) -> Result<Sent, RelayError> {
    let Server {
        connection,
        deadline,
        ..
    } = server;
    poll_fn(|context| {
        if let Poll::Ready(read) = connection.buffer.poll_fill(&mut connection.socket, context) {
            return Poll::Ready(match read {
                Ok(0) => Err(RelayError::Caller(Broken::ended())),
                Ok(_) => Ok(Sent::Whole),
                Err(error) => Err(RelayError::Caller(Broken::Io(error))),
            });
        }
        while let Poll::Ready(read) = client.poll_fill(context) {
            return Poll::Ready(match read {
                Ok(0) => Err(RelayError::Upstream(Broken::ended())),
                Ok(_) if !client.is_answering() => continue,
                Ok(_) => Ok(Sent::Early),
                Err(error) => Err(RelayError::Upstream(Broken::Io(error))),
            });
        }
        deadline
            .poll_due(context)
            .map(|()| Err(RelayError::Caller(Broken::TimedOut)))
    })
    .await
}

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
    server.deadline.set(limits.caller_idle);
    let mut is_begun = false;
    loop {
        let Client {
            connection, body, ..
        } = client;
        let gathered = gather(&connection.buffer, body, out, coding);
        let direct = gathered.map_err(|source| RelayError::UpstreamBody { source, is_begun })?;
        let data = &connection.buffer.bytes()[direct.data.clone()];
        let Server {
            connection: caller,
            deadline,
            ..
        } = server;
        if data.len() <= COPY_BYTES_MAX && !out.is_empty() {
            out.extend_from_slice(data);
            caller
                .write_all(out, b"", deadline)
                .await
                .map_err(RelayError::Caller)?;
        } else {
            caller
                .write_all(out, data, deadline)
                .await
                .map_err(RelayError::Caller)?;
        }
        out.clear();
        is_begun = true;
        connection.buffer.consume(direct.consumed);
        if body.is_done() {
            return Ok(());
        }
        deadline.set(limits.idle);
        if !connection
            .fill(deadline)
            .await
            .map_err(RelayError::Upstream)?
        {
            if !body.end() {
                return Err(RelayError::Upstream(Broken::ended()));
            }
            if matches!(coding, Coding::Chunked { .. }) {
                push_end(out, b"");
                caller
                    .write_all(out, b"", deadline)
                    .await
                    .map_err(RelayError::Caller)?;
            }
            return Ok(());
        }
        deadline.set(limits.caller_idle);
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
