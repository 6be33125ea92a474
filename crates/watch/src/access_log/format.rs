//! The formats of lines: JSON, the Combined Log Format of Apache and nginx, and templates.

use std::io::Write as _;
use std::str::FromStr;

use super::escape;
use super::field::{Call, FIELDS, Field, Value};
use super::time::{Times, push_digits};

/// The format of lines.
#[derive(Debug, Clone)]
pub enum Format {
    /// A JSON object with the known fields.
    Json,
    /// Text with fields in it.
    Template(Template),
}

/// A line's text with fields in it.
#[derive(Debug, Clone)]
pub struct Template(Vec<Part>);

#[derive(Debug, Clone)]
enum Part {
    Text(String),
    Field(&'static Field),
    /// The time as in the Common Log Format.
    CommonTime,
    /// Method, target and protocol.
    RequestLine,
}

/// The text is no template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// Nothing would be written.
    #[error("a template cannot be empty")]
    Empty,
    /// It has a line break or another control character.
    #[error("a template is one line without control characters")]
    Control,
    /// A brace has no counterpart.
    #[error("a brace is not closed, or not opened: braces of the text itself are doubled")]
    Unclosed,
    /// There is no such field.
    #[error("there is no field {{{0}}}")]
    Unknown(String),
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        if text.trim().is_empty() {
            return Err(TemplateError::Empty);
        }
        if text.contains(char::is_control) {
            return Err(TemplateError::Control);
        }
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let (brace, after) = rest[at..].split_at(1);
            if let Some(after) = after.strip_prefix(brace) {
                plain.push_str(brace);
                rest = after;
                continue;
            }
            if brace == "}" {
                return Err(TemplateError::Unclosed);
            }
            let (name, after) = after.split_once('}').ok_or(TemplateError::Unclosed)?;
            let field = FIELDS.iter().find(|it| it.name == name);
            let field = field.ok_or_else(|| TemplateError::Unknown(name.to_owned()))?;
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.push(Part::Field(field));
            rest = after;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(Self(parts))
    }
}

impl Format {
    /// Appends the line of a call, with its end.
    pub(super) fn push_line(&self, call: &Call<'_>, times: &mut Times, out: &mut Vec<u8>) {
        times.set(call.record.at_us);
        match self {
            Self::Json => push_json(call, times, out),
            Self::Template(template) => template.push(call, times, out),
        }
        out.push(b'\n');
    }
}

impl Template {
    /// Returns the Combined Log Format of Apache and nginx, with the application in the place of
    /// the user: `ADDRESS - APPLICATION [TIME] "METHOD TARGET PROTOCOL" STATUS BYTES "REFERER"
    /// "AGENT"`.
    #[must_use]
    pub fn combined() -> Self {
        let text = |text: &str| Part::Text(text.to_owned());
        let field = |name: &str| {
            let field = FIELDS.iter().find(|it| it.name == name);
            Part::Field(field.expect("a field of this name"))
        };
        Self(vec![
            field("address"),
            text(" - "),
            field("application"),
            text(" "),
            Part::CommonTime,
            text(" \""),
            Part::RequestLine,
            text("\" "),
            field("status"),
            text(" "),
            field("bytes_out"),
            text(" \""),
            field("referer"),
            text("\" \""),
            field("agent"),
            text("\""),
        ])
    }

    fn push(&self, call: &Call<'_>, times: &Times, out: &mut Vec<u8>) {
        for part in &self.0 {
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Field(field) => push_apache(field.value(call), times, out),
                Part::CommonTime => out.extend_from_slice(times.common()),
                Part::RequestLine => push_request_line(call, out),
            }
        }
    }
}

fn push_json(call: &Call<'_>, times: &Times, out: &mut Vec<u8>) {
    let mut separator = b'{';
    for field in FIELDS {
        let Some(value) = field.value(call) else {
            continue;
        };
        out.extend_from_slice(&[separator, b'"']);
        out.extend_from_slice(field.name.as_bytes());
        out.extend_from_slice(b"\":");
        separator = b',';
        let is_text = !matches!(
            value,
            Value::Number(_) | Value::Microseconds(_) | Value::True
        );
        if is_text {
            out.push(b'"');
        }
        push_value(value, times, escape::json, out);
        if is_text {
            out.push(b'"');
        }
    }
    out.push(b'}');
}

/// Appends a value, or `-` for none.
fn push_apache(value: Option<Value<'_>>, times: &Times, out: &mut Vec<u8>) {
    match value {
        None => out.push(b'-'),
        Some(value) => push_value(value, times, escape::apache, out),
    }
}

fn push_value(value: Value<'_>, times: &Times, escape: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = match value {
        Value::Text(text) => return escape(text, out),
        Value::Made(text) => return escape(&text, out),
        Value::Word(word) => return out.extend_from_slice(word.as_bytes()),
        Value::True => return out.extend_from_slice(b"true"),
        Value::Time(at_us) => return times.push_rfc_3339(at_us, out),
        Value::Number(number) => {
            return out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
        }
        Value::Microseconds(us) => {
            let whole = us / 1_000;
            out.extend_from_slice(itoa::Buffer::new().format(whole).as_bytes());
            out.push(b'.');
            return push_digits::<3>((us % 1_000).into(), out);
        }
        Value::Address(address) => write!(out, "{}", address.to_canonical()),
        Value::Id(id) => write!(out, "{id}"),
        Value::RequestId(id) => write!(out, "{id:032x}"),
    };
}

/// Appends method, target and protocol, or `-` if they were lost.
fn push_request_line(call: &Call<'_>, out: &mut Vec<u8>) {
    let (Some(texts), Some(protocol)) = (call.texts, call.protocol()) else {
        return out.push(b'-');
    };
    escape::apache(texts.method, out);
    out.push(b' ');
    escape::apache(texts.path, out);
    if let Some(query) = call.query() {
        out.push(b'?');
        escape::apache(&query, out);
    }
    out.push(b' ');
    out.extend_from_slice(protocol.as_bytes());
}
