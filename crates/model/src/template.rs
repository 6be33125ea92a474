//! Path templates of operations: `/pets/{pet}/photos`.
//!
//! Segments are literals, parameters, or both alternating: `{id}.json` (OpenAPI 3.1, Path
//! Templating). Of the templates that match a path, the first segment in which they differ decides:
//! a literal before a mixed segment, more literal characters before fewer, a mixed segment before a
//! parameter. Two templates are the same if they differ only in the names of parameters, or in
//! percent-encodings that [`crate::path`] does not distinguish.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::path::{self, Paths};

/// Maximum number of segments of a template.
pub const SEGMENTS_MAX: usize = 64;
/// Maximum length of a template, bytes.
pub const TEMPLATE_BYTES_MAX: usize = 1024;
/// Maximum number of parameters of one segment.
pub const SEGMENT_PARAMETERS_MAX: usize = 16;

/// One part of a path between slashes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// Matches itself only.
    Literal(String),
    /// Matches any one segment that is not empty; the name is for documentation.
    Parameter(String),
    /// Alternating literals and parameters.
    Mixed(Vec<Part>),
}

/// A piece of a [`Segment::Mixed`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part {
    /// Matches itself only; not empty.
    Literal(String),
    /// Matches at least one byte; the name is for documentation.
    Parameter(String),
}

/// A valid path template.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PathTemplate {
    text: String,
    segments: Vec<Segment>,
}

/// Why a text is not a path template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It does not begin with a slash.
    #[error("a path begins with \"/\"")]
    NoSlash,
    /// Too long, or too many segments.
    #[error("a path has at most {TEMPLATE_BYTES_MAX} bytes and {SEGMENTS_MAX} segments")]
    TooLong,
    /// An empty segment, `.` or `..`.
    #[error("a path has no empty segment, \".\" or \"..\"")]
    DotSegment,
    /// A brace without its counterpart, or without a name in between.
    #[error("a parameter is a name in braces: \"/pets/{{pet}}\", not {0:?}")]
    Parameter(String),
    /// Two adjacent parameters: where one ends and the other begins is undefined.
    #[error("text must separate the parameters of a segment: \"{{a}}-{{b}}\", not {0:?}")]
    Adjacent(String),
    /// Too many parameters in a segment.
    #[error("a segment has at most {SEGMENT_PARAMETERS_MAX} parameters")]
    TooManyParameters,
    /// A query.
    #[error("a query is not part of a path; describe it as query parameters")]
    Query,
    /// A fragment.
    #[error("clients never send what follows \"#\"; remove it from the path")]
    Fragment,
    /// A character that a path cannot contain unencoded.
    #[error("a path cannot hold {0:?}; it must be percent-encoded")]
    Character(char),
    /// Two parameters with the same name.
    #[error("the parameter {0:?} occurs twice")]
    Repeated(String),
}

impl PathTemplate {
    /// Parses a template; a trailing slash is kept as an empty last literal.
    ///
    /// # Errors
    /// The first [`TemplateError`].
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let rest = text.strip_prefix('/').ok_or(TemplateError::NoSlash)?;
        if text.len() > TEMPLATE_BYTES_MAX || rest.split('/').count() > SEGMENTS_MAX {
            return Err(TemplateError::TooLong);
        }
        let (mut segments, mut names) = (Vec::new(), HashSet::new());
        if !rest.is_empty() {
            let last = rest.split('/').count() - 1;
            for (index, part) in rest.split('/').enumerate() {
                let segment = parse_segment(part, index == last)?;
                for name in segment.parameters() {
                    if !names.insert(name.to_owned()) {
                        return Err(TemplateError::Repeated(name.to_owned()));
                    }
                }
                segments.push(segment);
            }
        }
        Ok(Self {
            text: text.to_owned(),
            segments,
        })
    }

    /// Like [`Self::parse`], for a path as written in documents: characters that a path cannot
    /// contain are percent-encoded.
    ///
    /// # Errors
    /// [`TemplateError`], also for `?` and `#`, which are delimiters.
    pub fn from_document(text: &str) -> Result<Self, TemplateError> {
        Self::parse(&encoded(text))
    }

    /// Returns the segments, in order; none for `/`.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the names of its parameters, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flat_map(Segment::parameters)
    }

    /// Returns the template as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text without the names of its parameters; ids of operations are made from it.
    #[must_use]
    pub fn shape(&self) -> String {
        self.shape_with(Cow::Borrowed)
    }

    /// Returns a key that is the same for all templates that match the same paths.
    #[must_use]
    pub fn matched_shape(&self, paths: Paths) -> String {
        self.shape_with(|literal| {
            let key = paths.key(literal.as_bytes());
            Cow::Owned(String::from_utf8_lossy(&key).into_owned())
        })
    }

    /// Returns whether its literals are written in the form in which they are matched.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.shape() == self.matched_shape(Paths::Exact)
    }

    fn shape_with<'t>(&'t self, literal: impl Fn(&'t str) -> Cow<'t, str>) -> String {
        let mut shape = String::new();
        for segment in &self.segments {
            shape.push('/');
            for part in segment.parts() {
                match part {
                    PartOf::Literal(text) => shape += &literal(text),
                    PartOf::Parameter(_) => shape += "{}",
                }
            }
        }
        shape
    }
}

