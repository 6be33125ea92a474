//! Text templates: text with holes, `{{ E }}`, each filled by an expression. Values are escaped for
//! the place of their hole, so they cannot change the text around it.
//!
//! `}}` outside a hole is text. For `{{` write `{{ "{{" }}`.

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};
use tollgate_json::push_escaped;

use crate::double::Shortest;
use crate::escape;
use crate::expression::{Expression, Fault};
use crate::name::{Available, Name};
use crate::scope::{Scope, Scratch};
use crate::value::{BYTES_MAX, TooLong, Value, push_display};
use crate::work::{BYTES_PER_UNIT, ESCAPED_BYTES_PER_UNIT, Work};

/// The place of a template's text, and how its holes are escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// Plain text: nothing is escaped.
    Plain,
    /// A JSON text. Within quotes, a hole is the content of a string; elsewhere it is a value, and
    /// no value is `null`.
    Json,
    /// The content of one JSON string, before its escaping: the literal parts are escaped too.
    JsonString,
    /// JavaScript. Within quotes of any kind, a hole is the content of a string; elsewhere it is a
    /// value, and no value is `null`.
    JavaScript,
    /// XML 1.0: content, or an attribute between quotes.
    Xml,
    /// A path: each hole is part of one segment. The caller has to check how back ends may read it.
    Path,
    /// The value of a query parameter, before its encoding: the literal parts are encoded too.
    QueryValue,
    /// The value of a header.
    Header,
}

/// The outcome of rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rendered {
    /// All holes had values.
    Complete,
    /// A hole had no value, or `null`, and wrote nothing (outside of JSON strings: `null`).
    Incomplete,
    /// Nothing was written: a hole had no value, in a path, query value or header.
    Null,
    /// Nothing was written: a value has a control character, which no header can contain.
    Unfit,
    /// Nothing was written: the text would have more than 10 MiB.
    TooLong,
}

/// Units for a hole, besides those of its expression and for the bytes that are written.
const HOLE_UNITS: usize = 8;

/// A compiled template.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Template {
    place: Place,
    parts: Box<[Part]>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Part {
    Literal(Box<str>),
    Hole(Expression, Form),
}

/// How the value of a hole is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Form {
    /// Escaped for the place of the template.
    Escaped,
    /// As the content of a string, in JSON and JavaScript.
    Quoted,
    /// As it is: the rest of the caller's path, in a path.
    AsSent,
}

impl Template {
    /// Compiles the text of a template.
    ///
    /// # Errors
    ///
    /// Fails if an expression is malformed, if a hole has no end, and for a header if a literal
    /// part has a control character.
    pub fn parse(text: &str, place: Place, available: &Available<'_>) -> Result<Self, Fault> {
        let mut parts = Vec::new();
        let mut quotes = Quotes::of(place);
        let mut at = 0;
        while at < text.len() {
            let end = text[at..].find("{{").map_or(text.len(), |found| at + found);
            if end > at {
                let literal = &text[at..end];
                quotes.read(literal);
                parts.push(Part::Literal(encode_literal(literal, at, place)?));
            }
            at = end;
            if at < text.len() {
                let (expression, end) = Expression::parse_hole(text, at + 2, available)?;
                let form = match quotes.open {
                    Some(_) => Form::Quoted,
                    None => Form::Escaped,
                };
                parts.push(Part::Hole(expression, form));
                at = end;
            }
        }
        Ok(Self {
            place,
            parts: parts.into(),
        })
    }

    /// Makes holes that are only the rest of the caller's path, by its name, keep its slashes.
    pub(crate) fn keep_rests(&mut self, is_rest: impl Fn(&Name) -> bool) {
        for part in &mut self.parts {
            if let Part::Hole(expression, form) = part
                && expression.name().is_some_and(&is_rest)
            {
                *form = Form::AsSent;
            }
        }
    }

    /// Returns a template without holes.
    pub(crate) fn literal(text: &str) -> Self {
        Self {
            place: Place::Plain,
            parts: [Part::Literal(text.into())].into(),
        }
    }

