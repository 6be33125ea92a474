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

/// How many bytes come before the first that must be escaped; `None` where none must.
fn plain_length(bytes: &[u8]) -> Option<usize> {
    const WIDTH: usize = 16;
    let is_special = |byte: u8| (byte < 0x20) | (byte == b'"') | (byte == b'\\');
    let mut chunks = bytes.chunks_exact(WIDTH);
    let mut at = 0;
    for chunk in chunks.by_ref() {
        // Without a branch for each byte, so that the compiler looks at all of them at once.
        if chunk
            .iter()
            .fold(false, |found, &byte| found | is_special(byte))
        {
            return Some(at + chunk.iter().position(|&byte| is_special(byte))?);
        }
        at += WIDTH;
    }
    Some(
        at + chunks
            .remainder()
            .iter()
            .position(|&byte| is_special(byte))?,
    )
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
