//! Imports an API from an OpenAPI document (parsed by the crate `openapi`). Its operations become
//! the first draft, the document is stored unchanged, and the response lists the parts that have no
//! effect. `import/security.rs` handles its security requirements.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;
use tollgate_fetch::Limits as FetchLimits;
use tollgate_model::api::{Configuration, Kind, name_fault, version_name_fault};
use tollgate_model::fault::Fault;
use tollgate_openapi::{Format, Imported, Limits};
use tollgate_store::documents::Document;

mod body;
pub(super) mod preview;
mod security;

use body::Imports;
use preview::{ImportPreview, Wanted};
use security::{ProposedSecurity, SecurityOf};

use super::{Beginning, CreatedApi, make};
use crate::bodies::Reading;
use crate::caller::Caller;
use crate::contracts;
use crate::error::{Problem, refuse_any};
use crate::fetching::{DocumentFetcher, not_fetched};
use crate::json::{DOCUMENT_BYTES_MAX, Json, URL_BYTES_MAX, is_json, is_yaml, parse, read};
use crate::parameters::Query;
use crate::state::Control;
use crate::text::DESCRIPTION_MAX;

/// Maximum number of documents parsed at a time: each takes a thread and tens of megabytes.
const READS_MAX: usize = 2;
static READS: Semaphore = Semaphore::const_new(READS_MAX);
/// Time limit for fetching a document.
const FETCH_TIME: Duration = Duration::from_secs(15);

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
    /// The first server that can be an upstream. The draft has no upstream yet: put this one in if
    /// it is right.
    proposed_upstream: Option<String>,
    /// The document's security, converted for the draft.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// Parts of the document that were not imported.
    notes: Vec<NoteBody>,
}

/// The URL of an OpenAPI document.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentUrl {
    /// An `http` or `https` URL.
    #[schema(example = "https://example.com/openapi.json")]
    url: String,
}

/// A part of the document that has no effect.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ImportNote)]
pub(crate) struct NoteBody {
    /// JSON Pointer (RFC 6901) to its first occurrence.
    field: String,
    /// Stable code.
    #[schema(example = "openapi.webhooks")]
    code: &'static str,
    /// Explanation, one sentence.
    detail: String,
    /// Number of affected operations; 0 if it concerns the document as a whole.
    operations: usize,
}

/// Import an API from an OpenAPI document.
///
/// The body is the document itself, OpenAPI 3.0 or 3.1 or Swagger 2.0, in JSON or YAML, at most
/// 16 MiB; or a JSON object that contains only the URL of the document, to which its servers may be
/// relative. Callers see Swagger 2.0 as OpenAPI 3.0; the document is stored unchanged. A
/// `Content-Type` other than JSON or YAML is rejected; it may be omitted. The security of the
/// document is proposed, and applied only with `security=document`. With `dry_run=true` nothing is
/// saved: the response is a preview, with the reasons why it could not be saved.
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
    check_type(request.headers())?;
    let Sent {
        bytes,
        place,
        held: _held,
    } = document(&control.fetcher, request).await?;
    let _turn = READS.acquire().await;
    // Parsing a large document takes a good part of a second, too long for a shared thread.
    let read = tokio::task::spawn_blocking(move || {
        let imported = tollgate_openapi::read_at(&bytes, place.as_deref(), Limits::default());
        imported.map(|imported| (imported, Vec::from(bytes)))
    });
    let read = read.await.map_err(|error| Problem::internal(&error))?;
    let (mut imported, bytes) = read?;
    let (proposed, security) = security::apply_if_requested(&mut imported, &query)?;
    if query.dry_run {
        let wanted = wanted(query, &mut imported);
        let preview = preview::of_document(&control, wanted, (imported, proposed)).await?;
        return Ok(Json(preview).into_response());
    }
    check_info(&query, &imported)?;
    let beginning = Beginning {
        draft: Configuration {
            operations: std::mem::take(&mut imported.operations),
            security,
            semicolon: imported.semicolon,
            ..Configuration::initial(Kind::Rest)
        },
        document: Some(uploaded(imported.format, bytes)),
        contract: None,
    };
    let operations = beginning.draft.operations.len();
    let wanted = wanted(query, &mut imported).whole()?;
    let created = make(&control, &caller, wanted, beginning).await?;
    let body = show_body((created, proposed), operations, imported);
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// Returns a document as it is stored.
fn uploaded(format: Format, bytes: Vec<u8>) -> Document {
    Document {
        digest: contracts::digest([&bytes[..]]),
        media_type: format.media_type().to_owned(),
        bytes,
    }
}

/// The document of a request, sent in its body or fetched from its URL.
struct Sent {
    bytes: Bytes,
    /// The URL that it was fetched from.
    place: Option<String>,
    /// Counts a fetched document among the bodies in memory until it is imported.
    held: Option<Reading>,
}

async fn document(fetcher: &DocumentFetcher, request: Request) -> Result<Sent, Problem> {
    let bytes = read(request).await?;
    if !is_document_url(&bytes) {
        return Ok(Sent {
            bytes,
            place: None,
            held: None,
        });
    }
    let DocumentUrl { url } = parse(&bytes)?;
    let limits = FetchLimits {
        bytes_max: DOCUMENT_BYTES_MAX,
        time: FETCH_TIME,
        ..FetchLimits::default()
    };
    let fetched = fetcher.get(&url, limits).await;
    let (fetched, held) = fetched.map_err(|error| not_fetched("/url", &error))?;
    Ok(Sent {
        bytes: fetched.bytes,
        place: Some(fetched.url),
        held: Some(held),
    })
}

/// Whether a body is a [`DocumentUrl`], or was meant to be one: it has `url`, and neither `openapi`
/// nor `swagger`, one of which every OpenAPI document has.
fn is_document_url(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Seen {
        url: Option<IgnoredAny>,
        openapi: Option<IgnoredAny>,
        swagger: Option<IgnoredAny>,
    }
    let seen: Result<Seen, _> = match body.len() {
        0..=URL_BYTES_MAX => serde_json::from_slice(body),
        _ => return false,
    };
    seen.is_ok_and(|it| it.url.is_some() && it.openapi.is_none() && it.swagger.is_none())
}

/// Rejects a `Content-Type` other than JSON or YAML.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    if !headers.contains_key(header::CONTENT_TYPE) || is_json(headers) || is_yaml(headers) {
        return Ok(());
    }
    let detail = "the document must be JSON or YAML: send Content-Type: application/json or \
                  application/yaml";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Problem::new(status, "body.type", detail))
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

fn show_body(
    (created, proposed_security): (CreatedApi, Option<ProposedSecurity>),
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

impl From<tollgate_openapi::Note> for NoteBody {
    fn from(note: tollgate_openapi::Note) -> Self {
        Self {
            field: note.field,
            code: note.code,
            detail: note.detail,
            operations: note.operations,
        }
    }
}

#[cfg(test)]
mod tests;
