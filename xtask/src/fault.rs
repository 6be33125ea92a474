//! The result of a check: a place and a message. Every check returns faults, `tidy.rs` prints them.

use std::fmt;

/// A violation that must be fixed before `tidy` passes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    /// Relative to the repository's root, with `/`.
    path: String,
    /// Counted from 1; 0 if the fault concerns the whole file.
    line: usize,
    /// What is wrong and, if not obvious, what to do.
    text: String,
}

impl Fault {
    pub(crate) fn of_file(path: &str, text: impl Into<String>) -> Self {
        Self::of_line(path, 0, text)
    }

    pub(crate) fn of_line(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            text: text.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.text),
            line => write!(f, "{}:{line}: {}", self.path, self.text),
        }
    }
}
