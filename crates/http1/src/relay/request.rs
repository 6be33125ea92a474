//! Requests from the caller to the upstream.

use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use super::{COPY_BYTES_MAX, Limits, RelayError, RequestBody, Sent, gather};
use crate::client::Client;
use crate::connection::{Broken, written};
use crate::deadline::Deadline;
use crate::pace::Pace;
use crate::server::Server;
use crate::socket::Socket;

/// Sends `out` (the request's head) and then the caller's body, until everything is sent or the
/// upstream responds. Afterwards `out` holds the whole request, head and body, which can be
/// [sent](Client::send) again, or nothing. Interim responses before the end of the body are
/// dropped.
///
/// If a previously idle connection turns out to be closed before all of a short body has arrived,
/// the rest of the body is read before that is reported.
///
/// # Errors
/// [`RelayError`]; the upstream's connection must not be used any further.
pub async fn send_request<S: Socket, U: Socket>(
    server: &mut Server<S>,
    client: &mut Client<U>,
    out: &mut Vec<u8>,
    request: RequestBody,
    limits: Limits,
) -> Result<Sent, RelayError> {
    server.begin_body();
    client.begin();
    let mut upload = Upload {
        head_bytes: out.len(),
        out,
        request,
        is_at_hand: true,
    };
    let mut sent = upload.send(server, client, limits).await;
    if matches!(sent, Err(RelayError::Upstream(Broken::Io(_))))
        && upload.is_at_hand
        && client.can_send_again()
        && let Err(error) = upload.read_rest(server, limits.caller_idle).await
    {
        sent = Err(error);
    }
    server.end_upload();
    let is_whole = server.body.is_done();
    if !(upload.is_at_hand && is_whole) {
        out.clear();
    }
    client.is_sent = is_whole && matches!(sent, Ok(Sent::Whole));
    sent
}

/// Sends a complete request that is in memory, until everything is sent or the upstream responds.
/// The caller's own body has been read before. `head` and `body` may be cut anywhere: both are
/// sent as one run of bytes.
///
/// # Errors
/// [`RelayError::Upstream`]; the upstream's connection must not be used any further.
pub async fn send_whole<S: Socket, U: Socket>(
    server: &mut Server<S>,
    client: &mut Client<U>,
    head: &[u8],
    body: &[u8],
    limits: Limits,
) -> Result<Sent, RelayError> {
    client.begin();
    let mut pace = Pace::new(server.times.floor);
    let sent = client
        .write_until_answered(head, body, &server.deadline, limits.idle, &mut pace)
        .await?;
    client.is_sent = sent == Sent::Whole;
    Ok(sent)
}

/// A request being sent.
struct Upload<'a> {
    out: &'a mut Vec<u8>,
    head_bytes: usize,
    request: RequestBody,
    /// Whether `out` holds everything that has been read of it.
    is_at_hand: bool,
}

