//! The chunked coding (RFC 9112, section 7.1): a strict incremental decoder, and the encoder for
//! forwarded bodies.
//!
//! Rejected: sizes with a sign, white space, more than sixteen digits or above 2^62; bare line
//! feeds anywhere; extensions or trailers beyond a bound.

use std::ops::Range;

/// Maximum bytes of extensions of all chunks of one body.
pub const EXTENSION_BYTES_MAX: u32 = 4_096;
/// Maximum bytes of a trailer section.
pub const TRAILER_BYTES_MAX: usize = 8_192;
const SIZE_MAX: u64 = 1 << 62;
const SIZE_DIGITS_MAX: u8 = 16;

/// The body is malformed or exceeds a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the chunked body is malformed")]
pub struct NotChunked;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    SizeFirst,
    Size,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    Trailer,
    End,
}

/// The result of one decoding step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Bytes of the input that were consumed.
    pub consumed: usize,
    /// The range of body data in the input; empty for framing only.
    pub data: Range<usize>,
    /// Whether the body ends here.
    pub is_end: bool,
}

/// Decodes one body.
#[derive(Debug, Clone)]
pub struct Decoder {
    state: State,
    rest: u64,
    digits: u8,
    extension_bytes: u32,
    trailer: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            state: State::SizeFirst,
            rest: 0,
            digits: 0,
            extension_bytes: 0,
            trailer: Vec::new(),
        }
    }
}

impl Decoder {
    /// Consumes framing bytes and at most one run of body data from the front of `input`. If
    /// nothing is consumed, more input is needed.
    ///
    /// # Errors
    /// [`NotChunked`]; the connection must not be used any further.
    pub fn step(&mut self, input: &[u8]) -> Result<Step, NotChunked> {
        let mut at = 0;
        while at < input.len() && self.state != State::End {
            if self.state == State::Data {
                let length = usize::try_from(self.rest)
                    .unwrap_or(usize::MAX)
                    .min(input.len() - at);
                self.rest -= length as u64;
                if self.rest == 0 {
                    self.state = State::DataCr;
                }
                return Ok(Step {
                    consumed: at + length,
                    data: at..at + length,
                    is_end: false,
                });
            }
            self.frame(input[at])?;
            at += 1;
        }
        Ok(Step {
            consumed: at,
            data: at..at,
            is_end: self.state == State::End,
        })
    }

    /// The trailer section with its empty line, valid; empty if there was none or it must not be
    /// forwarded.
    #[must_use]
    pub fn trailer(&self) -> &[u8] {
        if self.trailer.len() > 2 && crate::parse::is_trailer(&self.trailer) {
            &self.trailer
        } else {
            b""
        }
    }

    fn frame(&mut self, byte: u8) -> Result<(), NotChunked> {
        self.state = match (self.state, byte) {
            (State::SizeFirst | State::Size, _) if byte.is_ascii_hexdigit() => {
                self.digits += 1;
                let digit = char::from(byte).to_digit(16).ok_or(NotChunked)?;
                self.rest = self.rest << 4 | u64::from(digit);
                if self.digits > SIZE_DIGITS_MAX || self.rest > SIZE_MAX {
                    return Err(NotChunked);
                }
                State::Size
            }
            (State::Size, b';') => State::Extension,
            (State::Size | State::Extension, b'\r') => State::SizeLf,
            (State::Extension, b'\t' | b' '..=b'~' | 0x80..) => {
                self.extension_bytes += 1;
                if self.extension_bytes > EXTENSION_BYTES_MAX {
                    return Err(NotChunked);
                }
                State::Extension
            }
            (State::SizeLf, b'\n') => {
                self.digits = 0;
                if self.rest == 0 {
                    State::Trailer
                } else {
                    State::Data
                }
            }
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => State::SizeFirst,
            (State::Trailer, _) => return self.trail(byte),
            _ => return Err(NotChunked),
        };
        Ok(())
    }

    fn trail(&mut self, byte: u8) -> Result<(), NotChunked> {
        let before = self.trailer.last().copied();
        if (byte == b'\n') != (before == Some(b'\r')) {
            return Err(NotChunked);
        }
        self.trailer.push(byte);
        if self.trailer.len() > TRAILER_BYTES_MAX {
            return Err(NotChunked);
        }
        if self.trailer == b"\r\n" || self.trailer.ends_with(b"\r\n\r\n") {
            let is_sound = self.trailer.len() == 2 || crate::parse::is_field_block(&self.trailer);
            if !is_sound {
                return Err(NotChunked);
            }
            self.state = State::End;
        }
        Ok(())
    }
}

/// Appends `data` as one chunk; nothing if empty, since that would end the body.
pub fn push_chunk(out: &mut Vec<u8>, data: &[u8]) {
    if data.is_empty() {
        return;
    }
    push_size(out, data.len());
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

/// Appends the last chunk and the trailer section; an empty trailer is written as an empty line.
pub fn push_end(out: &mut Vec<u8>, trailer: &[u8]) {
    out.extend_from_slice(b"0\r\n");
    out.extend_from_slice(if trailer.is_empty() { b"\r\n" } else { trailer });
}

fn push_size(out: &mut Vec<u8>, size: usize) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let digits = (usize::BITS - size.leading_zeros()).div_ceil(4).max(1);
    for place in (0..digits).rev() {
        out.push(HEX[(size >> (place * 4)) & 15]);
    }
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests;
