//! The request on its way to the upstream: where the two sides of an exchange meet, and how the
//! body is framed.

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
        body: &mut OwnBody,
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

    pub(super) fn limits(&self, idle: Duration) -> Limits {
        Limits {
            idle,
            caller_idle: self.idle,
        }
    }
}
