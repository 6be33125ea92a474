//! Extracts the XML received so far from a message: removes its content coding (RFC 9110, section
//! 8.4) and its package (RFC 2387).
//!
//! A package is passed on as received, and the back end must find the same root part in it. What
//! readers of packages take in different ways is refused: a root that is not the first part, lines
//! that end with a lone LF or CR, lines with more than the boundary, repeated fields.

use std::borrow::Cow;
use std::io::Read;
use std::ops::Range;

use tollgate_model::media_type::MediaType;
use tollgate_xml::escape::printable;

use super::media::{self, is_same_charset};
use super::{Head, Prefix, Unreadable};
use crate::multipart::{Fields, TransferEncoding, bare_id, from_base64, transfer_encoding};

/// The XML received so far.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) is_whole: bool,
    /// The charset of its media type.
    pub(super) charset: Option<Cow<'a, str>>,
}

/// Returns the XML of a message; `None` if none of it has arrived yet.
pub(super) fn content<'a>(
    head: &Head<'a>,
    media: Option<MediaType<'a>>,
    prefix: Prefix<'a>,
) -> Result<Option<Content<'a>>, Unreadable> {
    let coding = head.content_encoding;
    let plain = match coding.map(<[u8]>::to_ascii_lowercase).as_deref() {
        None | Some(b"" | b"identity") => Content {
            bytes: Cow::Borrowed(prefix.bytes),
            is_whole: prefix.is_whole,
            charset: None,
        },
        Some(b"gzip" | b"x-gzip") => {
            inflate(flate2::bufread::GzDecoder::new(prefix.bytes), prefix)?
        }
        Some(b"deflate") => inflate(flate2::bufread::ZlibDecoder::new(prefix.bytes), prefix)?,
        Some(other) => return Err(Unreadable::UnknownCoding(printable(other))),
    };
    let Some(media) = media.filter(|media| media.is("multipart/related")) else {
        let charset = media.and_then(|media| media.charset());
        return Ok(Some(Content { charset, ..plain }));
    };
    let boundary = media::boundary(head.content_type.unwrap_or_default(), media)?;
    let start = media.parameter("start");
    let is_whole = plain.is_whole;
    let found = match root(&plain.bytes, &format!("--{boundary}"), start.as_deref())? {
        Some(part) => part,
        None if is_whole => return Err(Unreadable::Package),
        None => return Ok(None),
    };
    let charset = part_charset(&found.fields)?;
    let of_package = media.charset();
    if of_package.is_some() && !is_same_charset(of_package.as_deref(), charset.as_deref()) {
        return Err(Unreadable::Package);
    }
    let encoding = part_encoding(&found.fields)?;
    let body = found.body;
    let is_whole = is_whole || found.is_whole;
    let bytes = match (encoding, plain.bytes) {
        (TransferEncoding::Base64, bytes) => {
            Cow::Owned(from_base64_prefix(&bytes[body], is_whole)?)
        }
        (TransferEncoding::Identity, Cow::Borrowed(bytes)) => Cow::Borrowed(&bytes[body]),
        (TransferEncoding::Identity, Cow::Owned(bytes)) => Cow::Owned(bytes[body].to_vec()),
    };
    Ok(Some(Content {
        bytes,
        is_whole,
        charset,
    }))
}

/// Removes the content coding from a copy, up to the end of the bytes or the bound.
fn inflate<'a>(mut decoder: impl Read, prefix: Prefix<'_>) -> Result<Content<'a>, Unreadable> {
    let mut bytes = vec![0; prefix.bytes_max];
    let mut length = 0;
    let mut is_ended = false;
    while length < bytes.len() {
        match decoder.read(&mut bytes[length..]) {
            Ok(0) => {
                is_ended = true;
                break;
            }
            Ok(count) => length += count,
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => break,
            Err(_) => return Err(Unreadable::Coding),
        }
    }
    bytes.truncate(length);
    Ok(Content {
        bytes: Cow::Owned(bytes),
        // A truncated coding leaves its XML truncated too.
        is_whole: is_ended || (prefix.is_whole && length < prefix.bytes_max),
        charset: None,
    })
}

/// A part of a package.
struct Part {
    fields: Fields,
    /// The position of its content.
    body: Range<usize>,
    /// Whether its end was found.
    is_whole: bool,
}

/// The line of a boundary.
struct Boundary {
    line: Range<usize>,
    is_last: bool,
}

