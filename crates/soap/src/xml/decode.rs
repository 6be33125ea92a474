//! Bytes to the text of a document: one encoding, one kind of line end, no forbidden characters.
//!
//! The encoding is determined, in this order, by a byte order mark, the media type's `charset`, the
//! XML declaration, UTF-8 (RFC 7303, section 3). Line ends become `\n` (XML 1.0, section 2.11).

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::characters::forbidden;
use super::{Bounds, Error, Problem};
use crate::scan::{self, is_clean};

/// A document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    text: Cow<'a, str>,
    /// Whether the text may contain `]]>`; if not, no text needs to be searched for it.
    pub(super) has_section_end: bool,
    /// Whether the text is known to contain no control characters, including line ends.
    pub(super) is_clean: bool,
}

impl Text<'_> {
    /// Returns the text, without byte order mark.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the text is the unchanged beginning of these bytes.
    pub(crate) fn lies_in(&self, bytes: &[u8]) -> bool {
        std::ptr::eq(self.as_str().as_ptr(), bytes.as_ptr())
    }
}

/// Decodes a whole document. `charset` is the parameter of its media type.
///
/// # Errors
///
/// Fails if the document is too large, is not valid in its encoding, or has a character that XML
/// forbids.
pub fn decode<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    bounds: Bounds,
) -> Result<Text<'a>, Error> {
    text_of(bytes, charset, true, bounds)
}

/// Decodes the first bytes of a document: a character that is truncated at the end is left out.
///
/// # Errors
///
/// Fails like [`decode`].
pub fn decode_prefix<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    bounds: Bounds,
) -> Result<Text<'a>, Error> {
    text_of(bytes, charset, false, bounds)
}

/// Whether the bytes after the beginning of a UTF-8 text are valid too, by the rules of
/// [`decode_prefix`].
pub(crate) fn is_sound_prefix(bytes: &[u8]) -> bool {
    utf8(bytes, false).is_ok_and(|text| is_clean(bytes) || forbidden(text).is_none())
}

fn text_of<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    is_whole: bool,
    bounds: Bounds,
) -> Result<Text<'a>, Error> {
    if bytes.len() > bounds.bytes_max {
        return Err(Problem::Size.at(bounds.bytes_max));
    }
    let (encoding, mark_bytes) = encoding_of(bytes, charset)?;
    let bytes = &bytes[mark_bytes..];
    let text = if encoding == UTF_8 {
        Cow::Borrowed(utf8(bytes, is_whole)?)
    } else {
        Cow::Owned(other(encoding, bytes, is_whole)?)
    };
    if text.len() > bounds.bytes_max {
        return Err(Problem::Size.at(bounds.bytes_max));
    }
    // Most messages are one long line.
    let is_clean = is_clean(text.as_bytes());
    if !is_clean && let Some(offset) = forbidden(&text) {
        return Err(Problem::Character.at(offset));
    }
    let text = if is_clean || memchr::memchr(b'\r', text.as_bytes()).is_none() {
        text
    } else {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    };
    // Little of a prefix is read, so it is searched while text is read. Text rarely has a bracket,
    // and one byte is found faster than three.
    let has_section_end = !is_whole || {
        let bracket = memchr::memchr(b']', text.as_bytes());
        let ends = |at| memchr::memmem::find(&text.as_bytes()[at..], b"]]>");
        bracket.and_then(ends).is_some()
    };
    Ok(Text {
        text,
        has_section_end,
        is_clean,
    })
}

fn utf8(bytes: &[u8], is_whole: bool) -> Result<&str, Error> {
    if let Some(text) = scan::utf8(bytes) {
        return Ok(text);
    }
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let (sound, _) = bytes.split_at(error.valid_up_to());
            match str::from_utf8(sound) {
                Ok(text) if error.error_len().is_none() && !is_whole => Ok(text),
                _ => Err(Problem::Encoding.at(sound.len())),
            }
        }
    }
}

fn other(encoding: &'static Encoding, bytes: &[u8], is_whole: bool) -> Result<String, Error> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len());
    let mut text = String::with_capacity(room.ok_or(Problem::Size.at(0))?);
    let (result, _) = decoder.decode_to_string_without_replacement(bytes, &mut text, is_whole);
    match result {
        encoding_rs::DecoderResult::InputEmpty => Ok(text),
        _ => Err(Problem::Encoding.at(text.len())),
    }
}

/// Returns the encoding, and the length of the byte order mark.
fn encoding_of(bytes: &[u8], charset: Option<&str>) -> Result<(&'static Encoding, usize), Error> {
    let unknown = Problem::Encoding.at(0);
    if let Some((encoding, mark_bytes)) = Encoding::for_bom(bytes) {
        return Ok((encoding, mark_bytes));
    }
    // A document begins with `<` or white space, so its first two bytes show the width of its
    // characters.
    let apparent = match bytes {
        [0, 1..=255, ..] => UTF_16BE,
        [1..=255, 0, ..] => UTF_16LE,
        _ => UTF_8,
    };
    let named = match charset {
        Some(label) => Some(label.as_bytes()),
        None if apparent == UTF_8 => declared_encoding(bytes),
        None => None,
    };
    let Some(label) = named else {
        return Ok((apparent, 0));
    };
    if label.eq_ignore_ascii_case(b"utf-8") && apparent == UTF_8 {
        return Ok((UTF_8, 0));
    }
    if label.eq_ignore_ascii_case(b"utf-16") {
        return if apparent == UTF_8 {
            Err(unknown)
        } else {
            Ok((apparent, 0))
        };
    }
    let encoding = Encoding::for_label(label).ok_or(unknown)?;
    let is_supported = encoding == UTF_8
        || encoding == apparent
        || encoding.name().starts_with("ISO-8859-")
        || encoding.name().starts_with("windows-125");
    let is_wide = |encoding| encoding == UTF_16BE || encoding == UTF_16LE;
    if !is_supported || is_wide(apparent) != is_wide(encoding) {
        return Err(unknown);
    }
    Ok((encoding, 0))
}

/// Returns the encoding in the XML declaration, with which the bytes begin if they have one.
#[must_use]
pub fn declared_encoding(bytes: &[u8]) -> Option<&[u8]> {
    let rest = bytes.strip_prefix(b"<?xml")?;
    let declaration = &rest[..memchr::memchr(b'>', rest)?];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration[at + b"encoding".len()..].trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let quote = *value
        .first()
        .filter(|quote| matches!(quote, b'"' | b'\''))?;
    let value = &value[1..];
    Some(&value[..memchr::memchr(quote, value)?])
}
