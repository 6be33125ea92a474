//! Text of a simple type to JSON (the rows "string family" to "QName" of the convention).
//!
//! A text that is not in its type's lexical space becomes a string. Facets and bounds are not
//! checked, as responses are not validated, except to determine the member of a union that a text
//! belongs to, as in a request ([`crate::value`]).

use tollgate_json::{push_escaped, push_string};
use tollgate_xml::{Reader, is_space, trim};

use crate::convention::is_exact;
use crate::plan::{Kind, Simple, WhiteSpace};
use crate::value::{Rule, Work};

use super::Options;

/// A simple type, indexed.
#[derive(Debug)]
pub(super) struct Leaf {
    kind: LeafKind,
    white_space: WhiteSpace,
}

#[derive(Debug)]
enum LeafKind {
    String,
    Boolean,
    Integer {
        is_string: bool,
    },
    Decimal {
        is_string: bool,
    },
    Float,
    /// Dates and similar types: a string, unchanged.
    Verbatim,
    Base64,
    Hex,
    QName,
    List(Box<Leaf>),
    /// Each member with the rule for its texts; `None` if the rule cannot be prepared.
    Union(Vec<(Option<Rule>, Leaf)>),
}

impl Leaf {
    pub(super) fn load(simple: &Simple, options: &Options) -> Self {
        let kind = match &simple.kind {
            Kind::String => LeafKind::String,
            Kind::Boolean => LeafKind::Boolean,
            &Kind::Integer { min, max } => LeafKind::Integer {
                is_string: options.long_as_string && !is_exact(min, max),
            },
            Kind::Decimal => LeafKind::Decimal {
                is_string: options.decimal_as_string,
            },
            Kind::Float | Kind::Double => LeafKind::Float,
            Kind::Base64 => LeafKind::Base64,
            Kind::Hex => LeafKind::Hex,
            Kind::QName => LeafKind::QName,
            Kind::List(item) => LeafKind::List(Box::new(Self::load(item, options))),
            Kind::Union(members) => {
                let member = |it| (Rule::load(it).ok(), Self::load(it, options));
                LeafKind::Union(members.iter().map(member).collect())
            }
            _ => LeafKind::Verbatim,
        };
        Self {
            kind,
            white_space: simple.white_space,
        }
    }

    pub(super) fn is_base64(&self) -> bool {
        matches!(self.kind, LeafKind::Base64)
    }

    /// Whether any text is written unchanged.
    pub(super) fn keeps_text(&self) -> bool {
        matches!(self.kind, LeafKind::String) && self.white_space == WhiteSpace::Preserve
    }

    /// Whether an empty text is a value.
    pub(super) fn may_be_empty(&self) -> bool {
        match &self.kind {
            LeafKind::String | LeafKind::Base64 | LeafKind::Hex | LeafKind::List(_) => true,
            LeafKind::Union(members) => members.iter().any(|(_, member)| member.may_be_empty()),
            _ => false,
        }
    }

    /// Writes a text; returns whether it was a value of the type.
    pub(super) fn write(
        &self,
        text: &str,
        reader: &Reader<'_, '_>,
        work: &mut Work,
        out: &mut Vec<u8>,
    ) -> bool {
        let start = out.len();
        if self.try_write(text, reader, work, out) {
            return true;
        }
        out.truncate(start);
        push_string(out, trim(text));
        false
    }

    fn try_write(
        &self,
        text: &str,
        reader: &Reader<'_, '_>,
        work: &mut Work,
        out: &mut Vec<u8>,
    ) -> bool {
        match &self.kind {
            LeafKind::String => {
                push_spaced(text, self.white_space, out);
                true
            }
            LeafKind::Boolean => match trim(text) {
                "true" | "1" => append(out, b"true"),
                "false" | "0" => append(out, b"false"),
                _ => false,
            },
            &LeafKind::Integer { is_string } => {
                quoted(is_string, out, |out| push_integer(trim(text), out))
            }
            &LeafKind::Decimal { is_string } => {
                quoted(is_string, out, |out| push_decimal(trim(text), out))
            }
            LeafKind::Float => push_float(trim(text), out),
            LeafKind::Verbatim => {
                push_string(out, trim(text));
                !trim(text).is_empty()
            }
            LeafKind::Base64 => push_binary(text, out, is_base64),
            LeafKind::Hex => push_binary(text, out, is_hex),
            LeafKind::QName => push_qname(trim(text), reader, out),
            LeafKind::List(item) => {
                out.push(b'[');
                let mut is_sound = true;
                for (index, item_text) in words(text).enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    is_sound &= item.write(item_text, reader, work, out);
                }
                out.push(b']');
                is_sound
            }
            LeafKind::Union(members) => members.iter().any(|(rule, member)| {
                let start = out.len();
                let takes = rule.as_ref().is_none_or(|rule| rule.takes(text, work));
                let fits = takes && member.try_write(text, reader, work, out);
                if !fits {
                    out.truncate(start);
                }
                fits
            }),
        }
    }
}

fn append(out: &mut Vec<u8>, text: &[u8]) -> bool {
    out.extend_from_slice(text);
    true
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t', '\n', '\r'])
        .filter(|word| !word.is_empty())
}

fn quoted(is_string: bool, out: &mut Vec<u8>, write: impl Fn(&mut Vec<u8>) -> bool) -> bool {
    if !is_string {
        return write(out);
    }
    out.push(b'"');
    let is_sound = write(out);
    out.push(b'"');
    is_sound
}

