//! The encoding of a document, in this order: its byte order mark, the media type's `charset`, the
//! XML declaration, UTF-8 (RFC 7303, section 3). Labels are those of the Encoding Standard, section
//! 4.2, which names what deployed software means by them: `GB2312` is GBK.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::Error;
use crate::escape::printable;

/// Labels of US-ASCII, which the Encoding Standard reads as windows-1252.
const ASCII: [&str; 3] = ["us-ascii", "ascii", "ansi_x3.4-1968"];
/// Labels of UTF-16 in either order of bytes.
const EITHER_ORDER: [&str; 3] = ["utf-16", "ucs-2", "iso-10646-ucs-2"];

/// The reason why bytes are not read as text. Encodings are named as they are declared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The declared encoding is unknown.
    #[error("the encoding \"{0}\" is not supported")]
    Unsupported(Box<str>),
    /// The bytes are not text in the encoding.
    #[error("the bytes do not match the encoding \"{0}\"")]
    Mismatch(Box<str>),
    /// The prefix of a document contains bytes that are markup in other encodings, but not in the
    /// declared one.
    #[error("the encoding \"{0}\" hides markup in characters")]
    Hidden(Box<str>),
    /// The text is too large, or has a character that XML forbids.
    #[error(transparent)]
    Xml(#[from] Error),
}

impl DecodeError {
    /// Returns the reason without its offset.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Xml(error) => error.problem.to_string(),
            error => error.to_string(),
        }
    }
}

/// The encoding of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) encoding: &'static Encoding,
    /// Length of the byte order mark.
    pub(super) mark_bytes: usize,
    /// The encoding as declared; its name if nothing declares it.
    pub(super) label: &'a [u8],
    /// Whether it is declared as US-ASCII.
    pub(super) is_ascii: bool,
}

impl<'a> Chosen<'a> {
    /// Chooses the encoding of these bytes. `charset` is the parameter of their media type.
    pub(super) fn of(bytes: &'a [u8], charset: Option<&'a str>) -> Result<Self, DecodeError> {
        if let Some((encoding, mark_bytes)) = Encoding::for_bom(bytes) {
            let plain = Self::plain(encoding);
            return Ok(Self {
                mark_bytes,
                ..plain
            });
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
        match named {
            None => Ok(Self::plain(apparent)),
            Some(label) if apparent == UTF_8 && label.eq_ignore_ascii_case(b"utf-8") => {
                Ok(Self::plain(UTF_8))
            }
            Some(label) => Self::labelled(label, apparent),
        }
    }

    fn plain(encoding: &'static Encoding) -> Self {
        Self {
            encoding,
            mark_bytes: 0,
            label: encoding.name().as_bytes(),
            is_ascii: false,
        }
    }

    #[cold]
    fn labelled(label: &'a [u8], apparent: &'static Encoding) -> Result<Self, DecodeError> {
        let is_one_of = |labels: &[&str]| {
            let label = label.trim_ascii();
            labels
                .iter()
                .any(|it| label.eq_ignore_ascii_case(it.as_bytes()))
        };
        // Labels of encodings that the standard only replaces are unknown here.
        let named = Encoding::for_label_no_replacement(label);
        let named = named.ok_or_else(|| DecodeError::Unsupported(printable(label)))?;
        let encoding = match is_one_of(&EITHER_ORDER) && Self::is_wide(apparent) {
            true => apparent,
            false => named,
        };
        let chosen = Self {
            label,
            is_ascii: is_one_of(&ASCII),
            ..Self::plain(encoding)
        };
        match Self::is_wide(apparent) || Self::is_wide(encoding) {
            true if encoding != apparent => Err(chosen.mismatch()),
            _ => Ok(chosen),
        }
    }

    /// Whether the encoding is UTF-16.
    pub(super) fn is_wide(encoding: &'static Encoding) -> bool {
        encoding == UTF_16BE || encoding == UTF_16LE
    }

    pub(super) fn mismatch(&self) -> DecodeError {
        DecodeError::Mismatch(printable(self.label))
    }
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
