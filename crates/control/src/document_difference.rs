//! The difference of two documents of a version, or of two versions, as callers read them, judged
//! by the rules of breaking changes in the crate `openapi`.
//!
//! The documents are those of `described.rs`: they contain the operations that are served, with the
//! security of the version.

use serde::Serialize;
use tollgate_model::api::{Kind, Method};
use tollgate_model::fault::Fault;
use tollgate_openapi::{
    Change, ChangedOperation, Difference, Document, Limits, LoneOperation, NamedOperation,
    PublishedDocument, Rule, Which, difference,
};

use crate::described::{Addresses, Generation, Source, unreadable};
use crate::error::Problem;
use crate::gateways::version_path;
use crate::importing::Admission;
use crate::state::Control;

/// Code of documents that are too large to be compared.
pub(crate) const TOO_LARGE: &str = "document.too_large";

/// Memory to compare documents, per byte of the larger one: enough if its values have two bytes
/// each, at least.
const MEMORY_PER_BYTE: usize = 44;
/// Memory to compare the smallest documents.
const MEMORY_MIN: usize = 8 << 20;

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

/// Compares the documents of two configurations as their callers read them; `None` if one has none:
/// for an API of kind `soap` callers read a WSDL, and without an uploaded document the operations
/// are not described.
///
/// # Errors
/// 409 `document.kept` or `soap.contract` if one of them can no longer be read,
/// [`document.too_large`](TOO_LARGE) if they take more memory than all imports have; 503
/// `documents.full` if too many documents are read. The caller must hold no reservation.
pub(crate) async fn between(
    control: &Control,
    admission: &mut Admission<'_>,
    old: Source<'_>,
    new: Source<'_>,
) -> Result<Option<DocumentDifference>, Problem> {
    let Source { offer, .. } = new;
    let is_described = match offer.version.kind {
        Kind::Rest => old.uploaded.is_some() && new.uploaded.is_some(),
        Kind::Soap => false,
        Kind::SoapToRest => true,
    };
    if !is_described {
        return Ok(None);
    }
    compare(control, admission, old, new).await.map(Some)
}

/// Compares the documents of two configurations of the versions of an API as their callers read
/// them, both with the address of the newer one's version. Without uploaded documents they describe
/// operations and credentials only.
///
/// # Errors
/// Fails like [`between`]; 404 for a version of kind `soap` without a contract.
pub(crate) async fn compare(
    control: &Control,
    admission: &mut Admission<'_>,
    old: Source<'_>,
    new: Source<'_>,
) -> Result<DocumentDifference, Problem> {
    let Source { offer, .. } = new;
    let path = version_path(&offer.api.context, &offer.version.name);
    let addresses = Addresses {
        server: control.contracts.address(&path),
        token_url: control.token_url(),
    };
    let old = Generation::prepare(control, old, addresses.clone()).await?;
    let new = Generation::prepare(control, new, addresses).await?;
    let memory = old.bytes().max(new.bytes()).saturating_mul(MEMORY_PER_BYTE);
    let reservation = admission.reserve(memory.max(MEMORY_MIN)).await?;
    let memory_max = reservation.bytes();
    let comparing = admission.run(reservation, move || compared(old, new, memory_max));
    comparing.await?.0
}

/// Returns the problem of a document that cannot be read to be compared.
fn not_read(fault: Fault) -> Problem {
    match fault.code.as_str() {
        "openapi.budget" => {
            let detail = "the documents take too much memory to be compared";
            Problem::conflict(TOO_LARGE, detail)
        }
        _ => unreadable(fault),
    }
}

/// Compares two documents within so many bytes of memory.
fn compared(
    old: Generation,
    new: Generation,
    memory_max: usize,
) -> Result<DocumentDifference, Problem> {
    // The lists of a document that has been read take two thirds of the estimate, and generating
    // it copies its path items.
    let generated_max = memory_max / 4 * 3;
    let old_text = generate(old, generated_max)?.text;
    let new_text = generate(new, generated_max)?.text;
    let left = memory_max.saturating_sub(old_text.len() + new_text.len());
    let old = read(&old_text, left)?;
    let new = read(&new_text, left.saturating_sub(old.memory() / 3 * 2))?;
    Ok(difference(&old, &new).into())
}

fn generate(generation: Generation, memory_max: usize) -> Result<PublishedDocument, Problem> {
    let limits = Limits {
        memory_max,
        ..Limits::default()
    };
    generation.run(limits, not_read)
}

fn read(text: &str, memory_max: usize) -> Result<Document, Problem> {
    let limits = Limits {
        // Generated documents may be larger than uploaded ones.
        bytes_max: usize::MAX,
        memory_max,
        ..Limits::default()
    };
    Document::read(text.as_bytes(), limits).map_err(not_read)
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
