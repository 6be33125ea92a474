//! Incremental decoding of chunked bodies (RFC 9112, section 7.1), with any fragmentation.

use super::Malformed;

/// Maximum size of a chunk-size line, and of the trailer section.
const LINE_BYTES_MAX: u32 = 8 * 1024;

/// The state of a chunked body.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunked {
    place: Place,
    /// The chunk size parsed so far; then the chunk's remaining bytes.
    left: u64,
    /// Bytes of the current line, or of all lines of the trailer section.
    line_bytes: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The first digit of the size.
    #[default]
    Size,
    /// Further digits of the size, an extension or the line end.
    SizeMore,
    Extension,
    SizeEnd,
    Data,
    DataReturn,
    DataEnd,
    /// The start of a line after the last chunk.
    Trailer,
    TrailerLine,
    TrailerLineEnd,
    LastEnd,
}

/// The result of a step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    /// Body bytes.
    pub(crate) data: &'a [u8],
    /// Number of bytes consumed from the piece.
    pub(crate) taken: usize,
    /// Whether the body is complete.
    pub(crate) is_whole: bool,
}

impl Chunked {
    /// Consumes the front of a piece up to the end of a run of data, of the body or of the piece.
    pub(crate) fn take<'a>(&mut self, piece: &'a [u8]) -> Result<Step<'a>, Malformed> {
        for (at, &byte) in piece.iter().enumerate() {
            if self.place == Place::Data {
                let rest = &piece[at..];
                let length = rest
                    .len()
                    .min(usize::try_from(self.left).unwrap_or(usize::MAX));
                self.left -= length as u64;
                if self.left == 0 {
                    self.place = Place::DataReturn;
                }
                return Ok(Step {
                    data: &rest[..length],
                    taken: at + length,
                    is_whole: false,
                });
            }
            let is_last = self.place == Place::LastEnd;
            self.place = self.after(byte)?;
            if is_last {
                *self = Self::default();
                return Ok(Step {
                    data: &[],
                    taken: at + 1,
                    is_whole: true,
                });
            }
        }
        Ok(Step {
            data: &[],
            taken: piece.len(),
            is_whole: false,
        })
    }

    fn after(&mut self, byte: u8) -> Result<Place, Malformed> {
        self.line_bytes += 1;
        if self.line_bytes > LINE_BYTES_MAX {
            return Err(Malformed);
        }
        Ok(match (self.place, byte) {
            (Place::Size | Place::SizeMore, _) if byte.is_ascii_hexdigit() => {
                self.digit(byte)?;
                Place::SizeMore
            }
            (Place::SizeMore | Place::Extension, b'\r') => Place::SizeEnd,
            (Place::SizeMore, b';' | b' ' | b'\t') => Place::Extension,
            (Place::Extension, _) if byte != b'\n' => Place::Extension,
            (Place::SizeEnd, b'\n') => {
                self.line_bytes = 0;
                if self.left == 0 {
                    Place::Trailer
                } else {
                    Place::Data
                }
            }
            (Place::DataReturn, b'\r') => Place::DataEnd,
            (Place::DataEnd, b'\n') => {
                self.line_bytes = 0;
                Place::Size
            }
            (Place::Trailer, b'\r') => Place::LastEnd,
            (Place::TrailerLine, b'\r') => Place::TrailerLineEnd,
            (Place::Trailer | Place::TrailerLine, _) if byte != b'\n' => Place::TrailerLine,
            (Place::TrailerLineEnd, b'\n') => Place::Trailer,
            (Place::LastEnd, b'\n') => Place::LastEnd,
            _ => return Err(Malformed),
        })
    }

    fn digit(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.left >> 56 != 0 {
            return Err(Malformed);
        }
        let digit = (byte as char).to_digit(16).ok_or(Malformed)?;
        self.left = self.left << 4 | u64::from(digit);
        Ok(())
    }
}
