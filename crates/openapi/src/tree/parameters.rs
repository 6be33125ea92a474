//! The relevant facts about the parameters of a document, which are not kept.

use std::collections::BTreeSet;

use crate::value::ALLOCATION_BYTES;

/// Estimated bytes of a header's name, without its text.
const HEADER_BYTES: usize = 2 * size_of::<String>() + ALLOCATION_BYTES;

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

    /// Ends the current parameter, and returns the estimated bytes that it adds.
    pub(super) fn end(&mut self) -> usize {
        let mut name = std::mem::take(&mut self.name);
        name.shrink_to_fit();
        let bytes = HEADER_BYTES + name.len();
        let is_added = std::mem::take(&mut self.is_header) && self.headers.insert(name);
        if is_added { bytes } else { 0 }
    }
}
