//! Imports an API from an OpenAPI document. Its operations become the first draft, the document is
//! stored unchanged, and the response lists the parts that have no effect.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tollgate_model::api::{Configuration, Kind, name_fault, version_name_fault};
use tollgate_model::fault::Fault;
use tollgate_openapi::Imported;
use tollgate_store::apis;

pub(super) mod preview;

use preview::{ImportPreview, Wanted};

use super::{Beginning, CreatedApi, make};
use crate::caller::Caller;
use crate::error::{Problem, refuse_any};
use crate::json::Json;
use crate::parameters::Query;
use crate::state::Control;
use crate::text::DESCRIPTION_MAX;
use crate::upload::security::{self, Choice, ProposedSecurity, SecurityOf};
use crate::upload::{Imports, NoteBody, read_upload};
use crate::versions::upstream_of::{self, UpstreamOf};

/// Parameters of an OpenAPI import.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// Base path of the API at the gateway, such as `/petstore`. Required, except with `dry_run`,
    /// which proposes one.
    context: Option<String>,
    /// Name of the first version; the document's `info.version` when absent.
    version: Option<String>,
    /// Name of the API; the document's `info.title` when absent.
    name: Option<String>,
    /// Source of the API's security: `document` applies the security of the document, as proposed
    /// in the response. When absent, callers need an API key.
    #[param(inline, example = "document")]
    security: Option<SecurityOf>,
    /// Whether operations with an explicit `security: []` in the document may be called without a
    /// credential, under the plan `anonymous`; requires `security=document`.
    #[serde(default)]
    allow_anonymous: bool,
    /// Source of the draft's upstream: `proposed` takes the one that the document proposes, checked
    /// like one that is set in the draft. When absent, the draft has none.
    #[param(inline, example = "proposed")]
    upstream: Option<UpstreamOf>,
    /// Whether to return a preview and save nothing.
    #[serde(default)]
    dry_run: bool,
}

/// The imported API, and a report on its document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedApi {
    #[serde(flatten)]
    created: CreatedApi,
    /// Number of imported operations.
    operations: usize,
    /// Number of operations in the document, including those that were not imported.
    described_operations: usize,
    /// The servers of the document.
    servers: Vec<String>,
    /// The first server that can be an upstream. The draft has it with `upstream=proposed`;
    /// otherwise set it there if it is right.
    proposed_upstream: Option<String>,
    /// The document's security, converted for the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// Parts of the document that were not imported.
    notes: Vec<NoteBody>,
}

