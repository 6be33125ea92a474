//! Responses as values. The rooms build them; `exchange/answer.rs` frames and writes them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use tollgate_cache::store::Entry;
use tollgate_http1::buffer_pool::Scratch;
use tollgate_http1::compose::{push_field, push_status};
use tollgate_http1::own_body::OwnBody;
use tollgate_http1::relay::Sent;
use tollgate_http1::view::Response;
use tollgate_http1::whole::WholeBody;
use tollgate_mediation::forwarding::forwards_response_field;
use tollgate_model::record::AnsweredBy;

use crate::buffered::{Need, Room};
use crate::stored::Arriving;
use crate::wire::connection::UpstreamConnection;
use crate::wire::field_class::field_class;
use crate::wire::session_cookie;

/// A response: its status, its end-to-end field lines (RFC 9110, section 7.6.1) and a body. The
/// framing fields and those that the gateway adds to every response are not included.
#[derive(Debug)]
pub(crate) struct Reply<'r> {
    status: u16,
    source: AnsweredBy,
    /// The status line and the field lines, without the empty line that ends them.
    pub(crate) head: Scratch,
    pub(crate) body: Body<'r>,
    /// The room of a body that was read whole, or is read to be stored.
    pub(crate) room: Option<Box<Room>>,
    /// How the body is stored once it has arrived.
    pub(crate) arriving: Option<Box<Arriving>>,
    /// Whether it is one for several callers: the steps that run on each response have not run yet.
    pub(crate) is_shared: bool,
}

// Rooms return it to each other, so it should be cheap to move.
const _: () = assert!(size_of::<Reply<'_>>() <= 128);

/// The body of a response, before `HEAD` drops it.
#[derive(Debug)]
pub(crate) enum Body<'r> {
    None,
    Bytes(Cow<'r, [u8]>),
    /// Written by the gateway, with room for the head in front.
    Own(OwnBody),
    /// Stored before.
    Stored(Arc<Entry>),
    /// The upstream's, read whole.
    Whole(WholeBody),
    /// The upstream's, streaming.
    Passed(Passed<'r>),
}

/// An upstream connection on which the head of a response has arrived.
#[derive(Debug)]
pub(crate) struct Passed<'r> {
    pub(crate) upstream: UpstreamConnection,
    /// The upstream's authority, for the log.
    pub(crate) authority: &'r str,
    /// Idle time after which the upstream is given up.
    pub(crate) idle: Duration,
    /// How much of the request was sent.
    pub(crate) sent: Sent,
    /// Whether the length that the upstream announces is not that of the response: only without a
    /// body.
    pub(crate) hides_length: bool,
}

impl Passed<'_> {
    /// Returns the connection to its pool, if the upstream took the whole request.
    pub(crate) fn keep(self) {
        if self.sent == Sent::Whole {
            self.upstream.keep();
        }
    }
}

impl<'r> Reply<'r> {
    /// Creates a response of the gateway's own, without fields; `head` is a buffer for it.
    pub(crate) fn own(status: u16, head: Scratch) -> Self {
        let mut reply = Self {
            status,
            source: AnsweredBy::Gateway,
            head,
            body: Body::None,
            room: None,
            arriving: None,
            is_shared: false,
        };
        reply.restart(status);
        reply
    }

    /// Creates a response from a stored one.
    pub(crate) fn stored(entry: Arc<Entry>, mut head: Scratch) -> Self {
        head.clear();
        head.extend_from_slice(&entry.head);
        Self {
            status: entry.status,
            source: AnsweredBy::Upstream,
            head,
            body: Body::Stored(entry),
            room: None,
            arriving: None,
            is_shared: true,
        }
    }

    /// Creates a response from the upstream's; without its CORS fields if the gateway decides.
    pub(crate) fn passed(passed: Passed<'r>, mut head: Scratch, decides_cors: bool) -> Self {
        head.clear();
        let response = passed.upstream.head();
        push_passed(&mut head, response, decides_cors);
        Self {
            status: response.status,
            source: AnsweredBy::Upstream,
            head,
            body: Body::Passed(passed),
            room: None,
            arriving: None,
            is_shared: false,
        }
    }

    pub(crate) fn with_source(self, source: AnsweredBy) -> Self {
        Self { source, ..self }
    }

