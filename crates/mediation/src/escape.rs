//! Escapes for XML and URLs; those for JSON are in the crate `soap`.

/// Appends a text for XML 1.0, as content or in an attribute between quotes of either kind. What no
/// document can contain becomes U+FFFD.
pub(crate) fn push_xml(out: &mut Vec<u8>, text: &str) {
    const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
    let mut rest = text;
    while let Some(at) = rest.find(['\u{FFFE}', '\u{FFFF}']) {
        push_xml(out, &rest[..at]);
        out.extend_from_slice(REPLACEMENT);
        rest = &rest[at + '\u{FFFE}'.len_utf8()..];
    }
    push(out, rest, |byte| match byte {
        b'&' => Some(b"&amp;"),
        b'<' => Some(b"&lt;"),
        b'>' => Some(b"&gt;"),
        b'"' => Some(b"&quot;"),
        b'\'' => Some(b"&#39;"),
        // A reader would turn these into spaces in an attribute.
        b'\t' => Some(b"&#9;"),
        b'\n' => Some(b"&#10;"),
        b'\r' => Some(b"&#13;"),
        0..0x20 => Some(REPLACEMENT),
        _ => None,
    });
}

/// Appends a text with everything but unreserved characters percent-encoded.
pub(crate) fn push_percent_encoded(out: &mut Vec<u8>, text: &str) {
    out.extend(percent_encoded(text).map(|character| character as u8));
}

/// Returns a text with everything but unreserved characters (RFC 3986, section 2.3)
/// percent-encoded.
pub(crate) fn percent_encoded(text: &str) -> impl Iterator<Item = char> {
    text.bytes().flat_map(|byte| {
        let is_unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let digit = |half: u8| char::from(HEX[usize::from(half)]);
        let encoded = if is_unreserved {
            [Some(char::from(byte)), None, None]
        } else {
            [Some('%'), Some(digit(byte >> 4)), Some(digit(byte & 15))]
        };
        encoded.into_iter().flatten()
    })
}

/// Appends a text and replaces some bytes, which must be ASCII.
fn push(out: &mut Vec<u8>, text: &str, escape: impl Fn(u8) -> Option<&'static [u8]>) {
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        if let Some(escaped) = escape(byte) {
            out.extend_from_slice(&text.as_bytes()[from..at]);
            out.extend_from_slice(escaped);
            from = at + 1;
        }
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";
