//! Numbers as digits.

use std::cmp::Ordering;

/// Returns the sign, the digits before the point without leading zeros, and those after it without
/// trailing zeros. Zero has no sign.
fn parts(text: &str) -> (bool, &[u8], &[u8]) {
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let point = digits.iter().position(|byte| *byte == b'.');
    let (mut whole, mut fraction) = match point {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &b""[..]),
    };
    while let [b'0', rest @ ..] = whole {
        whole = rest;
    }
    while let [rest @ .., b'0'] = fraction {
        fraction = rest;
    }
    let is_zero = whole.is_empty() && fraction.is_empty();
    (is_negative && !is_zero, whole, fraction)
}

/// Compares two decimals of any length.
pub(super) fn order(a: &str, b: &str) -> Ordering {
    let (a_negative, a_whole, a_fraction) = parts(a);
    let (b_negative, b_whole, b_fraction) = parts(b);
    let of_sizes = || {
        (a_whole.len().cmp(&b_whole.len()))
            .then_with(|| a_whole.cmp(b_whole))
            .then_with(|| a_fraction.cmp(b_fraction))
    };
    match (a_negative, b_negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => of_sizes(),
        (true, true) => of_sizes().reverse(),
    }
}

/// Returns the number of digits of a decimal, and of those after the point.
pub(super) fn count_digits(text: &str) -> (usize, usize) {
    let (_, whole, fraction) = parts(text);
    (whole.len() + fraction.len(), fraction.len())
}

/// Whether a text is an integer within the bounds: an optional sign and digits.
pub(super) fn is_integer(text: &str, min: Option<i128>, max: Option<i128>) -> bool {
    let digits = match text.as_bytes() {
        [b'-' | b'+', ..] => &text[1..],
        _ => text,
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    is_within(text, min, max)
}

/// Whether an integer is within the bounds.
pub(super) fn is_within(text: &str, min: Option<i128>, max: Option<i128>) -> bool {
    if min.is_none() && max.is_none() {
        return true;
    }
    let (is_negative, digits) = match text.as_bytes() {
        [sign @ (b'-' | b'+'), ..] => (*sign == b'-', &text[1..]),
        _ => (false, text),
    };
    match size(digits) {
        Some(size) => {
            let value = if is_negative { -size } else { size };
            min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max)
        }
        // Larger than the type of the bounds.
        None if is_negative => min.is_none(),
        None => max.is_none(),
    }
}

fn size(digits: &str) -> Option<i128> {
    if digits.len() <= 18 {
        let fold = |sum: i64, digit: u8| sum * 10 + i64::from(digit - b'0');
        return Some(i128::from(digits.bytes().fold(0, fold)));
    }
    digits.parse().ok()
}

/// Whether a text is a decimal: an optional sign, digits, a point, digits; at least one digit.
pub(super) fn is_decimal(text: &str) -> bool {
    let digits = match text.as_bytes() {
        [b'-' | b'+', digits @ ..] => digits,
        digits => digits,
    };
    let mut points = 0;
    let is_plain = digits.iter().all(|byte| match byte {
        b'.' => {
            points += 1;
            points == 1
        }
        _ => byte.is_ascii_digit(),
    });
    is_plain && digits.len() > points
}

/// Whether a text is a decimal, optionally with an exponent, or one of the three words.
pub(super) fn is_double(text: &str) -> bool {
    match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => is_decimal(mantissa) && is_integer(exponent, None, None),
        None => matches!(text, "INF" | "-INF" | "NaN") || is_decimal(text),
    }
}

/// Returns a `double` for comparison.
pub(super) fn double(text: &str) -> Option<f64> {
    match text {
        "INF" => Some(f64::INFINITY),
        "-INF" => Some(f64::NEG_INFINITY),
        _ => text.parse().ok(),
    }
}

/// Returns a `float` for comparison.
pub(super) fn float(text: &str) -> Option<f32> {
    match text {
        "INF" => Some(f32::INFINITY),
        "-INF" => Some(f32::NEG_INFINITY),
        _ => text.parse().ok(),
    }
}
