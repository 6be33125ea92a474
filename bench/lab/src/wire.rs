//! A minimal parser of HTTP/1.1 heads (RFC 9112, sections 2 to 7): the end of a head, the length of
//! its body, and whether the connection stays open. The generator uses it for responses and the
//! back end for requests; the product's own parser is not used here, because its bugs would hide
//! themselves.

use memchr::memchr;

mod chunked;
#[cfg(test)]
mod tests;

pub(crate) use chunked::Chunked;

/// Maximum size of a head.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;

/// The received bytes are not valid HTTP/1.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// A complete head.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    /// Its first line, without the line end.
    pub(crate) first: &'a [u8],
    /// What its fields declare about the body and the connection.
    pub(crate) framing: Framing,
    /// Its length, including the empty line.
    pub(crate) bytes: usize,
}

/// The body's length and the connection's persistence, from the fields of a head.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Framing {
    /// `Content-Length`.
    pub(crate) content_length: Option<u64>,
    /// `Transfer-Encoding: chunked`.
    pub(crate) is_chunked: bool,
    /// `Connection: close`.
    pub(crate) closes: bool,
    /// `Connection: keep-alive`, which HTTP/1.0 needs.
    pub(crate) keeps_alive: bool,
    /// `Expect: 100-continue`.
    pub(crate) expects_continue: bool,
}

impl<'a> Head<'a> {
    /// Parses a head at the front of `bytes`; `None` if it is incomplete.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Option<Self>, Malformed> {
        let Some((first, mut at)) = line(bytes, 0)? else {
            return awaited(bytes);
        };
        let mut framing = Framing::default();
        while let Some((field, next)) = line(bytes, at)? {
            at = next;
            if field.is_empty() {
                let is_ambiguous = framing.is_chunked && framing.content_length.is_some();
                if is_ambiguous || at > HEAD_BYTES_MAX {
                    return Err(Malformed);
                }
                return Ok(Some(Self {
                    first,
                    framing,
                    bytes: at,
                }));
            }
            framing.note(field)?;
        }
        awaited(bytes)
    }
}

/// Returns `None` for an incomplete head, or an error if it is already too long.
fn awaited<'a>(bytes: &[u8]) -> Result<Option<Head<'a>>, Malformed> {
    if bytes.len() > HEAD_BYTES_MAX {
        Err(Malformed)
    } else {
        Ok(None)
    }
}

impl Framing {
    fn note(&mut self, field: &[u8]) -> Result<(), Malformed> {
        let colon = memchr(b':', field).ok_or(Malformed)?;
        let (name, value) = (&field[..colon], field[colon + 1..].trim_ascii());
        if name.is_empty() || !name.iter().copied().all(is_token) {
            return Err(Malformed);
        }
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let length = decimal(value).ok_or(Malformed)?;
                if self.content_length.is_some_and(|before| before != length) {
                    return Err(Malformed);
                }
                self.content_length = Some(length);
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                if self.is_chunked || !value.eq_ignore_ascii_case(b"chunked") {
                    return Err(Malformed);
                }
                self.is_chunked = true;
            }
            10 if name.eq_ignore_ascii_case(b"connection") => {
                for option in value.split(|&byte| byte == b',') {
                    let option = option.trim_ascii();
                    self.closes |= option.eq_ignore_ascii_case(b"close");
                    self.keeps_alive |= option.eq_ignore_ascii_case(b"keep-alive");
                }
            }
            6 if name.eq_ignore_ascii_case(b"expect") => {
                self.expects_continue = value.eq_ignore_ascii_case(b"100-continue");
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the line at `at`, and the start of the next one; `None` if it is incomplete. A line ends
/// in carriage return and line feed, and contains neither.
fn line(bytes: &[u8], at: usize) -> Result<Option<(&[u8], usize)>, Malformed> {
    let Some(length) = memchr(b'\n', &bytes[at..]) else {
        return Ok(None);
    };
    match bytes[at..at + length].split_last() {
        Some((b'\r', line)) if memchr(b'\r', line).is_none() => Ok(Some((line, at + length + 1))),
        _ => Err(Malformed),
    }
}

/// Parses a number that consists of decimal digits only.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    digits.iter().try_fold(0, |sum: u64, &digit| {
        digit
            .is_ascii_digit()
            .then(|| sum * 10 + u64::from(digit - b'0'))
    })
}

/// Whether a byte is allowed in field names and methods (RFC 9110, section 5.6.2).
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
