//! Text to XML: what must be escaped is, and what XML 1.0 cannot carry is found.

/// A character that no XML 1.0 document may contain (section 2.2), not even as a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forbidden(pub char);

/// Appends text as the content of an element. What is appended at a fault is the caller's to drop.
///
/// # Errors
///
/// A control character other than tab and line ends, or U+FFFE or U+FFFF.
pub fn push_text(out: &mut Vec<u8>, text: &str) -> Result<(), Forbidden> {
    push::<false>(out, text)
}

/// Appends text as the value of an attribute between double quotes.
///
/// # Errors
///
/// As of [`push_text`].
pub fn push_attribute(out: &mut Vec<u8>, text: &str) -> Result<(), Forbidden> {
    push::<true>(out, text)
}

fn push<const IN_ATTRIBUTE: bool>(out: &mut Vec<u8>, text: &str) -> Result<(), Forbidden> {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut at = 0;
    loop {
        at += plain_length(&bytes[at..]);
        let Some(&byte) = bytes.get(at) else {
            out.extend_from_slice(&bytes[from..]);
            return Ok(());
        };
        let reference: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            // Only `]]>` must be escaped, but it is no cheaper to find out.
            b'>' => b"&gt;",
            b'"' if IN_ATTRIBUTE => b"&quot;",
            // A reader would make a space of these.
            b'\t' if IN_ATTRIBUTE => b"&#9;",
            b'\n' if IN_ATTRIBUTE => b"&#10;",
            // A reader would make a line feed of it.
            b'\r' => b"&#13;",
            b'"' | b'\t' | b'\n' => {
                at += 1;
                continue;
            }
            0..=0x1F => return Err(Forbidden(char::from(byte))),
            _ => {
                match &bytes[at..] {
                    [0xEF, 0xBF, 0xBE, ..] => return Err(Forbidden('\u{FFFE}')),
                    [0xEF, 0xBF, 0xBF, ..] => return Err(Forbidden('\u{FFFF}')),
                    _ => at += 1,
                }
                continue;
            }
        };
        out.extend_from_slice(&bytes[from..at]);
        out.extend_from_slice(reference);
        at += 1;
        from = at;
    }
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Marks the bytes of a word that equal another byte. Only the lowest mark is certain.
const fn equal(word: u64, byte: u8) -> u64 {
    let differs = word ^ u64::from_le_bytes([byte; 8]);
    differs.wrapping_sub(ONES) & !differs
}

/// Bytes before the next one that needs a look; eight at a time.
fn plain_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    for chunk in bytes.chunks_exact(8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        let word = u64::from_le_bytes(word);
        let control = word.wrapping_sub(u64::from_le_bytes([b' '; 8])) & !word;
        let markup = equal(word, b'&') | equal(word, b'"') | equal(word | (ONES << 1), b'>');
        let found = (control | markup | equal(word, 0xEF)) & HIGH;
        if found != 0 {
            return length + found.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = &bytes[length..];
    let special = |byte: &u8| matches!(byte, b'&' | b'<' | b'>' | b'"' | 0xEF | 0..=0x1F);
    length + rest.iter().position(special).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests;