impl Upload<'_> {
    async fn send<S: Socket, U: Socket>(
        &mut self,
        server: &mut Server<S>,
        client: &mut Client<U>,
        limits: Limits,
    ) -> Result<Sent, RelayError> {
        let mut pace = Pace::new(server.times.floor);
        let mut sent_bytes = 0;
        loop {
            let Server {
                connection,
                body,
                deadline,
                ..
            } = &mut *server;
            let gathered = gather(&connection.buffer, body, self.out, self.request.coding);
            let direct = gathered.map_err(RelayError::CallerBody)?;
            let data = &connection.buffer.bytes()[direct.data.clone()];
            let is_copied = self.copies(sent_bytes == 0, data.len());
            if is_copied {
                self.out.extend_from_slice(data);
            }
            let second = if is_copied { &b""[..] } else { data };
            let sent = if body.bytes > self.request.bytes_max {
                Err(RelayError::TooLarge)
            } else {
                let first = &self.out[sent_bytes..];
                client
                    .write_until_answered(first, second, deadline, limits.idle, &mut pace)
                    .await
            };
            // Regardless of the result, `body` is past these bytes. If they stayed, they would be
            // taken for the next request.
            connection.buffer.consume(direct.consumed);
            self.is_at_hand = is_copied && (body.is_done() || self.request.is_kept);
            if self.is_at_hand {
                sent_bytes = self.out.len();
            } else {
                self.out.clear();
                sent_bytes = 0;
            }
            let sent = sent?;
            if sent == Sent::Early || body.is_done() {
                return Ok(sent);
            }
            server.invite_body().await.map_err(RelayError::Caller)?;
            if wait_for_body(server, client, limits.caller_idle).await? == Sent::Early {
                return Ok(Sent::Early);
            }
        }
    }

    /// Whether the next bytes of the body are appended to those kept.
    fn copies(&self, is_first: bool, bytes: usize) -> bool {
        let before = match is_first {
            true => 0,
            false => self.out.len().saturating_sub(self.head_bytes),
        };
        self.is_at_hand && before + bytes <= COPY_BYTES_MAX
    }

    /// Reads the rest of a short body, so that the request can be sent again; stops without an
    /// error if it is not short.
    async fn read_rest<S: Socket>(
        &mut self,
        server: &mut Server<S>,
        idle: Duration,
    ) -> Result<(), RelayError> {
        while !server.body.is_done() {
            server.invite_body().await.map_err(RelayError::Caller)?;
            if !server.fill_body(idle).await.map_err(RelayError::Caller)? {
                return Err(RelayError::Caller(Broken::ended()));
            }
            let Server {
                connection, body, ..
            } = &mut *server;
            let gathered = gather(&connection.buffer, body, self.out, self.request.coding);
            let direct = gathered.map_err(RelayError::CallerBody)?;
            let data = &connection.buffer.bytes()[direct.data.clone()];
            self.is_at_hand = self.copies(false, data.len());
            self.out.extend_from_slice(data);
            connection.buffer.consume(direct.consumed);
            if body.bytes > self.request.bytes_max {
                return Err(RelayError::TooLarge);
            }
            if !self.is_at_hand {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl<U: Socket> Client<U> {
    /// Writes to the upstream; stops at a response that begins meanwhile, even if the upstream
    /// closed its side after it.
    async fn write_until_answered(
        &mut self,
        mut first: &[u8],
        mut second: &[u8],
        deadline: &Deadline,
        idle: Duration,
        pace: &mut Pace,
    ) -> Result<Sent, RelayError> {
        while !(first.is_empty() && second.is_empty()) {
            let count = poll_fn(|context| {
                let write = self.connection.socket.poll_write(context, first, second);
                if let Poll::Ready(Ok(count)) = write {
                    return Poll::Ready(Ok(Some(count)));
                }
                while let Poll::Ready(Ok(1..)) = self.poll_fill(context) {
                    if self.is_answering() {
                        return Poll::Ready(Ok(None));
                    }
                }
                if let Poll::Ready(Err(error)) = write {
                    return Poll::Ready(Err(Broken::Io(error)));
                }
                let late = pace.poll_late(deadline, idle, context);
                late.map(|late| Err(Broken::TimedOut(late)))
            });
            match count.await.map_err(RelayError::Upstream)? {
                Some(count) => {
                    written(&mut first, &mut second, count).map_err(RelayError::Upstream)?;
                    pace.add_moved(deadline, count);
                }
                None => return Ok(Sent::Early),
            }
        }
        Ok(Sent::Whole)
    }
}

/// Waits for more of the caller's body, or for the upstream's response.
async fn wait_for_body<S: Socket, U: Socket>(
    server: &mut Server<S>,
    client: &mut Client<U>,
    idle: Duration,
) -> Result<Sent, RelayError> {
    server.begin_upload();
    let Server {
        connection,
        deadline,
        pace,
        ..
    } = server;
    pace.wait(deadline, idle);
    let come = poll_fn(|context| {
        if let Poll::Ready(read) = connection.buffer.poll_fill(&mut connection.socket, context) {
            return Poll::Ready(match read {
                Ok(0) => Err(RelayError::Caller(Broken::ended())),
                Ok(count) => Ok(Some(count)),
                Err(error) => Err(RelayError::Caller(Broken::Io(error))),
            });
        }
        while let Poll::Ready(read) = client.poll_fill(context) {
            return Poll::Ready(match read {
                Ok(0) => Err(RelayError::Upstream(Broken::ended())),
                Ok(_) if !client.is_answering() => continue,
                Ok(_) => Ok(None),
                Err(error) => Err(RelayError::Upstream(Broken::Io(error))),
            });
        }
        deadline
            .poll_due(context)
            .map(|late| Err(RelayError::Caller(Broken::TimedOut(late))))
    });
    let Some(count) = come.await? else {
        return Ok(Sent::Early);
    };
    pace.add_moved(deadline, count);
    Ok(Sent::Whole)
}
