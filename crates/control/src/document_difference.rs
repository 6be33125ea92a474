//! The difference of two documents of a version as its callers read them, judged by the rules of
//! breaking changes in the crate `openapi`.
//!
//! The documents are those of `described.rs`: they contain the operations that are served, with the
//! security of the version.

use std::sync::Arc;

use serde::Serialize;
use tollgate_model::api::{Kind, Method};
use tollgate_openapi::{
    Change, ChangedOperation, Difference, Document, Limits, LoneOperation, NamedOperation,
    PublishedDocument, Rule, Which, difference,
};

use crate::described::{Addresses, Source, generate};
use crate::error::Problem;
use crate::state::Control;

/// Memory to compare documents, per byte of both: most of it for documents of many small values.
const MEMORY_PER_BYTE: usize = 20;
/// Bytes of a document that is generated from a contract.
const GENERATED_BYTES: usize = 4 << 20;

/// The difference of two documents.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
pub(crate) struct DocumentDifference {
    /// Number of breaking changes, except those of proposed renames.
    breaking: usize,
    /// Operations that only the old document has.
    removed: Vec<ChangedOperationBody>,
    /// Operations that only the new document has.
    added: Vec<ChangedOperationBody>,
    /// Operations of both that have changed.
    changed: Vec<ChangedOperationBody>,
    /// Removed and added operations with the same method and `operationId`, which may be the same
    /// operation at another path.
    renames: Vec<RenameBody>,
    /// Changes outside of operations.
    document: Vec<DocumentChange>,
    /// Whether changes are missing because there are too many.
    truncated: bool,
}

/// An operation with its changes.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ChangedOperation)]
struct ChangedOperationBody {
    /// The operation.
    #[serde(flatten)]
    operation: DocumentOperation,
    /// Its changes, breaking ones first.
    changes: Vec<DocumentChange>,
    /// Of a removed operation, the one that its calls reach now; of an added one, the operation
    /// that answered some of its calls before.
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_by: Option<DocumentOperation>,
}

/// An operation of a document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct DocumentOperation {
    /// Its method.
    method: Method,
    /// Its path, as written in the document.
    path: String,
    /// Its `operationId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<String>,
    /// JSON Pointer (RFC 6901) to it.
    pointer: String,
}

/// An operation that may have another path now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ProposedRename)]
struct RenameBody {
    /// The operation of the old document.
    from: DocumentOperation,
    /// The operation of the new document.
    to: DocumentOperation,
    /// Its other changes, breaking ones first.
    changes: Vec<DocumentChange>,
}

/// A change of a document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
struct DocumentChange {
    /// JSON Pointer (RFC 6901) into the document that `of` names.
    pointer: String,
    /// The document that contains the changed value.
    of: OldOrNew,
    /// The change and its effect on callers.
    sentence: String,
    /// The rule by which the change breaks callers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "parameter_required")]
    breaking: Option<&'static str>,
    /// Whether the change was judged. If not, it may break callers.
    judged: bool,
}

/// One of two documents.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
enum OldOrNew {
    /// The one before.
    Old,
    /// The one after.
    New,
}

/// Compares the documents of two configurations of a version as their callers read them; `None` if
/// one has none: for an API of kind `soap` callers read a WSDL, and without an uploaded document
/// the operations are not described.
///
/// # Errors
/// 409 `document.kept` or `soap.contract` if one of them can no longer be read; 503
/// `documents.full` if too many documents are read. The caller must hold no reservation.
pub(crate) async fn between(
    control: &Control,
    old: Source<'_>,
    new: Source<'_>,
) -> Result<Option<DocumentDifference>, Problem> {
    let Source { offer, .. } = old;
    let is_described = match offer.version.kind {
        Kind::Rest => old.uploaded.is_some() && new.uploaded.is_some(),
        Kind::Soap => false,
        Kind::SoapToRest => true,
    };
    if !is_described {
        return Ok(None);
    }
    let place = (offer.api.context.as_str(), offer.version.name.as_str());
    let addresses = Addresses {
        server: control.contracts.address(place),
        token_url: control.token_url(),
    };
    let bytes = |source: Source<'_>| source.uploaded.map_or(GENERATED_BYTES, <[u8]>::len);
    let memory = (bytes(old) + bytes(new)) * MEMORY_PER_BYTE;
    let reservation = Arc::new(control.importing.reserve(memory).await?);
    let held = || Arc::clone(&reservation);
    let old_document = generate(control, old, addresses.clone(), held()).await?;
    let new_document = generate(control, new, addresses, held()).await?;
    let comparing = tokio::task::spawn_blocking(move || {
        let _reservation = reservation;
        let (old, new) = (read(&old_document)?, read(&new_document)?);
        Ok::<_, Problem>(DocumentDifference::from(difference(&old, &new)))
    });
    let compared = comparing.await.map_err(|error| Problem::internal(&error))?;
    compared.map(Some)
}

fn read(document: &PublishedDocument) -> Result<Document, Problem> {
    // Generated documents may be larger than uploaded ones.
    let limits = Limits {
        bytes_max: usize::MAX,
        ..Limits::default()
    };
    let document = Document::read(document.text.as_bytes(), limits);
    document.map_err(|fault| Problem::conflict("document.kept", fault.detail))
}

impl DocumentDifference {
    /// Returns the proposed renames: method, old path and new path.
    pub(crate) fn renames(&self) -> impl Iterator<Item = (Method, &str, &str)> {
        let renames = self.renames.iter();
        renames.map(|it| (it.from.method, &*it.from.path, &*it.to.path))
    }
}

impl From<Difference> for DocumentDifference {
    fn from(difference: Difference) -> Self {
        let breaking = difference.changes();
        let breaking = breaking.filter(|change| change.breaking.is_some()).count();
        let changed = difference.changed.into_iter();
        let renames = difference.renames.into_iter().map(|rename| RenameBody {
            from: rename.from.into(),
            to: rename.to.into(),
            changes: changes(rename.changes),
        });
        Self {
            breaking,
            removed: alone(difference.removed),
            added: alone(difference.added),
            changed: changed.map(ChangedOperationBody::from).collect(),
            renames: renames.collect(),
            document: changes(difference.document),
            truncated: difference.truncated,
        }
    }
}

impl From<ChangedOperation> for ChangedOperationBody {
    fn from(changed: ChangedOperation) -> Self {
        Self {
            operation: changed.operation.into(),
            changes: changes(changed.changes),
            matched_by: None,
        }
    }
}

fn alone(operations: Vec<LoneOperation>) -> Vec<ChangedOperationBody> {
    let operations = operations.into_iter().map(|lone| ChangedOperationBody {
        operation: lone.operation.into(),
        changes: changes(vec![lone.change]),
        matched_by: lone.matched_by.map(DocumentOperation::from),
    });
    operations.collect()
}

impl From<NamedOperation> for DocumentOperation {
    fn from(operation: NamedOperation) -> Self {
        Self {
            method: operation.method,
            path: operation.path,
            operation_id: operation.operation_id,
            pointer: operation.pointer,
        }
    }
}

fn changes(changes: Vec<Change>) -> Vec<DocumentChange> {
    let changes = changes.into_iter().map(|change| DocumentChange {
        pointer: change.pointer,
        of: match change.document {
            Which::Old => OldOrNew::Old,
            Which::New => OldOrNew::New,
        },
        sentence: change.sentence,
        breaking: change.breaking.map(Rule::word),
        judged: change.judged,
    });
    changes.collect()
}
