//! A strict parser of JSON (RFC 8259) for untrusted signed data: no duplicate members at any depth
//! (RFC 7519, section 4), no lone surrogates, bounded depth, and numbers kept as text. `jwt` parses
//! headers and claims with it, `jwk` key sets.
//!
//! One pass validates the whole text and keeps the members of the outermost object; nested values
//! are kept as text and parsed again on demand.

use std::borrow::Cow;

/// Maximum nesting depth of objects and lists.
const DEPTH_MAX: usize = 16;
/// Number of members that most headers and claims do not exceed.
const MEMBERS: usize = 16;

/// Why a text is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Malformed {
    #[error("it is not UTF-8")]
    Encoding,
    #[error("it is not JSON from byte {0} on")]
    Syntax(usize),
    #[error("it is not a JSON object")]
    NotAnObject,
    #[error("the member {0:?} occurs twice")]
    Duplicate(String),
    #[error("it nests deeper than {DEPTH_MAX} levels")]
    Depth,
}

/// A value. Lists and objects are their text, which has already been validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Null,
    Bool,
    Number(&'a str),
    String(Cow<'a, str>),
    List(&'a str),
    Object(&'a str),
}

impl Value<'_> {
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

/// The members of an object, in their order.
pub(crate) struct Object<'a>(Vec<(Cow<'a, str>, Value<'a>)>);

impl<'a> Object<'a> {
    /// Parses a text that is one object.
    pub(crate) fn parse(text: &'a [u8]) -> Result<Self, Malformed> {
        let text = str::from_utf8(text).map_err(|_| Malformed::Encoding)?;
        let mut reader = Reader::new(text);
        reader.skip_space();
        if reader.peek() != Some(b'{') {
            return Err(Malformed::NotAnObject);
        }
        let mut members = Vec::with_capacity(MEMBERS);
        reader.object(1, &mut |name, value| members.push((name, value)))?;
        reader.skip_space();
        match reader.peek() {
            None => Ok(Self(members)),
            Some(_) => Err(reader.malformed()),
        }
    }

    pub(crate) fn member(&self, name: &str) -> Option<&Value<'a>> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value)
    }
}

/// Returns the elements of [`Value::List`].
pub(crate) fn elements(list: &str) -> Vec<Value<'_>> {
    let mut elements = Vec::new();
    // The list has been validated: the parser cannot fail half way.
    let _ = Reader::new(list).list(1, &mut |value| elements.push(value));
    elements
}

/// Returns the elements of [`Value::List`] if all are strings.
pub(crate) fn texts(list: &str) -> Option<Vec<Cow<'_, str>>> {
    let texts = elements(list).into_iter().map(|value| match value {
        Value::String(text) => Some(text),
        _ => None,
    });
    texts.collect()
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// Names of the members of all open objects, the innermost last.
    names: Vec<Cow<'a, str>>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            names: Vec::with_capacity(MEMBERS),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn malformed(&self) -> Malformed {
        Malformed::Syntax(self.at)
    }

    /// Skips white space (RFC 8259, section 2).
    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        if self.peek() != Some(byte) {
            return Err(self.malformed());
        }
        self.at += 1;
        Ok(())
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    /// Parses any value; `depth` is that of its container.
    fn value(&mut self, depth: usize) -> Result<Value<'a>, Malformed> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'{') => {
                self.object(depth + 1, &mut |_, _| ())?;
                Ok(Value::Object(&self.text[start..self.at]))
            }
            Some(b'[') => {
                self.list(depth + 1, &mut |_| ())?;
                Ok(Value::List(&self.text[start..self.at]))
            }
            Some(b't') => self.word("true", Value::Bool),
            Some(b'f') => self.word("false", Value::Bool),
            Some(b'n') => self.word("null", Value::Null),
            _ => self.number().map(Value::Number),
        }
    }

    fn word(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Malformed> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.malformed());
        }
        self.at += word.len();
        Ok(value)
    }

    fn object(
        &mut self,
        depth: usize,
        keep: &mut dyn FnMut(Cow<'a, str>, Value<'a>),
    ) -> Result<(), Malformed> {
        if depth > DEPTH_MAX {
            return Err(Malformed::Depth);
        }
        let first = self.names.len();
        self.expect(b'{')?;
        self.skip_space();
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let name = self.string()?;
            self.names.push(name.clone());
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            keep(name, self.value(depth)?);
            self.skip_space();
            if self.take(b'}') {
                return self.close(first);
            }
            self.expect(b',')?;
            self.skip_space();
        }
    }

    /// Checks the names of the object that ends here for duplicates. They are sorted: comparing
    /// each with each would let a short token cost milliseconds.
    fn close(&mut self, first: usize) -> Result<(), Malformed> {
        let names = &mut self.names[first..];
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Malformed::Duplicate(twice[0].clone().into_owned()));
        }
        self.names.truncate(first);
        Ok(())
    }

    fn list(&mut self, depth: usize, keep: &mut dyn FnMut(Value<'a>)) -> Result<(), Malformed> {
        if depth > DEPTH_MAX {
            return Err(Malformed::Depth);
        }
        self.expect(b'[')?;
        self.skip_space();
        if self.take(b']') {
            return Ok(());
        }
        loop {
            keep(self.value(depth)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(());
            }
            self.expect(b',')?;
            self.skip_space();
        }
    }

    /// Parses a number and returns it as written (RFC 8259, section 6).
    fn number(&mut self) -> Result<&'a str, Malformed> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(&self.text[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.malformed());
        }
        Ok(())
    }

    /// Parses a string and returns it without quotes; borrowed unless it has escapes.
    fn string(&mut self) -> Result<Cow<'a, str>, Malformed> {
        self.expect(b'"')?;
        let mut unescaped: Option<String> = None;
        loop {
            let plain = self.plain();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match unescaped {
                        None => Cow::Borrowed(plain),
                        Some(text) => Cow::Owned(text + plain),
                    });
                }
                Some(b'\\') => {
                    let text = unescaped.get_or_insert_default();
                    text.push_str(plain);
                    text.push(self.escaped()?);
                }
                // A control character, or the end of the text.
                _ => return Err(self.malformed()),
            }
        }
    }

    /// Returns the text before the next quote, backslash or control character.
    fn plain(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
        let length = rest.bytes().take_while(is_plain).count();
        self.at += length;
        &rest[..length]
    }

    /// Parses an escape sequence (RFC 8259, section 7).
    fn escaped(&mut self) -> Result<char, Malformed> {
        self.expect(b'\\')?;
        let mark = self.peek().ok_or_else(|| self.malformed())?;
        let escaped = match mark {
            b'"' | b'\\' | b'/' => char::from(mark),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.malformed()),
        };
        self.at += 1;
        Ok(escaped)
    }

    /// Parses four hexadecimal digits, or a surrogate pair.
    fn unicode(&mut self) -> Result<char, Malformed> {
        let start = self.at;
        let mut units = [self.code_unit()?, 0];
        let mut count = 1;
        if matches!(units[0], 0xd800..=0xdbff) {
            self.expect(b'\\')?;
            self.expect(b'u')?;
            units[1] = self.code_unit()?;
            count = 2;
        }
        let mut decoded = char::decode_utf16(units.into_iter().take(count));
        let lone = Malformed::Syntax(start);
        decoded.next().and_then(Result::ok).ok_or(lone)
    }

    fn code_unit(&mut self) -> Result<u16, Malformed> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| str::from_utf8(digits).ok());
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.malformed())?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests;
