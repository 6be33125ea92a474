//! What a check found: a place and a sentence. Every check returns these, `tidy.rs` prints them.

use std::fmt;

/// One thing that must change before `tidy` passes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fault {
    /// Relative to the repository's root, with `/`.
    path: String,
    /// From 1; 0 where the fault is the whole file's.
    line: usize,
    /// What is wrong and, where it is not plain, what to do.
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
