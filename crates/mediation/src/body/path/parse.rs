//! The syntax of paths (RFC 9535, section 2).

use super::{BYTES_MAX, Path, SEGMENTS_MAX, Segment, Selector};
use crate::expression::Fault;

/// Indexes are exact in a double (RFC 7493, section 2.2).
const INDEX_MAX: i64 = (1 << 53) - 1;
/// Maximum number of selectors of a segment.
const SELECTORS_MAX: usize = 16;

impl Path {
    /// Compiles a path of at most 256 bytes and 16 segments.
    ///
    /// # Errors
    /// Fails on the first error, also if the path selects the whole body.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > BYTES_MAX {
            let sentence = format!("a path has at most {BYTES_MAX} bytes");
            return Err(Fault::new(BYTES_MAX, sentence));
        }
        let mut parser = Parser { text, at: 0 };
        if !parser.accept("$") {
            return Err(parser.fault("a path begins with `$`"));
        }
        let mut segments = Vec::new();
        while parser.at < text.len() {
            if segments.len() == SEGMENTS_MAX {
                return Err(parser.fault(&format!("a path has at most {SEGMENTS_MAX} segments")));
            }
            segments.push(parser.segment()?);
        }
        if segments.is_empty() {
            return Err(parser.fault("a path selects members or items, not the whole body"));
        }
        Ok(Self { segments })
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn fault(&self, sentence: &str) -> Fault {
        Fault::new(self.at, sentence)
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn accept(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        if is_next {
            self.at += sign.len();
        }
        is_next
    }

    fn skip_spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn segment(&mut self) -> Result<Segment, Fault> {
        let is_descendant = self.accept("..");
        let has_dot = is_descendant || self.accept(".");
        let selectors = match self.rest().chars().next() {
            Some('[') if is_descendant || !has_dot => self.bracket()?,
            Some('*') if has_dot => {
                self.at += 1;
                vec![Selector::Wildcard]
            }
            _ if has_dot => vec![Selector::Name(self.member_name()?.into())],
            _ => return Err(self.fault("expected `.name`, `..name` or `[…]`")),
        };
        Ok(Segment {
            is_descendant,
            selectors: selectors.into(),
        })
    }

    /// Parses a name after a dot.
    fn member_name(&mut self) -> Result<&'t str, Fault> {
        let is_of_name = |it: char| it == '_' || !it.is_ascii() || it.is_ascii_alphanumeric();
        let rest = self.rest();
        let name = &rest[..rest.find(|it| !is_of_name(it)).unwrap_or(rest.len())];
        if name.is_empty() || name.starts_with(|it: char| it.is_ascii_digit()) {
            return Err(self.fault("expected a name; write others as `['…']`"));
        }
        self.at += name.len();
        Ok(name)
    }

    fn bracket(&mut self) -> Result<Vec<Selector>, Fault> {
        self.at += 1;
        let mut selectors = Vec::new();
        loop {
            self.skip_spaces();
            let selector = self.selector()?;
            if selectors.len() == SELECTORS_MAX {
                let sentence = format!("a segment has at most {SELECTORS_MAX} selectors");
                return Err(self.fault(&sentence));
            }
            if !selectors.contains(&selector) {
                selectors.push(selector);
            }
            self.skip_spaces();
            if self.accept("]") {
                return Ok(selectors);
            }
            if self.rest().starts_with(':') {
                return Err(self.fault("slices are not supported"));
            }
            if !self.accept(",") {
                return Err(self.fault("expected `,` or `]`"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, Fault> {
        match self.rest().bytes().next() {
            Some(b'*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some(quote @ (b'"' | b'\'')) => Ok(Selector::Name(self.quoted(quote.into())?.into())),
            Some(b'-' | b'0'..=b'9') => self.index(),
            Some(b':') => Err(self.fault("slices are not supported")),
            Some(b'?') => Err(self.fault("filters are not supported")),
            _ => Err(self.fault("expected a name in quotes, an index or `*`")),
        }
    }

    fn index(&mut self) -> Result<Selector, Fault> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let count = digits.bytes().take_while(u8::is_ascii_digit).count();
        let end = rest.len() - digits.len() + count;
        let has_zero = digits.starts_with('0') && rest[..end] != *"0";
        let index = rest[..end].parse().ok();
        match index.filter(|it: &i64| !has_zero && it.abs() <= INDEX_MAX) {
            Some(index) => {
                self.at += end;
                Ok(Selector::Index(index))
            }
            None => Err(self.fault("not an index")),
        }
    }

    /// Parses a name in quotes, with the escapes of JSON and that of the quote.
    fn quoted(&mut self, quote: char) -> Result<String, Fault> {
        self.at += 1;
        let mut name = String::new();
        loop {
            let Some(character) = self.rest().chars().next() else {
                return Err(self.fault("the quote is not closed"));
            };
            if character < ' ' {
                return Err(self.fault("a control character in a name"));
            }
            match character {
                '\\' => name.push(self.escape(quote)?),
                _ => {
                    self.at += character.len_utf8();
                    if character == quote {
                        return Ok(name);
                    }
                    name.push(character);
                }
            }
        }
    }

    fn escape(&mut self, quote: char) -> Result<char, Fault> {
        let escaped = match self.rest().chars().nth(1) {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => return self.unicode(),
            Some(it @ ('/' | '\\')) => it,
            Some(it) if it == quote => it,
            _ => return Err(self.fault("an unknown escape")),
        };
        self.at += 2;
        Ok(escaped)
    }

    /// Parses `\uXXXX`, or two of them for a pair of surrogates.
    fn unicode(&mut self) -> Result<char, Fault> {
        let unit = |text: &str| {
            let digits = text.strip_prefix("\\u")?.get(..4)?;
            let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            are_digits.then(|| u16::from_str_radix(digits, 16).ok())?
        };
        let rest = self.rest();
        let first = unit(rest);
        let units = [first, rest.get(6..).and_then(unit)];
        let is_pair = first.is_some_and(|first| (0xD800..0xDC00).contains(&first));
        let count = if is_pair { 2 } else { 1 };
        let units = units.into_iter().flatten().take(count);
        let decoded = char::decode_utf16(units).next().and_then(Result::ok);
        let character = first.and(decoded);
        let character = character.ok_or_else(|| self.fault("an unknown escape"))?;
        self.at += count * 6;
        Ok(character)
    }
}
