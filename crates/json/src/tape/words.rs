//! Scans the beginning of a string by words of eight bytes. Most strings end there; `tollgate_scan`
//! searches the rest of others.

use tollgate_scan::{HIGH, below_space, equal, markup};

/// Number of words that are scanned here.
const WORDS: usize = 8;

/// Returns the number of bytes before the first that ends a key or must be escaped in it, up to the
/// bound.
#[inline]
pub(super) fn plain_in_key(bytes: &[u8]) -> usize {
    plain(bytes, ends)
}

/// Returns the number of bytes before the first that ends a text or must be escaped in it, in JSON
/// or in XML.
#[inline]
pub(super) fn plain_in_both(bytes: &[u8]) -> usize {
    // U+FFFE and U+FFFF, which XML forbids, begin with 0xEF.
    plain(bytes, |word| ends(word) | markup(word) | equal(word, 0xEF))
}

#[inline]
fn plain(bytes: &[u8], marks: impl Fn(u64) -> u64) -> usize {
    let words = bytes.as_chunks().0;
    let words = &words[..words.len().min(WORDS)];
    for (index, &word) in words.iter().enumerate() {
        // The lowest mark is correct; higher ones may be wrong because of a borrow.
        let found = marks(u64::from_le_bytes(word)) & HIGH;
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    words.len() * 8
}

/// Marks quotes, backslashes and control characters. Only the lowest mark is certain.
const fn ends(word: u64) -> u64 {
    below_space(word) | equal(word, b'"') | equal(word, b'\\')
}
