//! A strict parser of message heads (RFC 9112, sections 2 to 5).
//!
//! `httparse` finds names and values; this module rejects what it accepts too liberally: bare line
//! feeds, leading empty lines, unknown versions, targets that a back end could read as another
//! path. `server` skips the one empty line that may precede a request. `usual` parses most heads
//! without it, in one pass.

mod field_summary;
mod usual;

use std::mem::MaybeUninit;

use crate::framing::Version;
use crate::head::{Field, Fields, Known, RequestHead, ResponseHead, Span};

use field_summary::{FieldSummary, is_host, options};

/// Maximum of [`Bounds::fields_max`].
pub const FIELDS_CAP: usize = 256;

/// Bounds of a head.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of the whole head.
    pub head_bytes_max: usize,
    /// Field lines; at most [`FIELDS_CAP`].
    pub fields_max: usize,
    /// Bytes of a request's target.
    pub target_bytes_max: usize,
}

/// Why a head is malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// A line ends with a bare LF, or contains a bare CR.
    #[error("a line does not end with CRLF")]
    LineEnd,
    /// An empty line before the first line, besides the one that a server skips, or a part of one.
    #[error("there is an empty line before the first line")]
    EmptyLine,
    /// The first line is not a request or status line.
    #[error("the first line is malformed")]
    FirstLine,
    /// A version other than 1.0 and 1.1.
    #[error("only HTTP/1.0 and HTTP/1.1 are supported")]
    Version,
    /// A malformed name, value or line of a field.
    #[error("a header field is malformed")]
    Field,
    /// More bytes or fields than the bounds.
    #[error("the head is too large")]
    TooLarge,
    /// A target longer than the bound.
    #[error("the target is too long")]
    TargetTooLong,
    /// A malformed target, or one in an unsupported form.
    #[error("the request target is not a path or an absolute http URL")]
    Target,
    /// No `Host`, several, or an invalid one.
    #[error("exactly one valid Host field is required")]
    Host,
    /// Not a single number.
    #[error("Content-Length is not a single number")]
    ContentLength,
    /// Not exactly `chunked`, or in HTTP/1.0.
    #[error("Transfer-Encoding is not exactly \"chunked\"")]
    TransferEncoding,
    /// Both framings at once.
    #[error("both Content-Length and Transfer-Encoding are present")]
    BothFramings,
    /// Not `100-continue`.
    #[error("Expect is not \"100-continue\"")]
    Expect,
}

/// The progress of a head's arrival: one pass over the bytes, however they are split.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scan {
    scanned: usize,
    line_start: usize,
}

impl Scan {
    /// Scans the new bytes; `bytes` is everything from the head's first byte on. Returns
    /// `Some(length)` once the empty line has arrived.
    ///
    /// # Errors
    /// [`Malformed`] as soon as a line end is wrong or a bound is exceeded.
    pub fn advance(&mut self, bytes: &[u8], bounds: Bounds) -> Result<Option<usize>, Malformed> {
        if matches!(bytes.first(), Some(b'\r' | b'\n')) {
            return Err(Malformed::EmptyLine);
        }
        for end in memchr::memchr_iter(b'\n', &bytes[self.scanned..]) {
            let end = self.scanned + end;
            self.within(end, bounds)?;
            if end == 0 || bytes[end - 1] != b'\r' {
                return Err(Malformed::LineEnd);
            }
            if end - 1 == self.line_start {
                return Ok(Some(end + 1));
            }
            self.line_start = end + 1;
        }
        self.scanned = bytes.len();
        self.within(bytes.len(), bounds)?;
        Ok(None)
    }

    /// Checks the bounds after `length` bytes, however they are split.
    fn within(self, length: usize, bounds: Bounds) -> Result<(), Malformed> {
        // Allow for the method before and the version after the target.
        if self.line_start == 0 && length > bounds.target_bytes_max + 64 {
            return Err(Malformed::TargetTooLong);
        }
        if length >= bounds.head_bytes_max {
            return Err(Malformed::TooLarge);
        }
        Ok(())
    }
}

