//! Operations that refer to other files.

use crate::notes::{Notes, Occurrences};

/// Maximum number of operations named in the note; the others are counted.
const NAMED_MAX: usize = 20;

/// Operations that refer to other files, which are not read.
#[derive(Default)]
pub(super) struct Outside {
    found: Occurrences,
    /// The first of them, by method and path.
    named: Vec<String>,
}

impl Outside {
    pub(super) fn add(&mut self, number: usize, field: &str, name: impl FnOnce() -> String) {
        self.found
            .add_to(&(number..number + 1), || field.to_owned());
        if self.named.len() < NAMED_MAX {
            self.named.push(name());
        }
    }

    pub(super) fn note(&self, notes: &mut Notes) {
        let sentence = format!(
            "operations refer to other files, which are not read, so their content is \
             missing; bundle the files into one document: {}",
            self.named.join(", ")
        );
        notes.counted(&self.found, "openapi.outside", &sentence);
    }
}
