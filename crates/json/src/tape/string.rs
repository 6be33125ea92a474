//! Strings: their ends and their escapes.

use std::num::NonZeroU32;

use memchr::memchr3;
use tollgate_scan::{clean_in_json, plain_in_json};

use super::read::Reading;
use super::words::{plain_in_both, plain_in_key};
use super::{Escaped, Kind, Node, NodeId, PLAIN, Problem};

impl Reading<'_> {
    /// Reads a string with its quotes: a key, or a text. A single scan finds the end of a short
    /// one, and whether XML has anything to escape in a text.
    pub(super) fn string<const IS_KEY: bool>(&mut self) -> Result<NodeId, Problem> {
        let start = self.at + 1;
        let rest = &self.bytes[start..];
        let plain = if IS_KEY {
            plain_in_key(rest)
        } else {
            plain_in_both(rest)
        };
        let (end, is_plain) = match rest.get(plain) {
            Some(b'"') => (start + plain, true),
            _ => self.long(start, start + plain),
        };
        self.at = end;
        if self.bytes.get(end) != Some(&b'"') {
            return self.escaped(IS_KEY, start);
        }
        self.at += 1;
        Ok(self.push_node(Node {
            kind: if IS_KEY { Kind::Key } else { Kind::Text },
            is_unescaped: false,
            mark: match is_plain {
                _ if IS_KEY => mark(&self.bytes[start..end]),
                true => PLAIN,
                false => 0,
            },
            start: start as u32,
            end: NonZeroU32::new(end as u32),
            next: None,
        }))
    }

    /// Returns the first quote or escape of a string that begins at `start` and is plain up to
    /// `at`, and whether XML has nothing to escape in it.
    fn long(&self, start: usize, at: usize) -> (usize, bool) {
        let end = at + clean_in_json(&self.bytes[at..]);
        if self.bytes.get(end) == Some(&b'"') {
            let text = &self.bytes[start..end];
            return (end, memchr3(b'&', b'<', b'>', text).is_none());
        }
        (end + plain_in_json(&self.bytes[end..]), false)
    }

    /// Reads a string from its first escape on, as a copy without escapes.
    #[cold]
    fn escaped(&mut self, is_key: bool, start: usize) -> Result<NodeId, Problem> {
        let begin = self.tape.unescaped.len();
        let mut from = start;
        loop {
            self.tape.unescaped.push_str(&self.text[from..self.at]);
            match self.bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(_) => return Err(Problem::Control),
                None => return Err(Problem::Truncated),
            }
            from = self.at;
            self.at += plain_in_json(&self.bytes[from..]);
        }
        self.at += 1;
        self.tape.escaped.push(Escaped {
            unescaped: begin as u32,
            start: start as u32 - 1,
            end: self.at as u32,
        });
        let end = self.tape.unescaped.len();
        // An empty text would have the end 0, which is stored as `None`: the meaning is the same.
        let text = &self.tape.unescaped.as_bytes()[begin..];
        let mark = if is_key { mark(text) } else { 0 };
        Ok(self.push_node(Node {
            kind: if is_key { Kind::Key } else { Kind::Text },
            is_unescaped: true,
            mark,
            start: begin as u32,
            end: NonZeroU32::new(end as u32),
            next: None,
        }))
    }

    fn escape(&mut self) -> Result<(), Problem> {
        let escape = *self.bytes.get(self.at + 1).ok_or(Problem::Truncated)?;
        let character = match escape {
            b'"' | b'\\' | b'/' => char::from(escape),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(),
            _ => return Err(Problem::Escape),
        };
        self.tape.unescaped.push(character);
        self.at += 2;
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<(), Problem> {
        let first = self.code_unit()?;
        let code = match first {
            0xD800..=0xDBFF => {
                if !self.bytes[self.at..].starts_with(b"\\u") {
                    return Err(Problem::Surrogate);
                }
                let second = self.code_unit()?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(Problem::Surrogate);
                }
                0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            _ => first,
        };
        let character = char::from_u32(code).ok_or(Problem::Surrogate)?;
        self.tape.unescaped.push(character);
        Ok(())
    }

    /// Reads `\uXXXX`.
    fn code_unit(&mut self) -> Result<u32, Problem> {
        let hex = self
            .bytes
            .get(self.at + 2..self.at + 6)
            .ok_or(Problem::Truncated)?;
        let mut unit = 0;
        for &digit in hex {
            let value = char::from(digit).to_digit(16).ok_or(Problem::Escape)?;
            unit = unit * 16 + value;
        }
        self.at += 6;
        Ok(unit)
    }
}

/// Returns bytes that differ between most texts: see [`Node::mark`].
fn mark(bytes: &[u8]) -> u16 {
    match bytes {
        [] => 0,
        [one] => u16::from_le_bytes([*one, *one]),
        [first, .., last] => u16::from_le_bytes([*first, *last]),
    }
}
