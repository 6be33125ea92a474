//! `base64Binary` and `hexBinary`.

use super::{Lexical, Work};

/// Removes white space, which the type allows and receivers often do not.
pub(super) fn without_space<'a>(lexical: Lexical<'a>, work: &mut Work) -> Lexical<'a> {
    let is_space = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    if !work.text(lexical).bytes().any(is_space) {
        return lexical;
    }
    let start = work.text.len();
    match lexical {
        Lexical::Given(text) => {
            let words = text.split([' ', '\t', '\n', '\r']);
            words.for_each(|word| work.text.push_str(word));
        }
        Lexical::Made(from, to) => {
            let mut made = work.text[from..to].to_owned();
            made.retain(|character| !matches!(character, ' ' | '\t' | '\n' | '\r'));
            work.text.push_str(&made);
        }
    }
    Lexical::Made(start, work.text.len())
}

/// Returns the number of octets of a text without white space; `None` if it is not padded base64,
/// or has bits after its end (RFC 4648, section 4; XML Schema requires zeros there).
pub(super) fn octets_base64(text: &str) -> Option<u64> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(4) {
        return None;
    }
    let digits = match bytes {
        [digits @ .., b'=', b'='] => digits,
        [digits @ .., b'='] => digits,
        digits => digits,
    };
    let is_digit = |byte: &u8| SEXTETS[usize::from(*byte)] < 64;
    if !digits.iter().all(is_digit) {
        return None;
    }
    let last = digits.last().map_or(0, |byte| SEXTETS[usize::from(*byte)]);
    let is_canonical = match bytes.len() - digits.len() {
        0 => true,
        1 => last.is_multiple_of(4),
        _ => last.is_multiple_of(16),
    };
    is_canonical.then_some(digits.len() as u64 * 3 / 4)
}

/// The value of each digit; 64 for other bytes.
static SEXTETS: [u8; 256] = {
    let mut sextets = [64; 256];
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = 0;
    while value < digits.len() {
        sextets[digits[value] as usize] = value as u8;
        value += 1;
    }
    sextets
};

/// Returns the number of octets of a text; `None` if it is not hexadecimal.
pub(super) fn octets_hex(text: &str) -> Option<u64> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then_some(text.len() as u64 / 2)
}