/// Import an API from an OpenAPI document.
///
/// The body is the document itself, OpenAPI 3.0 or 3.1 or Swagger 2.0, in JSON or YAML, at most
/// 16 MiB; or a JSON object that contains only the URL of the document, to which its servers may be
/// relative. Callers see Swagger 2.0 as OpenAPI 3.0; the document is stored unchanged. A
/// `Content-Type` other than JSON or YAML is rejected; it may be omitted. The security of the
/// document is proposed, and applied only with `security=document`; its upstream only with
/// `upstream=proposed`: 422 `upstream.not_proposed` if none of its servers can be one, and the
/// codes of a draft's upstream. With `dry_run=true` nothing is saved: the response is a preview,
/// with the reasons why it could not be saved.
#[utoipa::path(
    post, path = "/api/v1/apis/import", tag = "apis", params(ImportQuery),
    request_body(description = "The document, or its URL", content(
        (Imports = "application/json"), (String = "application/yaml"),
    )),
    responses(
        (status = 200, description = "The preview, with `dry_run`", body = ImportPreview),
        (status = 201, description = "The API and its first version", body = ImportedApi),
    ),
)]
pub(crate) async fn import(
    State(control): State<Control>,
    caller: Caller,
    Query(query): Query<ImportQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let mut admission = control.importing.admission();
    let upload = read_upload(&control, &mut admission, request).await?;
    let choice = Choice {
        of: query.security,
        allow_anonymous: query.allow_anonymous,
    };
    let (mut imported, document) = (upload.imported, upload.document);
    let (proposed, security) = security::apply_if_requested(&mut imported, choice)?;
    let upstream = imported.upstream.as_deref();
    let upstream = upstream_of::of_new(&control, Kind::Rest, query.upstream, upstream).await;
    if query.dry_run {
        let mut wanted = wanted(query, &mut imported);
        wanted.faults = upstream_of::faults(upstream)?;
        let preview = preview::of_document(&control, &caller, wanted, imported, proposed).await?;
        return Ok(Json(preview).into_response());
    }
    check_info(&query, &imported)?;
    let name = query.name.as_deref().unwrap_or(&imported.title);
    refuse_own_name(&control, &caller, name).await?;
    let mut draft = Configuration {
        operations: std::mem::take(&mut imported.operations),
        semicolon: imported.semicolon,
        upstream: upstream?,
        ..Configuration::initial(Kind::Rest)
    };
    if let Some(security) = security {
        security.apply(&mut draft);
    }
    let beginning = Beginning {
        draft,
        document: Some(document),
        contract: None,
    };
    let operations = beginning.draft.operations.len();
    let wanted = wanted(query, &mut imported).whole()?;
    let created = make(&control, &caller, wanted, beginning).await?;
    let body = show_body(created, proposed, operations, imported);
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// The API to create, from the query and the document; the query takes precedence.
fn wanted(query: ImportQuery, imported: &mut Imported) -> Wanted {
    let description = imported.description.take().unwrap_or_default();
    let mut kept: String = description.chars().take(DESCRIPTION_MAX).collect();
    if kept.len() < description.len() {
        imported.notes.push(tollgate_openapi::Note {
            field: "/info/description".to_owned(),
            code: "openapi.content",
            detail: format!("cut to the first {DESCRIPTION_MAX} characters for the API"),
            operations: 0,
        });
    }
    kept.truncate(kept.trim_end().len());
    let title = std::mem::take(&mut imported.title);
    let version = std::mem::take(&mut imported.version);
    Wanted {
        name: query.name.unwrap_or(title),
        kind: Kind::Rest,
        context: query.context,
        version: query.version.unwrap_or(version),
        description: kept,
        faults: Vec::new(),
    }
}

/// Rejects a title or version of the document that is no valid name here, unless the query sets
/// another one.
fn check_info(query: &ImportQuery, imported: &Imported) -> Result<(), Problem> {
    let name = name_fault(&imported.title).filter(|_| query.name.is_none());
    let version = version_name_fault(&imported.version).filter(|_| query.version.is_none());
    let faults = [
        (name, "/info/title", "name"),
        (version, "/info/version", "version"),
    ];
    let faults = faults.into_iter().filter_map(|(fault, field, parameter)| {
        let fault = fault?;
        let detail = format!(
            "{}; set another one with the query parameter {parameter}",
            fault.detail
        );
        Some(Fault::new(field, &fault.code, detail))
    });
    refuse_any(faults.collect())
}

/// Rejects the name of an API that the caller owns.
async fn refuse_own_name(control: &Control, caller: &Caller, name: &str) -> Result<(), Problem> {
    let named = apis::by_name(&control.store, name).await?;
    match named.filter(|api| caller.owns(api.owner)) {
        None => Ok(()),
        Some(api) => {
            let detail = format!(
                "your API {} has this name: POST /api/v1/apis/{}/versions creates a new version of \
                 it from the document",
                api.name, api.id
            );
            Err(Problem::conflict("name.taken", detail).blaming("/name"))
        }
    }
}

fn show_body(
    created: CreatedApi,
    proposed_security: Option<ProposedSecurity>,
    operations: usize,
    imported: Imported,
) -> ImportedApi {
    let notes = imported.notes.into_iter().map(NoteBody::from);
    ImportedApi {
        created,
        operations,
        described_operations: imported.described,
        servers: imported.servers,
        proposed_upstream: imported.upstream,
        proposed_security,
        notes: notes.collect(),
    }
}

#[cfg(test)]
mod tests;
