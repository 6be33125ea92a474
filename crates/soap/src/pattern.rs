//! Regular expressions of XML Schema 1.0 (part 2, appendix F) in the syntax of the crate `regex`.
//!
//! The syntaxes differ in their special characters: schema patterns are implicitly anchored and
//! have no other anchors, only plain groups, XML's own classes and subtraction of classes.

pub(crate) mod names;

use std::iter::Peekable;
use std::str::Chars;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

/// Maximum bytes of a compiled pattern.
const PROGRAM_BYTES_MAX: usize = 256 * 1024;
/// Maximum depth of nested groups and classes.
const DEPTH_MAX: usize = 32;

/// The first characters of names (XML 1.0, production 4), and the others (production 4a), for
/// classes.
const NAME_START: &str = concat!(
    r":A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}",
    r"\x{200C}-\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}",
    r"\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}",
);
const NAME_MORE: &str = r"\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}-\x{2040}";

/// The blocks of Unicode that patterns may name, as `Is…`.
const BLOCKS: [(&str, &str); 12] = [
    ("BasicLatin", r"\x{0}-\x{7F}"),
    ("Latin-1Supplement", r"\x{80}-\x{FF}"),
    ("LatinExtended-A", r"\x{100}-\x{17F}"),
    ("LatinExtended-B", r"\x{180}-\x{24F}"),
    ("Greek", r"\x{370}-\x{3FF}"),
    ("Cyrillic", r"\x{400}-\x{4FF}"),
    ("Hebrew", r"\x{590}-\x{5FF}"),
    ("Arabic", r"\x{600}-\x{6FF}"),
    ("GeneralPunctuation", r"\x{2000}-\x{206F}"),
    ("Hiragana", r"\x{3040}-\x{309F}"),
    ("Katakana", r"\x{30A0}-\x{30FF}"),
    ("CJKUnifiedIdeographs", r"\x{4E00}-\x{9FFF}"),
];

/// The reason why a pattern cannot be translated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PatternError {
    /// It violates the specification.
    #[error("{0}")]
    Malformed(&'static str),
    /// It names an unknown block of Unicode.
    #[error("the block `{0}` is unknown")]
    Block(String),
    /// It nests deeper than the bound.
    #[error("it is nested too deep")]
    Depth,
    /// The crate rejects it, or it would be too large.
    #[error("{0}")]
    Refused(String),
}

/// Returns one anchored expression that matches whatever one of the patterns matches.
///
/// # Errors
/// Fails if a pattern cannot be translated.
pub fn translate(patterns: &[&str]) -> Result<Box<str>, PatternError> {
    let mut out = String::from("^(?:");
    for (at, pattern) in patterns.iter().enumerate() {
        if at > 0 {
            out.push('|');
        }
        Translation {
            rest: pattern.chars().peekable(),
            out: &mut out,
        }
        .expression(0)?;
    }
    out.push_str(")$");
    compiled(&out).map_err(|error| PatternError::Refused(error.to_string()))?;
    Ok(out.into())
}

/// Compiles an expression of a plan, within the bound on its size.
///
/// # Errors
/// Fails if the crate rejects the expression, which is impossible for results of [`translate`].
pub fn compiled(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .size_limit(PROGRAM_BYTES_MAX)
        .dfa_size_limit(PROGRAM_BYTES_MAX)
        .build()
}

struct Translation<'p, 'o> {
    rest: Peekable<Chars<'p>>,
    out: &'o mut String,
}

impl Translation<'_, '_> {
    fn expression(&mut self, depth: usize) -> Result<(), PatternError> {
        if depth == DEPTH_MAX {
            return Err(PatternError::Depth);
        }
        let mut can_repeat = false;
        while let Some(next) = self.rest.next() {
            match next {
                '(' => {
                    self.out.push_str("(?:");
                    self.expression(depth + 1)?;
                    self.out.push(')');
                }
                ')' if depth > 0 => return Ok(()),
                ')' => return Err(PatternError::Malformed("a group is closed but not opened")),
                '|' => self.out.push('|'),
                '?' | '*' | '+' | '{' if !can_repeat => {
                    return Err(PatternError::Malformed("a quantifier follows nothing"));
                }
                '?' | '*' | '+' => self.out.push(next),
                '{' => self.quantity()?,
                '[' => self.class(depth)?,
                ']' | '}' => return Err(PatternError::Malformed("a bracket is not opened")),
                '.' => self.out.push_str(r"[^\n\r]"),
                '\\' => self.escape()?,
                literal => push_literal(self.out, literal),
            }
            can_repeat = !matches!(next, '|' | '?' | '*' | '+' | '{');
        }
        if depth > 0 {
            return Err(PatternError::Malformed("a group is not closed"));
        }
        Ok(())
    }