/// Parses a whole request head; `bytes` ends with its empty line, as found by [`Scan`].
///
/// # Errors
/// [`Malformed`]; `head` is then unspecified.
pub fn request(bytes: &[u8], bounds: Bounds, head: &mut RequestHead) -> Result<(), Malformed> {
    let mut lines = [const { MaybeUninit::uninit() }; FIELDS_CAP];
    let lines = &mut lines[..bounds.fields_max.min(FIELDS_CAP)];
    let mut parsed = httparse::Request::new(&mut []);
    match parsed.parse_with_uninit_headers(bytes, lines) {
        Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
        Ok(_) => return Err(Malformed::FirstLine),
        Err(error) => return Err(malformed(error, bytes)),
    }
    let (Some(method), Some(target)) = (parsed.method, parsed.path) else {
        return Err(Malformed::FirstLine);
    };
    if target.len() > bounds.target_bytes_max {
        return Err(Malformed::TargetTooLong);
    }
    head.version = version(parsed.version);
    head.method = Span::within(method.as_bytes(), bytes);
    let (authority, path) = split_target(method.as_bytes(), target.as_bytes())?;
    head.target = Span::within(path, bytes);
    let summary = summarize_fields(parsed.headers, bytes, &mut head.fields)?;
    summary.complete_request(head, authority, bytes)
}

/// Parses the request head that `bytes` begin with, if it is whole and in the usual form. Otherwise
/// returns `false`, `head` is unspecified, and [`Scan`] and [`request`] decide.
pub fn usual_request(bytes: &[u8], bounds: Bounds, head: &mut RequestHead) -> bool {
    usual::request(bytes, bounds, head).is_some()
}

/// Parses the response head that `bytes` begin with as [`usual_request`] does; `is_head` is whether
/// the request was `HEAD`.
pub fn usual_response(
    bytes: &[u8],
    bounds: Bounds,
    is_head: bool,
    head: &mut ResponseHead,
) -> bool {
    usual::response(bytes, bounds, is_head, head).is_some()
}

/// Parses a whole response head; `is_head` is whether the request was `HEAD`.
///
/// # Errors
/// [`Malformed`]; `head` is then unspecified.
pub fn response(
    bytes: &[u8],
    bounds: Bounds,
    is_head: bool,
    head: &mut ResponseHead,
) -> Result<(), Malformed> {
    let mut lines = [const { MaybeUninit::uninit() }; FIELDS_CAP];
    let lines = &mut lines[..bounds.fields_max.min(FIELDS_CAP)];
    let mut parsed = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    match config.parse_response_with_uninit_headers(&mut parsed, bytes, lines) {
        Ok(httparse::Status::Complete(length)) if length == bytes.len() => {}
        Ok(_) => return Err(Malformed::FirstLine),
        Err(error) => return Err(malformed(error, bytes)),
    }
    head.status = parsed
        .code
        .filter(|code| (100..=599).contains(code))
        .ok_or(Malformed::FirstLine)?;
    head.version = version(parsed.version);
    let reason = parsed.reason.unwrap_or_default().as_bytes();
    head.reason = if reason.is_empty() {
        Span::default()
    } else {
        Span::within(reason, bytes)
    };
    let summary = summarize_fields(parsed.headers, bytes, &mut head.fields)?;
    summary.complete_response(head, is_head)
}

/// Whether `bytes` is a valid block of trailer fields with its empty line, without fields that
/// frame, route, authenticate or describe the message (RFC 9110, section 6.5.1).
pub(crate) fn is_trailer(bytes: &[u8]) -> bool {
    field_block(bytes, |line| {
        Known::of(line.name.as_bytes()) == Known::Other && !belongs_in_head(line.name)
    })
}

/// Whether a field controls, authenticates or describes a message: a recipient that merges trailers
/// into the head must not get it from a trailer.
fn belongs_in_head(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "age",
        "authorization",
        "cache-control",
        "cookie",
        "date",
        "expires",
        "location",
        "max-forwards",
        "range",
        "set-cookie",
        "vary",
        "www-authenticate",
    ];
    let begins = |prefix: &str| {
        name.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    NAMES.iter().any(|other| name.eq_ignore_ascii_case(other))
        || begins("content-")
        || begins("if-")
}

/// Whether `bytes` is a valid block of fields with its empty line.
pub(crate) fn is_field_block(bytes: &[u8]) -> bool {
    field_block(bytes, |_| true)
}

