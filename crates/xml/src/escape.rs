//! Escapes text for XML, and finds characters that XML 1.0 cannot contain.

use tollgate_scan::{plain_in_attribute, plain_in_text};

/// Maximum bytes of a foreign name in a message.
const NAME_BYTES_MAX: usize = 40;

/// A character that no XML 1.0 document may contain (section 2.2), not even as a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forbidden(pub char);

/// Appends text as the content of an element. On error, the caller must drop what was appended.
///
/// # Errors
///
/// Fails on a control character other than tab and line ends, and on U+FFFE and U+FFFF.
pub fn push_text(out: &mut Vec<u8>, text: &str) -> Result<(), Forbidden> {
    push::<false>(out, text)
}

/// Appends text as the value of an attribute between double quotes.
///
/// # Errors
///
/// Fails like [`push_text`].
pub fn push_attribute(out: &mut Vec<u8>, text: &str) -> Result<(), Forbidden> {
    push::<true>(out, text)
}

fn push<const IN_ATTRIBUTE: bool>(out: &mut Vec<u8>, text: &str) -> Result<(), Forbidden> {
    let bytes = text.as_bytes();
    let mut from = 0;
    let mut at = 0;
    loop {
        at += if IN_ATTRIBUTE {
            plain_in_attribute(&bytes[at..])
        } else {
            plain_in_text(&bytes[at..])
        };
        let Some(&byte) = bytes.get(at) else {
            out.extend_from_slice(&bytes[from..]);
            return Ok(());
        };
        let reference: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            // Only `]]>` must be escaped, but detecting it is no cheaper.
            b'>' => b"&gt;",
            b'"' if IN_ATTRIBUTE => b"&quot;",
            // A reader would turn these into spaces.
            b'\t' if IN_ATTRIBUTE => b"&#9;",
            b'\n' if IN_ATTRIBUTE => b"&#10;",
            // A reader would turn it into a line feed.
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

/// Returns the beginning of a foreign name, in printable ASCII, for a message.
pub fn printable(name: &[u8]) -> Box<str> {
    let name = &name[..name.len().min(NAME_BYTES_MAX)];
    name.escape_ascii().to_string().into()
}

#[cfg(test)]
mod tests;
