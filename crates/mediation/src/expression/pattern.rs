//! Regular expressions: as text where an expression is stored, compiled where it is loaded.

use regex::{Error, Regex, RegexBuilder};
use serde::{Deserialize, Serialize};

/// Maximum bytes of a compiled pattern, and of the cache that matching uses.
const BYTES_MAX: usize = 256 * 1024;

/// A pattern of `matches`, which takes linear time.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Pattern(Regex);

impl Pattern {
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0.as_str().to_owned()
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut builder = RegexBuilder::new(&text);
        let built = builder
            .size_limit(BYTES_MAX)
            .dfa_size_limit(BYTES_MAX)
            .build();
        built.map(Self).map_err(|error| explain(&error))
    }
}

/// Returns the reason of an error without the drawing of its position.
fn explain(error: &Error) -> String {
    match error {
        Error::CompiledTooBig(_) => "the regular expression is too large".to_owned(),
        _ => {
            let text = error.to_string();
            let reason = text.rsplit("error: ").next().unwrap_or_default();
            format!("not a regular expression: {}", reason.trim())
        }
    }
}
