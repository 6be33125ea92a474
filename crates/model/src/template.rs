//! Path templates of operations: `/pets/{pet}/photos`.
//!
//! Segments are literals or whole-segment parameters (OpenAPI 3.1, Path Templating). Literals are
//! matched before parameters; two templates are the same if they differ only in the names of
//! parameters, or in percent-encodings that [`crate::path`] does not distinguish.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::path::{self, Paths};

/// Segments that a template may have.
pub const SEGMENTS_MAX: usize = 64;
/// Bytes that a template may have.
pub const TEMPLATE_BYTES_MAX: usize = 1024;

/// One part of a path between slashes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Matches itself only.
    Literal(String),
    /// Matches any one segment that is not empty; the name is for people.
    Parameter(String),
}

/// A path template, checked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathTemplate {
    text: String,
    segments: Vec<Segment>,
}

/// Why a text is not a path template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It must begin with a slash.
    #[error("a path begins with \"/\"")]
    NoSlash,
    /// Too long, or too many segments.
    #[error("a path has at most {TEMPLATE_BYTES_MAX} bytes and {SEGMENTS_MAX} segments")]
    TooLong,
    /// An empty segment, `.` or `..`.
    #[error("a path has no empty segment, \".\" or \"..\"")]
    DotSegment,
    /// A parameter that is not a whole segment, or without a name.
    #[error("a parameter is a whole segment with a name: \"/pets/{{pet}}\", not {0:?}")]
    Parameter(String),
    /// A character that a path cannot hold as it is.
    #[error("a path cannot hold {0:?}; it must be percent-encoded")]
    Character(char),
    /// One name for two parameters.
    #[error("the parameter {0:?} occurs twice")]
    Repeated(String),
}

impl PathTemplate {
    /// Checks a template; a slash at the end is kept as an empty last literal.
    ///
    /// # Errors
    /// [`TemplateError`] for what is wrong first.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let rest = text.strip_prefix('/').ok_or(TemplateError::NoSlash)?;
        if text.len() > TEMPLATE_BYTES_MAX || rest.split('/').count() > SEGMENTS_MAX {
            return Err(TemplateError::TooLong);
        }
        let mut segments: Vec<Segment> = Vec::new();
        if !rest.is_empty() {
            let last = rest.split('/').count() - 1;
            for (index, part) in rest.split('/').enumerate() {
                let segment = parse_segment(part, index == last)?;
                if let Segment::Parameter(name) = &segment
                    && segments.contains(&segment)
                {
                    return Err(TemplateError::Repeated(name.clone()));
                }
                segments.push(segment);
            }
        }
        Ok(Self {
            text: text.to_owned(),
            segments,
        })
    }

    /// The segments, in order; none for `/`.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// As it was written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without the names of its parameters: what the ids of operations are made from.
    #[must_use]
    pub fn shape(&self) -> String {
        self.shape_with(Cow::Borrowed)
    }

    /// Returns the same for all templates that match the same paths.
    #[must_use]
    pub fn matched_shape(&self, paths: Paths) -> String {
        self.shape_with(|literal| {
            let key = path::matched(literal.as_bytes());
            let key = String::from_utf8_lossy(&key).into_owned();
            Cow::Owned(match paths {
                Paths::Exact => key,
                Paths::IgnoreCase => key.to_ascii_lowercase(),
            })
        })
    }

    /// Whether its literals are written as they are matched.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.shape() == self.matched_shape(Paths::Exact)
    }

    fn shape_with<'t>(&'t self, literal: impl Fn(&'t str) -> Cow<'t, str>) -> String {
        let parts = self.segments.iter().map(|segment| match segment {
            Segment::Literal(text) => literal(text),
            Segment::Parameter(_) => Cow::Borrowed("{}"),
        });
        parts.fold(String::new(), |shape, part| shape + "/" + &part)
    }
}

fn parse_segment(part: &str, is_last: bool) -> Result<Segment, TemplateError> {
    let plain = part.to_ascii_lowercase().replace("%2e", ".");
    if matches!(plain.as_str(), "." | "..") || (part.is_empty() && !is_last) {
        return Err(TemplateError::DotSegment);
    }
    if let Some(name) = part
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'))
    {
        if name.is_empty() || name.contains(['{', '}']) {
            return Err(TemplateError::Parameter(part.to_owned()));
        }
        return Ok(Segment::Parameter(name.to_owned()));
    }
    if part.contains(['{', '}']) {
        return Err(TemplateError::Parameter(part.to_owned()));
    }
    match part
        .chars()
        .find(|&character| !is_path_character(character))
    {
        Some(character) => Err(TemplateError::Character(character)),
        None => Ok(Segment::Literal(part.to_owned())),
    }
}

/// RFC 3986, section 3.3: `pchar`, percent signs included.
fn is_path_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || "-._~!$&'()*+,;=:@%".contains(character)
}

impl fmt::Display for PathTemplate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl Serialize for PathTemplate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for PathTemplate {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(from)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests;
