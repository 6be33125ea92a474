//! Base62 digits, most significant first, in the alphabet of `model::id` (ASCII order), so texts of
//! one length sort like their numbers. The neighbours encode secrets and check digits with it.

use tollgate_model::id::{DIGITS, digit_value};

/// Digits of a CRC-32: 62^6 is more than 2^32.
pub(crate) const CRC_DIGITS: usize = 6;
/// Digits of 128 bits.
pub(crate) const DIGITS_128: usize = 22;
/// Digits of 256 bits.
pub(crate) const DIGITS_256: usize = 43;

/// Appends the lowest `digits` base62 digits of `number` (big-endian) to `text`.
pub(crate) fn push<const BYTES: usize>(text: &mut String, number: [u8; BYTES], digits: usize) {
    let mut number = number;
    let mut places = [b'0'; DIGITS_256];
    let places = &mut places[..digits];
    for place in places.iter_mut().rev() {
        *place = DIGITS[usize::from(divide(&mut number))];
    }
    text.extend(places.iter().map(|&digit| char::from(digit)));
}

/// Divides a big-endian number by 62 in place; returns the remainder.
fn divide(number: &mut [u8]) -> u8 {
    let mut rest = 0_u16;
    for byte in number {
        let value = (rest << 8) | u16::from(*byte);
        *byte = u8::try_from(value / 62).expect("the rest is below 62, so this is below 256");
        rest = value % 62;
    }
    u8::try_from(rest).expect("below 62")
}

/// Appends the CRC-32 of `text` to it, as six digits.
pub(crate) fn push_crc(text: &mut String) {
    let crc = crc32fast::hash(text.as_bytes());
    push(text, crc.to_be_bytes(), CRC_DIGITS);
}

/// Returns whether `text` ends with the six digits of the CRC-32 of everything before them.
pub(crate) fn crc_fits(text: &[u8]) -> bool {
    text.split_last_chunk::<CRC_DIGITS>()
        .is_some_and(|(before, digits)| value(digits) == Some(u64::from(crc32fast::hash(before))))
}

/// Returns whether every byte is a digit. Checks all of them, many at once, instead of ending
/// early.
pub(crate) fn all_digits(text: &[u8]) -> bool {
    let bytes = text.iter().map(u8::is_ascii_alphanumeric);
    bytes.fold(true, |all, is_digit| all & is_digit)
}

fn value(digits: &[u8; CRC_DIGITS]) -> Option<u64> {
    digits.iter().try_fold(0, |value, &digit| {
        Some(value * 62 + u64::from(digit_value(digit)?))
    })
}
