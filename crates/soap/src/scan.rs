//! Text looked through for the few bytes that need a look: by words of eight bytes, since most
//! texts are short, and where they are long by blocks, which compilers make wide registers of.

/// Bytes of a block: a few registers of any processor.
const BLOCK: usize = 64;
/// Blocks are worth while for texts this long.
const LONG: usize = 2 * BLOCK;

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Bytes before the next one that ends a string of JSON or must be escaped in one: a quote, a
/// backslash or a control character; all of them where there is none.
pub(crate) fn plain_in_json(bytes: &[u8]) -> usize {
    let is_special = |byte: u8| (byte < b' ') | (byte == b'"') | (byte == b'\\');
    let marks = |word: u64| below_space(word) | equal(word, b'"') | equal(word, b'\\');
    plain(bytes, is_special, marks)
}

/// Bytes before the next one that text of XML may have to escape, or cannot carry; all of them
/// where there is none. Of U+FFFE and U+FFFF it is the first byte, which others have as well.
pub(crate) fn plain_in_xml(bytes: &[u8]) -> usize {
    let is_special = |byte: u8| {
        let is_markup = (byte == b'&') | (byte == b'"') | (byte | 2 == b'>');
        (byte < b' ') | is_markup | (byte == 0xEF)
    };
    let marks = |word: u64| {
        let markup = equal(word, b'&') | equal(word, b'"') | equal(word | (ONES << 1), b'>');
        below_space(word) | markup | equal(word, 0xEF)
    };
    plain(bytes, is_special, marks)
}

/// `is_special` and `marks` tell the same of a byte and of a word.
#[inline]
fn plain(bytes: &[u8], is_special: impl Fn(u8) -> bool, marks: impl Fn(u64) -> u64) -> usize {
    if bytes.len() < LONG {
        return plain_by_words(bytes, is_special, marks);
    }
    let (first, rest) = bytes.split_at(BLOCK);
    let length = plain_by_words(first, &is_special, &marks);
    if length < BLOCK {
        return length;
    }
    // Without a branch for each byte, so that a block is a few instructions.
    let is_plain = |block: &&[u8; BLOCK]| {
        let has_special = |found, &byte| found | is_special(byte);
        !block.iter().fold(false, has_special)
    };
    let blocks = rest.as_chunks::<BLOCK>().0.iter();
    let at = BLOCK + blocks.take_while(is_plain).count() * BLOCK;
    at + plain_by_words(&bytes[at..], is_special, marks)
}

#[inline]
fn plain_by_words(
    bytes: &[u8],
    is_special: impl Fn(u8) -> bool,
    marks: impl Fn(u64) -> u64,
) -> usize {
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
    // The last eight, some of them once more.
    let found = match bytes.last_chunk() {
        Some(&last) => first_of(last).map(|found| bytes.len() - 8 + found),
        None => rest.iter().position(|&byte| is_special(byte)),
    };
    found.unwrap_or(bytes.len())
}

/// Marks the bytes of a word that equal another byte. Only the lowest mark is certain.
const fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    differs.wrapping_sub(ONES) & !differs
}

/// Marks the control characters of a word. Only the lowest mark is certain.
const fn below_space(word: u64) -> u64 {
    word.wrapping_sub(u64::from_le_bytes([b' '; 8])) & !word
}

#[cfg(test)]
mod tests;
