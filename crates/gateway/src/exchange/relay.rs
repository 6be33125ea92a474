//! Where the two sides of an exchange meet, and how bodies are framed on either.

use std::time::Duration;

use tollgate_http1::Broken;
use tollgate_http1::client::NoAnswer;
use tollgate_http1::compose::{push_field, push_length};
use tollgate_http1::framing::{Framing, Version};
use tollgate_http1::head::Known;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::{self, Coding, Limits, RelayError, RequestBody, Sent};
use tollgate_http1::view::Response;
use tollgate_http1::whole::{Unread, WholeBody};

use super::Exchange;
use crate::answer_head::AnswerHead;
use crate::connection::UpstreamConnection;

impl Exchange<'_> {
    /// Ends the head of the upstream's request in `out` with what frames the caller's body, and
    /// sends both, as [`relay::send_request`]: the body at most `bytes_max`, and kept where the
    /// request may have to be sent again, while the upstream stands still for at most `idle`.
    pub(crate) async fn send_request(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        (bytes_max, is_kept): (u64, bool),
        idle: Duration,
    ) -> Result<Sent, RelayError> {
        let body = RequestBody {
            coding: self.push_request_framing(out),
            bytes_max,
            is_kept,
        };
        let limits = self.limits(idle);
        relay::send_request(self.caller, upstream.http1(), out, body, limits).await
    }

    /// Sends a request of the gateway's own, as [`relay::send_whole`]: its head is in `out`, but
    /// for its body's length.
    pub(crate) async fn send_own(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        mut body: OwnBody,
        idle: Duration,
    ) -> Result<Sent, RelayError> {
        push_length(out, body.body().len() as u64);
        out.extend_from_slice(b"\r\n");
        let limits = self.limits(idle);
        relay::send_whole(self.caller, upstream.http1(), body.behind(out), limits).await
    }

    /// Waits for the head of the upstream's answer, to a request that was `HEAD` or not, until the
    /// deadline or until the caller has left.
    pub(crate) async fn await_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        is_head: bool,
    ) -> Result<(), NoAnswer> {
        upstream.http1().answer(is_head, self.caller).await
    }

    /// Passes an interim answer on, to a caller that knows them, keeping the deadline.
    pub(crate) async fn give_interim(&mut self, response: Response<'_>) -> Result<(), Broken> {
        if self.caller.head.version == Version::Http10 {
            return Ok(());
        }
        let mut out = Vec::new();
        AnswerHead::passed(&mut out, response, self.is_for_portal()).end_interim();
        self.caller.write_on(&out).await
    }

    /// Ends the head of an answer of the upstream's, which begins now.
    pub(crate) fn end_passed_head(&mut self, mut head: AnswerHead<'_>, response: Response<'_>) {
        match response.framing {
            Framing::Length(length) => head.length(length),
            Framing::None => push_announced_length(&mut head, response, self.is_head),
            Framing::Chunked | Framing::UntilClose => match self.caller.head.version {
                Version::Http11 => {
                    head.field("transfer-encoding", b"chunked");
                    let trailers = self.caller.head.takes_trailers;
                    self.coding = Coding::Chunked { trailers };
                }
                Version::Http10 => {
                    self.ends_with_connection = true;
                    self.end_after();
                }
            },
        }
        self.end_head(head);
    }

    /// Writes `out` (the answer's head) and the upstream's body after it, as
    /// [`relay::send_answer`].
    pub(crate) async fn send_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        idle: Duration,
    ) -> Result<(), RelayError> {
        let (coding, limits) = (self.coding, self.limits(idle));
        relay::send_answer(upstream.http1(), self.caller, out, coding, limits).await
    }

    /// Reads the body of the upstream's answer to its end, unless the caller leaves meanwhile.
    pub(crate) async fn read_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        bytes_max: u64,
        idle: Duration,
    ) -> Result<WholeBody, Unread> {
        let upstream = upstream.http1();
        upstream.read_body(self.caller, bytes_max, idle).await
    }

    /// Ends the head of the upstream's request with what frames the caller's body.
    fn push_request_framing(&self, out: &mut Vec<u8>) -> Coding {
        let head = &self.caller.head;
        let coding = match head.framing {
            Framing::Chunked => {
                push_field(out, "transfer-encoding", b"chunked");
                Coding::Chunked { trailers: false }
            }
            Framing::Length(length) => {
                push_length(out, length);
                Coding::Plain
            }
            Framing::None | Framing::UntilClose => {
                // A body of no bytes is still one, where the method expects it.
                if head.fields.first(Known::ContentLength).is_some() {
                    push_length(out, 0);
                }
                Coding::Plain
            }
        };
        if head.takes_trailers {
            push_field(out, "te", b"trailers");
            // TE is for the next hop alone, and must say so (RFC 9110, section 10.1.4).
            push_field(out, "connection", b"te");
        }
        out.extend_from_slice(b"\r\n");
        coding
    }

    fn limits(&self, idle: Duration) -> Limits {
        Limits {
            idle,
            caller_idle: self.idle,
        }
    }
}

/// The length of an answer without a body: none for 204, zero for an empty one, and what the
/// upstream announced for `HEAD` and 304 (RFC 9110, section 8.6).
fn push_announced_length(head: &mut AnswerHead<'_>, response: Response<'_>, is_head: bool) {
    match response.lines().first(Known::ContentLength) {
        Some(length) if response.status != 204 => head.field("content-length", length),
        None if !matches!(response.status, 204 | 304) && !is_head => head.length(0),
        _ => {}
    }
}
