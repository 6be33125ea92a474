//! Patterns of codes and numbers: a fixed number of ASCII classes in sequence. Each byte is checked
//! against one set, without an automaton.

/// Maximum bytes of a text that such a pattern matches.
const BYTES_MAX: usize = 64;

/// The set of allowed bytes at each position.
#[derive(Debug)]
pub(super) struct Fixed(Vec<u128>);

impl Fixed {
    /// Parses an anchored expression of the crate `regex`; returns `None` if it contains anything
    /// else.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        let inner = pattern.strip_prefix("^(?:")?.strip_suffix(")$")?;
        let mut rest = inner.as_bytes();
        let mut sets = Vec::new();
        while !rest.is_empty() {
            let (set, after) = match rest {
                [b'[', members @ ..] => class(members)?,
                _ => literal(rest).map(|(byte, after)| (1 << byte, after))?,
            };
            let (count, after) = match after {
                [
                    b'{',
                    tens @ b'0'..=b'9',
                    ones @ b'0'..=b'9',
                    b'}',
                    after @ ..,
                ] => (
                    10 * usize::from(tens - b'0') + usize::from(ones - b'0'),
                    after,
                ),
                [b'{', ones @ b'0'..=b'9', b'}', after @ ..] => (usize::from(ones - b'0'), after),
                _ => (1, after),
            };
            sets.extend(std::iter::repeat_n(set, count));
            rest = after;
        }
        (sets.len() <= BYTES_MAX).then_some(Self(sets))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let mut bytes = text.bytes().zip(&self.0);
        text.len() == self.0.len()
            && bytes.all(|(byte, set)| byte.is_ascii() && (set >> byte) & 1 != 0)
    }
}

/// Reads a byte that represents itself; returns it and the rest.
fn literal(rest: &[u8]) -> Option<(u8, &[u8])> {
    match rest {
        [b'\\', byte, after @ ..] if byte.is_ascii_punctuation() => Some((*byte, after)),
        [byte, after @ ..] if byte.is_ascii_alphanumeric() => Some((*byte, after)),
        _ => None,
    }
}

/// Reads a class after its bracket; returns its bytes and the rest.
fn class(mut rest: &[u8]) -> Option<(u128, &[u8])> {
    let mut set = 0;
    loop {
        if let [b']', after @ ..] = rest {
            return (set != 0).then_some((set, after));
        }
        let (first, after) = literal(rest)?;
        let (last, after) = match after {
            [b'-', after @ ..] => literal(after)?,
            _ => (first, after),
        };
        if last < first {
            return None;
        }
        (first..=last).for_each(|byte| set |= 1 << byte);
        rest = after;
    }
}
