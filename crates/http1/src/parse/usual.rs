//! A parser of heads in the usual form, in one pass instead of the strict parser's three.
//!
//! It accepts a whole head of HTTP/1.1 in ASCII, if its lines have no tabs and its values are
//! not empty; a request's target is a path. Anything else, and so every error, is left to the
//! strict parser, which accepts what this one accepts, with the same result.

use super::field_summary::FieldSummary;
use super::{Bounds, FIELDS_CAP, mark_named_hops};
use crate::framing::Version;
use crate::head::{Field, Fields, Known, RequestHead, ResponseHead, Span};

/// Characters of a token (RFC 9110, section 5.6.2).
const TOKEN: u8 = 1;
/// Characters of a target that no back end could read as another path: visible ones but `#` and
/// `\`.
const TARGET: u8 = 2;
/// The classes of each byte.
static CLASSES: [u8; 256] = classes();
/// The version in a request line, and what surrounds it.
const VERSION_END: &[u8] = b" HTTP/1.1\r\n";
const STATUS_BEGIN: &[u8] = b"HTTP/1.1 ";

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0x21_u8;
    while byte <= 0x7e {
        let is_token = byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.' | b'^' | b'_'
            )
            || matches!(byte, b'`' | b'|' | b'~');
        let is_of_target = !matches!(byte, b'#' | b'\\');
        classes[byte as usize] =
            if is_token { TOKEN } else { 0 } | if is_of_target { TARGET } else { 0 };
        byte += 1;
    }
    classes
}

/// Parses the request head that `bytes` begin with; `None` to leave it to the strict parser, and
/// `head` is then unspecified.
pub(super) fn request(bytes: &[u8], bounds: Bounds, head: &mut RequestHead) -> Option<()> {
    let method = end_of(TOKEN, bytes, 0);
    let begin = method + 1;
    let is_path = bytes.get(method..begin + 1)? == b" /";
    if method == 0 || !is_path || &bytes[..method] == b"CONNECT" {
        return None;
    }
    let end = end_of(TARGET, bytes, begin);
    let fields = end + VERSION_END.len();
    let is_bounded = fields <= bounds.target_bytes_max;
    if !is_bounded || bytes.get(end..fields)? != VERSION_END {
        return None;
    }
    let summary = field_lines(bytes, fields, bounds, &mut head.fields)?;
    head.version = Version::Http11;
    head.method = Span::new(0, method);
    head.target = Span::new(begin, end);
    summary.complete_request(head, None, bytes).ok()
}

/// Parses the response head that `bytes` begin with, as [`request`] does.
pub(super) fn response(
    bytes: &[u8],
    bounds: Bounds,
    is_head: bool,
    head: &mut ResponseHead,
) -> Option<()> {
    let [a @ b'1'..=b'5', b @ b'0'..=b'9', c @ b'0'..=b'9', b' '] =
        *bytes.strip_prefix(STATUS_BEGIN)?.first_chunk()?
    else {
        return None;
    };
    let digit = |byte: u8| u16::from(byte - b'0');
    let begin = STATUS_BEGIN.len() + 4;
    let end = end_of_text(bytes, begin);
    let fields = end + 2;
    if end == begin || bytes.get(end..fields)? != b"\r\n" {
        return None;
    }
    let summary = field_lines(bytes, fields, bounds, &mut head.fields)?;
    head.status = 100 * digit(a) + 10 * digit(b) + digit(c);
    head.version = Version::Http11;
    head.reason = Span::new(begin, end);
    summary.complete_response(head, is_head).ok()
}

/// Parses the field lines that begin at `at`, to the empty line after them.
fn field_lines(
    bytes: &[u8],
    mut at: usize,
    bounds: Bounds,
    fields: &mut Fields,
) -> Option<FieldSummary> {
    let fields_max = bounds.fields_max.min(FIELDS_CAP);
    let mut summary = FieldSummary::default();
    let mut names_others = false;
    fields.lines.clear();
    while bytes.get(at..at + 2)? != b"\r\n" {
        let name = end_of(TOKEN, bytes, at);
        if name == at || *bytes.get(name)? != b':' || fields.lines.len() == fields_max {
            return None;
        }
        let mut begin = name + 1;
        while *bytes.get(begin)? == b' ' {
            begin += 1;
        }
        let text = end_of_text(bytes, begin);
        let line = text + 2;
        if text == begin || bytes.get(text..line)? != b"\r\n" {
            return None;
        }
        let mut end = text;
        while bytes[end - 1] == b' ' {
            end -= 1;
        }
        let field = Field {
            name: Span::new(at, name),
            value: Span::new(begin, end),
            line: Span::new(at, line),
            known: Known::of(&bytes[at..name]),
            is_named_hop: false,
        };
        if field.known != Known::Other {
            summary.add_field(field, bytes).ok()?;
            names_others |= field.known == Known::Connection;
        }
        fields.lines.push(field);
        at = line;
    }
    fields.head_bytes = at + 2;
    if names_others {
        mark_named_hops(bytes, fields);
    }
    (fields.head_bytes <= bounds.head_bytes_max).then_some(summary)
}

/// The end of the bytes of a class that begin at `at`.
fn end_of(class: u8, bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let is_other = |byte: &u8| CLASSES[usize::from(*byte)] & class == 0;
    at + rest.iter().position(is_other).unwrap_or(rest.len())
}

/// The end of the spaces and visible characters that begin at `at`.
fn end_of_text(bytes: &[u8], at: usize) -> usize {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHS: u64 = ONES << 7;
    let rest = bytes.get(at..).unwrap_or_default();
    let (words, last) = rest.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The highest bit of a byte below a space, or above `~`; a carry or a borrow only changes
        // bytes after one of those.
        let below = word.wrapping_sub(ONES * 0x20) & !word;
        let above = word | word.wrapping_add(ONES);
        let others = (below | above) & HIGHS;
        if others != 0 {
            return at + 8 * index + (others.trailing_zeros() / 8) as usize;
        }
    }
    let is_other = |byte: &u8| !matches!(byte, b' '..=b'~');
    let count = last.iter().position(is_other).unwrap_or(last.len());
    at + rest.len() - last.len() + count
}

#[cfg(test)]
mod tests;
