//! Escapes texts of callers, so that none ends its field or its line, or reaches a terminal as a
//! control sequence.

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Appends a text as the content of a JSON string (RFC 8259, section 7). Control characters, C1
/// ones too, are escaped, as is each byte that is not part of valid UTF-8: by its number, as in
/// Latin-1.
pub(super) fn json(text: &[u8], out: &mut Vec<u8>) {
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid().as_bytes();
        let mut plain = 0;
        for (at, &byte) in valid.iter().enumerate() {
            // The second byte of C1 characters follows 0xc2.
            let is_c1 = (0x80..0xa0).contains(&byte) && at > 0 && valid[at - 1] == 0xc2;
            if byte >= b' ' && !matches!(byte, b'"' | b'\\' | 0x7f) && !is_c1 {
                continue;
            }
            let end = if is_c1 { at - 1 } else { at };
            out.extend_from_slice(&valid[plain..end]);
            match byte {
                b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
                _ => number(byte, out),
            }
            plain = at + 1;
        }
        out.extend_from_slice(&valid[plain..]);
        chunk.invalid().iter().for_each(|byte| number(*byte, out));
    }
}

/// Appends `\u00` and a byte's number.
fn number(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\u00");
    push_hex(byte, out);
}

/// Appends a text as Apache does in its log: `"` and `\` after a backslash, and `\x` with two
/// digits for each byte that is not printable ASCII.
pub(super) fn apache(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b' '..=b'~' => out.push(byte),
            _ => {
                out.extend_from_slice(b"\\x");
                push_hex(byte, out);
            }
        }
    }
}

fn push_hex(byte: u8, out: &mut Vec<u8>) {
    out.push(HEX[usize::from(byte >> 4)]);
    out.push(HEX[usize::from(byte & 15)]);
}
