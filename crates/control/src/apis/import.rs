//! Making an API of an OpenAPI document: its operations become the first draft, the document is
//! kept as it was sent, and what has no effect here is reported (crate `openapi`). Its security
//! requirements are handled in `import/security.rs`.

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
use tollgate_openapi::{Imported, Limits};
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
use crate::error::{Problem, refuse_any};
use crate::fetching::{DocumentFetcher, not_fetched};
use crate::json::{DOCUMENT_BYTES_MAX, Json, URL_BYTES_MAX, is_json, is_yaml, parse, read};
use crate::parameters::Query;
use crate::state::Control;
use crate::text::DESCRIPTION_MAX;

/// Documents that are read at a time: each takes a thread and tens of megabytes while it lasts.
const READS_MAX: usize = 2;
static READS: Semaphore = Semaphore::const_new(READS_MAX);
/// How long fetching a document may take.
const FETCH_TIME: Duration = Duration::from_secs(15);

/// What the document does not say of the API, or says otherwise.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// Where its paths begin at the gateway, such as `/petstore`; needed unless `dry_run` is asked
    /// for, which proposes one.
    context: Option<String>,
    /// Name of its first version; the document's `info.version` when absent.
    version: Option<String>,
    /// The API's name; the document's `info.title` when absent.
    name: Option<String>,
    /// Whose security holds: `document` takes over what the document says, as the answer proposes
    /// it. When absent, callers have an API key.
    #[param(inline, example = "document")]
    security: Option<SecurityOf>,
    /// Whether operations that the document opens by an explicit `security: []` may be called
    /// without any credential, under the plan `anonymous`; needs `security=document`.
    #[serde(default)]
    allow_anonymous: bool,
    /// Whether to answer what would be made, and to save nothing.
    #[serde(default)]
    dry_run: bool,
}

/// An API made of a document, and what became of the document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ImportedApi {
    #[serde(flatten)]
    created: CreatedApi,
    /// How many operations were taken over.
    operations: usize,
    /// How many the document describes, those that are left out included.
    described_operations: usize,
    /// Every server that the document names.
    servers: Vec<String>,
    /// The first of them that can be an upstream; put it into the draft if it is right.
    proposed_upstream: Option<String>,
    /// What the document says of security.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed_security: Option<ProposedSecurity>,
    /// What of the document was not taken over.
    notes: Vec<NoteBody>,
}

/// Where a document is to be fetched from.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentUrl {
    /// `http` or `https`.
    #[schema(example = "https://example.com/openapi.json")]
    url: String,
}

/// Something of the document that has no effect.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ImportNote)]
pub(crate) struct NoteBody {
    /// JSON Pointer (RFC 6901) to it, or to its first occurrence.
    field: String,
    /// Stable code word.
    #[schema(example = "openapi.webhooks")]
    code: &'static str,
    /// One sentence.
    detail: String,
    /// How many operations it touches; 0 where it touches the document as a whole.
    operations: usize,
}

/// Import an API from an OpenAPI document.
///
/// The body is the document itself, OpenAPI 3.0 or 3.1 or Swagger 2.0, in JSON or YAML, at most
/// 16 MiB; or a JSON object that contains only the URL of the document, to which its servers may be
/// relative. Callers see Swagger 2.0 as OpenAPI 3.0; the document is kept as it was sent. A
/// `Content-Type` other than JSON or YAML is refused; it may be left out. The security of the
/// document is proposed, and applied only with `security=document`. With `dry_run=true` nothing is
/// saved: the answer is a preview, with the reasons why it could not be saved.
#[utoipa::path(
    post, path = "/api/v1/apis/import", tag = "apis", params(ImportQuery),
    request_body(description = "The document, or where it is", content(
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
    // A large document takes a good part of a second, which is too long for a shared thread.
    let read = tokio::task::spawn_blocking(move || {
        let imported = tollgate_openapi::read_at(&bytes, place.as_deref(), Limits::default());
        imported.map(|imported| (imported, Vec::from(bytes)))
    });
    let read = read.await.map_err(|error| Problem::internal(&error))?;
    let (mut imported, bytes) = read?;
    let (proposed, security) = security::take(&mut imported, &query)?;
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
        document: Some(Document {
            media_type: imported.format.media_type().to_owned(),
            bytes,
        }),
        contract: None,
    };
    let operations = beginning.draft.operations.len();
    let wanted = wanted(query, &mut imported).whole()?;
    let created = make(&control, &caller, wanted, beginning).await?;
    let body = show_body((created, proposed), operations, imported);
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// The document that a request sends or names.
struct Sent {
    bytes: Bytes,
    /// Where it was found.
    place: Option<String>,
    /// What it counts as until it is imported.
    held: Option<Reading>,
}

async fn document(fetcher: &DocumentFetcher, request: Request) -> Result<Sent, Problem> {
    let bytes = read(request).await?;
    if !names_a_place(&bytes) {
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

/// Whether a body is a [`DocumentUrl`], or was meant to be one: an OpenAPI document says its
/// version.
fn names_a_place(body: &[u8]) -> bool {
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

/// Refuses a body that is said to be neither JSON nor YAML.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    if !headers.contains_key(header::CONTENT_TYPE) || is_json(headers) || is_yaml(headers) {
        return Ok(());
    }
    let detail = "the document is JSON or YAML: send Content-Type: application/json or \
                  application/yaml";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Problem::new(status, "body.type", detail))
}

/// What the document and the query say of the API.
fn wanted(query: ImportQuery, imported: &mut Imported) -> Wanted {
    let description = imported.description.take().unwrap_or_default();
    let mut kept: String = description.chars().take(DESCRIPTION_MAX).collect();
    if kept.len() < description.len() {
        imported.notes.push(tollgate_openapi::Note {
            field: "/info/description".to_owned(),
            code: "openapi.content",
            detail: format!("only its first {DESCRIPTION_MAX} characters describe the API"),
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

/// Refuses a title or version of the document that can be none of ours, where the query says no
/// other.
fn check_info(query: &ImportQuery, imported: &Imported) -> Result<(), Problem> {
    let name = name_fault(&imported.title).filter(|_| query.name.is_none());
    let version = version_name_fault(&imported.version).filter(|_| query.version.is_none());
    let faults = [
        (name, "/info/title", "name"),
        (version, "/info/version", "version"),
    ];
    let faults = faults.into_iter().filter_map(|(fault, field, parameter)| {
        let fault = fault?;
        let detail = format!("{}; the parameter {parameter} says another", fault.detail);
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
