//! The preview of an import, before anything is saved: the API with its name and base path, the
//! parts of the document that are understood, and the faults that prevent saving.

use axum::http::StatusCode;
use serde::Serialize;
use tollgate_model::api::{Kind, Operation, context_fault, name_fault, version_name_fault};
use tollgate_model::fault::Fault;
use tollgate_model::id::ApiId;
use tollgate_openapi::Imported;
use tollgate_store::{StoreError, apis, versions};

use crate::apis::NewApiBody;
use crate::caller::Caller;
use crate::contracts::report::ContractReport;
use crate::error::Problem;
use crate::state::Control;
use crate::upload::NoteBody;
use crate::upload::security::ProposedSecurity;

/// Maximum length of a proposed context in bytes, without the number that makes it unique.
const CONTEXT_MAX: usize = 60;
/// Maximum number of contexts tried; the first free one is proposed.
const TRIES_MAX: u32 = 20;

/// The API that an import creates. A preview may lack the context.
pub(in crate::apis) struct Wanted {
    pub(in crate::apis) name: String,
    pub(in crate::apis) kind: Kind,
    pub(in crate::apis) context: Option<String>,
    pub(in crate::apis) version: String,
    pub(in crate::apis) description: String,
    /// Faults of other parts of the import.
    pub(in crate::apis) faults: Vec<Fault>,
}

/// The API that the import would create.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PreviewedApi {
    /// Its name.
    name: String,
    /// Its kind.
    kind: Kind,
    /// Its base path at the gateway: the requested one, otherwise a free one.
    #[schema(example = "/petstore")]
    context: String,
    /// Name of its first version.
    #[schema(example = "1.0")]
    version: String,
    /// Free text.
    description: String,
    /// Reasons why it cannot be saved; fields are `/name`, `/context` and `/version`, and those of
    /// the draft's `/upstream`.
    faults: Vec<Fault>,
    /// The caller's API with this name, which can get the document as a new version: see `POST
    /// /api/v1/apis/{api}/versions`. A second API cannot have the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_version_of: Option<ProposedVersion>,
}

/// An API that can get the document as a new version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ProposedVersion {
    /// The API.
    id: ApiId,
    /// Its name.
    name: String,
    /// Its base path at the gateway.
    #[schema(example = "/petstore")]
    context: String,
    /// Whether it has a version of this name already: the new one needs another name.
    version_exists: bool,
}

/// Preview of the import of an OpenAPI document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportPreview {
    /// The API.
    api: PreviewedApi,
    /// Number of operations in the document, including those that would not be imported.
    described_operations: usize,
    /// The operations that would be imported.
    operations: Vec<Operation>,
    /// The servers of the document.
    servers: Vec<String>,
    /// The first server that can be an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_upstream: Option<String>,
    /// The document's security, converted for the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// Parts of the document that would not be imported.
    notes: Vec<NoteBody>,
}

/// Preview of the import of a WSDL.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SoapImportPreview {
    /// The API.
    pub(in crate::apis) api: PreviewedApi,
    /// The service that would be published.
    pub(in crate::apis) service: String,
    /// Its port.
    pub(in crate::apis) port: String,
    /// Names of the operations that would be imported.
    pub(in crate::apis) operations: Vec<String>,
    /// The port's address, if it can be an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::apis) proposed_upstream: Option<String>,
    /// Report on the contract; for the kind `soap_to_rest` also the proposed resources.
    pub(in crate::apis) report: ContractReport,
}

/// Returns the preview of an OpenAPI document's import.
pub(super) async fn of_document(
    control: &Control,
    caller: &Caller,
    wanted: Wanted,
    imported: Imported,
    proposed_security: Option<ProposedSecurity>,
) -> Result<ImportPreview, Problem> {
    Ok(ImportPreview {
        api: of_api(control, caller, wanted).await?,
        described_operations: imported.described,
        operations: imported.operations,
        servers: imported.servers,
        proposed_upstream: imported.upstream,
        proposed_security,
        notes: imported.notes.into_iter().map(NoteBody::from).collect(),
    })
}

/// Returns the API as it would be created, with a proposed context if it has none, and the faults
/// that prevent saving.
pub(in crate::apis) async fn of_api(
    control: &Control,
    caller: &Caller,
    wanted: Wanted,
) -> Result<PreviewedApi, Problem> {
    let store = &control.store;
    let context = match wanted.context {
        Some(context) => context,
        None => free_context(control, &wanted.name).await?,
    };
    let own = [
        name_fault(&wanted.name),
        context_fault(&context),
        version_name_fault(&wanted.version).map(|it| Fault::new("/version", &it.code, it.detail)),
    ];
    let mut faults: Vec<_> = own.into_iter().flatten().chain(wanted.faults).collect();
    let mut new_version_of = None;
    if let Some(api) = apis::by_name(store, &wanted.name).await? {
        if caller.owns(api.owner) && api.kind == wanted.kind {
            let same = versions::by_name(store, api.id, &wanted.version).await?;
            new_version_of = Some(ProposedVersion {
                id: api.id,
                name: api.name,
                context: api.context,
                version_exists: same.is_some(),
            });
        } else {
            let detail = "another API has this name";
            faults.push(Fault::new("/name", "name.taken", detail));
        }
    }
    if apis::overlaps(store, &context).await? {
        let detail = "the context overlaps that of another API";
        faults.push(Fault::new("/context", "context.taken", detail));
    }
    Ok(PreviewedApi {
        name: wanted.name,
        kind: wanted.kind,
        context,
        version: wanted.version,
        description: wanted.description,
        faults,
        new_version_of,
    })
}

/// Derives a context from a name that overlaps no other API's; after [`TRIES_MAX`] taken ones, the
/// last one tried.
async fn free_context(control: &Control, name: &str) -> Result<String, StoreError> {
    let plain = format!("/{}", segment(name));
    let mut context = plain.clone();
    for number in 2..TRIES_MAX {
        if !apis::overlaps(&control.store, &context).await? {
            break;
        }
        context = format!("{plain}-{number}");
    }
    Ok(context)
}

/// Converts a name to lower-case letters, digits and hyphens; `api` if nothing is left.
fn segment(name: &str) -> String {
    let lower = name.to_lowercase();
    let is_plain = |character: char| character.is_ascii_alphanumeric();
    let words = lower.split(|character| !is_plain(character));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let mut segment = words.join("-");
    segment.truncate(CONTEXT_MAX);
    match segment.trim_end_matches('-') {
        "" => "api".to_owned(),
        segment => segment.to_owned(),
    }
}

impl Wanted {
    /// Returns the API to create.
    ///
    /// # Errors
    /// 400 `query.invalid` without a context.
    pub(in crate::apis) fn whole(self) -> Result<NewApiBody, Problem> {
        let context = self.context.ok_or_else(|| {
            let detail = "context: the API's base path is required, except with dry_run=true, \
                          which proposes one";
            Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail)
        })?;
        Ok(NewApiBody {
            name: self.name,
            kind: self.kind,
            context,
            version: self.version,
            description: self.description,
        })
    }
}
