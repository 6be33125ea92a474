//! Which responses are stored (RFC 9111, section 3): by their status and their fields, never by the
//! look of their path.

#[cfg(test)]
mod tests;

use crate::directives::Directives;

/// The rules of an operation that decide whether its responses are stored.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Other statuses that are stored, and their lifetimes in seconds.
    pub negative_s: Vec<(u16, u32)>,
    /// Names of fields that go up without being part of the key, in lower case.
    pub passed: Vec<String>,
}

/// The head of a response.
#[derive(Debug, Clone, Copy)]
pub struct Head<'h> {
    /// The status.
    pub status: u16,
    /// Its `Cache-Control`.
    pub directives: Directives,
    /// The lines of `Vary`.
    pub vary: &'h [&'h [u8]],
    /// Whether it sets a cookie.
    pub sets_cookie: bool,
    /// Whether it is part of a representation (`Content-Range`).
    pub is_partial: bool,
}

/// The reason why a response is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unstorable {
    /// Its status is not one that is stored.
    Status,
    /// It sets a cookie.
    Cookie,
    /// `no-store`
    NoStore,
    /// `private`
    Private,
    /// It varies by something that is not in the key.
    Vary,
    /// It is part of a representation.
    Partial,
    /// It has no end: a stream of events.
    Endless,
    /// It is never fresh, has no validator and is not sent when stale.
    Useless,
    /// It, or its tags, are too long.
    TooLong,
}

/// The time for which a key is remembered after a call that failed, in milliseconds: the next one
/// may well succeed.
pub const FAILED_MS: u64 = 1_000;
/// The time for which a key is remembered after a response that forbids storing itself, in
/// milliseconds.
pub const FORBIDDEN_MS: u64 = 10_000;

impl Unstorable {
    /// The time for which a key is remembered after such a response, in milliseconds.
    #[must_use]
    pub const fn remembered_ms(self) -> u64 {
        match self {
            Self::Status => FAILED_MS,
            _ => FORBIDDEN_MS,
        }
    }
}

impl Rules {
    /// Checks whether a response may be stored. Returns the lifetime that the rules state for its
    /// status, if any.
    ///
    /// # Errors
    /// The reason why it may not.
    pub fn check(&self, head: &Head<'_>) -> Result<Option<u32>, Unstorable> {
        let negative = self.negative_s.iter().find(|(of, _)| *of == head.status);
        if !matches!(head.status, 200 | 203 | 301 | 308) && negative.is_none() {
            return Err(Unstorable::Status);
        }
        let refusals = [
            (head.is_partial || head.status == 206, Unstorable::Partial),
            (head.sets_cookie, Unstorable::Cookie),
            (head.directives.no_store, Unstorable::NoStore),
            (head.directives.private, Unstorable::Private),
            (self.varies(head.vary), Unstorable::Vary),
        ];
        match refusals.into_iter().find(|(is_refused, _)| *is_refused) {
            Some((_, reason)) => Err(reason),
            None => Ok(negative.map(|(_, lifetime_s)| *lifetime_s)),
        }
    }

    /// Whether a response varies by a field that the upstream got and that is not part of the key.
    /// All other fields that go up are, and the upstream cannot vary by what it does not get.
    fn varies(&self, vary: &[&[u8]]) -> bool {
        let names = vary
            .iter()
            .flat_map(|line| line.split(|&byte| byte == b','));
        let mut names = names.map(<[u8]>::trim_ascii);
        names.any(|name| {
            let mut passed = self.passed.iter();
            name == b"*" || passed.any(|of| name.eq_ignore_ascii_case(of.as_bytes()))
        })
    }
}