fn field_block(bytes: &[u8], allowed: impl Fn(&httparse::Header<'_>) -> bool) -> bool {
    let mut lines = [httparse::EMPTY_HEADER; 32];
    match httparse::parse_headers(bytes, &mut lines) {
        Ok(httparse::Status::Complete((length, lines))) => {
            length == bytes.len() && lines.iter().all(allowed)
        }
        _ => false,
    }
}

fn version(minor: Option<u8>) -> Version {
    if minor == Some(0) {
        Version::Http10
    } else {
        Version::Http11
    }
}

/// Maps an error of `httparse`, which has one error for all unknown versions and for anything that
/// is not a version.
fn malformed(error: httparse::Error, bytes: &[u8]) -> Malformed {
    match error {
        httparse::Error::TooManyHeaders => Malformed::TooLarge,
        httparse::Error::HeaderName | httparse::Error::HeaderValue => Malformed::Field,
        httparse::Error::NewLine => Malformed::LineEnd,
        httparse::Error::Version if names_a_version(bytes) => Malformed::Version,
        _ => Malformed::FirstLine,
    }
}

fn names_a_version(bytes: &[u8]) -> bool {
    let line = bytes
        .split(|&byte| byte == b'\r')
        .next()
        .unwrap_or_default();
    let words = line.split(|&byte| byte == b' ');
    words.into_iter().any(|word| {
        matches!(word, [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
            if major.is_ascii_digit() && minor.is_ascii_digit())
            && word != b"HTTP/1.0"
            && word != b"HTTP/1.1"
    })
}

/// Splits a target into its authority, if any, and its path with the query (RFC 9112, section 3.2).
/// Authority-form belongs to CONNECT and asterisk-form to the server itself; an API has neither.
/// Some back ends treat `\` as `/`, so it is rejected.
fn split_target<'a>(
    method: &[u8],
    target: &'a [u8],
) -> Result<(Option<&'a [u8]>, &'a [u8]), Malformed> {
    let is_plain = |&byte: &u8| (0x21..=0x7e).contains(&byte) && byte != b'#' && byte != b'\\';
    if method == b"CONNECT" || !target.iter().all(is_plain) {
        return Err(Malformed::Target);
    }
    if target.starts_with(b"/") {
        return Ok((None, target));
    }
    let scheme = target
        .get(..7)
        .filter(|scheme| scheme.eq_ignore_ascii_case(b"http://"));
    let rest = scheme
        .map(|scheme| &target[scheme.len()..])
        .ok_or(Malformed::Target)?;
    let end = rest
        .iter()
        .position(|byte| b"/?".contains(byte))
        .unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    // A query without a path would not be a valid target for the upstream.
    if authority.is_empty() || !is_host(authority) || path.starts_with(b"?") {
        return Err(Malformed::Target);
    }
    Ok((Some(authority), path))
}

fn summarize_fields(
    parsed: &[httparse::Header<'_>],
    bytes: &[u8],
    fields: &mut Fields,
) -> Result<FieldSummary, Malformed> {
    let mut summary = FieldSummary::default();
    let mut names_others = false;
    fields.lines.clear();
    fields.head_bytes = bytes.len();
    for (index, header) in parsed.iter().enumerate() {
        let name = Span::within(header.name.as_bytes(), bytes);
        let known = Known::of(header.name.as_bytes());
        let value = trimmed(Span::within(header.value, bytes), bytes);
        let line_end = match parsed.get(index + 1) {
            Some(next) => Span::within(next.name.as_bytes(), bytes).start as usize,
            None => bytes.len() - 2,
        };
        let line = Span::new(name.start as usize, line_end);
        let field = Field {
            name,
            value,
            line,
            known,
            is_named_hop: false,
        };
        if known.ends_here() || matches!(known, Known::Origin | Known::MethodOverride) {
            summary.add_field(field, bytes)?;
        }
        names_others |= known == Known::Connection;
        fields.lines.push(field);
    }
    if names_others {
        mark_named_hops(bytes, fields);
    }
    Ok(summary)
}

fn trimmed(span: Span, bytes: &[u8]) -> Span {
    let value = span.of_bytes(bytes);
    let lead = value.len() - value.trim_ascii_start().len();
    let trail = value.len() - value.trim_ascii_end().len();
    if lead == value.len() {
        return Span {
            start: span.start,
            end: span.start,
        };
    }
    Span::new(span.start as usize + lead, span.end as usize - trail)
}

/// Marks the fields that `Connection` names: they end here (RFC 9110, section 7.6.1).
fn mark_named_hops(bytes: &[u8], fields: &mut Fields) {
    for at in 0..fields.lines.len() {
        if fields.lines[at].known != Known::Connection {
            continue;
        }
        let value = fields.lines[at].value;
        for option in options(value.of_bytes(bytes)) {
            for field in &mut fields.lines {
                field.is_named_hop |= field.name.of_bytes(bytes).eq_ignore_ascii_case(option);
            }
        }
    }
}

#[cfg(test)]
mod tests;
