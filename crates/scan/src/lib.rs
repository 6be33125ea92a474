#![doc = include_str!("../README.md")]

use std::borrow::Cow;

use encoding_rs::UTF_8;
use memchr::{memchr, memchr2, memchr3};

/// Bytes that are searched by words before searching by blocks pays off.
const SHORT: usize = 64;
/// Bytes of the first block; each block is four times as long as the one before. A block with a
/// special byte that its search does not locate is searched again by words.
const BLOCK: usize = 256;
/// Bytes of the largest block: it stays in the first-level cache while it is searched.
const BLOCK_MAX: usize = 4 * 1024;

/// A bit in each byte of a word.
pub const ONES: u64 = u64::from_le_bytes([1; 8]);
/// The bits in which bytes of a word are marked.
pub const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Returns the number of bytes before the next one that ends a JSON string or must be escaped in
/// one: a quote, a backslash or a control character; the length if there is none.
pub fn plain_in_json(bytes: &[u8]) -> usize {
    let marks = |word: u64| below_space(word) | equal(word, b'"') | equal(word, b'\\');
    plain(
        bytes,
        marks,
        |block| memchr2(b'"', b'\\', block),
        has_no_controls,
    )
}

/// Like [`plain_in_json`], but bytes of characters that XML may not allow are special too.
pub fn clean_in_json(bytes: &[u8]) -> usize {
    let marks =
        |word: u64| below_space(word) | equal(word, b'"') | equal(word, b'\\') | equal(word, 0xEF);
    plain(bytes, marks, |block| memchr2(b'"', b'\\', block), is_clean)
}

/// Returns the number of bytes before the next quote or backslash; the length if there is none.
pub fn before_escape(bytes: &[u8]) -> usize {
    before(bytes, [b'"', b'\\'])
}

/// Returns the number of bytes before the next one that XML text may have to escape, or cannot
/// contain; the length if there is none. For U+FFFE and U+FFFF this is the first byte, which other
/// characters have too.
pub fn plain_in_text(bytes: &[u8]) -> usize {
    let marks = |word: u64| markup(word) | below_space(word) | equal(word, 0xEF);
    plain(
        bytes,
        marks,
        |block| memchr3(b'&', b'<', b'>', block),
        is_clean,
    )
}

/// Like [`plain_in_text`], for the value of an attribute between double quotes.
pub fn plain_in_attribute(bytes: &[u8]) -> usize {
    plain_by_words(bytes, |word| {
        markup(word) | equal(word, b'"') | below_space(word) | equal(word, 0xEF)
    })
}

/// Returns the number of bytes before the next one that ends the name of a tag: white space, `/` or
/// `>`; the length if there is none.
pub fn before_name_end(bytes: &[u8]) -> usize {
    let ends = |word: u64| below_space(word) | equal(word, b' ') | equal(word, b'/');
    plain_by_words(bytes, |word| ends(word) | equal(word, b'>'))
}

/// Returns the number of bytes before the next one that ends a text between tags: `<` or `&`; the
/// length if there is none.
pub fn before_markup(bytes: &[u8]) -> usize {
    before(bytes, [b'<', b'&'])
}

#[inline]
fn before(bytes: &[u8], [one, other]: [u8; 2]) -> usize {
    let (short, long) = bytes.split_at(bytes.len().min(SHORT));
    let at = plain_by_words(short, |word| equal(word, one) | equal(word, other));
    if at < short.len() {
        return at;
    }
    at + memchr2(one, other, long).unwrap_or(long.len())
}

/// Returns the number of bytes before the next one that ends the value of an attribute, or needs
/// attention in one: a quote, `<`, `&` or a control character; the length if there is none.
pub fn plain_in_value(bytes: &[u8], quote: u8) -> usize {
    let markup = |word: u64| equal(word, b'<') | equal(word, b'&') | below_space(word);
    plain_by_words(bytes, |word| markup(word) | equal(word, quote))
}

/// Returns the bytes as text if they are UTF-8: three times as fast as the standard library, which
/// is only needed to locate errors.
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    match UTF_8.decode_without_bom_handling_and_without_replacement(bytes)? {
        Cow::Borrowed(text) => Some(text),
        Cow::Owned(_) => None,
    }
}

/// Whether there is neither a control character, including white space, nor a byte that U+FFFE
/// begins with.
pub fn is_clean(bytes: &[u8]) -> bool {
    // Control characters wrap to the upper end, above the shifted 0xEF.
    let most = bytes
        .iter()
        .fold(0, |most, &byte| byte.wrapping_sub(b' ').max(most));
    most < 0xEF - b' ' || (has_no_controls(bytes) && memchr(0xEF, bytes).is_none())
}

fn has_no_controls(bytes: &[u8]) -> bool {
    bytes.iter().fold(u8::MAX, |least, &byte| least.min(byte)) >= b' '
}

/// `marks` marks the special bytes of a word; `find` returns the place of the first special byte of
/// a block, except for kinds that it does not search for; `is_plain` checks for these.
#[inline]
fn plain(
    bytes: &[u8],
    marks: impl Fn(u64) -> u64,
    find: impl Fn(&[u8]) -> Option<usize>,
    is_plain: impl Fn(&[u8]) -> bool,
) -> usize {
    let (short, mut long) = bytes.split_at(bytes.len().min(SHORT));
    let at = plain_by_words(short, &marks);
    if at < short.len() {
        return at;
    }
    let mut room = BLOCK;
    while !long.is_empty() {
        let (block, rest) = long.split_at(long.len().min(room));
        let found = find(block);
        let before = &block[..found.unwrap_or(block.len())];
        let plain = if is_plain(before) {
            before.len()
        } else {
            plain_by_words(before, &marks)
        };
        if plain < block.len() {
            return bytes.len() - long.len() + plain;
        }
        long = rest;
        room = (4 * room).min(BLOCK_MAX);
    }
    bytes.len()
}

#[inline]
fn plain_by_words(bytes: &[u8], marks: impl Fn(u64) -> u64) -> usize {
    // The lowest mark is correct; higher ones may be wrong because of a borrow.
    let first_of = |word| match marks(u64::from_le_bytes(word)) & HIGH {
        0 => None,
        found => Some(found.trailing_zeros() as usize / 8),
    };
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, &word) in words.iter().enumerate() {
        if let Some(found) = first_of(word) {
            return index * 8 + found;
        }
    }
    if rest.is_empty() {
        return bytes.len();
    }
    // The last eight bytes, some of them for a second time; a shorter text is padded with spaces,
    // which are not special, or are found at the end of the text.
    let (last, start) = match bytes.last_chunk() {
        Some(&last) => (last, bytes.len() - 8),
        None => {
            let mut last = [b' '; 8];
            last[..rest.len()].copy_from_slice(rest);
            (last, 0)
        }
    };
    first_of(last).map_or(bytes.len(), |found| start + found)
}

/// Marks the bytes of a word that begin markup, and `>`. Only the lowest mark is certain.
pub const fn markup(word: u64) -> u64 {
    equal(word, b'&') | equal(word | (ONES << 1), b'>')
}

/// Marks the bytes of a word that equal another byte. Only the lowest mark is certain.
pub const fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    differs.wrapping_sub(ONES) & !differs
}

/// Marks the control characters of a word. Only the lowest mark is certain.
pub const fn below_space(word: u64) -> u64 {
    word.wrapping_sub(u64::from_le_bytes([b' '; 8])) & !word
}

#[cfg(test)]
mod tests;
