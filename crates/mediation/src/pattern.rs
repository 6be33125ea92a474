//! Names of header fields and parameters with `*` at their end.

use serde::{Deserialize, Serialize};

/// A name, or the beginning of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    name: Box<str>,
    is_prefix: bool,
}

impl Pattern {
    /// Parses a name that may end in `*`.
    pub(crate) fn parse(text: &str) -> Self {
        let begin = text.strip_suffix('*');
        Self {
            name: begin.unwrap_or(text).into(),
            is_prefix: begin.is_some(),
        }
    }

    /// Whether the name of a header field matches, in any case.
    #[must_use]
    pub fn is_header(&self, name: &[u8]) -> bool {
        let name = match self.is_prefix {
            true => name.get(..self.name.len()).unwrap_or_default(),
            false => name,
        };
        name.eq_ignore_ascii_case(self.name.as_bytes())
    }

    /// Whether the decoded name of a query parameter matches.
    #[must_use]
    pub fn is_parameter(&self, name: &[u8]) -> bool {
        match self.is_prefix {
            true => name.starts_with(self.name.as_bytes()),
            false => name == self.name.as_bytes(),
        }
    }
}