    /// Returns the parts between the holes.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal(literal) => Some(&**literal),
            Part::Hole(..) => None,
        })
    }

    /// Returns the expressions of the holes.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole(expression, _) => Some(expression),
            Part::Literal(_) => None,
        })
    }

    /// Returns the expression of a template that is one hole and nothing else.
    #[must_use]
    pub fn only_hole(&self) -> Option<&Expression> {
        match &*self.parts {
            [Part::Hole(expression, _)] => Some(expression),
            _ => None,
        }
    }

    /// Appends the text, or nothing if it cannot be made. Once the work of the message is exceeded,
    /// the text is incomplete.
    pub fn render<'m>(
        &'m self,
        scope: &dyn Scope<'m>,
        scratch: &'m Scratch,
        out: &mut Vec<u8>,
    ) -> Rendered {
        self.render_noting_holes(scope, scratch, out, |_| ())
    }

    /// Like [`Self::render`], and calls `note` with the range of each hole's value in `out`; of the
    /// rest of a path, with that of each segment.
    pub(crate) fn render_noting_holes<'m>(
        &'m self,
        scope: &dyn Scope<'m>,
        scratch: &'m Scratch,
        out: &mut Vec<u8>,
        mut note: impl FnMut(Range<usize>),
    ) -> Rendered {
        let (start, work) = (out.len(), scratch.work());
        let mut rendered = Rendered::Complete;
        for part in &self.parts {
            let written = match part {
                Part::Literal(literal) => {
                    out.extend_from_slice(literal.as_bytes());
                    work.spend_bytes(literal.len());
                    Rendered::Complete
                }
                Part::Hole(expression, form) => {
                    let begin = out.len();
                    let value = expression.evaluate(scope, scratch);
                    let written = self.write(value, *form, out, work);
                    work.spend(HOLE_UNITS + self.escaping_units(out.len() - begin));
                    match form {
                        Form::AsSent => segments(out, begin).for_each(&mut note),
                        Form::Escaped | Form::Quoted => note(begin..out.len()),
                    }
                    written
                }
            };
            match written {
                _ if out.len() - start > BYTES_MAX => rendered = Rendered::TooLong,
                Rendered::Complete => continue,
                other => rendered = other,
            }
            if rendered != Rendered::Incomplete {
                out.truncate(start);
                break;
            }
        }
        rendered
    }

    /// Returns the units for writing bytes into a hole.
    fn escaping_units(&self, bytes: usize) -> usize {
        match self.place {
            Place::Plain => bytes / BYTES_PER_UNIT,
            Place::Json | Place::JsonString => bytes / ESCAPED_BYTES_PER_UNIT,
            Place::JavaScript | Place::Xml | Place::Path | Place::QueryValue | Place::Header => {
                bytes
            }
        }
    }

    /// Appends a value, escaped for its place.
    fn write(&self, value: Value<'_>, form: Form, out: &mut Vec<u8>, work: &Work) -> Rendered {
        let is_whole = matches!(self.place, Place::Path | Place::QueryValue | Place::Header);
        if value.is_null() && is_whole {
            return Rendered::Null;
        }
        let push = match self.place {
            Place::Json | Place::JavaScript if form == Form::Escaped => {
                return self.write_with_quotes(value, out, work);
            }
            Place::JavaScript => escape::push_javascript,
            Place::Json | Place::JsonString => push_escaped,
            Place::Xml => escape::push_xml,
            Place::Path if form == Form::AsSent => push_plain,
            Place::Path | Place::QueryValue => escape::push_percent_encoded,
            Place::Plain | Place::Header => push_plain,
        };
        let start = out.len();
        match value {
            Value::Absent | Value::Null => return Rendered::Incomplete,
            Value::Text(text) | Value::Number(text) => push(out, text),
            // Letters, digits, `-` and `.` cannot end what they are in, in any place.
            Value::Bool(boolean) => push_display(out, boolean),
            Value::Int(integer) => push_display(out, integer),
            Value::Double(double) => push_display(out, Shortest(double)),
            Value::List(_) | Value::Json(..) => {
                let mut json = Vec::new();
                if value.write_json(&mut json, work).is_err() {
                    return Rendered::TooLong;
                }
                push(out, std::str::from_utf8(&json).unwrap_or_default());
            }
        }
        match self.place {
            Place::Header if out[start..].iter().any(is_unfit) => Rendered::Unfit,
            _ => Rendered::Complete,
        }
    }

    /// Appends a value of JSON or JavaScript, texts with their quotes.
    fn write_with_quotes(&self, value: Value<'_>, out: &mut Vec<u8>, work: &Work) -> Rendered {
        let written = match self.place {
            Place::JavaScript => {
                let mut json = Vec::new();
                let written = value.write_json(&mut json, work);
                let json = std::str::from_utf8(&json).unwrap_or_default();
                escape::push_javascript_json(out, json);
                written
            }
            _ => value.write_json(out, work),
        };
        match written {
            Err(TooLong) => Rendered::TooLong,
            Ok(()) if value.is_null() => Rendered::Incomplete,
            Ok(()) => Rendered::Complete,
        }
    }
}

/// Returns the ranges of the segments of a path from `begin` on.
fn segments(path: &[u8], begin: usize) -> impl Iterator<Item = Range<usize>> {
    let segments = path[begin..].split(|&byte| byte == b'/');
    segments.scan(begin, |start, segment| {
        let range = *start..*start + segment.len();
        *start = range.end + 1;
        Some(range)
    })
}

fn push_plain(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Whether no header can contain a byte (RFC 9110, section 5.5).
fn is_unfit(byte: &u8) -> bool {
    byte.is_ascii_control() && *byte != b'\t'
}

fn encode_literal(literal: &str, at: usize, place: Place) -> Result<Box<str>, Fault> {
    let mut encoded = Vec::new();
    match place {
        Place::JsonString => push_escaped(&mut encoded, literal),
        Place::QueryValue => escape::push_percent_encoded(&mut encoded, literal),
        Place::Header => {
            if let Some(unfit) = literal.bytes().position(|byte| is_unfit(&byte)) {
                let sentence = "a header cannot contain line ends or other control characters";
                return Err(Fault::new(at + unfit, sentence));
            }
            return Ok(literal.into());
        }
        _ => return Ok(literal.into()),
    }
    Ok(String::from_utf8(encoded).unwrap_or_default().into())
}

/// Whether a text in JSON or JavaScript is within a string after its literal parts.
struct Quotes {
    /// The quotes that begin a string.
    marks: &'static [u8],
    /// The quote that the string began with.
    open: Option<u8>,
    is_escaped: bool,
}

impl Quotes {
    fn of(place: Place) -> Self {
        let marks: &[u8] = match place {
            Place::JavaScript => b"\"'`",
            _ => b"\"",
        };
        Self {
            marks,
            open: None,
            is_escaped: false,
        }
    }

    fn read(&mut self, literal: &str) {
        for byte in literal.bytes() {
            match self.open {
                _ if self.is_escaped => self.is_escaped = false,
                Some(_) if byte == b'\\' => self.is_escaped = true,
                Some(mark) if byte == mark => self.open = None,
                // Only a template literal has several lines: the mark was in a comment.
                Some(b'"' | b'\'') if byte == b'\n' => self.open = None,
                None if self.marks.contains(&byte) => self.open = Some(byte),
                _ => {}
            }
        }
    }
}
