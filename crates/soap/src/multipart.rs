//! Messages in several parts: multipart/related (RFC 2387) as XOP uses it (XML-binary Optimized
//! Packaging, section 3). Binary values are in parts of their own, referenced by content id.
//!
//! Some services encode parts as base64, and some end lines with LF alone. The end of the first
//! boundary's line gives the line end of the whole message, so no message has two readings.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use tollgate_xml::escape::printable;

#[cfg(test)]
mod tests;

/// Bounds on a message in parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum number of parts.
    pub parts_max: usize,
    /// Maximum bytes of a part's header.
    pub head_bytes_max: usize,
    /// Maximum bytes of a part.
    pub part_bytes_max: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            parts_max: 256,
            head_bytes_max: 8 * 1024,
            part_bytes_max: 25 * 1024 * 1024,
        }
    }
}

/// The reason why a message in parts is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no part, or the last boundary is missing.
    #[error("the parts are not delimited by the boundary")]
    Boundary,
    /// A header of a part is malformed.
    #[error("the header of a part is malformed, or has a field twice")]
    Head,
    /// Two parts have the same content id.
    #[error("two parts have the content id \"{0}\"")]
    SameId(Box<str>),
    /// No part has the id of the root.
    #[error("the root part is missing")]
    Root,
    /// A part has an unknown transfer encoding.
    #[error("a part has the transfer encoding \"{0}\", which is not supported")]
    Encoding(Box<str>),
    /// A part is not in the transfer encoding that it declares.
    #[error("a part is not valid base64, its transfer encoding")]
    Base64,
    /// A bound of [`Bounds`] is exceeded.
    #[error("there are too many or too large parts")]
    Bound,
}

/// A part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<'a> {
    /// The content id without angle brackets; empty if there is none.
    pub id: Box<str>,
    /// The media type with its parameters; empty if there is none.
    pub media_type: Box<str>,
    /// The bytes, without their transfer encoding.
    pub body: Cow<'a, [u8]>,
}

/// How the bytes of a part are sent (RFC 2045, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferEncoding {
    /// As they are.
    Identity,
    Base64,
}

/// A message in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Multipart<'a> {
    /// The part that holds the envelope.
    pub root: Part<'a>,
    others: Vec<Part<'a>>,
}

impl<'a> Multipart<'a> {
    /// Splits a message into its parts. `boundary` and `start` are parameters of its media type;
    /// without `start`, the first part is the root.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not such a message, or exceed a bound.
    pub fn read(
        bytes: &'a [u8],
        boundary: &str,
        start: Option<&str>,
        bounds: Bounds,
    ) -> Result<Self, Error> {
        if boundary.is_empty() || boundary.len() > 70 {
            return Err(Error::Boundary);
        }
        let delimiter = format!("--{boundary}");
        let finder = memchr::memmem::Finder::new(delimiter.as_bytes());
        let mut others = Vec::new();
        let mut next = after_preamble(bytes, &finder)?;
        while let Some((rest, line_end)) = next {
            let length = part_length(rest, &finder, line_end).ok_or(Error::Boundary)?;
            if others.len() >= bounds.parts_max {
                return Err(Error::Bound);
            }
            others.push(part(&rest[..length], line_end, bounds)?);
            next = after_boundary(
                &rest[length + line_end.len() + delimiter.len()..],
                &[line_end],
            )?;
        }
        let mut ids: Vec<_> = others.iter().map(|part| &*part.id).collect();
        ids.sort_unstable();
        let mut pairs = ids.array_windows();
        if let Some([id, _]) = pairs.find(|[one, other]| one == other && !one.is_empty()) {
            return Err(Error::SameId(printable(id.as_bytes())));
        }
        let root = match start.map(bare_id) {
            Some(id) => others.iter().position(|part| *part.id == *id),
            None => Some(0).filter(|_| !others.is_empty()),
        };
        let root = others.remove(root.ok_or(Error::Root)?);
        Ok(Self { root, others })
    }
}

/// The other parts of a multipart message.
pub trait Parts {
    /// Returns the bytes of the part with a content id, given without angle brackets.
    fn find(&self, content_id: &str) -> Option<&[u8]>;
}

/// A message without other parts.
impl Parts for () {
    fn find(&self, _content_id: &str) -> Option<&[u8]> {
        None
    }
}

impl Parts for Multipart<'_> {
    fn find(&self, content_id: &str) -> Option<&[u8]> {
        let part = self.others.iter().find(|part| *part.id == *content_id)?;
        Some(&part.body)
    }
}

/// A line end.
type LineEnd = &'static str;

/// The bytes after a boundary and the end of its line; `None` after the last boundary.
type Next<'a> = Option<(&'a [u8], LineEnd)>;

/// Returns what follows the first boundary.
fn after_preamble<'a>(
    bytes: &'a [u8],
    finder: &memchr::memmem::Finder<'_>,
) -> Result<Next<'a>, Error> {
    let mut from = 0;
    loop {
        let at = from + finder.find(&bytes[from..]).ok_or(Error::Boundary)?;
        let is_at_line = at == 0 || bytes[at - 1] == b'\n';
        let rest = &bytes[at + finder.needle().len()..];
        if is_at_line && let Ok(found) = after_boundary(rest, &["\r\n", "\n"]) {
            return Ok(found);
        }
        from = at + 1;
    }
}

