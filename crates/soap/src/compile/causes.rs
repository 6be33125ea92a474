//! The reasons why a contract lacks a port or a service: the end of the sentence that refuses it.

use std::fmt;

use crate::import::Imported;

/// Maximum number of causes of each kind in a sentence.
const NAMED_MAX: usize = 3;

/// What keeps a contract from having a port: documents that are missing, ports that cannot be
/// published. Their notes in the report, which a refused import does not have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Causes(Vec<String>);

impl Causes {
    /// Returns the causes among the notes of a contract: those with these codes, in their order.
    pub(super) fn of(imported: &Imported, codes: &[&str]) -> Self {
        let mut causes = Vec::new();
        for code in codes {
            let notes = imported.report.notes.iter();
            let mut notes = notes.filter(|note| note.code == *code);
            let named = notes.by_ref().take(NAMED_MAX);
            causes.extend(named.map(|note| {
                let (detail, document, line) = (&note.detail, &note.document, note.line);
                format!("{detail} ({document}, line {line})")
            }));
            match notes.count() {
                0 => {}
                more => causes.push(format!("and {more} more")),
            }
        }
        Self(causes)
    }
}

impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, cause) in self.0.iter().enumerate() {
            let before = if at == 0 { ": " } else { "; " };
            write!(f, "{before}{cause}")?;
        }
        Ok(())
    }
}
