//! Path templates of operations: `/pets/{pet}/photos`.
//!
//! Segments are literals, parameters, or both alternating: `{id}.json` (OpenAPI 3.1, Path
//! Templating). The last one may be the rest of the path: `{name*}`, none, one or more segments, or
//! `{name+}`, one or more. Of the templates that match a path, the first segment in which they
//! differ decides: a literal before a mixed segment, more literal characters before fewer, a mixed
//! segment before a parameter, a parameter before a rest. Two templates are the same if they differ
//! only in the names of parameters, or in percent-encodings that [`crate::path`] does not
//! distinguish.
//!
//! The name of a parameter that itself ends with a sign has it percent-encoded: `{proxy%2B}` is one
//! segment, named `proxy+`. Releases without rests stored such names; migration 15 encoded them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::path::Paths;

mod document;

pub use document::{DocumentPath, Reading};

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
    /// Matches the rest of a path; only as the last segment.
    Rest(Rest),
}

/// A parameter for the rest of a path, with its slashes, empty segments and last slash.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rest {
    /// Its name.
    pub name: String,
    /// How long the rest may be.
    pub length: RestLength,
}

/// How long the rest of a path may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RestLength {
    /// Nothing may be left, written `{name*}`.
    Any,
    /// At least one byte follows the slash, written `{name+}`.
    NotEmpty,
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
    /// A rest that is not the last segment, or not all of it; or a name with a sign in it.
    #[error(
        "the rest of a path, \"{{name*}}\" or \"{{name+}}\", is the whole last segment, \
         not {0:?}; a name that ends with a sign has it percent-encoded"
    )]
    Rest(String),
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

    /// Returns the segments, in order; none for `/`.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Returns the names of its parameters, in order.
    pub fn parameters(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().flat_map(Segment::parameters)
    }

    /// Returns its last segment if that is the rest of a path.
    #[must_use]
    pub fn rest(&self) -> Option<&Rest> {
        match self.segments.last() {
            Some(Segment::Rest(rest)) => Some(rest),
            _ => None,
        }
    }

    /// Returns the template as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text as a document has it, with signs at the end of names as they are; `None` if
    /// that is the template as written.
    #[must_use]
    pub fn as_documented(&self) -> Option<String> {
        let text = self.text.replace("%2A}", "*}").replace("%2B}", "+}");
        (text != self.text).then_some(text)
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
            if let Segment::Rest(rest) = segment {
                shape.extend(['{', rest.length.sign(), '}']);
                break;
            }
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

impl RestLength {
    /// Returns the sign behind the name.
    #[must_use]
    pub fn sign(self) -> char {
        match self {
            Self::Any => '*',
            Self::NotEmpty => '+',
        }
    }

    /// Returns whether a rest may be this: what follows the slash before it, or `None` if the path
    /// ends before that slash.
    #[must_use]
    pub fn allows(self, rest: Option<&[u8]>) -> bool {
        self == Self::Any || rest.is_some_and(|rest| !rest.is_empty())
    }
}

impl Segment {
    /// Returns its pieces: one, unless it is mixed.
    pub fn parts(&self) -> impl Iterator<Item = PartOf<'_>> {
        let (one, several) = match self {
            Self::Literal(text) => (Some(PartOf::Literal(text)), &[][..]),
            Self::Parameter(name) => (Some(PartOf::Parameter(name)), &[][..]),
            Self::Rest(rest) => (Some(PartOf::Parameter(&rest.name)), &[][..]),
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
    if let Some(rest) = parse_rest(part) {
        return match is_last {
            true => Ok(Segment::Rest(rest)),
            false => Err(TemplateError::Rest(part.to_owned())),
        };
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

/// Returns the rest that a segment is.
fn parse_rest(segment: &str) -> Option<Rest> {
    let name = segment.strip_prefix('{')?.strip_suffix('}')?;
    let (name, length) = match name.split_at_checked(name.len().checked_sub(1)?)? {
        (name, "*") => (name, RestLength::Any),
        (name, "+") => (name, RestLength::NotEmpty),
        _ => return None,
    };
    let is_name = !name.is_empty() && !name.contains(['{', '}', '*', '+', ':']);
    is_name.then(|| Rest {
        name: parameter_name(name),
        length,
    })
}

/// Returns the name of a parameter as written in braces, with a sign at its end decoded.
fn parameter_name(written: &str) -> String {
    let signed = ["%2A", "%2B"].into_iter().zip(['*', '+']);
    let mut decoded =
        signed.filter_map(|(encoded, sign)| Some((written.strip_suffix(encoded)?, sign)));
    match decoded.next() {
        Some((name, sign)) => format!("{name}{sign}"),
        None => written.to_owned(),
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
        if name.ends_with(['*', '+']) {
            return Err(TemplateError::Rest(segment.to_owned()));
        }
        parts.push(Part::Parameter(parameter_name(name)));
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
