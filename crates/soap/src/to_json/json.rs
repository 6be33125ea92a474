//! Pieces of JSON text.

/// Writes a string with its quotes.
pub(crate) fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Writes what stands between the quotes of a string.
pub(crate) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(length) = plain_length(&bytes[from..]) {
        let at = from + length;
        out.extend_from_slice(&bytes[from..at]);
        match bytes[at] {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                out.extend_from_slice(b"\\u00");
                out.push(DIGITS[usize::from(byte >> 4)]);
                out.push(DIGITS[usize::from(byte & 15)]);
            }
        }
        from = at + 1;
    }
    out.extend_from_slice(&bytes[from..]);
}

/// How many bytes come before the first that must be escaped; `None` where none must. Eight at a
/// time, the last eight perhaps twice.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    const WIDTH: usize = 8;
    let mut at = 0;
    for chunk in bytes.chunks_exact(WIDTH) {
        if let Some(found) = first_special(chunk) {
            return Some(at + found);
        }
        at += WIDTH;
    }
    if at == bytes.len() {
        return None;
    }
    if let Some(start) = bytes.len().checked_sub(WIDTH) {
        return Some(start + first_special(&bytes[start..])?);
    }
    let is_special = |&byte: &u8| byte < b' ' || byte == b'"' || byte == b'\\';
    bytes.iter().position(is_special)
}

/// The first of eight bytes that must be escaped.
fn first_special(eight: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    let mut word = [0; 8];
    word.copy_from_slice(eight);
    let word = u64::from_le_bytes(word);
    // The lowest mark is right; higher ones may be marked by a borrow.
    let quote = word ^ u64::from_le_bytes([b'"'; 8]);
    let backslash = word ^ u64::from_le_bytes([b'\\'; 8]);
    let marks = (quote.wrapping_sub(ONES) & !quote)
        | (backslash.wrapping_sub(ONES) & !backslash)
        | (word.wrapping_sub(u64::from_le_bytes([b' '; 8])) & !word);
    let found = marks & HIGH;
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

/// A member's key with its colon, ready to be written.
pub(super) fn key(name: &str) -> Box<[u8]> {
    let mut out = Vec::with_capacity(name.len() + 3);
    push_string(&mut out, name);
    out.push(b':');
    out.into()
}

/// A member whose value is a string, ready to be written.
pub(super) fn member(name: &str, value: &str) -> Box<[u8]> {
    let mut out = Vec::from(key(name));
    push_string(&mut out, value);
    out.into()
}