/// A piece of any segment, by reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartOf<'s> {
    /// Matches itself only.
    Literal(&'s str),
    /// Matches at least one byte.
    Parameter(&'s str),
}

impl Segment {
    /// Returns its pieces: one, unless it is mixed.
    pub fn parts(&self) -> impl Iterator<Item = PartOf<'_>> {
        let (one, several) = match self {
            Self::Literal(text) => (Some(PartOf::Literal(text)), &[][..]),
            Self::Parameter(name) => (Some(PartOf::Parameter(name)), &[][..]),
            Self::Mixed(parts) => (None, &parts[..]),
        };
        let several = several.iter().map(|part| match part {
            Part::Literal(text) => PartOf::Literal(text),
            Part::Parameter(name) => PartOf::Parameter(name),
        });
        one.into_iter().chain(several)
    }

    /// Returns the names of its parameters, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.parts().filter_map(|part| match part {
            PartOf::Parameter(name) => Some(name),
            PartOf::Literal(_) => None,
        })
    }
}

fn parse_segment(part: &str, is_last: bool) -> Result<Segment, TemplateError> {
    let plain = part.to_ascii_lowercase().replace("%2e", ".");
    if matches!(plain.as_str(), "." | "..") || (part.is_empty() && !is_last) {
        return Err(TemplateError::DotSegment);
    }
    let mut parts = parse_parts(part)?;
    match parts.len() {
        0 => Ok(Segment::Literal(String::new())),
        1 => Ok(match parts.remove(0) {
            Part::Literal(text) => Segment::Literal(text),
            Part::Parameter(name) => Segment::Parameter(name),
        }),
        _ => Ok(Segment::Mixed(parts)),
    }
}

fn parse_parts(segment: &str) -> Result<Vec<Part>, TemplateError> {
    let misformed = || TemplateError::Parameter(segment.to_owned());
    let (mut parts, mut rest) = (Vec::new(), segment);
    while !rest.is_empty() {
        let (literal, behind) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        if literal.contains('}') {
            return Err(misformed());
        }
        check_characters(literal)?;
        if !literal.is_empty() {
            parts.push(Part::Literal(literal.to_owned()));
        }
        let Some(behind) = behind.strip_prefix('{') else {
            break;
        };
        if matches!(parts.last(), Some(Part::Parameter(_))) {
            return Err(TemplateError::Adjacent(segment.to_owned()));
        }
        let (name, behind) = behind.split_once('}').ok_or_else(misformed)?;
        if name.is_empty() || name.contains('{') {
            return Err(misformed());
        }
        parts.push(Part::Parameter(name.to_owned()));
        rest = behind;
    }
    let parameters = parts.iter().filter(|it| matches!(it, Part::Parameter(_)));
    match parameters.count() > SEGMENT_PARAMETERS_MAX {
        true => Err(TemplateError::TooManyParameters),
        false => Ok(parts),
    }
}

fn check_characters(literal: &str) -> Result<(), TemplateError> {
    let foreign = literal.chars().find(|&it| !is_path_character(it));
    match foreign {
        None => Ok(()),
        Some('?') => Err(TemplateError::Query),
        Some('#') => Err(TemplateError::Fragment),
        Some(character) => Err(TemplateError::Character(character)),
    }
}

/// Percent-encodes characters that a path cannot contain outside the names of parameters: non-ASCII
/// characters, spaces and the like, and a `%` that begins no encoding.
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    let mut is_name = false;
    for (at, character) in text.char_indices() {
        match character {
            '{' => is_name = true,
            '}' => is_name = false,
            _ => {}
        }
        let begins_escape = || path::normalized(&text.as_bytes()[at..][..3.min(text.len() - at)]);
        let stays = match character {
            '/' | '{' | '}' | '?' | '#' => true,
            '%' => begins_escape().is_some(),
            character => character.is_control() || is_path_character(character),
        };
        if is_name || stays {
            encoded.push(character);
            continue;
        }
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}

/// Returns whether a character is a `pchar` (RFC 3986, section 3.3), percent signs included.
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
