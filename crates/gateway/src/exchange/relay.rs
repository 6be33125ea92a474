//! The request on its way to the upstream: connects the two sides of an exchange and frames the
//! body.

use std::time::Duration;

use tollgate_http1::client::NoAnswer;
use tollgate_http1::compose::{push_field, push_length};
use tollgate_http1::framing::Framing;
use tollgate_http1::head::Known;
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::{self, Coding, Limits, RelayError, RequestBody, Sent};

use super::Exchange;
use crate::wire::connection::UpstreamConnection;

impl Exchange<'_> {
    /// Adds the framing fields of the caller's body to the upstream's request head in `out`, and
    /// sends both like [`relay::send_request`]: at most `bytes_max` of the body, kept if the
    /// request may have to be sent again, with the upstream idle for at most `idle`.
    pub(crate) async fn send_request(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        bytes_max: u64,
        is_kept: bool,
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

    /// Sends a request of the gateway's own like [`relay::send_whole`]; its head is in `out`,
    /// without the body's length.
    pub(crate) async fn send_own(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        body: &mut OwnBody,
        idle: Duration,
    ) -> Result<Sent, RelayError> {
        push_length(out, body.body().len() as u64);
        out.extend_from_slice(b"\r\n");
        let limits = self.limits(idle);
        let (head, body) = body.behind(out);
        relay::send_whole(self.caller, upstream.http1(), head, body, limits).await
    }

    /// Sends a request without a body like [`relay::send_whole`]; its head is in `out`.
    pub(crate) async fn send_head(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        idle: Duration,
    ) -> Result<Sent, RelayError> {
        out.extend_from_slice(b"\r\n");
        let limits = self.limits(idle);
        relay::send_whole(self.caller, upstream.http1(), out, b"", limits).await
    }

    /// Waits for the head of the upstream's response until the deadline or until the caller leaves;
    /// `is_head` is whether the request was `HEAD`.
    pub(crate) async fn await_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        is_head: bool,
    ) -> Result<(), NoAnswer> {
        upstream.http1().answer(is_head, self.caller).await
    }

    /// Ends the head of the upstream's request with the framing fields of the caller's body.
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
                // An empty body is still a body if the method expects one.
                if head.fields.first(Known::ContentLength).is_some() {
                    push_length(out, 0);
                }
                Coding::Plain
            }
        };
        if head.takes_trailers {
            push_field(out, "te", b"trailers");
            // TE is hop-by-hop and must be listed in Connection (RFC 9110, section 10.1.4).
            push_field(out, "connection", b"te");
        }
        out.extend_from_slice(b"\r\n");
        coding
    }

    pub(super) fn limits(&self, idle: Duration) -> Limits {
        Limits {
            idle,
            caller_idle: self.idle,
        }
    }
}
