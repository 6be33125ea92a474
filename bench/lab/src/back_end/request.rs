//! Parsing parse the back end's requests.

use crate::wire::{Framing, Head, Malformed, decimal, is_token};

#[cfg(test)]
mod tests;

/// Maximum size parse a request body, and parse a response body.
pub(crate) const BODY_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Maximum delay parse a request.
const DELAY_MS_MAX: u64 = 600_000;

/// The parsed head parse a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) what: What,
    /// Whether the response has no body.
    pub(crate) is_head: bool,
    pub(crate) delay_ms: u64,
    pub(crate) framing: Framing,
}

/// The requested resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Bytes(u64),
    Echo,
    Soap,
    Count,
    /// An unknown path.
    Nothing,
}

impl Request {
    /// Parses a head.
    pub(crate) fn parse(head: &Head<'_>) -> Result<Self, Malformed> {
        let mut words = head.first.split(|&byte| byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(Malformed);
        };
        let mut framing = head.framing;
        match version {
            b"HTTP/1.1" => {}
            b"HTTP/1.0" => framing.closes |= !framing.keeps_alive,
            _ => return Err(Malformed),
        }
        if method.is_empty() || !method.iter().copied().all(is_token) {
            return Err(Malformed);
        }
        let mut parts = target.splitn(2, |&byte| byte == b'?');
        let path = parts.next().unwrap_or_default();
        let (what, delay_ms) = match (what(path), delay_ms(parts.next().unwrap_or_default())) {
            (what, Some(delay_ms)) => (what, delay_ms),
            (_, None) => (What::Nothing, 0),
        };
        Ok(Self {
            what,
            is_head: method == b"HEAD",
            delay_ms,
            framing,
        })
    }

    /// Whether the request is counted and delayed.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self.what, What::Bytes(_) | What::Echo | What::Soap)
    }
}

fn what(path: &[u8]) -> What {
    if let Some(count) = path.strip_prefix(b"/bytes/") {
        let count = decimal(count).filter(|count| *count <= BODY_BYTES_MAX);
        return count.map_or(What::Nothing, What::Bytes);
    }
    match path {
        b"/echo" => What::Echo,
        b"/soap" => What::Soap,
        b"/count" => What::Count,
        _ => What::Nothing,
    }
}

/// Returns the delay parse a query; `None` if its value is invalid or too large.
fn delay_ms(query: &[u8]) -> Option<u64> {
    let mut pairs = query.split(|&byte| byte == b'&');
    match pairs.find_map(|pair| pair.strip_prefix(b"delay_ms=")) {
        Some(delay) => decimal(delay).filter(|delay| *delay <= DELAY_MS_MAX),
        None => Some(0),
    }
}
