//! Tokens of an expression, as section "Syntax" of [CEL's language
//! definition](https://github.com/google/cel-spec/blob/master/doc/langdef.md) defines them.

use super::Fault;

/// Maximum number of bytes of an expression.
pub(super) const BYTES_MAX: usize = 1024;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    /// The magnitude of an integer: `-` is a token of its own.
    Integer(u64),
    Double(f64),
    Text(String),
    Sign(&'static str),
    End,
}

/// Signs, longer ones before their beginnings. `}}` ends the hole of a template.
const SIGNS: [&str; 24] = [
    "&&", "||", "==", "!=", "<=", ">=", "}}", ".?", "!", "<", ">", "+", "-", "*", "/", "%", "?",
    ":", "(", ")", "[", "]", ",", ".",
];

pub(super) struct Lexer<'t> {
    text: &'t str,
    start: usize,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, start: usize) -> Self {
        Self {
            text,
            start,
            at: start,
        }
    }

    /// Returns the next token, and the offset of its first byte.
    pub(super) fn next(&mut self) -> Result<(usize, Token<'t>), Fault> {
        let rest = &self.text[self.at..];
        self.at += rest.len()
            - rest
                .trim_start_matches([' ', '\t', '\n', '\r', '\x0C'])
                .len();
        let at = self.at;
        let token = self.token()?;
        let end = match token {
            Token::End | Token::Sign("}}") => at,
            _ => self.at,
        };
        if end - self.start > BYTES_MAX {
            let sentence = format!("an expression has at most {BYTES_MAX} bytes");
            return Err(Fault::new(self.start, sentence));
        }
        Ok((at, token))
    }

    /// Returns the offset after the last token.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn token(&mut self) -> Result<Token<'t>, Fault> {
        let rest = &self.text[self.at..];
        let mut bytes = rest.bytes();
        match (bytes.next(), bytes.next()) {
            (None, _) => Ok(Token::End),
            (Some(b'"' | b'\''), _) => self.string(false),
            (Some(b'r' | b'R'), Some(b'"' | b'\'')) => {
                self.at += 1;
                self.string(true)
            }
            (Some(b'b' | b'B'), Some(b'"' | b'\'')) => {
                Err(Fault::new(self.at, "literals of bytes are not supported"))
            }
            (Some(b'0'..=b'9'), _) | (Some(b'.'), Some(b'0'..=b'9')) => self.number(),
            (Some(b'_' | b'a'..=b'z' | b'A'..=b'Z'), _) => Ok(Token::Word(self.word())),
            _ => self.sign(rest),
        }
    }

    fn sign(&mut self, rest: &str) -> Result<Token<'t>, Fault> {
        let found = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        let sign = found.ok_or_else(|| {
            let character = rest.chars().next().unwrap_or_default();
            Fault::new(self.at, format!("unexpected character `{character}`"))
        })?;
        self.at += sign.len();
        Ok(Token::Sign(sign))
    }

    fn word(&mut self) -> &'t str {
        self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    fn take(&mut self, is_part: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while bytes.get(self.at).is_some_and(|&byte| is_part(byte)) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn number(&mut self) -> Result<Token<'t>, Fault> {
        let start = self.at;
        let rest = &self.text[start..];
        let token = if rest.starts_with("0x") || rest.starts_with("0X") {
            self.at += 2;
            let digits = self.take(|byte| byte.is_ascii_hexdigit());
            u64::from_str_radix(digits, 16).ok().map(Token::Integer)
        } else {
            self.decimal()
        };
        let suffix = self.word();
        let number = &self.text[start..self.at];
        match token {
            Some(token) if suffix.is_empty() => Ok(token),
            _ if matches!(suffix, "u" | "U") => {
                let sentence = format!("unsigned integers such as `{number}` are not supported");
                Err(Fault::new(start, sentence))
            }
            _ => Err(Fault::new(
                start,
                format!("`{number}` is not a number of 64 bits"),
            )),
        }
    }

    fn decimal(&mut self) -> Option<Token<'t>> {
        let start = self.at;
        let is_digit = |byte: u8| byte.is_ascii_digit();
        self.take(is_digit);
        let mut is_double = false;
        let mut bytes = self.text[self.at..].bytes();
        if bytes.next() == Some(b'.') && bytes.next().is_some_and(is_digit) {
            self.at += 1;
            self.take(is_digit);
            is_double = true;
        }
        let rest = &self.text[self.at..];
        if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            if digits.bytes().next().is_some_and(is_digit) {
                self.at += rest.len() - digits.len();
                self.take(is_digit);
                is_double = true;
            }
        }
        let number = &self.text[start..self.at];
        if is_double {
            number.parse().ok().map(Token::Double)
        } else {
            number.parse().ok().map(Token::Integer)
        }
    }

    fn string(&mut self, is_raw: bool) -> Result<Token<'t>, Fault> {
        let start = self.at;
        let quote = self.character();
        let mut text = String::new();
        loop {
            let at = self.at;
            match self.character() {
                None | Some('\n' | '\r') => {
                    return Err(Fault::new(start, "a text without its closing quote"));
                }
                end if end == quote => return Ok(Token::Text(text)),
                Some('\\') if !is_raw => {
                    let (character, length) = unescape(&self.text[self.at..])
                        .ok_or_else(|| Fault::new(at, "unknown escape in a text"))?;
                    self.at += length;
                    text.push(character);
                }
                Some(character) => text.push(character),
            }
        }
    }

    fn character(&mut self) -> Option<char> {
        let character = self.text[self.at..].chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }
}

/// Returns the character that the text after a backslash represents, and the length of that text.
fn unescape(rest: &str) -> Option<(char, usize)> {
    let numeric = |start: usize, digits: usize, radix: u32| {
        let digits = rest.get(start..start + digits)?;
        let is_numeric = digits.chars().all(|digit| digit.is_digit(radix));
        let number = u32::from_str_radix(digits, radix)
            .ok()
            .filter(|_| is_numeric)?;
        Some((char::from_u32(number)?, start + digits.len()))
    };
    let character = match rest.chars().next()? {
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0C',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0B',
        same @ ('\\' | '?' | '"' | '\'' | '`') => same,
        'x' | 'X' => return numeric(1, 2, 16),
        'u' => return numeric(1, 4, 16),
        'U' => return numeric(1, 8, 16),
        '0'..='3' => return numeric(0, 3, 8),
        _ => return None,
    };
    Some((character, 1))
}
