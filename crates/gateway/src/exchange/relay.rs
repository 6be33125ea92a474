//! Where the caller's side of an exchange meets the upstream's.

use std::time::Duration;

use tollgate_http1::Broken;
use tollgate_http1::client::NoAnswer;
use tollgate_http1::relay::{self, Coding, Limits, RelayError, Sent};
use tollgate_http1::whole::{Unread, WholeBody};

use super::Exchange;
use crate::connection::UpstreamConnection;

impl Exchange<'_> {
    /// Sends `out` (the upstream's request head) and the body after it, as [`relay::send_request`].
    pub(crate) async fn send_request(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        coding: Coding,
        limits: Limits,
    ) -> Result<Sent, RelayError> {
        relay::send_request(self.caller, upstream, out, coding, limits).await
    }

    /// Sends a request of the gateway's own, as [`relay::send_whole`].
    pub(crate) async fn send_own(
        &mut self,
        upstream: &mut UpstreamConnection,
        request: (&[u8], &[u8]),
        limits: Limits,
    ) -> Result<Sent, RelayError> {
        relay::send_whole(self.caller, upstream, request, limits).await
    }

    /// Waits for the head of the upstream's answer, to a request that was `HEAD` or not, until the
    /// deadline or until the caller has left.
    pub(crate) async fn await_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        is_head: bool,
    ) -> Result<(), NoAnswer> {
        upstream.answer(is_head, self.caller).await
    }

    /// Writes an interim answer, keeping the deadline.
    pub(crate) async fn give_interim(&mut self, head: &[u8]) -> Result<(), Broken> {
        self.caller.write_on(head).await
    }

    /// Writes `out` (the answer's head) and the upstream's body after it, as
    /// [`relay::send_answer`].
    pub(crate) async fn send_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        out: &mut Vec<u8>,
        coding: Coding,
        limits: Limits,
    ) -> Result<(), RelayError> {
        relay::send_answer(upstream, self.caller, out, coding, limits).await
    }

    /// Reads the body of the upstream's answer to its end, unless the caller leaves meanwhile.
    pub(crate) async fn read_answer(
        &mut self,
        upstream: &mut UpstreamConnection,
        bytes_max: u64,
        idle: Duration,
    ) -> Result<WholeBody, Unread> {
        upstream.read_body(self.caller, bytes_max, idle).await
    }
}
