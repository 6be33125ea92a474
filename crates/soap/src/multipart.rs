//! Messages in several parts: multipart/related (RFC 2387) as XOP uses it (XML-binary Optimized
//! Packaging, section 3). Binary values are in parts of their own, referenced by content id.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// There is no part, or the last boundary is missing.
    #[error("the parts are not delimited by the boundary")]
    Boundary,
    /// A header of a part is malformed.
    #[error("the header of a part is malformed")]
    Head,
    /// No part has the id of the root.
    #[error("the root part is missing")]
    Root,
    /// A part has a transfer encoding of its own.
    #[error("a part has a transfer encoding that is not supported")]
    Encoding,
    /// A bound of [`Bounds`] is exceeded.
    #[error("there are too many or too large parts")]
    Bound,
}

/// A part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part<'a> {
    /// The content id without angle brackets; empty if there is none.
    pub id: &'a str,
    /// The media type with its parameters; empty if there is none.
    pub media_type: &'a str,
    /// The bytes.
    pub body: &'a [u8],
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
        let (mut rest, mut is_last) = after_preamble(bytes, &finder)?;
        while !is_last {
            let length = part_length(rest, &finder).ok_or(Error::Boundary)?;
            if others.len() >= bounds.parts_max {
                return Err(Error::Bound);
            }
            others.push(part(&rest[..length], bounds)?);
            (rest, is_last) = after_boundary(&rest[length + 2 + delimiter.len()..])?;
        }
        let root = match start.map(bare_id) {
            Some(id) => others.iter().position(|part| part.id == id),
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
        let part = self.others.iter().find(|part| part.id == content_id)?;
        Some(part.body)
    }
}

/// Returns the bytes after the first boundary, and whether that was the last one.
fn after_preamble<'a>(
    bytes: &'a [u8],
    finder: &memchr::memmem::Finder<'_>,
) -> Result<(&'a [u8], bool), Error> {
    let mut from = 0;
    loop {
        let at = from + finder.find(&bytes[from..]).ok_or(Error::Boundary)?;
        let is_at_line = at == 0 || bytes[at - 1] == b'\n';
        if is_at_line && let Ok(found) = after_boundary(&bytes[at + finder.needle().len()..]) {
            return Ok(found);
        }
        from = at + 1;
    }
}

/// Returns the bytes after a boundary that has just been read, and whether it was the last one.
fn after_boundary(rest: &[u8]) -> Result<(&[u8], bool), Error> {
    if rest.starts_with(b"--") {
        return Ok((rest, true));
    }
    let padding = rest.iter().position(|&byte| byte != b' ' && byte != b'\t');
    let line_end = &rest[padding.unwrap_or(rest.len())..];
    let rest = line_end.strip_prefix(b"\r\n").ok_or(Error::Boundary)?;
    Ok((rest, false))
}

/// Returns the length of the part that begins here: up to the line end before the next boundary.
fn part_length(bytes: &[u8], finder: &memchr::memmem::Finder<'_>) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + finder.find(&bytes[from..])?;
        if bytes[..at].ends_with(b"\r\n") {
            return Some(at - 2);
        }
        from = at + 1;
    }
}

fn part(bytes: &[u8], bounds: Bounds) -> Result<Part<'_>, Error> {
    let (head, body) = match bytes.strip_prefix(b"\r\n") {
        Some(body) => (&bytes[..0], body),
        None => {
            let end = memchr::memmem::find(bytes, b"\r\n\r\n").ok_or(Error::Head)?;
            (&bytes[..end], &bytes[end + 4..])
        }
    };
    if head.len() > bounds.head_bytes_max || body.len() > bounds.part_bytes_max {
        return Err(Error::Bound);
    }
    let head = str::from_utf8(head).map_err(|_| Error::Head)?;
    let mut part = Part {
        id: "",
        media_type: "",
        body,
    };
    for line in head.split("\r\n").filter(|line| !line.is_empty()) {
        // A folded line continues the one before, of which the rest is not needed.
        if line.starts_with([' ', '\t']) {
            continue;
        }
        let (name, value) = line.split_once(':').ok_or(Error::Head)?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-id") {
            part.id = bare_id(value);
        } else if name.eq_ignore_ascii_case("content-type") {
            part.media_type = value;
        } else if name.eq_ignore_ascii_case("content-transfer-encoding") {
            let is_plain = ["binary", "8bit", "7bit"]
                .iter()
                .any(|plain| value.eq_ignore_ascii_case(plain));
            if !is_plain {
                return Err(Error::Encoding);
            }
        }
    }
    Ok(part)
}

fn bare_id(id: &str) -> &str {
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
