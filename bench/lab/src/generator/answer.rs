//! Incremental parsing of the response on a connection: accepts any fragmentation, and is strict
//! about where the response ends (RFC 9112, section 6.3). The body is counted, not kept.

use crate::wire::{Chunked, Head, Malformed, decimal};

#[cfg(test)]
mod tests;

/// A response, as far as it was received.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    stage: Stage,
    /// The received part of an incomplete head.
    partial: Vec<u8>,
    /// The status, once the head is complete.
    pub(crate) status: u16,
    /// Body bytes received so far.
    pub(crate) body_bytes: u64,
    /// Whether the connection closes after it.
    pub(crate) closes: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Stage {
    #[default]
    Head,
    /// The remaining bytes of the body.
    Sized(u64),
    Chunked(Chunked),
    UntilClose,
}

/// The state after a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The response is incomplete.
    More,
    /// The response is complete, with no bytes after it.
    Whole,
}

/// How a response ends when the connection closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Before its first byte.
    Nothing,
    /// Before it was complete.
    Short,
    /// Complete: it extends to the end of the connection.
    Whole,
}

impl Answer {
    /// Resets the state for the next response.
    pub(crate) fn reset(&mut self) {
        self.stage = Stage::Head;
        self.partial.clear();
        (self.status, self.body_bytes, self.closes) = (0, 0, false);
    }

    /// Consumes a piece; `is_bodiless` if the request was a HEAD.
    pub(crate) fn take(&mut self, piece: &[u8], is_bodiless: bool) -> Result<Progress, Malformed> {
        let mut rest = piece;
        while self.stage == Stage::Head {
            let known = self.partial.len();
            let taken = if known == 0 {
                self.head(rest, is_bodiless)?
            } else {
                let mut partial = std::mem::take(&mut self.partial);
                partial.extend_from_slice(rest);
                let taken = self.head(&partial, is_bodiless)?;
                partial.clear();
                // Keeps the buffer for reuse, unless the head was buffered again.
                if self.partial.is_empty() {
                    self.partial = partial;
                }
                taken.map(|taken| taken - known)
            };
            let Some(taken) = taken else {
                return Ok(Progress::More);
            };
            rest = &rest[taken..];
        }
        self.body(rest)
    }

    /// Returns how the response ends if the peer closes the connection now.
    pub(crate) fn end(&self) -> End {
        match self.stage {
            Stage::UntilClose => End::Whole,
            Stage::Head if self.partial.is_empty() => End::Nothing,
            _ => End::Short,
        }
    }

    /// Parses a head at the front of `bytes` and returns its length; buffers them if it is
    /// incomplete.
    fn head(&mut self, bytes: &[u8], is_bodiless: bool) -> Result<Option<usize>, Malformed> {
        let Some(head) = Head::parse(bytes)? else {
            // Fails early if the bytes cannot be the start of a response.
            if !bytes
                .iter()
                .zip(b"HTTP/1.")
                .all(|(byte, wanted)| byte == wanted)
            {
                return Err(Malformed);
            }
            self.partial.extend_from_slice(bytes);
            return Ok(None);
        };
        let (is_old, status) = status(head.first)?;
        if (100..200).contains(&status) {
            // The final response follows; but no other protocol was requested.
            return if status == 101 {
                Err(Malformed)
            } else {
                Ok(Some(head.bytes))
            };
        }
        let framing = head.framing;
        self.status = status;
        self.closes = framing.closes || (is_old && !framing.keeps_alive);
        self.stage = if is_bodiless || matches!(status, 204 | 304) {
            Stage::Sized(0)
        } else if framing.is_chunked {
            Stage::Chunked(Chunked::default())
        } else if let Some(length) = framing.content_length {
            Stage::Sized(length)
        } else {
            self.closes = true;
            Stage::UntilClose
        };
        Ok(Some(head.bytes))
    }

    fn body(&mut self, mut rest: &[u8]) -> Result<Progress, Malformed> {
        match &mut self.stage {
            Stage::Head => {}
            Stage::Sized(left) => {
                let came = rest.len() as u64;
                self.body_bytes += came;
                // Bytes after the response are an error.
                *left = left.checked_sub(came).ok_or(Malformed)?;
                if *left == 0 {
                    return Ok(Progress::Whole);
                }
            }
            Stage::Chunked(chunked) => {
                while !rest.is_empty() {
                    let step = chunked.take(rest)?;
                    self.body_bytes += step.data.len() as u64;
                    rest = &rest[step.taken..];
                    if step.is_whole {
                        return if rest.is_empty() {
                            Ok(Progress::Whole)
                        } else {
                            Err(Malformed)
                        };
                    }
                }
            }
            Stage::UntilClose => self.body_bytes += rest.len() as u64,
        }
        Ok(Progress::More)
    }
}

/// Parses a status line; returns whether it is HTTP/1.0, and the status.
fn status(line: &[u8]) -> Result<(bool, u16), Malformed> {
    let (version, rest) = line.split_at_checked(8).ok_or(Malformed)?;
    let is_old = match version {
        b"HTTP/1.1" => false,
        b"HTTP/1.0" => true,
        _ => return Err(Malformed),
    };
    let (b' ', [a, b, c, reason @ ..]) =
        rest.split_first().map(|(s, r)| (*s, r)).ok_or(Malformed)?
    else {
        return Err(Malformed);
    };
    let status = decimal(&[*a, *b, *c]).filter(|status| (100..600).contains(status));
    if !(reason.is_empty() || reason[0] == b' ') {
        return Err(Malformed);
    }
    status
        .and_then(|status| status.try_into().ok())
        .map(|status| (is_old, status))
        .ok_or(Malformed)
}
