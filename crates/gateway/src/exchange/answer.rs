//! The one place where responses are framed and written: adds the fields that every response has to
//! a room's [`Reply`], and sends it.

use std::cell::Cell;

use tollgate_http1::Broken;
use tollgate_http1::buffer_pool::Scratch;
use tollgate_http1::compose::{push_field, push_length};
use tollgate_http1::framing::{Framing, Version};
use tollgate_http1::head::Known;
use tollgate_http1::relay::{self, Coding, RelayError};
use tollgate_http1::view::Response;
use tollgate_model::refusal::Refusal;

use super::late::cause;
use super::{Exchange, Failure};
use crate::buffered::{GaveWay, Stage, or_give_way};
use crate::record::RecordBuilder;
use crate::refusal::{Form, Refused};
use crate::reply::{Body, Passed, Reply, push_passed};
use crate::snapshot::deprecation::Deprecation;
use crate::worker::Worker;
use crate::worker::warnings::chain;

impl Exchange<'_> {
    /// Sends a response to the caller.
    ///
    /// # Errors
    /// The upstream's response was cut. For a response of the gateway's own the result is always
    /// `Ok`, and [`Self::unsent`] returns the reason of a failure.
    pub(crate) async fn respond(
        &mut self,
        mut reply: Reply<'_>,
        record: &mut RecordBuilder,
    ) -> Result<(), Failure> {
        record.status(reply.status());
        record.answered_by(reply.source());
        self.caller.begin_body();
        match reply.body {
            Body::Passed(passed) => match (reply.arriving, reply.room) {
                (Some(arriving), Some(room)) => {
                    // Boxed: few responses are, and every connection would pay for the space.
                    Box::pin(self.pass_ahead(passed, arriving, room, &mut reply.head)).await
                }
                _ => self.pass(passed, &mut reply.head).await,
            },
            _ => {
                self.respond_own(&mut reply, record).await;
                Ok(())
            }
        }
    }

    /// Builds the response that refuses the request.
    pub(crate) fn refusal(&self, refused: &Refused) -> Reply<'static> {
        let (form, buffers) = (self.form.get(), &self.worker.buffer_pool);
        let form = if self.caller.head_bytes().is_empty() {
            form.without_head()
        } else {
            let mut scratch = buffers.scratch();
            let (bytes, is_whole) = self.caller.peek(&mut scratch).unwrap_or_default();
            form.with_head(self.head(), bytes, is_whole)
        };
        refused.reply(self.id.text(), form, buffers.scratch())
    }

    /// Passes an interim response on, except to HTTP/1.0 callers; keeps the deadline.
    pub(crate) async fn pass_interim(&mut self, response: Response<'_>) -> Result<(), Broken> {
        if self.caller.head.version == Version::Http10 {
            return Ok(());
        }
        let mut out = Vec::new();
        push_passed(&mut out, response, self.decides_cors());
        if self.deprecation.get().is_some() {
            Deprecation::remove_passed(&mut out);
        }
        out.extend_from_slice(b"\r\n");
        self.caller.write_more(&out).await
    }

    async fn respond_own(&mut self, reply: &mut Reply<'_>, record: &mut RecordBuilder) {
        if !push_body_length(reply, self.is_head) {
            reply.body.clear();
        }
        self.end_head(&mut reply.head);
        let bytes = reply.body.bytes().len();
        let (first, second) = match &mut reply.body {
            Body::Own(own) => own.behind(&reply.head),
            body => (&**reply.head, body.bytes()),
        };
        let moved = Cell::new(0);
        let on_moved = |count| moved.set(moved.get() + count as u64);
        let written = self
            .caller
            .write_whole(first, second, bytes, self.idle, on_moved);
        let written = match &mut reply.room {
            Some(room) => or_give_way(room, Stage::Reader, || moved.get(), written).await,
            None => Ok(written.await),
        };
        let unsent = match written {
            Ok(Ok(())) => return,
            Ok(Err(Broken::TimedOut(late))) => self.late_answer(late, 0),
            Ok(Err(Broken::Io(_))) => {
                self.end_after();
                return record.cut();
            }
            Err(GaveWay) => self.answer_gave_way(self.bytes_out()),
        };
        self.end_after();
        record.cut_for(unsent.refusal);
        self.unsent = Some(unsent);
    }

    /// Streams the upstream's response after its head.
    async fn pass(&mut self, mut passed: Passed<'_>, head: &mut Vec<u8>) -> Result<(), Failure> {
        self.begin_passed(&mut passed, head);
        let (upstream, limits) = (passed.upstream.http1(), self.limits(passed.idle));
        let relayed = relay::send_answer(upstream, self.caller, head, self.coding, limits).await;
        relayed.map_err(|error| self.unrelayed(&error, &passed))?;
        passed.keep();
        Ok(())
    }

    /// Ends the head of the upstream's response, and begins its body.
    pub(super) fn begin_passed(&mut self, passed: &mut Passed<'_>, head: &mut Vec<u8>) {
        if !passed.hides_length {
            self.push_framing(passed.upstream.head(), head);
        }
        self.end_head(head);
        passed.upstream.begin_body();
    }

    /// Appends the framing fields of an upstream's response.
    fn push_framing(&mut self, response: Response<'_>, head: &mut Vec<u8>) {
        match response.framing {
            Framing::Length(length) => push_length(head, length),
            Framing::None => push_announced_length(head, response, self.is_head),
            Framing::Chunked | Framing::UntilClose => match self.caller.head.version {
                Version::Http11 => {
                    push_field(head, "transfer-encoding", b"chunked");
                    let trailers = self.caller.head.takes_trailers;
                    self.coding = Coding::Chunked { trailers };
                }
                Version::Http10 => {
                    self.ends_with_connection = true;
                    self.end_after();
                }
            },
        }
    }

    /// Ends the head of a response that begins now, with the fields that every response has.
    fn end_head(&mut self, head: &mut Vec<u8>) {
        self.may_persist = self.can_persist();
        if let Some(deprecation) = self.deprecation.get() {
            deprecation.announce(head);
        }
        push_end(head, self.id.bytes(), self.cors_lines(), !self.may_persist);
    }

    /// The failure for a response that was not relayed to its end.
    pub(super) fn unrelayed(&self, error: &RelayError, passed: &Passed<'_>) -> Failure {
        let (authority, bytes) = (passed.authority, passed.upstream.body_bytes());
        let (refusal, is_begun) = match error {
            RelayError::UpstreamBody { is_begun, .. } => (Refusal::UpstreamBroken, *is_begun),
            RelayError::Upstream(Broken::Io(_)) => (Refusal::UpstreamBroken, true),
            RelayError::Upstream(Broken::TimedOut(late)) => {
                let refused = Refused::from(Refusal::UpstreamTimeout);
                let refused = refused.caused_by(cause(*late).to_owned());
                return Failure::AnswerCut(refused.at(&body_place(authority, bytes)));
            }
            RelayError::Caller(Broken::TimedOut(late)) => {
                return Failure::AnswerCut(self.late_answer(*late, self.bytes_out()));
            }
            RelayError::Caller(Broken::Io(_))
            | RelayError::CallerBody(_)
            | RelayError::TooLarge => {
                return Failure::Cut;
            }
        };
        let place = body_place(authority, bytes);
        let refused = Refused::from(refusal).caused_by(chain(error)).at(&place);
        if is_begun {
            Failure::AnswerCut(refused)
        } else {
            Failure::Refused(refused)
        }
    }
}

