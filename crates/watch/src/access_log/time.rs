//! Times in lines. Most lines share their second with the one before.

use jiff::Timestamp;
use jiff::tz::TimeZone;

const SECOND_US: i64 = 1_000_000;
/// As in RFC 3339, without fraction and zone.
const RFC_3339: &str = "%Y-%m-%dT%H:%M:%S";
/// As in the Common Log Format.
const COMMON: &str = "[%d/%b/%Y:%H:%M:%S +0000]";

/// Times as text, of the last second.
#[derive(Debug, Default)]
pub(super) struct Times {
    second: Option<i64>,
    rfc_3339: String,
    common: String,
}

impl Times {
    /// Formats the second of a time, Unix microseconds.
    pub(super) fn set(&mut self, at_us: i64) {
        let second = at_us.div_euclid(SECOND_US);
        if self.second == Some(second) {
            return;
        }
        self.second = Some(second);
        let time = Timestamp::from_second(second).unwrap_or_default();
        let time = time.to_zoned(TimeZone::UTC);
        self.rfc_3339 = time.strftime(RFC_3339).to_string();
        self.common = time.strftime(COMMON).to_string();
    }

    /// Appends a time of that second, with microseconds, as in RFC 3339.
    pub(super) fn push_rfc_3339(&self, at_us: i64, out: &mut Vec<u8>) {
        out.extend_from_slice(self.rfc_3339.as_bytes());
        out.push(b'.');
        push_digits::<6>(at_us.rem_euclid(SECOND_US).unsigned_abs(), out);
        out.push(b'Z');
    }

    /// The second, as in the Common Log Format.
    pub(super) fn common(&self) -> &[u8] {
        self.common.as_bytes()
    }
}

/// Appends the last `COUNT` decimal digits of a number.
pub(super) fn push_digits<const COUNT: usize>(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; COUNT];
    for digit in digits.iter_mut().rev() {
        *digit += (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits);
}
