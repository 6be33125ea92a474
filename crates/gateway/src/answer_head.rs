//! The head of an answer on its way to the caller, whoever has given the answer.

use tollgate_http1::compose::{push_field, push_length, push_status};
use tollgate_http1::head::Known;
use tollgate_http1::view::{Line, Response};

use crate::session_cookie;

/// Writes the head of an answer. Each has the request's id, and says when the connection ends.
#[derive(Debug)]
pub(crate) struct AnswerHead<'o> {
    out: &'o mut Vec<u8>,
}

impl<'o> AnswerHead<'o> {
    /// Begins with the status line of an answer of the gateway's own.
    pub(crate) fn own(out: &'o mut Vec<u8>, status: u16) -> Self {
        push_status(out, status, reason(status));
        Self { out }
    }

    /// Begins with an upstream's status line, and those of its field lines that go on: what is said
    /// of one connection stays there (RFC 9110, section 7.6), and what this gateway says itself is
    /// not said twice. To the portal's pages the gateway says itself what they may read.
    pub(crate) fn passed(
        out: &'o mut Vec<u8>,
        response: Response<'_>,
        is_for_portal: bool,
    ) -> Self {
        push_status(out, response.status, response.reason());
        response.lines().push(out, |line| {
            let is_passed = matches!(
                line.known,
                Known::Other | Known::Cookie | Known::Origin | Known::MethodOverride
            );
            let is_ours = is_for_portal && is_of_cors(line);
            is_passed && !line.is_named_hop && !session_cookie::is_set_by(line) && !is_ours
        });
        Self { out }
    }

    pub(crate) fn field(&mut self, name: &str, value: &[u8]) {
        push_field(self.out, name, value);
    }

    /// `Content-Length`.
    pub(crate) fn length(&mut self, bytes: u64) {
        push_length(self.out, bytes);
    }

    /// Where whole field lines are appended.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        self.out
    }

    /// Ends the head of the answer to a request with this id, with the lines that open it to a
    /// page.
    pub(crate) fn end(mut self, request: &[u8], opening: &[u8], closes: bool) {
        self.out.extend_from_slice(opening);
        self.field("x-request-id", request);
        if closes {
            self.field("connection", b"close");
        }
        self.end_interim();
    }

    /// Ends the head of an interim answer (RFC 9110, section 15.2).
    pub(crate) fn end_interim(self) {
        self.out.extend_from_slice(b"\r\n");
    }
}

/// Whether a line says which pages may read the answer.
fn is_of_cors(line: Line<'_>) -> bool {
    const PREFIX: &[u8] = b"access-control-";
    let name = line.name().get(..PREFIX.len());
    name.is_some_and(|it| it.eq_ignore_ascii_case(PREFIX))
}

/// The reason phrase of a status that the gateway gives.
pub(crate) fn reason(status: u16) -> &'static [u8] {
    match status {
        200 => b"OK",
        202 => b"Accepted",
        204 => b"No Content",
        304 => b"Not Modified",
        308 => b"Permanent Redirect",
        400 => b"Bad Request",
        401 => b"Unauthorized",
        403 => b"Forbidden",
        404 => b"Not Found",
        405 => b"Method Not Allowed",
        406 => b"Not Acceptable",
        408 => b"Request Timeout",
        409 => b"Conflict",
        413 => b"Content Too Large",
        414 => b"URI Too Long",
        415 => b"Unsupported Media Type",
        422 => b"Unprocessable Content",
        429 => b"Too Many Requests",
        431 => b"Request Header Fields Too Large",
        500 => b"Internal Server Error",
        502 => b"Bad Gateway",
        503 => b"Service Unavailable",
        504 => b"Gateway Timeout",
        505 => b"HTTP Version Not Supported",
        _ => b"",
    }
}
