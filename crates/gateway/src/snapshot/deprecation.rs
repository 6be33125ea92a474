//! The announcement of a deprecated version, prepared as field lines: `Deprecation` (RFC 9745),
//! `Sunset` (RFC 8594) and a `Link` to its successor (RFC 8288; RFC 5829, section 3.2).

use std::fmt::Write as _;

use tollgate_model::feed::ServedDeprecation;
use tollgate_model::http_date::http_date;

/// The field lines that every response of a deprecated version has.
#[derive(Debug)]
pub(crate) struct Deprecation {
    lines: Box<[u8]>,
}

impl Deprecation {
    /// Prepares the lines; the gateway's URL has the path `public_path`.
    pub(crate) fn new(served: &ServedDeprecation, public_path: &str) -> Self {
        let since_s = served.since_us.div_euclid(1_000_000);
        let mut lines = format!("deprecation: @{since_s}\r\n");
        if let Some(sunset_us) = served.sunset_us {
            let _infallible = write!(lines, "sunset: {}\r\n", http_date(sunset_us));
        }
        if let Some(successor) = &served.successor {
            let link = format!("<{public_path}{successor}>; rel=\"successor-version\"");
            let _infallible = write!(lines, "link: {link}\r\n");
        }
        Self {
            lines: lines.into_bytes().into(),
        }
    }

    /// Appends the lines to the head of a response, in place of the upstream's own.
    pub(crate) fn announce(&self, head: &mut Vec<u8>) {
        Self::remove_passed(head);
        head.extend_from_slice(&self.lines);
    }

    /// Removes the upstream's own `Deprecation` and `Sunset` fields, which would contradict the
    /// version's; its `Link` fields stay.
    pub(crate) fn remove_passed(head: &mut Vec<u8>) {
        let mut begin = 0;
        while let Some(length) = memchr::memchr(b'\n', &head[begin..]) {
            let end = begin + length + 1;
            match is_replaced(&head[begin..end]) {
                true => drop(head.drain(begin..end)),
                false => begin = end,
            }
        }
    }
}

/// Whether a field line has one of the two names.
fn is_replaced(line: &[u8]) -> bool {
    let name = memchr::memchr(b':', line).map(|end| &line[..end]);
    name.is_some_and(|it| {
        it.eq_ignore_ascii_case(b"deprecation") || it.eq_ignore_ascii_case(b"sunset")
    })
}

#[cfg(test)]
mod tests;
