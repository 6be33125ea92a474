//! Keeps the control plane's session from upstreams. Cookies ignore ports (RFC 6265, section 8.5),
//! so a browser sends a control plane's cookie to a gateway on the same host too.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use tollgate_http1::compose::push_field;
use tollgate_http1::head::Known;
use tollgate_http1::view::{Line, Lines};
use tollgate_tokens::session::{COOKIE, SECURE_COOKIE};

/// Finds the session's name. Built once, because every `Cookie` field is searched.
static FINDER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(COOKIE));

/// Whether a `Cookie` field may hold a session, by the cookie's name alone.
pub(crate) fn names_session(value: &[u8]) -> bool {
    // Also finds the prefixed name, which ends with it.
    FINDER.find(value).is_some()
}

/// Whether a response field sets a session: only the control plane may, or an upstream could sign a
/// browser in there as somebody else.
pub(crate) fn is_set_by(line: Line<'_>) -> bool {
    line.is(b"set-cookie") && is_session_pair(line.value())
}

/// Appends the `Cookie` fields that [`names_session`] held back, without the sessions.
#[cold]
pub(crate) fn push_others(out: &mut Vec<u8>, lines: Lines<'_>) {
    let cookies = lines.iter().filter(|line| line.known == Known::Cookie);
    for line in cookies.filter(|line| !line.is_named_hop && names_session(line.value())) {
        let others = without_session(line.value());
        if !others.is_empty() {
            push_field(out, "cookie", &others);
        }
    }
}

/// Whether a `Cookie` field has anything besides sessions.
pub(crate) fn has_others(value: &[u8]) -> bool {
    !names_session(value) || !without_session(value).is_empty()
}

/// The pairs of a `Cookie` field except sessions, byte for byte; empty if none is left.
fn without_session(value: &[u8]) -> Vec<u8> {
    let pairs = value.split(|&byte| byte == b';');
    let others: Vec<_> = pairs.filter(|pair| !is_session_pair(pair)).collect();
    if others.iter().all(|pair| pair.trim_ascii().is_empty()) {
        return Vec::new();
    }
    others.join(&b';').trim_ascii().to_vec()
}

/// Whether a pair is a session, by the name that servers read: without surrounding white space, and
/// the whole pair if there is no `=`.
pub(crate) fn is_session_pair(pair: &[u8]) -> bool {
    let name = pair.split(|&byte| byte == b'=').next();
    let name = name.unwrap_or_default().trim_ascii();
    name == COOKIE.as_bytes() || name == SECURE_COOKIE.as_bytes()
}

#[cfg(test)]
mod tests;
