//! What an import would make, before anything is saved: its name and where it would be called, what
//! of it is understood, and what keeps it from being saved.

use axum::http::StatusCode;
use serde::Serialize;
use tollgate_model::api::{Kind, Operation, context_fault, name_fault, version_name_fault};
use tollgate_model::fault::Fault;
use tollgate_openapi::Imported;
use tollgate_store::{StoreError, apis};

use super::NoteBody;
use super::security::ProposedSecurity;
use crate::apis::NewApiBody;
use crate::contracts::report::ContractReport;
use crate::error::Problem;
use crate::state::Control;

/// Bytes of a context that is proposed at most, without what tells it from others.
const CONTEXT_MAX: usize = 60;
/// Contexts that are tried, of which the first that is free is proposed.
const TRIES_MAX: u32 = 20;

/// What is wanted of an API; a context may not be said yet.
pub(in crate::apis) struct Wanted {
    pub(in crate::apis) name: String,
    pub(in crate::apis) kind: Kind,
    pub(in crate::apis) context: Option<String>,
    pub(in crate::apis) version: String,
    pub(in crate::apis) description: String,
}

/// An API that would be made.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PreviewedApi {
    /// What it would be called.
    name: String,
    /// What its calls would be.
    kind: Kind,
    /// Where its paths would begin at the gateway: as it was asked for, else one that is free.
    #[schema(example = "/petstore")]
    context: String,
    /// What its first version would be called.
    #[schema(example = "1.0")]
    version: String,
    /// For people.
    description: String,
    /// What keeps it from being saved so; fields are `/name`, `/context` and `/version`.
    faults: Vec<Fault>,
}

/// What an import of an OpenAPI document would make.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportPreview {
    /// The API.
    api: PreviewedApi,
    /// How many operations the document describes, those that are left out included.
    described_operations: usize,
    /// What would be taken over.
    operations: Vec<Operation>,
    /// Every server that the document names.
    servers: Vec<String>,
    /// The first of them that can be an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_upstream: Option<String>,
    /// What the document says of security.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// What of the document would not be taken over.
    notes: Vec<NoteBody>,
}

/// What an import of a WSDL would make.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct SoapImportPreview {
    /// The API.
    pub(in crate::apis) api: PreviewedApi,
    /// The service that would be published.
    pub(in crate::apis) service: String,
    /// Its port.
    pub(in crate::apis) port: String,
    /// The operations that would be taken over, by name.
    pub(in crate::apis) operations: Vec<String>,
    /// The port's address, where it can be an upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::apis) proposed_upstream: Option<String>,
    /// What was understood of the contract, and what was not; of an API of kind `soap_to_rest`
    /// the resources that would be proposed.
    pub(in crate::apis) report: ContractReport,
}

/// What a document would make.
pub(super) async fn of_document(
    control: &Control,
    wanted: Wanted,
    (imported, proposed_security): (Imported, Option<ProposedSecurity>),
) -> Result<ImportPreview, Problem> {
    Ok(ImportPreview {
        api: of_api(control, wanted).await?,
        described_operations: imported.described,
        operations: imported.operations,
        servers: imported.servers,
        proposed_upstream: imported.upstream,
        proposed_security,
        notes: imported.notes.into_iter().map(NoteBody::from).collect(),
    })
}

/// What an API would be, and what keeps it from being saved.
pub(in crate::apis) async fn of_api(
    control: &Control,
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
    let mut faults: Vec<_> = own.into_iter().flatten().collect();
    if apis::is_named(store, &wanted.name).await? {
        faults.push(Fault::new("/name", "name.taken", "an API has this name"));
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
    })
}

/// A context made of a name, which no other API has; the last one tried where many have.
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

/// A name in lower-case letters, digits and hyphens.
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
    /// What is to be made.
    ///
    /// # Errors
    /// 400 `query.invalid` without a context.
    pub(in crate::apis) fn whole(self) -> Result<NewApiBody, Problem> {
        let context = self.context.ok_or_else(|| {
            let detail = "context: say where the API's paths begin, or dry_run=true to have one \
                          proposed";
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
