//! Escapes for XML, JavaScript and URLs; those for JSON are in the crate `soap`.

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

/// Appends a text as the content of a string in JavaScript (ECMA-262, section 12.9.4), between
/// quotes of any kind. Only ASCII letters and digits, `_`, the space and non-ASCII characters stay:
/// where the template's code is read as a string by mistake, a value can neither call nor assign
/// anything.
pub(crate) fn push_javascript(out: &mut Vec<u8>, text: &str) {
    for character in text.chars() {
        push_javascript_character(out, character);
    }
}

/// Appends a JSON text as an expression in JavaScript, with the contents of its strings escaped
/// like by [`push_javascript`].
pub(crate) fn push_javascript_json(out: &mut Vec<u8>, json: &str) {
    let mut characters = json.chars();
    let mut is_in_string = false;
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                is_in_string = !is_in_string;
                out.push(b'"');
            }
            '\\' => match characters.next() {
                Some(escaped @ ('"' | '\\' | '/')) => push_javascript_character(out, escaped),
                Some(escaped) => {
                    out.push(b'\\');
                    push_character(out, escaped);
                }
                None => {}
            },
            character if is_in_string => push_javascript_character(out, character),
            character => push_character(out, character),
        }
    }
}

fn push_javascript_character(out: &mut Vec<u8>, character: char) {
    let is_separator = matches!(character, '\u{2028}' | '\u{2029}');
    let is_plain = character.is_ascii_alphanumeric() || "_ ".contains(character);
    if is_plain || !character.is_ascii() && !is_separator {
        return push_character(out, character);
    }
    let code = u32::from(character);
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        out.push(HEX[(code >> shift) as usize & 15]);
    }
}

fn push_character(out: &mut Vec<u8>, character: char) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
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
