//! Text looked through for the few bytes that need a look: by words of eight bytes, since most
//! texts are short, and where they are long by blocks, each by the widest registers there are.

use std::borrow::Cow;

use encoding_rs::UTF_8;
use memchr::{memchr, memchr2, memchr3};

/// Bytes that are looked through by words before blocks are worth while.
const SHORT: usize = 64;
/// Of the first block; each is four times the one before. Where one has something that its search
/// does not find the place of, it is looked through by words again.
const BLOCK: usize = 256;
/// Of the largest block: what stays in the cache next to the processor while it is looked through.
const BLOCK_MAX: usize = 4 * 1024;

pub(crate) const ONES: u64 = u64::from_le_bytes([1; 8]);
/// The bits in which bytes of a word are marked.
pub(crate) const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Bytes before the next one that ends a string of JSON or must be escaped in one: a quote, a
/// backslash or a control character; all of them where there is none.
pub(crate) fn plain_in_json(bytes: &[u8]) -> usize {
    let marks = |word: u64| below_space(word) | equal(word, b'"') | equal(word, b'\\');
    plain(
        bytes,
        marks,
        |block| memchr2(b'"', b'\\', block),
        has_no_controls,
    )
}

/// The same, where what XML may be unable to carry is special as well.
pub(crate) fn clean_in_json(bytes: &[u8]) -> usize {
    let marks =
        |word: u64| below_space(word) | equal(word, b'"') | equal(word, b'\\') | equal(word, 0xEF);
    plain(bytes, marks, |block| memchr2(b'"', b'\\', block), is_clean)
}

/// Bytes before the next quote or backslash; all of them where there is none.
pub(crate) fn before_escape(bytes: &[u8]) -> usize {
    before(bytes, [b'"', b'\\'])
}

/// Bytes before the next one that text of XML may have to escape, or cannot carry; all of them
/// where there is none. Of U+FFFE and U+FFFF it is the first byte, which others have as well.
pub(crate) fn plain_in_text(bytes: &[u8]) -> usize {
    let marks = |word: u64| markup(word) | below_space(word) | equal(word, 0xEF);
    plain(
        bytes,
        marks,
        |block| memchr3(b'&', b'<', b'>', block),
        is_clean,
    )
}

/// The same for the value of an attribute between double quotes.
pub(crate) fn plain_in_attribute(bytes: &[u8]) -> usize {
    plain_by_words(bytes, |word| {
        markup(word) | equal(word, b'"') | below_space(word) | equal(word, 0xEF)
    })
}

/// Bytes before the next one that ends the name of a tag: white space, `/` or `>`; all of them
/// where there is none.
pub(crate) fn before_name_end(bytes: &[u8]) -> usize {
    let ends = |word: u64| below_space(word) | equal(word, b' ') | equal(word, b'/');
    plain_by_words(bytes, |word| ends(word) | equal(word, b'>'))
}

/// Bytes before the next one that ends a text between tags: `<` or `&`; all of them where there is
/// none.
pub(crate) fn before_markup(bytes: &[u8]) -> usize {
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

/// Bytes before the next one that ends the value of an attribute, or has to be looked at in one: a
/// quote, `<`, `&` or a control character; all of them where there is none.
pub(crate) fn plain_in_value(bytes: &[u8], quote: u8) -> usize {
    let markup = |word: u64| equal(word, b'<') | equal(word, b'&') | below_space(word);
    plain_by_words(bytes, |word| markup(word) | equal(word, quote))
}

/// Bytes as text, if they are UTF-8: three times as fast as by the standard library, which alone
/// tells where they are not.
pub(crate) fn utf8(bytes: &[u8]) -> Option<&str> {
    match UTF_8.decode_without_bom_handling_and_without_replacement(bytes)? {
        Cow::Borrowed(text) => Some(text),
        Cow::Owned(_) => None,
    }
}

/// Whether there is neither a control character, white space among them, nor a byte that U+FFFE
/// begins with.
pub(crate) fn is_clean(bytes: &[u8]) -> bool {
    // Control characters come to the upper end, behind what is left of 0xEF.
    let most = bytes
        .iter()
        .fold(0, |most, &byte| byte.wrapping_sub(b' ').max(most));
    most < 0xEF - b' ' || (has_no_controls(bytes) && memchr(0xEF, bytes).is_none())
}

fn has_no_controls(bytes: &[u8]) -> bool {
    bytes.iter().fold(u8::MAX, |least, &byte| least.min(byte)) >= b' '
}

/// `marks` tells the special bytes of a word; `find` where the first of a block is, but for those
/// that it does not look for; `is_plain` whether there are none of these.
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
    // The lowest mark is right; higher ones may be marked by a borrow.
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
    // The last eight, some of them once more; of a shorter text with spaces behind it, which are
    // not special, or found where the text ends.
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
pub(crate) const fn markup(word: u64) -> u64 {
    equal(word, b'&') | equal(word | (ONES << 1), b'>')
}

/// Marks the bytes of a word that equal another byte. Only the lowest mark is certain.
pub(crate) const fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    differs.wrapping_sub(ONES) & !differs
}

/// Marks the control characters of a word. Only the lowest mark is certain.
pub(crate) const fn below_space(word: u64) -> u64 {
    word.wrapping_sub(u64::from_le_bytes([b' '; 8])) & !word
}

#[cfg(test)]
mod tests;
