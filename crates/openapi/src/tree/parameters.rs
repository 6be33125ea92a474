//! The relevant facts about the parameters of a document, which are not kept.

use std::collections::BTreeSet;

/// A field of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Style,
    In,
    Name,
}

/// The facts about all parameters read so far.
#[derive(Debug, Default)]
pub(crate) struct Parameters {
    /// Whether one has the style `matrix` (RFC 6570, section 3.2.7).
    pub(crate) has_matrix: bool,
    /// The names of those in headers, as written.
    pub(crate) headers: BTreeSet<String>,
    /// The name of the current one, and whether it is in a header.
    name: String,
    is_header: bool,
}

impl Parameters {
    /// Adds a field of the current parameter.
    pub(super) fn add(&mut self, field: Field, value: &str) {
        match field {
            Field::Style => self.has_matrix |= value == "matrix",
            Field::In => self.is_header = value == "header",
            Field::Name => value.clone_into(&mut self.name),
        }
    }

    /// Ends the current parameter.
    pub(super) fn end(&mut self) {
        let name = std::mem::take(&mut self.name);
        if std::mem::take(&mut self.is_header) {
            self.headers.insert(name);
        }
    }
}