/// Writes a string, with white space processed by the facet `whiteSpace`.
fn push_spaced(text: &str, white_space: WhiteSpace, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    let is_as_wanted = match white_space {
        WhiteSpace::Preserve => true,
        WhiteSpace::Replace => !bytes.iter().any(|&byte| is_space(byte) && byte != b' '),
        WhiteSpace::Collapse => {
            let mut before = b' ';
            bytes.iter().all(|&byte| {
                let is_fine = !is_space(byte) || (byte == b' ' && before != b' ');
                before = byte;
                is_fine
            }) && (before != b' ' || bytes.is_empty())
        }
    };
    out.push(b'"');
    if is_as_wanted {
        push_escaped(out, text);
    } else if white_space == WhiteSpace::Replace {
        for (index, piece) in text.split(['\t', '\n', '\r']).enumerate() {
            if index > 0 {
                out.push(b' ');
            }
            push_escaped(out, piece);
        }
    } else {
        for (index, word) in words(text).enumerate() {
            if index > 0 {
                out.push(b' ');
            }
            push_escaped(out, word);
        }
    }
    out.push(b'"');
}

/// Returns the number of leading digits.
fn digits(bytes: &[u8]) -> usize {
    let other = bytes.iter().position(|byte| !byte.is_ascii_digit());
    other.unwrap_or(bytes.len())
}

/// Writes the sign as required by JSON; returns the rest.
fn push_sign<'a>(text: &'a str, out: &mut Vec<u8>) -> &'a [u8] {
    match text.as_bytes() {
        [b'-', rest @ ..] => {
            out.push(b'-');
            rest
        }
        [b'+', rest @ ..] => rest,
        rest => rest,
    }
}

/// Writes digits without leading zeros; 0 if there are none.
fn push_whole(digits: &[u8], out: &mut Vec<u8>) {
    let zeros = digits.iter().position(|&digit| digit != b'0');
    match zeros {
        Some(zeros) => out.extend_from_slice(&digits[zeros..]),
        None => out.push(b'0'),
    }
}

fn push_integer(text: &str, out: &mut Vec<u8>) -> bool {
    let rest = push_sign(text, out);
    if rest.is_empty() || digits(rest) != rest.len() {
        return false;
    }
    push_whole(rest, out);
    true
}

fn push_decimal(text: &str, out: &mut Vec<u8>) -> bool {
    let rest = push_sign(text, out);
    push_mantissa(rest, out).is_some_and(<[u8]>::is_empty)
}

/// Writes digits with a point; returns the rest.
fn push_mantissa<'a>(text: &'a [u8], out: &mut Vec<u8>) -> Option<&'a [u8]> {
    let (whole, rest) = text.split_at(digits(text));
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => rest.split_at(digits(rest)),
        _ => (&rest[..0], rest),
    };
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    push_whole(whole, out);
    if !fraction.is_empty() {
        out.push(b'.');
        out.extend_from_slice(fraction);
    }
    Some(rest)
}

fn push_float(text: &str, out: &mut Vec<u8>) -> bool {
    match text {
        "INF" | "+INF" => return append(out, b"\"INF\""),
        "-INF" => return append(out, b"\"-INF\""),
        "NaN" => return append(out, b"\"NaN\""),
        _ => {}
    }
    let rest = push_sign(text, out);
    let Some(rest) = push_mantissa(rest, out) else {
        return false;
    };
    let exponent = match rest {
        [] => return true,
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => exponent,
        _ => return false,
    };
    out.extend_from_slice(rest);
    !exponent.is_empty() && digits(exponent) == exponent.len()
}

/// Writes text without white space; returns whether it passes a check.
fn push_binary(text: &str, out: &mut Vec<u8>, check: fn(&[u8]) -> bool) -> bool {
    out.push(b'"');
    let start = out.len();
    if text.bytes().any(is_space) {
        for word in words(text) {
            out.extend_from_slice(word.as_bytes());
        }
    } else {
        out.extend_from_slice(text.as_bytes());
    }
    let is_sound = check(&out[start..]);
    out.push(b'"');
    is_sound
}

fn is_base64(bytes: &[u8]) -> bool {
    let padding = bytes
        .iter()
        .rev()
        .take(2)
        .take_while(|&&byte| byte == b'=')
        .count();
    let digits = &bytes[..bytes.len() - padding];
    bytes.len().is_multiple_of(4)
        && digits.iter().fold(true, |sound, byte| {
            sound & (byte.is_ascii_alphanumeric() | (*byte == b'+') | (*byte == b'/'))
        })
}

fn is_hex(bytes: &[u8]) -> bool {
    bytes.len().is_multiple_of(2) && bytes.iter().all(u8::is_ascii_hexdigit)
}

/// Writes a name as `{namespace}local`, or `local` without a namespace.
pub(super) fn push_qname(text: &str, reader: &Reader<'_, '_>, out: &mut Vec<u8>) -> bool {
    let (prefix, local) = text.split_once(':').unwrap_or(("", text));
    let Some((_, namespace)) = reader.resolve(prefix) else {
        return false;
    };
    if local.is_empty() || local.contains([' ', '\t', '\n', ':']) {
        return false;
    }
    out.push(b'"');
    if !namespace.is_empty() {
        out.push(b'{');
        push_escaped(out, namespace);
        out.push(b'}');
    }
    push_escaped(out, local);
    out.push(b'"');
    true
}
