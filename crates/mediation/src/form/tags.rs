//! Entity tags of versions with steps that change the bodies of responses (RFC 9110, section
//! 8.8.3).
//!
//! The same representation of the upstream differs by revision, so the tags that
//! callers get end in `;r` and the digits of the revision's id, or in `;w` for a tag that was weak:
//! a cache may make it weak on the way. On the way in, the upstream gets its own tag.

/// Digits of a revision in a tag.
const DIGITS: usize = tollgate_model::id::TEXT_DIGITS;

/// An entity tag: what is between its quotation marks, and whether it is weak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag<'t> {
    opaque: &'t [u8],
    is_weak: bool,
}

/// Appends the tag that callers get for the upstream's. It is weak if one revision may send several
/// forms of the body, as with a content coding. Returns whether the upstream's is one.
pub(super) fn push_revised(
    out: &mut Vec<u8>,
    sent: &[u8],
    revision: &str,
    has_forms: bool,
) -> bool {
    let Some((tag, [])) = Tag::read(sent) else {
        return false;
    };
    if tag.is_weak || has_forms {
        out.extend_from_slice(b"W/");
    }
    out.push(b'"');
    out.extend_from_slice(tag.opaque);
    out.extend_from_slice(if tag.is_weak { b";w" } else { b";r" });
    out.extend_from_slice(revision.as_bytes());
    out.push(b'"');
    true
}

/// Which tags of a condition the upstream gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept<'r> {
    /// All of them: the condition is about the upstream's own state.
    All,
    /// Those of this revision, and those of no revision if steps leave these responses as they are.
    Of(&'r str, bool),
}

impl Kept<'_> {
    /// Appends the upstream's tags of `If-Match` or `If-None-Match`; nothing if none is left. What
    /// is no list of tags stays as it is for the upstream to judge, if all are kept.
    pub(super) fn push(self, out: &mut Vec<u8>, mut list: &[u8]) {
        let start = out.len();
        if list.trim_ascii() == b"*" {
            out.push(b'*');
            return;
        }
        let all = list;
        loop {
            list = list.trim_ascii_start();
            if let Some(rest) = list.strip_prefix(b",") {
                list = rest;
                continue;
            }
            if list.is_empty() {
                return;
            }
            let Some((tag, rest)) = Tag::read(list).filter(|(_, rest)| is_end(rest)) else {
                out.truncate(start);
                if self == Self::All {
                    out.extend_from_slice(all);
                }
                return;
            };
            list = rest;
            let (own, revision) = tag.split();
            let is_kept = match self {
                Self::All => true,
                Self::Of(current, keeps_plain) => match revision {
                    None => keeps_plain,
                    Some(revision) => revision == current.as_bytes(),
                },
            };
            if is_kept {
                own.push(out, start);
            }
        }
    }
}

/// Whether a tag of a list ends here.
fn is_end(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    rest.is_empty() || rest.starts_with(b",")
}

impl<'t> Tag<'t> {
    /// Reads a tag; returns what follows it too.
    fn read(text: &'t [u8]) -> Option<(Self, &'t [u8])> {
        let (is_weak, rest) = match text.strip_prefix(b"W/") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let rest = rest.strip_prefix(b"\"")?;
        let end = rest.iter().position(|&byte| byte == b'"')?;
        let (opaque, rest) = (&rest[..end], &rest[end + 1..]);
        let is_valid = |byte: &u8| *byte > b' ' && *byte != 0x7f;
        opaque
            .iter()
            .all(is_valid)
            .then_some((Self { opaque, is_weak }, rest))
    }

    /// Returns the upstream's tag, and the revision that this one ends in.
    fn split(self) -> (Self, Option<&'t [u8]>) {
        let plain = (self, None);
        let Some(at) = self.opaque.len().checked_sub(DIGITS + 2) else {
            return plain;
        };
        let (opaque, end) = self.opaque.split_at(at);
        let (kind, revision) = end.split_at(2);
        let is_weak = match kind {
            b";r" => false,
            b";w" => true,
            _ => return plain,
        };
        match revision.iter().all(u8::is_ascii_alphanumeric) {
            true => (Self { opaque, is_weak }, Some(revision)),
            false => plain,
        }
    }

    fn push(self, out: &mut Vec<u8>, start: usize) {
        if out.len() > start {
            out.extend_from_slice(b", ");
        }
        out.extend_from_slice(if self.is_weak { &b"W/\""[..] } else { b"\"" });
        out.extend_from_slice(self.opaque);
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests;
