//! Splits names into words.

/// Returns the words of an operation's name, in lower case: split at `_`, `-`, `.`, and where a
/// capital begins (`getHTTPStatus` is `get`, `http`, `status`).
pub(crate) fn words(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().collect();
    let mut words = vec![String::new()];
    for (at, &character) in characters.iter().enumerate() {
        if matches!(character, '_' | '-' | '.') {
            words.push(String::new());
            continue;
        }
        let before = at.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(at + 1);
        let begins = character.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns a name as a segment of a path, with characters that are not allowed percent-encoded (RFC
/// 3986, section 2.1).
pub(super) fn segment(name: &str) -> String {
    let mut segment = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'-' | b'.' | b'_' | b'~' => segment.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => segment.push(char::from(byte)),
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    segment
}

/// Whether a field's name suggests that it identifies a single thing.
pub(super) fn is_key(name: &str) -> bool {
    let words = words(name);
    let last = words.last().map(String::as_str);
    let is_single = words.len() == 1;
    match last {
        Some("id") => true,
        Some("code" | "key" | "number" | "isbn" | "sku" | "uuid" | "guid") => is_single,
        _ => false,
    }
}

/// Whether a byte may appear in the name of an HTTP field (RFC 9110, section 5.6.2).
pub(super) const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#' | b'$' | b'%' | b'&' | b'\'' | b'*' | b'+' | b'-' | b'.'
        )
        || matches!(byte, b'^' | b'_' | b'`' | b'|' | b'~')
}