/// Returns the part of a package that holds the envelope, which must be the first: some readers
/// ignore `start`. `None` if it has not arrived yet.
fn root(bytes: &[u8], delimiter: &str, start: Option<&str>) -> Result<Option<Part>, Unreadable> {
    let opening = boundary(bytes, 0, delimiter)?;
    let Some(opening) = opening.filter(|boundary| !boundary.is_last) else {
        return Ok(None);
    };
    let Some((fields, body)) = fields_and_body(bytes, opening.line.end)? else {
        return Ok(None);
    };
    let id = fields.id.as_deref().unwrap_or_default();
    if start.is_some_and(|start| bare_id(start) != bare_id(id)) {
        return Err(Unreadable::Package);
    }
    let next = boundary(bytes, body, delimiter)?;
    let end = match &next {
        // The line end before a boundary is part of it.
        Some(next) => next.line.start.checked_sub(2),
        None => Some(bytes.len()),
    };
    let end = end.filter(|&end| body <= end).ok_or(Unreadable::Package)?;
    Ok(Some(Part {
        fields,
        body: body..end,
        is_whole: next.is_some(),
    }))
}

/// Returns the next boundary; `None` if its line has not arrived yet.
fn boundary(bytes: &[u8], from: usize, delimiter: &str) -> Result<Option<Boundary>, Unreadable> {
    let Some(at) = memchr::memmem::find(&bytes[from..], delimiter.as_bytes()) else {
        return Ok(None);
    };
    let at = from + at;
    if at != 0 && !bytes[..at].ends_with(b"\r\n") {
        return Err(Unreadable::Package);
    }
    let rest = &bytes[at + delimiter.len()..];
    let (rest, is_last) = match rest.strip_prefix(b"--") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let padding = rest.iter().position(|&byte| byte != b' ' && byte != b'\t');
    let rest = &rest[padding.unwrap_or(rest.len())..];
    match rest {
        // It may go on, except after the last boundary.
        b"" | b"\r" | b"-" if !is_last => Ok(None),
        [] | [b'\r'] | [b'\r', b'\n', ..] => {
            let end = bytes.len() - rest.len() + rest.len().min(2);
            let line = at..end;
            Ok(Some(Boundary { line, is_last }))
        }
        _ => Err(Unreadable::Package),
    }
}

/// Returns the fields of the part that begins here, and the start of its content; `None` if that
/// has not arrived yet.
fn fields_and_body(bytes: &[u8], from: usize) -> Result<Option<(Fields, usize)>, Unreadable> {
    let rest = &bytes[from..];
    if rest.starts_with(b"\r\n") {
        return Ok(Some((Fields::default(), from + 2)));
    }
    let Some(length) = memchr::memmem::find(rest, b"\r\n\r\n") else {
        return Ok(None);
    };
    let fields = Fields::read(&rest[..length], "\r\n").ok_or(Unreadable::Package)?;
    Ok(Some((fields, from + length + 4)))
}

/// Returns the charset of the root part.
fn part_charset<'a>(fields: &Fields) -> Result<Option<Cow<'a, str>>, Unreadable> {
    let Some(value) = &fields.media_type else {
        return Ok(None);
    };
    let media = media::media_type(value.as_bytes()).ok();
    let media = media.filter(MediaType::is_xml).ok_or(Unreadable::Package)?;
    let charset = media.charset();
    Ok(charset.map(|charset| Cow::Owned(charset.into_owned())))
}

/// Returns the transfer encoding of the root part.
fn part_encoding(fields: &Fields) -> Result<TransferEncoding, Unreadable> {
    let name = fields.encoding.as_deref();
    let known = name.map_or(Some(TransferEncoding::Identity), transfer_encoding);
    let name = name.unwrap_or_default().as_bytes();
    known.ok_or_else(|| Unreadable::UnknownCoding(printable(name)))
}

/// Decodes the base64 received so far; groups that are incomplete are left out.
fn from_base64_prefix(bytes: &[u8], is_whole: bool) -> Result<Vec<u8>, Unreadable> {
    let mut text = bytes.to_vec();
    text.retain(|byte| !byte.is_ascii_whitespace());
    if !is_whole {
        // The boundary may have begun, which ends the alphabet.
        let end = memchr::memchr(b'-', &text).unwrap_or(text.len());
        text.truncate(end / 4 * 4);
    }
    from_base64(&text).ok_or(Unreadable::Coding)
}