    /// Replaces the body of the upstream by one of the gateway's, in its room. If that is longer
    /// and finds no room, it is held nevertheless: a wait could be for a response that waits for
    /// this one.
    pub(crate) fn replace_body(&mut self, own: OwnBody) {
        if let Some(room) = &mut self.room {
            let bytes = own.body().len() as u64;
            room.shrink(bytes);
            room.take_anyway(Need::whole(bytes));
        }
        self.body = Body::Own(own);
    }

    pub(crate) fn with_body(self, body: Body<'r>) -> Self {
        Self { body, ..self }
    }

    /// Starts another head, without fields.
    pub(crate) fn restart(&mut self, status: u16) {
        self.head.clear();
        push_status(&mut self.head, status, reason(status));
        self.status = status;
    }

    pub(crate) fn push_field(&mut self, name: &str, value: &[u8]) {
        push_field(&mut self.head, name, value);
    }

    /// Replaces the status; the field lines stay.
    pub(crate) fn set_status(&mut self, status: u16) {
        let end = memchr::memchr(b'\n', &self.head).map_or(0, |at| at + 1);
        let mut line = Vec::with_capacity(64);
        push_status(&mut line, status, reason(status));
        self.head.splice(..end, line);
        self.status = status;
    }

    /// Removes the field lines with names of which `is_removed` is true.
    pub(crate) fn remove_fields(&mut self, is_removed: impl Fn(&[u8]) -> bool) {
        let mut begin = memchr::memchr(b'\n', &self.head).map_or(0, |at| at + 1);
        while let Some(length) = memchr::memchr(b'\n', &self.head[begin..]) {
            let end = begin + length + 1;
            let colon = memchr::memchr(b':', &self.head[begin..end]).unwrap_or(0);
            match is_removed(&self.head[begin..begin + colon]) {
                true => drop(self.head.drain(begin..end)),
                false => begin = end,
            }
        }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn source(&self) -> AnsweredBy {
        self.source
    }

    /// Returns names and values of the field lines.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = memchr::memchr_iter(b'\n', &self.head);
        let lines = lines.scan(0, |begin, end| {
            let line = &self.head[*begin..end];
            *begin = end + 1;
            Some(line)
        });
        lines.skip(1).filter_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            Some((&line[..colon], line[colon + 1..].trim_ascii()))
        })
    }

    /// Returns the value of the first field line with this name, ignoring case, at or after a
    /// position in the head, and the position after it. Positions begin at 0. Adds the number of
    /// lines that it visits to `visited`.
    pub(crate) fn next_line(
        &self,
        name: &[u8],
        position: usize,
        visited: &mut usize,
    ) -> Option<(usize, &[u8])> {
        let mut begin = match position {
            0 => memchr::memchr(b'\n', &self.head)? + 1,
            position => position,
        };
        loop {
            let end = begin + memchr::memchr(b'\n', &self.head[begin..])?;
            let line = &self.head[begin..end];
            begin = end + 1;
            *visited += 1;
            if let Some((of, [b':', value @ ..])) = line.split_at_checked(name.len())
                && of.eq_ignore_ascii_case(name)
            {
                return Some((begin, value.trim_ascii()));
            }
        }
    }

    /// Returns the value of the first field line with this name, ignoring case.
    pub(crate) fn field(&self, name: &[u8]) -> Option<&[u8]> {
        Some(self.next_line(name, 0, &mut 0)?.1)
    }
}

impl Body<'_> {
    /// The available bytes: none for a streaming response.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::None | Self::Passed(_) => b"",
            Self::Bytes(bytes) => bytes,
            Self::Own(own) => own.body(),
            Self::Stored(entry) => &entry.body,
            Self::Whole(bytes) => bytes,
        }
    }

    /// Drops the available bytes.
    pub(crate) fn clear(&mut self) {
        match self {
            Self::Own(own) => own.drop_body(),
            body => *body = Self::None,
        }
    }
}

/// Appends an upstream's status line and its end-to-end field lines (RFC 9110, section 7.6), except
/// fields that the gateway adds itself.
pub(crate) fn push_passed(out: &mut Vec<u8>, response: Response<'_>, decides_cors: bool) {
    push_status(out, response.status, response.reason());
    response.lines().push(out, |line| {
        let (name, class) = (line.name(), field_class(line.known));
        let sets_session = || session_cookie::is_set_by(line);
        forwards_response_field(name, class, line.is_named_hop, decides_cors, sets_session)
    });
}

/// The reason phrase of a status that the gateway sends.
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
