//! Paths as requests send them: which percent-encodings are equivalent (RFC 3986, section 6.2.2),
//! and how a version's back end reads a path.
//!
//! A back end may decode a path more often than the gateway does, cut it at semicolons, or read a
//! backslash as a slash. It must not find another operation in the path than the one that was
//! authorized and counted: the gateway matches those readings too, unless the version declares that
//! its back end has none of them.

pub mod readings;

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How an encoded slash (`%2F`) in a parameter of the path is handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EncodedSlash {
    /// The call is refused (`route.ambiguous`).
    Refuse,
    /// It is passed on unless the decoded path matches another operation.
    Pass,
    /// It is passed on: the back end splits a path into segments before it decodes them.
    Data,
}

/// How the back end treats semicolons in a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Semicolon {
    /// It may begin a path parameter, as in Servlet containers: a call is refused
    /// (`route.ambiguous`) if the path without it matches another operation.
    #[default]
    Check,
    /// A character like any other, such as in parameters of `style: matrix`.
    Pass,
}

/// How literals of path templates are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Paths {
    /// Upper and lower case are different (RFC 3986, section 6.2.2.1).
    #[default]
    Exact,
    /// Upper and lower case are the same, for back ends that ignore case.
    IgnoreCase,
}

/// How fields are handled that some back ends read the method from: `X-HTTP-Method-Override`,
/// `X-HTTP-Method` and `X-Method-Override`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum MethodOverride {
    /// A field that names another method than that of the call is refused (`route.ambiguous`);
    /// others are not passed on.
    #[default]
    Refuse,
    /// They are passed on unread: the back end ignores them.
    Pass,
}

/// How the back end of a version reads requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Encoded slashes.
    pub encoded_slash: EncodedSlash,
    /// Semicolons.
    pub semicolon: Semicolon,
    /// Upper and lower case.
    pub paths: Paths,
    /// Fields that override the method.
    pub method_override: MethodOverride,
}

impl Paths {
    /// Returns the key by which a literal of a template, or a segment, is compared.
    #[must_use]
    pub fn key(self, literal: &[u8]) -> Cow<'_, [u8]> {
        let key = matched(literal);
        match self {
            Self::Exact => key,
            Self::IgnoreCase => Cow::Owned(key.to_ascii_lowercase()),
        }
    }
}

/// Returns the path with encoded unreserved characters (RFC 3986, section 2.3) decoded; `None` if a
/// `%` is not followed by two hex digits.
#[must_use]
pub fn normalized(path: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut rest = path;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        escape(&rest[percent..])?;
        rest = &rest[percent + 3..];
    }
    Some(decode_where(path, is_unreserved))
}

/// Returns the form in which a path or the literal of a template is matched: like [`normalized`],
/// with hex digits in upper case, and with every encoded printable character decoded that neither
/// separates nor escapes anything: sub-delims except `;`, `:`, `@`, and those that clients send
/// unencoded although RFC 3986 does not allow it.
#[must_use]
pub fn matched(path: &[u8]) -> Cow<'_, [u8]> {
    let plain = decode_where(path, is_plain_in_match);
    let is_lower = |at: usize| plain[at..].iter().take(2).any(u8::is_ascii_lowercase);
    let escapes = || (0..plain.len()).filter(|&at| escape(&plain[at..]).is_some());
    if !escapes().any(|at| is_lower(at + 1)) {
        return plain;
    }
    let mut upper = plain.to_vec();
    for at in escapes() {
        upper[at + 1..at + 3].make_ascii_uppercase();
    }
    Cow::Owned(upper)
}

/// Returns a normalized segment as it is sent to a back end: where literals match it, encoded
/// sub-delims except `;`, `:` and `@` are decoded (RFC 3986, section 3.3). `literals` are ranges in
/// the [matched] form of the segment.
#[must_use]
pub fn plain_literals<'s>(segment: &'s [u8], literals: &[Range<usize>]) -> Cow<'s, [u8]> {
    if !segment.contains(&b'%') {
        return Cow::Borrowed(segment);
    }
    let mut plain = Vec::with_capacity(segment.len());
    let (mut at, mut matched_at) = (0, 0);
    while at < segment.len() {
        let escaped = escape(&segment[at..]);
        let length = if escaped.is_some() { 3 } else { 1 };
        let is_literal = literals.iter().any(|it| it.contains(&matched_at));
        match escaped.filter(|byte| is_literal && b"!$&'()*+,=:@".contains(byte)) {
            Some(byte) => plain.push(byte),
            None => plain.extend_from_slice(&segment[at..at + length]),
        }
        at += length;
        matched_at += match escaped {
            Some(byte) if is_plain_in_match(byte) => 1,
            _ => length,
        };
    }
    match plain.len() < segment.len() {
        true => Cow::Owned(plain),
        false => Cow::Borrowed(segment),
    }
}

/// Returns whether this byte is decoded in the form in which paths are matched.
fn is_plain_in_match(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"%/\\;?#{}".contains(&byte)
}

/// Returns the path with every percent-encoding decoded, once; a `%` without two hex digits is
/// kept.
#[must_use]
pub fn decoded(path: &[u8]) -> Cow<'_, [u8]> {
    decode_where(path, |_| true)
}

/// Decodes the percent-encodings of the bytes for which `is_plain` is true.
fn decode_where(path: &[u8], is_plain: impl Fn(u8) -> bool) -> Cow<'_, [u8]> {
    let decodes = |at: usize| escape(&path[at..]).filter(|&byte| is_plain(byte));
    let Some(first) = (0..path.len()).find(|&at| decodes(at).is_some()) else {
        return Cow::Borrowed(path);
    };
    let mut plain = Vec::with_capacity(path.len());
    plain.extend_from_slice(&path[..first]);
    let mut at = first;
    while at < path.len() {
        let escaped = escape(&path[at..]);
        match escaped {
            Some(byte) if is_plain(byte) => plain.push(byte),
            Some(_) => plain.extend_from_slice(&path[at..at + 3]),
            None => plain.push(path[at]),
        }
        at += if escaped.is_some() { 3 } else { 1 };
    }
    Cow::Owned(plain)
}

/// Returns the byte that is percent-encoded at the beginning of `text`, if any.
fn escape(text: &[u8]) -> Option<u8> {
    let &[b'%', high, low, ..] = text else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Returns whether a byte is unreserved (RFC 3986, section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

#[cfg(test)]
mod tests;
