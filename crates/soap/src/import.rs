//! From the documents of a contract to its model, and a report of what was understood.

use thiserror::Error;

mod contract;
pub mod documents;
mod guard;
mod known;
mod limits;
mod location;
pub mod name;
pub mod notes;
mod reading;
pub mod report;
pub mod schema;
pub mod table;
pub mod wsdl;

pub use documents::{Document, DocumentKind, Documents, Missing};
pub use limits::{DocumentError, Limits};
pub use notes::Note;
pub use report::Report;

use contract::Contract;
use notes::Sources;
use schema::Schema;
use wsdl::Definitions;

/// The reason why a contract is not imported at all.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImportError {
    /// The set has no such document.
    #[error("the document {0} is missing")]
    NoMain(String),
    /// The main document has a document type declaration.
    #[error("{0} has a DOCTYPE, which is not allowed in a WSDL")]
    Doctype(String),
    /// The main document is a schema.
    #[error("{0} is an XML Schema, but a WSDL is required")]
    NotWsdl(String),
    /// A document cannot be read.
    #[error("{uri}")]
    Document {
        /// Its URI.
        uri: String,
        /// The reason.
        #[source]
        source: DocumentError,
    },
    /// The schemas declare more than the bound.
    #[error("the contract has more than {0} declarations")]
    TooManyComponents(usize),
    /// Schemas redefine one another in a chain that is too long.
    #[error("schemas redefine one another more than {0} levels deep")]
    Redefinitions(usize),
}

impl ImportError {
    /// A stable code word.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoMain(_) => "wsdl.main",
            Self::Doctype(_) => DocumentError::Doctype.code(),
            Self::NotWsdl(_) => "wsdl.root",
            Self::Document { source, .. } => source.code(),
            Self::TooManyComponents(_) => "wsdl.budget",
            Self::Redefinitions(_) => "wsdl.redefinitions",
        }
    }
}

/// A contract as read.
#[derive(Debug, Clone)]
pub struct Imported {
    /// What was understood and what was not.
    pub report: Report,
    /// The contents of its WSDL.
    pub definitions: Definitions,
    /// The contents of its schemas.
    pub schema: Schema,
    /// The reason why every operation can only be proxied, if there is one.
    pub(crate) proxy_only: Option<String>,
    pub(crate) sources: Sources,
    pub(crate) limits: Limits,
}

/// Returns the path of a file as documents and references have it.
#[must_use]
pub fn normal_path(path: &str) -> String {
    location::normal(path)
}

/// Reads the contract with the main document `main`. Missing documents are noted, and whatever
/// needs them is not understood. With an unread document it can only be proxied: there is no way to
/// know what needs it.
///
/// # Errors
/// Fails if the contract is unreadable as a whole.
pub fn read(documents: &Documents, main: &str) -> Result<Imported, ImportError> {
    let main = documents
        .find(main)
        .ok_or_else(|| ImportError::NoMain(main.to_owned()))?;
    match main.kind {
        DocumentKind::Wsdl => {}
        DocumentKind::Schema => return Err(ImportError::NotWsdl(main.uri.clone())),
        DocumentKind::Unread => return Err(ImportError::Doctype(main.uri.clone())),
    }
    let reached = documents.reached(&main.uri);
    let Contract {
        mut reading,
        definitions,
        schema,
        ..
    } = Contract::read(documents, &reached)?;
    let unread = reached.iter().find(|it| it.kind == DocumentKind::Unread);
    let proxy_only = unread.map(|it| contract::unread_reason(&it.uri));
    let report = report::build_report(&definitions, &mut reading, &reached);
    Ok(Imported {
        report,
        definitions,
        schema,
        proxy_only,
        sources: reading.sources,
        limits: *documents.limits(),
    })
}

#[cfg(test)]
mod tests;
