//! Pieces of JSON text.

use tollgate_scan::{before_escape, plain_in_json};

/// Appends a text as a JSON string with its quotes (RFC 8259, section 7).
pub fn push_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Appends a text as the content of a JSON string.
pub fn push_escaped(out: &mut Vec<u8>, text: &str) {
    push(out, text, plain_in_json);
}

/// Writes a string with its quotes, from a text without control characters.
pub fn push_clean(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push(out, text, before_escape);
    out.push(b'"');
}

#[inline]
fn push(out: &mut Vec<u8>, text: &str, plain: fn(&[u8]) -> usize) {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = from + plain(&bytes[from..]);
        out.extend_from_slice(&bytes[from..at]);
        let Some(&special) = bytes.get(at) else {
            return;
        };
        match special {
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
}

/// Returns a member's key with its colon, ready to be written.
pub fn key(name: &str) -> Box<[u8]> {
    let mut out = Vec::with_capacity(name.len() + 3);
    push_string(&mut out, name);
    out.push(b':');
    out.into()
}

/// Returns a member with a string value, ready to be written.
pub fn member(name: &str, value: &str) -> Box<[u8]> {
    let mut out = Vec::from(key(name));
    push_string(&mut out, value);
    out.into()
}
