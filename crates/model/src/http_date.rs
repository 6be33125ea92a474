//! Dates of HTTP fields (RFC 9110, section 5.6.7).

use jiff::Timestamp;

/// Returns an instant (Unix microseconds) as an IMF-fixdate, such as
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
#[must_use]
pub fn http_date(at_us: i64) -> String {
    let at = Timestamp::from_microsecond(at_us).unwrap_or(Timestamp::MAX);
    at.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests;
