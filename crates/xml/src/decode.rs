//! Bytes to the text of a document: one encoding, one kind of line end, no forbidden characters.
//!
//! The encoding is determined once per document (`encoding.rs`). Line ends become `\n` (XML 1.0,
//! section 2.11).

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding, UTF_8};
use tollgate_scan::{self as scan, is_clean};

use crate::characters::forbidden;
use crate::encoding::{Chosen, DecodeError, declared_encoding};
use crate::escape::printable;
use crate::{Bounds, Problem};

/// Spare bytes of the output, so that a decoder reports `OutputFull` only beyond the bound.
const DECODER_SLACK: usize = 16;

/// A document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text<'a> {
    text: Cow<'a, str>,
    /// Whether the text may contain `]]>`; if not, no text needs to be searched for it.
    pub(super) has_section_end: bool,
    /// Whether the text is known to contain no control characters, including line ends.
    pub(super) is_clean: bool,
    is_beyond_ascii: bool,
}

impl Text<'_> {
    /// Returns the text, without byte order mark.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the encoding is declared as US-ASCII, and the text has other characters: those of
    /// UTF-8 if it is valid, else those of windows-1252.
    #[must_use]
    pub fn is_beyond_ascii(&self) -> bool {
        self.is_beyond_ascii
    }

    /// Whether the text is the unchanged beginning of these bytes.
    pub fn lies_in(&self, bytes: &[u8]) -> bool {
        std::ptr::eq(self.as_str().as_ptr(), bytes.as_ptr())
    }
}

/// Decodes a whole document. `charset` is the parameter of its media type.
///
/// # Errors
///
/// Fails if the document is too large, before or after decoding, is not valid in its encoding, or
/// has a character that XML forbids.
pub fn decode<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    bounds: Bounds,
) -> Result<Text<'a>, DecodeError> {
    text_of(bytes, charset, true, bounds)
}

/// Decodes the first bytes of a document that is passed on undecoded: a character that is truncated
/// at the end is left out.
///
/// # Errors
///
/// Fails like [`decode`]; also if a reader that ignores the encoding, or prefers another
/// declaration of it, could find other markup.
pub fn decode_prefix<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    bounds: Bounds,
) -> Result<Text<'a>, DecodeError> {
    text_of(bytes, charset, false, bounds)
}

/// Whether the bytes after the beginning of a UTF-8 text are valid too, by the rules of
/// [`decode_prefix`].
pub fn is_sound_prefix(bytes: &[u8]) -> bool {
    utf8(bytes, false).is_some_and(|text| is_clean(bytes) || forbidden(text).is_none())
}

fn text_of<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
    is_whole: bool,
    bounds: Bounds,
) -> Result<Text<'a>, DecodeError> {
    if bytes.len() > bounds.bytes_max {
        return Err(Problem::Size.at(bounds.bytes_max).into());
    }
    let chosen = Chosen::of(bytes, charset)?;
    let bytes = &bytes[chosen.mark_bytes..];
    let (text, is_beyond_ascii) = if chosen.encoding == UTF_8 {
        let text = utf8(bytes, is_whole).ok_or_else(|| chosen.mismatch())?;
        (Cow::Borrowed(text), false)
    } else {
        other(&chosen, bytes, is_whole, bounds.bytes_max)?
    };
    if !is_whole {
        no_other_reading(&chosen, charset, bytes)?;
    }
    if text.len() > bounds.bytes_max {
        return Err(Problem::Size.at(bounds.bytes_max).into());
    }
    // Most messages are one long line.
    let is_clean = is_clean(text.as_bytes());
    if !is_clean && let Some(offset) = forbidden(&text) {
        return Err(Problem::Character.at(offset).into());
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
        is_beyond_ascii,
    })
}

fn utf8(bytes: &[u8], is_whole: bool) -> Option<&str> {
    if let Some(text) = scan::utf8(bytes) {
        return Some(text);
    }
    let error = str::from_utf8(bytes).err()?;
    let is_cut = error.error_len().is_none() && !is_whole;
    let sound = &bytes[..error.valid_up_to()];
    str::from_utf8(sound).ok().filter(|_| is_cut)
}

/// Decodes text that is not declared as UTF-8. Returns whether it has characters beyond US-ASCII
/// in spite of its declaration.
fn other<'a>(
    chosen: &Chosen<'_>,
    bytes: &'a [u8],
    is_whole: bool,
    bytes_max: usize,
) -> Result<(Cow<'a, str>, bool), DecodeError> {
    if chosen.is_ascii
        && let Some(text) = utf8(bytes, is_whole)
    {
        return Ok((Cow::Borrowed(text), !text.is_ascii()));
    }
    let mut decoder = chosen.encoding.new_decoder_without_bom_handling();
    let room = decoder.max_utf8_buffer_length_without_replacement(bytes.len());
    let room = room.unwrap_or(usize::MAX).min(bytes_max + DECODER_SLACK);
    let mut text = String::with_capacity(room);
    match decoder
        .decode_to_string_without_replacement(bytes, &mut text, is_whole)
        .0
    {
        DecoderResult::InputEmpty => {}
        DecoderResult::OutputFull => return Err(Problem::Size.at(bytes_max).into()),
        DecoderResult::Malformed(..) => return Err(chosen.mismatch()),
    }
    if !is_whole && hides_markup(chosen.encoding, bytes, &text) {
        return Err(DecodeError::Hidden(printable(chosen.label)));
    }
    Ok((Cow::Owned(text), chosen.is_ascii))
}

/// Checks that the beginning of a document has the same markup to a reader that prefers another of
/// its declarations to the chosen one.
fn no_other_reading(
    chosen: &Chosen<'_>,
    charset: Option<&str>,
    bytes: &[u8],
) -> Result<(), DecodeError> {
    let labels = [charset.map(str::as_bytes), declared_encoding(bytes)];
    for label in labels.into_iter().flatten() {
        if label.eq_ignore_ascii_case(chosen.encoding.name().as_bytes()) {
            continue;
        }
        let other = Encoding::for_label_no_replacement(label);
        let other = other.ok_or_else(|| DecodeError::Unsupported(printable(label)))?;
        if other == chosen.encoding || Chosen::is_wide(other) {
            continue;
        }
        // Two names may be one in another encoding, unless the chosen one is UTF-8.
        let has_pairs = |of: &'static Encoding| of != UTF_8 && !of.is_single_byte();
        let is_ambiguous = chosen.encoding != UTF_8
            && (has_pairs(chosen.encoding) || has_pairs(other))
            && !bytes.is_ascii();
        let (text, _) = other.decode_without_bom_handling(bytes);
        if is_ambiguous || hides_markup(other, bytes, &text) {
            return Err(DecodeError::Hidden(printable(label)));
        }
    }
    Ok(())
}

/// Whether a lax reader, which ignores the encoding and accepts any bytes, could find markup that
/// is part of characters here. The second byte of a character may be `]`, but none of the other
/// bytes of markup, and all bytes between escapes may be.
fn hides_markup(encoding: &'static Encoding, bytes: &[u8], text: &str) -> bool {
    const ESCAPE: u8 = 0x1B;
    let ends = |bytes| memchr::memmem::find_iter(bytes, b"]]>").count();
    encoding.is_ascii_compatible() && ends(bytes) != ends(text.as_bytes())
        || !Chosen::is_wide(encoding) && memchr::memchr(ESCAPE, bytes).is_some()
}
