//! Extracts the XML received so far from a message: removes its content coding (RFC 9110, section
//! 8.4) and its package (RFC 2387).

use std::borrow::Cow;
use std::io::Read;

use super::{Prefix, Unreadable};
use crate::escape::printable;
use crate::media_type::MediaType;
use crate::multipart::{TransferEncoding, from_base64, transfer_encoding};

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
    media: Option<MediaType<'a>>,
    coding: Option<&[u8]>,
    prefix: Prefix<'a>,
) -> Result<Option<Content<'a>>, Unreadable> {
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
    let boundary = media.parameter("boundary").filter(|it| !it.is_empty());
    let boundary = boundary.ok_or(Unreadable::NoEnvelope)?;
    let start = media.parameter("start");
    let is_whole = plain.is_whole;
    let found = match root(&plain.bytes, &boundary, start.as_deref()) {
        Some(part) => part,
        None if is_whole => return Err(Unreadable::NoEnvelope),
        None => return Ok(None),
    };
    let head = &plain.bytes[found.head.clone()];
    let charset = part_charset(head);
    let is_whole = is_whole || found.is_whole;
    let bytes = match (part_encoding(head)?, plain.bytes) {
        (TransferEncoding::Base64, bytes) => {
            Cow::Owned(from_base64_prefix(&bytes[found.body], is_whole)?)
        }
        (TransferEncoding::Identity, Cow::Borrowed(bytes)) => Cow::Borrowed(&bytes[found.body]),
        (TransferEncoding::Identity, Cow::Owned(bytes)) => Cow::Owned(bytes[found.body].to_vec()),
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

/// The position of a part.
struct Part {
    head: std::ops::Range<usize>,
    body: std::ops::Range<usize>,
    /// Whether its end was found.
    is_whole: bool,
}

/// Returns the part of a package that holds the envelope: the one that `start` names, else the
/// first. `None` if it has not arrived yet.
fn root(bytes: &[u8], boundary: &str, start: Option<&str>) -> Option<Part> {
    let delimiter = format!("--{boundary}");
    let mut at = delimiter_at(bytes, 0, delimiter.as_bytes())?;
    loop {
        let line = at + delimiter.len();
        if bytes[line..].starts_with(b"--") {
            return None;
        }
        let head = line + memchr::memchr(b'\n', &bytes[line..])? + 1;
        let (head_end, body) = blank_line(bytes, head)?;
        let next = delimiter_at(bytes, body, delimiter.as_bytes());
        let is_root = match start {
            None => true,
            Some(start) => field(&bytes[head..head_end], b"content-id")
                .is_some_and(|id| bare(id) == bare(start.as_bytes())),
        };
        if is_root {
            return Some(Part {
                head: head..head_end,
                body: body..next.unwrap_or(bytes.len()),
                is_whole: next.is_some(),
            });
        }
        at = next?;
    }
}

/// Returns the start of the next line that begins with the delimiter.
fn delimiter_at(bytes: &[u8], from: usize, delimiter: &[u8]) -> Option<usize> {
    let mut found = memchr::memmem::find_iter(&bytes[from..], delimiter).map(|at| from + at);
    found.find(|&at| at == 0 || bytes[at - 1] == b'\n')
}

/// Returns the end of a part's fields and the start of its content.
fn blank_line(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    if bytes[from..].starts_with(b"\r\n") {
        return Some((from, from + 2));
    }
    if bytes[from..].starts_with(b"\n") {
        return Some((from, from + 1));
    }
    for at in memchr::memchr_iter(b'\n', &bytes[from..]).map(|at| from + at + 1) {
        if bytes[at..].starts_with(b"\r\n") {
            return Some((at, at + 2));
        }
        if bytes[at..].starts_with(b"\n") {
            return Some((at, at + 1));
        }
    }
    None
}

/// Returns the value of a part's field.
fn field<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    head.split(|&byte| byte == b'\n').find_map(|line| {
        let colon = memchr::memchr(b':', line)?;
        line[..colon]
            .trim_ascii()
            .eq_ignore_ascii_case(name)
            .then(|| line[colon + 1..].trim_ascii())
    })
}

/// Returns a content id without its angle brackets.
fn bare(id: &[u8]) -> &[u8] {
    let id = id.trim_ascii();
    let inner = id.strip_prefix(b"<").and_then(|id| id.strip_suffix(b">"));
    inner.unwrap_or(id)
}

/// Returns the charset of the root part.
fn part_charset<'a>(head: &[u8]) -> Option<Cow<'a, str>> {
    let media = field(head, b"content-type").and_then(MediaType::parse);
    let charset = media.and_then(|media| media.charset());
    charset.map(|charset| Cow::Owned(charset.into_owned()))
}

/// Returns the transfer encoding of the root part.
fn part_encoding(head: &[u8]) -> Result<TransferEncoding, Unreadable> {
    match field(head, b"content-transfer-encoding") {
        None => Ok(TransferEncoding::Identity),
        Some(name) => {
            transfer_encoding(name).ok_or_else(|| Unreadable::UnknownCoding(printable(name)))
        }
    }
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
