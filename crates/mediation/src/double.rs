//! Doubles and their texts, like those of the standard library, which needs microseconds for some
//! digits: it falls back to long arithmetic if a text is close to the middle between two doubles,
//! and for one of 200 doubles that it writes.

use std::fmt::{self, Display, Formatter};
use std::io::Write as _;

use crate::work::Work;

/// Maximum number of digits that are parsed without long arithmetic: 64 bits hold them.
const DIGITS_MAX: usize = 19;
/// Units for comparing the doubles around a number with more digits, and for parsing one between
/// them.
const AROUND_UNITS: usize = 40;
const BETWEEN_UNITS: usize = 8_000;

/// Bytes of the longest text of digits and exponent.
const SHORT_BYTES_MAX: usize = 48;
/// The zeros of the smallest double, more than those of any other.
const ZEROS: [u8; 324] = [b'0'; 324];

/// Parses a double like [`str::parse`]; `None` also if the work is exceeded. Besides, the caller
/// counts the bytes of the text.
pub(crate) fn parse(text: &str, work: &Work) -> Option<f64> {
    if let Some(long) = Long::read(text) {
        let units = match long.has_one_double() {
            true => AROUND_UNITS,
            false => BETWEEN_UNITS,
        };
        if !work.spend(units) {
            return None;
        }
    }
    text.parse().ok()
}

/// The first digits of a number that has more, and their exponent.
struct Long {
    digits: u64,
    exponent: i64,
}

impl Long {
    /// Reads a number; `None` if it has few digits, or is malformed.
    fn read(text: &str) -> Option<Self> {
        if text.len() <= DIGITS_MAX {
            return None;
        }
        let (number, mut exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse().ok()?),
            None => (text, 0_i64),
        };
        let (mut digits, mut count, mut is_fraction) = (0, 0, false);
        for byte in number.bytes() {
            match byte {
                b'0'..=b'9' if count < DIGITS_MAX => {
                    digits = digits * 10 + u64::from(byte - b'0');
                    count += usize::from(digits > 0);
                    exponent = exponent.checked_sub(i64::from(is_fraction))?;
                }
                b'0'..=b'9' => {
                    count += 1;
                    exponent = exponent.checked_add(i64::from(!is_fraction))?;
                }
                b'.' => is_fraction = true,
                b'-' | b'+' => {}
                _ => return None,
            }
        }
        (count > DIGITS_MAX).then_some(Self { digits, exponent })
    }

    /// Whether all numbers with these first digits are the same double.
    fn has_one_double(&self) -> bool {
        short_double(self.digits, self.exponent) == short_double(self.digits + 1, self.exponent)
    }
}

/// Returns the double of a few digits with an exponent.
fn short_double(digits: u64, exponent: i64) -> Option<f64> {
    // The digit behind 19 nines is one too many.
    let (digits, exponent) = match digits % 10 {
        0 => (digits / 10, exponent.checked_add(1)?),
        _ => (digits, exponent),
    };
    let mut bytes = [0; SHORT_BYTES_MAX];
    let mut rest = &mut bytes[..];
    write!(rest, "{digits}e{exponent}").ok()?;
    let length = SHORT_BYTES_MAX - rest.len();
    str::from_utf8(&bytes[..length]).ok()?.parse().ok()
}

/// A double as text: the fewest digits that are parsed as this double, without an exponent.
pub(crate) struct Shortest(pub(crate) f64);

impl Display for Shortest {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.is_finite() {
            return self.0.fmt(formatter);
        }
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(self.0.abs());
        let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = if fraction == "0" { "" } else { fraction };
        let exponent: i32 = exponent.parse().map_err(|_| fmt::Error)?;
        let exponent = exponent - fraction.len() as i32;
        let digits = whole.bytes().chain(fraction.bytes());
        let digits = digits.fold(0, |digits, byte| digits * 10 + u64::from(byte - b'0'));
        let digits = digits + u64::from(is_middle(self.0.abs(), digits));
        if self.0.is_sign_negative() {
            formatter.write_str("-")?;
        }
        push_decimal(formatter, digits, exponent)
    }
}

/// Whether a double is in the middle between the number with these digits and the next one. The
/// standard library writes the next one then, zmij the even one.
fn is_middle(double: f64, digits: u64) -> bool {
    const FRACTION_BITS: u32 = 52;
    /// 5 to this power has 18 digits, one more than any double needs.
    const POWER_MAX: i32 = 25;
    let bits = double.to_bits();
    let mantissa = bits & ((1 << FRACTION_BITS) - 1) | 1 << FRACTION_BITS;
    let zeros = mantissa.trailing_zeros();
    // The double is an odd number, divided by this power of 2: as a decimal it has so many digits
    // after the point, the last of which is a 5.
    let power = 1075 - (bits >> FRACTION_BITS) as i32 - zeros as i32;
    (1..=POWER_MAX).contains(&power)
        && u128::from(mantissa >> zeros) * 5_u128.pow(power.unsigned_abs())
            == u128::from(digits) * 10 + 5
}

/// Writes digits with an exponent as a decimal number.
fn push_decimal(formatter: &mut Formatter<'_>, digits: u64, exponent: i32) -> fmt::Result {
    let shift = exponent.unsigned_abs();
    let count = digits.checked_ilog10().unwrap_or(0) + 1;
    if exponent >= 0 {
        write!(formatter, "{digits}")?;
        push_zeros(formatter, shift)
    } else if shift >= count {
        formatter.write_str("0.")?;
        push_zeros(formatter, shift - count)?;
        write!(formatter, "{digits}")
    } else {
        let unit = 10_u64.pow(shift);
        let (whole, fraction) = (digits / unit, digits % unit);
        write!(
            formatter,
            "{whole}.{fraction:0width$}",
            width = shift as usize
        )
    }
}

fn push_zeros(formatter: &mut Formatter<'_>, count: u32) -> fmt::Result {
    let zeros = str::from_utf8(&ZEROS[..ZEROS.len().min(count as usize)]);
    formatter.write_str(zeros.unwrap_or_default())
}

#[cfg(test)]
mod tests;
