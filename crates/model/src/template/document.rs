//! Paths as OpenAPI documents write them: [`DocumentPath`].
//!
//! OpenAPI has no syntax for the rest of a path, so gateways and frameworks each have their own:
//! `/*` (WSO2 API Manager), `/**` (Spring), `{proxy+}` (Amazon API Gateway), `{+name}` (Google API
//! discovery), `{path:.*}` (Jakarta REST).

use super::{PathTemplate, TemplateError, is_path_character};
use crate::path;

/// A path of a document, read as a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentPath {
    /// The template.
    pub template: PathTemplate,
    /// How a sign in the path was read, if there is one.
    pub reading: Option<Reading>,
}

/// How a sign in a path of a document, `*` or `+`, was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// As the rest of the path.
    Rest,
    /// A star outside of braces, as a character like any other.
    Star,
    /// A sign or a regular expression in braces, as part of the name of a parameter, which is one
    /// segment or a part of it.
    Name,
}

impl DocumentPath {
    /// Reads a path as written in documents. Characters that a path cannot contain are
    /// percent-encoded.
    ///
    /// # Errors
    /// [`TemplateError`], also for `?` and `#`, which are delimiters.
    pub fn read(text: &str) -> Result<Self, TemplateError> {
        if let Some((before, last)) = text.rsplit_once('/')
            && let Some((name, sign)) = rest(last)
        {
            let name = name.map_or_else(|| free_name(before), str::to_owned);
            let template = PathTemplate::parse(&encoded(&format!("{before}/{{{name}{sign}}}")))?;
            let reading = Some(Reading::Rest);
            return Ok(Self { template, reading });
        }
        let template = Self::read_literally(text)?;
        let has_sign = |name: &str| name.contains(['*', '+']);
        let reading = match template.parameters().any(has_sign) {
            true => Some(Reading::Name),
            false => template.as_str().contains('*').then_some(Reading::Star),
        };
        Ok(Self { template, reading })
    }

    /// Reads a path as releases without rests did: a star is a character like any other, and a sign
    /// in braces is part of the name.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub fn read_literally(text: &str) -> Result<PathTemplate, TemplateError> {
        let marked = encoded(text).replace("*}", "%2A}").replace("+}", "%2B}");
        PathTemplate::parse(&marked)
    }
}

impl PathTemplate {
    /// Returns the template of a path as written in documents ([`DocumentPath::read`]).
    ///
    /// # Errors
    /// As for [`DocumentPath::read`].
    pub fn from_document(text: &str) -> Result<Self, TemplateError> {
        DocumentPath::read(text).map(|path| path.template)
    }
}

/// Returns the name, if there is one, and the sign of the rest that a document's segment is.
fn rest(segment: &str) -> Option<(Option<&str>, char)> {
    if matches!(segment, "*" | "**") {
        return Some((None, '*'));
    }
    let written = segment.strip_prefix('{')?.strip_suffix('}')?;
    let (name, sign) = if let Some((name, pattern)) = written.split_once(':') {
        match pattern {
            ".*" => (name, '*'),
            ".+" => (name, '+'),
            _ => return None,
        }
    } else if let Some(name) = written.strip_prefix('+') {
        (name, '+')
    } else {
        let sign = written
            .chars()
            .last()
            .filter(|it| matches!(it, '*' | '+'))?;
        (&written[..written.len() - 1], sign)
    };
    let is_name = !name.is_empty() && !name.contains(['{', '}', '*', '+', ':']);
    is_name.then_some((Some(name), sign))
}

/// Returns a name for a rest without one, as in `/*`, that no parameter before it has.
fn free_name(before: &str) -> String {
    let numbered = (2..).map(|number| format!("rest{number}"));
    let mut names = std::iter::once("rest".to_owned()).chain(numbered);
    let free = names.find(|name| !before.contains(&format!("{{{name}}}")));
    free.expect("the numbers do not end")
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
