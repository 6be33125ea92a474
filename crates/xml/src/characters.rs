//! The character classes of XML (XML 1.0, sections 2.2 and 2.3).

use std::ops::RangeInclusive;

use crate::Problem;

/// Whether a byte is white space of XML.
#[must_use]
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns text without leading and trailing white space.
#[must_use]
pub fn trim(text: &str) -> &str {
    // Text rarely has white space at its ends, and checking two bytes is enough.
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) if !is_space(first) && !is_space(last) => text,
        _ => text.trim_matches([' ', '\t', '\n', '\r']),
    }
}

/// Whether XML allows a character at all.
pub(super) const fn is_allowed(character: char) -> bool {
    matches!(character,
        '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Returns the offset of the first character that XML forbids.
pub(super) fn forbidden(text: &str) -> Option<usize> {
    if !is_suspect(text.as_bytes()) {
        return None;
    }
    let mut characters = text.char_indices();
    Some(characters.find(|&(_, character)| !is_allowed(character))?.0)
}

/// Whether there is a control character other than white space, or a byte that U+FFFE begins with:
/// one pass that rules out nearly every text. The minimum of the bytes' distances above the start
/// of a range shows whether any byte is in the range, without a comparison for each byte.
fn is_suspect(bytes: &[u8]) -> bool {
    const RANGES: [RangeInclusive<u8>; 4] = [0..=0x08, 0x0B..=0x0C, 0x0E..=0x1F, 0xEF..=0xEF];
    let mut least = [u8::MAX; RANGES.len()];
    for &byte in bytes {
        for (least, range) in least.iter_mut().zip(&RANGES) {
            *least = (*least).min(byte.wrapping_sub(*range.start()));
        }
    }
    let mut ranges = least.iter().zip(&RANGES);
    ranges.any(|(least, range)| *least <= range.end() - range.start())
}

const START: u8 = 1;
const LATER: u8 = 2;
const ASCII: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => START | LATER,
            b'0'..=b'9' | b'-' | b'.' => LATER,
            _ => 0,
        };
        byte += 1;
    }
    table
};

const fn is_name_start(character: char) -> bool {
    matches!(character,
        '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}' | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

const fn is_name_later(character: char) -> bool {
    is_name_start(character)
        || matches!(character, '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}')
}

/// Returns the number of leading ASCII bytes that may appear in a name.
pub(super) fn ascii_name_bytes(bytes: &[u8]) -> usize {
    let other = bytes.iter().position(|&byte| !is_ascii(byte, LATER));
    other.unwrap_or(bytes.len())
}

/// Whether an ASCII character may begin a name.
pub(super) fn is_ascii_name_start(byte: u8) -> bool {
    is_ascii(byte, START)
}

/// Whether a byte is an ASCII character of a class.
fn is_ascii(byte: u8, class: u8) -> bool {
    ASCII[usize::from(byte)] & class != 0
}

/// Whether this is a name without a colon (Namespaces in XML 1.0, `NCName`).
pub fn is_plain_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let Some(&first) = bytes.first() else {
        return false;
    };
    if is_ascii(first, START) && bytes[1..].iter().all(|&byte| is_ascii(byte, LATER)) {
        return true;
    }
    let is_ascii_name =
        |character: char, class| character.is_ascii() && is_ascii(character as u8, class);
    let mut characters = name.chars();
    let first = characters.next();
    first.is_some_and(|first| is_ascii_name(first, START) || is_name_start(first))
        && characters.all(|later| is_ascii_name(later, LATER) || is_name_later(later))
}

/// Whether this is a name with at most one colon (Namespaces in XML 1.0, `QName`).
#[must_use]
pub fn is_name(name: &str) -> bool {
    cut_name(name).is_ok()
}

/// Splits a name at its colon into prefix, empty if there is none, and local part.
pub(super) fn cut_name(name: &str) -> Result<(&str, &str), Problem> {
    let Some(colon) = memchr::memchr(b':', name.as_bytes()) else {
        return is_plain_name(name)
            .then_some(("", name))
            .ok_or(Problem::Name);
    };
    let (prefix, local) = (&name[..colon], &name[colon + 1..]);
    if is_plain_name(prefix) && is_plain_name(local) {
        Ok((prefix, local))
    } else {
        Err(Problem::Name)
    }
}

/// Returns the character of a reference, given without its `&` and `;`.
pub(super) fn referenced(name: &str) -> Option<char> {
    let character = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "apos" => '\'',
        "quot" => '"',
        _ => {
            let digits = name.strip_prefix('#')?;
            let (digits, radix) = match digits.strip_prefix('x') {
                Some(digits) => (digits, 16),
                None => (digits, 10),
            };
            if digits.starts_with('+') {
                return None;
            }
            char::from_u32(u32::from_str_radix(digits, radix).ok()?)?
        }
    };
    is_allowed(character).then_some(character)
}