/// The bytes of a refusal before any request was read; the connection ends after it.
pub(crate) fn last_answer(refused: &Refused, worker: &Worker) -> Scratch {
    let id = worker.request_id();
    let reply = refused.reply(id.text(), Form::Problem, worker.buffer_pool.scratch());
    closing(reply, id.bytes(), false)
}

/// Returns the bytes of a response after which the connection ends.
pub(crate) fn closing(mut reply: Reply<'_>, request: &[u8], is_head: bool) -> Scratch {
    let is_sent = push_body_length(&mut reply, is_head);
    push_end(&mut reply.head, request, b"", true);
    if is_sent {
        reply.head.extend_from_slice(reply.body.bytes());
    }
    reply.head
}

/// Appends the length of a complete body. Returns whether the body follows.
fn push_body_length(reply: &mut Reply<'_>, is_head: bool) -> bool {
    // Neither is sent with these (RFC 9110, section 8.6).
    if matches!(reply.status(), 204 | 304) {
        return false;
    }
    push_length(&mut reply.head, reply.body.bytes().len() as u64);
    !is_head
}

/// Ends the head of a response, with its CORS lines.
fn push_end(head: &mut Vec<u8>, request: &[u8], cors: &[u8], closes: bool) {
    head.extend_from_slice(cors);
    push_field(head, "x-request-id", request);
    if closes {
        push_field(head, "connection", b"close");
    }
    head.extend_from_slice(b"\r\n");
}

/// Appends the length of a response without a body: none for 204, zero for an empty one, and the
/// upstream's own for `HEAD` and 304 (RFC 9110, section 8.6).
fn push_announced_length(head: &mut Vec<u8>, response: Response<'_>, is_head: bool) {
    match response.lines().first(Known::ContentLength) {
        Some(length) if response.status != 204 => push_field(head, "content-length", length),
        None if !matches!(response.status, 204 | 304) && !is_head => push_length(head, 0),
        _ => {}
    }
}

/// Describes for the log how far a response came.
pub(super) fn body_place(authority: &str, bytes: u64) -> String {
    format!("{authority} after {bytes} bytes of its response body")
}
