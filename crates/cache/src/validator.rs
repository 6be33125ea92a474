//! Conditions of callers on stored responses (RFC 9110, section 13).

#[cfg(test)]
mod tests;

use crate::freshness::unix;

/// Whether `If-None-Match` names the entity tag of a response, or any (`*`), by weak comparison
/// (RFC 9110, sections 8.8.3.2 and 13.1.2): the response is then 304. A line that is no list of
/// entity tags names none.
pub fn names_tag<'l>(mut lines: impl Iterator<Item = &'l [u8]>, tag: &[u8]) -> bool {
    match read(tag) {
        Some((opaque, [])) => lines.any(|line| line.trim_ascii() == b"*" || names(line, opaque)),
        _ => false,
    }
}

/// Whether a response with this `Last-Modified` has not changed since the date of
/// `If-Modified-Since` (RFC 9110, section 13.1.3). A value that is no date matches nothing.
#[must_use]
pub fn is_not_modified(since: &[u8], modified: &[u8]) -> bool {
    match (unix(since), unix(modified)) {
        (Some(since_s), Some(modified_s)) => modified_s <= since_s,
        _ => false,
    }
}

/// Whether a list has an entity tag with this text between its quotes.
fn names(list: &[u8], opaque: &[u8]) -> bool {
    let mut rest = list;
    let mut is_found = false;
    while let Some(start) = rest.iter().position(|byte| !b" \t,".contains(byte)) {
        let Some((tag, after)) = read(&rest[start..]) else {
            return false;
        };
        if after.first().is_some_and(|byte| !b" \t,".contains(byte)) {
            return false;
        }
        is_found |= tag == opaque;
        rest = after;
    }
    is_found
}

/// Reads an entity tag, weak or strong: returns the text between its quotes, and the bytes after
/// it. `None` if there is none (RFC 9110, section 8.8.3).
fn read(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let quoted = bytes.strip_prefix(b"W/").unwrap_or(bytes);
    let quoted = quoted.strip_prefix(b"\"")?;
    let end = quoted.iter().position(|&byte| byte == b'"')?;
    let (opaque, after) = quoted.split_at(end);
    let is_opaque = |&byte: &u8| byte > b' ' && byte != 0x7f;
    opaque
        .iter()
        .all(is_opaque)
        .then_some((opaque, &after[1..]))
}