    fn quantity(&mut self) -> Result<(), PatternError> {
        self.out.push('{');
        for next in self.rest.by_ref() {
            match next {
                '0'..='9' | ',' => self.out.push(next),
                '}' => {
                    self.out.push('}');
                    return Ok(());
                }
                _ => break,
            }
        }
        Err(PatternError::Malformed("a quantity is not a number"))
    }

    /// Translates a class after `[`.
    fn class(&mut self, depth: usize) -> Result<(), PatternError> {
        if depth == DEPTH_MAX {
            return Err(PatternError::Depth);
        }
        let start = self.out.len();
        self.out.push('[');
        self.out.extend(self.rest.next_if_eq(&'^'));
        self.members(start, depth)
    }

    fn members(&mut self, start: usize, depth: usize) -> Result<(), PatternError> {
        let mut is_first = true;
        while let Some(next) = self.rest.next() {
            match next {
                ']' if is_first => return Err(PatternError::Malformed("a class is empty")),
                ']' => {
                    self.out.push(']');
                    return Ok(());
                }
                '-' if self.rest.next_if_eq(&'[').is_some() => {
                    // Nested, so that the subtraction applies to a complement too.
                    self.out.insert(start, '[');
                    self.out.push_str("]--");
                    self.class(depth + 1)?;
                    if self.rest.next() != Some(']') {
                        let why = "a class continues after the subtraction";
                        return Err(PatternError::Malformed(why));
                    }
                    self.out.push(']');
                    return Ok(());
                }
                // A range, except at an end, where it represents itself.
                '-' if is_first || self.rest.peek() == Some(&']') => self.out.push_str(r"\-"),
                '-' => self.out.push('-'),
                '[' => return Err(PatternError::Malformed("`[` is inside a class")),
                '\\' => self.escape()?,
                literal => push_literal(self.out, literal),
            }
            is_first = false;
        }
        Err(PatternError::Malformed("a class is not closed"))
    }

    /// Translates an escape after `\`.
    fn escape(&mut self) -> Result<(), PatternError> {
        let ended = PatternError::Malformed("it ends with `\\`");
        let next = self.rest.next().ok_or(ended)?;
        let set = match next {
            'n' | 'r' | 't' => {
                self.out.extend(['\\', next]);
                return Ok(());
            }
            'd' | 'D' => {
                self.out.extend(['\\', next]);
                return Ok(());
            }
            's' => r"[ \t\n\r]".to_owned(),
            'S' => r"[^ \t\n\r]".to_owned(),
            'w' => r"[^\p{P}\p{Z}\p{C}]".to_owned(),
            'W' => r"[\p{P}\p{Z}\p{C}]".to_owned(),
            'i' => format!("[{NAME_START}]"),
            'I' => format!("[^{NAME_START}]"),
            'c' => format!("[{NAME_START}{NAME_MORE}]"),
            'C' => format!("[^{NAME_START}{NAME_MORE}]"),
            'p' | 'P' => self.category(next == 'P')?,
            '\\' | '|' | '.' | '-' | '^' | '?' | '*' | '+' | '{' | '}' | '(' | ')' | '[' | ']' => {
                push_literal(self.out, next);
                return Ok(());
            }
            // Not in the specification, but common.
            '/' | '"' | '\'' | '@' | '#' | '%' | '&' | ':' | ',' | '$' | '_' | '!' | ';' | '<'
            | '>' | '=' | '~' | ' ' => {
                push_literal(self.out, next);
                return Ok(());
            }
            _ => {
                return Err(PatternError::Malformed(
                    "it has an escape that does not exist",
                ));
            }
        };
        // Within a class this is a nested class, with the same meaning.
        self.out.push_str(&set);
        Ok(())
    }

    fn category(&mut self, is_negated: bool) -> Result<String, PatternError> {
        let malformed = PatternError::Malformed("a category is not in braces");
        if self.rest.next() != Some('{') {
            return Err(malformed);
        }
        let name: String = self.rest.by_ref().take_while(|next| *next != '}').collect();
        let negation = if is_negated { "^" } else { "" };
        match name.strip_prefix("Is") {
            Some(block) => {
                let known = BLOCKS.iter().find(|(known, _)| *known == block);
                let (_, range) = known.ok_or_else(|| PatternError::Block(block.to_owned()))?;
                Ok(format!("[{negation}{range}]"))
            }
            None if (1..=2).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphabetic()) =>
            {
                Ok(format!(r"[{negation}\p{{{name}}}]"))
            }
            None => Err(malformed),
        }
    }
}

fn push_literal(out: &mut String, literal: char) {
    // All characters that are special somewhere in the crate's syntax; escaped, these two match
    // word boundaries.
    if literal.is_ascii_punctuation() && !matches!(literal, '<' | '>') {
        out.push('\\');
    }
    out.push(literal);
}

#[cfg(test)]
mod tests;