/// Returns what follows a boundary that has just been read, and that ends with one of these.
fn after_boundary<'a>(rest: &'a [u8], line_ends: &[LineEnd]) -> Result<Next<'a>, Error> {
    if rest.starts_with(b"--") {
        return Ok(None);
    }
    let padding = rest.iter().position(|&byte| byte != b' ' && byte != b'\t');
    let rest = &rest[padding.unwrap_or(rest.len())..];
    let mut found = line_ends.iter().filter_map(|&line_end| {
        let rest = rest.strip_prefix(line_end.as_bytes())?;
        Some((rest, line_end))
    });
    Ok(Some(found.next().ok_or(Error::Boundary)?))
}

/// Returns the length of the part that begins here: up to the line end before the next boundary.
fn part_length(
    bytes: &[u8],
    finder: &memchr::memmem::Finder<'_>,
    line_end: LineEnd,
) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + finder.find(&bytes[from..])?;
        if bytes[..at].ends_with(line_end.as_bytes()) {
            return Some(at - line_end.len());
        }
        from = at + 1;
    }
}

fn part<'a>(bytes: &'a [u8], line_end: LineEnd, bounds: Bounds) -> Result<Part<'a>, Error> {
    let (head, body) = match bytes.strip_prefix(line_end.as_bytes()) {
        Some(body) => (&bytes[..0], body),
        None => {
            let blank = line_end.repeat(2);
            let end = memchr::memmem::find(bytes, blank.as_bytes()).ok_or(Error::Head)?;
            (&bytes[..end], &bytes[end + blank.len()..])
        }
    };
    if head.len() > bounds.head_bytes_max || body.len() > bounds.part_bytes_max {
        return Err(Error::Bound);
    }
    let fields = Fields::read(head, line_end).ok_or(Error::Head)?;
    let body = match fields.encoding {
        None => Cow::Borrowed(body),
        Some(name) => match transfer_encoding(&name) {
            Some(TransferEncoding::Identity) => Cow::Borrowed(body),
            Some(TransferEncoding::Base64) => Cow::Owned(from_base64(body).ok_or(Error::Base64)?),
            None => return Err(Error::Encoding(printable(name.as_bytes()))),
        },
    };
    Ok(Part {
        id: bare_id(&fields.id.unwrap_or_default()).into(),
        media_type: fields.media_type.unwrap_or_default().into(),
        body,
    })
}

/// The fields of a part's header that matter, unfolded (RFC 2045, section 3).
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// `Content-ID`
    pub(crate) id: Option<String>,
    /// `Content-Type`
    pub(crate) media_type: Option<String>,
    /// `Content-Transfer-Encoding`
    pub(crate) encoding: Option<String>,
}

impl Fields {
    /// Reads a header without its blank line; `None` if it is malformed, or has one of these fields
    /// twice.
    pub(crate) fn read(head: &[u8], line_end: LineEnd) -> Option<Self> {
        let mut fields = Self::default();
        let head = String::from_utf8_lossy(head);
        let mut lines = head.split(line_end).peekable();
        if lines.clone().any(|line| line.contains(['\r', '\n'])) {
            return None;
        }
        while let Some(line) = lines.next_if(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
                return None;
            }
            let mut value = value.trim().to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with([' ', '\t'])) {
                value += " ";
                value += more.trim();
            }
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            let field = if is("content-id") {
                &mut fields.id
            } else if is("content-type") {
                &mut fields.media_type
            } else if is("content-transfer-encoding") {
                &mut fields.encoding
            } else {
                continue;
            };
            if field.replace(value).is_some() {
                return None;
            }
        }
        Some(fields)
    }
}

/// Returns the transfer encoding with a name; `None` if it is not supported.
pub(crate) fn transfer_encoding(name: &str) -> Option<TransferEncoding> {
    let is = |known: &str| name.eq_ignore_ascii_case(known);
    if is("base64") {
        Some(TransferEncoding::Base64)
    } else {
        let is_identity = is("binary") || is("8bit") || is("7bit");
        is_identity.then_some(TransferEncoding::Identity)
    }
}

/// Decodes base64 in lines of any length (RFC 2045, section 6.8).
pub(crate) fn from_base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
    let text: Vec<u8> = bytes.copied().collect();
    STANDARD.decode(text).ok()
}

/// Returns a content id without its angle brackets.
pub(crate) fn bare_id(id: &str) -> &str {
    let id = id.trim();
    id.strip_prefix('<')
        .and_then(|id| id.strip_suffix('>'))
        .unwrap_or(id)
}

/// Returns the part that a `cid:` URL names (RFC 2392): the id may be percent-encoded.
pub(crate) fn find_part<'a>(parts: &'a dyn Parts, id: &str) -> Option<&'a [u8]> {
    if let Some(bytes) = parts.find(id) {
        return Some(bytes);
    }
    let mut decoded = Vec::with_capacity(id.len());
    let mut rest = id.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%'
            && let Some(digits) = after.get(..2)
        {
            let digits = str::from_utf8(digits).ok()?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            decoded.push(byte);
        }
    }
    parts.find(str::from_utf8(&decoded).ok()?)
}

/// Writes bytes as base64.
pub(crate) fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, b'=');
    // The buffer has the length of the padded text, so the encoding cannot fail.
    let _ = STANDARD.encode_slice(bytes, &mut out[start..]);
}
