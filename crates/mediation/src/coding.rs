//! Content codings of messages (RFC 9110, section 8.4.1): gzip (RFC 1952) and Brotli (RFC 7932).

use std::io::{self, Read as _};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::bufread::MultiGzDecoder;

/// Bytes that are decoded at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// Why a body cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Coded {
    /// Another coding, or several.
    #[error("the content coding is neither gzip nor br")]
    Unsupported,
    /// The body does not conform to its coding, is truncated, or continues after its end.
    #[error("the body does not conform to its content coding")]
    Malformed,
    /// The decoded body has more bytes than the bound.
    #[error("the decoded body is too long")]
    TooLong,
}

/// A content coding that steps can read.
pub type Coding = &'static [u8];

/// Returns the only content coding of the values of `Content-Encoding`, if any.
///
/// # Errors
/// Fails if there are several, or if it is one that cannot be decoded.
pub fn named<'l>(values: impl Iterator<Item = &'l [u8]>) -> Result<Option<Coding>, Coded> {
    let codings = values.flat_map(|value| value.split(|&byte| byte == b','));
    let is = |coding: &[u8], name: &str| coding.eq_ignore_ascii_case(name.as_bytes());
    let mut found = None;
    for coding in codings.map(<[u8]>::trim_ascii) {
        let known: Coding = match coding {
            b"" => continue,
            _ if is(coding, "identity") => continue,
            _ if is(coding, "gzip") || is(coding, "x-gzip") => b"gzip",
            _ if is(coding, "br") => b"br",
            _ => return Err(Coded::Unsupported),
        };
        if found.replace(known).is_some() {
            return Err(Coded::Unsupported);
        }
    }
    Ok(found)
}

/// Appends a decoded body to `out`, at most `bytes_max` bytes. `coding` is the value of
/// `Content-Encoding`. On error, the caller must drop what was appended.
///
/// # Errors
/// Fails if the coding is not supported, the body is malformed, or it is longer than the bound. At
/// most 16 KiB beyond the bound are decoded.
pub fn decode(
    coding: &[u8],
    body: &[u8],
    bytes_max: usize,
    out: &mut Vec<u8>,
) -> Result<(), Coded> {
    let is = |name: &str| coding.trim_ascii().eq_ignore_ascii_case(name.as_bytes());
    if is("identity") || is("") {
        if body.len() > bytes_max {
            return Err(Coded::TooLong);
        }
        out.extend_from_slice(body);
        Ok(())
    } else if is("gzip") || is("x-gzip") {
        gunzip(body, bytes_max, out)
    } else if is("br") {
        unbrotli(body, bytes_max, out)
    } else {
        Err(Coded::Unsupported)
    }
}

/// Decodes all members of a gzip file.
fn gunzip(body: &[u8], bytes_max: usize, out: &mut Vec<u8>) -> Result<(), Coded> {
    let bound = bytes_max as u64;
    let mut decoder = MultiGzDecoder::new(body).take(bound.saturating_add(1));
    let before = out.len();
    let read: io::Result<_> = decoder.read_to_end(out);
    read.map_err(|_| Coded::Malformed)?;
    match out.len() - before > bytes_max {
        true => Err(Coded::TooLong),
        false => Ok(()),
    }
}

/// Decodes a Brotli stream (RFC 7932), which has a window of at most 16 MiB; not the extension with
/// large windows.
fn unbrotli(body: &[u8], bytes_max: usize, out: &mut Vec<u8>) -> Result<(), Coded> {
    let [one, two, three] = [(); 3].map(|()| StandardAlloc::default());
    let mut state = BrotliState::new_strict(one, two, three);
    let (mut left, mut at, mut total) = (body.len(), 0, 0);
    let before = out.len();
    loop {
        let written = out.len();
        out.resize(written + CHUNK_BYTES, 0);
        let (mut free, mut end) = (CHUNK_BYTES, written);
        let result = BrotliDecompressStream(
            &mut left, &mut at, body, &mut free, &mut end, out, &mut total, &mut state,
        );
        out.truncate(end);
        if out.len() - before > bytes_max {
            return Err(Coded::TooLong);
        }
        match result {
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess if left == 0 => return Ok(()),
            _ => return Err(Coded::Malformed),
        }
    }
}
