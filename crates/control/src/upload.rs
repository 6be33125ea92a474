//! Uploaded OpenAPI documents: sent in the body of a request, or fetched from the URL in it. The
//! crate `openapi` parses them; `upload/security.rs` applies the security that they describe,
//! `versions/upstream_of.rs` takes the upstream that they propose.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use tollgate_openapi::{Imported, Limits, Note};
use tollgate_store::documents::Document;

mod body;
pub(crate) mod security;

pub(crate) use body::Imports;

use crate::bodies::Reading;
use crate::contracts;
use crate::error::Problem;
use crate::fetching::{DocumentFetcher, not_fetched};
use crate::importing::Admission;
use crate::json::{URL_BYTES_MAX, is_json, is_yaml, parse, read};
use crate::state::Control;

/// Maximum memory to parse a document, with the document.
const MEMORY_MAX: usize = 64 << 20;

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

/// A parsed document.
pub(crate) struct Upload {
    /// Its contents.
    pub(crate) imported: Imported,
    /// The document, unchanged.
    pub(crate) document: Document,
    /// Counts a fetched document among the bodies in memory.
    _held: Option<Reading>,
}

/// Reads and parses the document of a request. The memory to parse it is free then.
///
/// # Errors
/// 415 `body.type` for a `Content-Type` other than JSON or YAML; 503 `documents.full` if too many
/// imports wait; the faults of the document, or of fetching it.
pub(crate) async fn read_upload(
    control: &Control,
    admission: &mut Admission<'_>,
    request: Request,
) -> Result<Upload, Problem> {
    check_type(request.headers())?;
    let body = read(request).await?;
    parse_upload(control, admission, body).await
}

/// Like [`read_upload`], for a body that has been read.
pub(crate) async fn parse_upload(
    control: &Control,
    admission: &mut Admission<'_>,
    body: Bytes,
) -> Result<Upload, Problem> {
    let Sent { bytes, place, held } = document(&control.fetcher, body).await?;
    let reservation = admission.reserve(MEMORY_MAX).await?;
    let parsing = admission.run(reservation, move || {
        let imported = tollgate_openapi::read_at(&bytes, place.as_deref(), Limits::default())?;
        let document = Document {
            digest: contracts::digest([&bytes[..]]),
            media_type: imported.format.media_type().to_owned(),
            bytes: Vec::from(bytes),
        };
        Ok::<_, Problem>((imported, document))
    });
    let (parsed, _reservation) = parsing.await?;
    let (imported, document) = parsed?;
    Ok(Upload {
        imported,
        document,
        _held: held,
    })
}

/// Returns whether a body is an OpenAPI document, or has the URL of one, rather than another JSON
/// object.
pub(crate) fn is_upload(headers: &HeaderMap, body: &[u8]) -> bool {
    is_yaml(headers) || is_document_url(body) || Seen::parse(body).is_some_and(|it| it.is_openapi())
}

/// The document of a request, sent in its body or fetched from its URL.
struct Sent {
    bytes: Bytes,
    /// The URL that it was fetched from.
    place: Option<String>,
    /// Counts a fetched document among the bodies in memory until it is imported.
    held: Option<Reading>,
}

async fn document(fetcher: &DocumentFetcher, bytes: Bytes) -> Result<Sent, Problem> {
    if !is_document_url(&bytes) {
        return Ok(Sent {
            bytes,
            place: None,
            held: None,
        });
    }
    let DocumentUrl { url } = parse(&bytes)?;
    let fetched = fetcher.get(&url).await;
    let (fetched, held) = fetched.map_err(|error| not_fetched("/url", &error))?;
    Ok(Sent {
        bytes: fetched.bytes,
        place: Some(fetched.url),
        held: Some(held),
    })
}

/// The fields that distinguish a document from a [`DocumentUrl`] and other objects.
#[derive(Deserialize)]
struct Seen {
    url: Option<IgnoredAny>,
    openapi: Option<IgnoredAny>,
    swagger: Option<IgnoredAny>,
}

impl Seen {
    fn parse(body: &[u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    /// Every OpenAPI document has one of these fields.
    fn is_openapi(&self) -> bool {
        self.openapi.is_some() || self.swagger.is_some()
    }
}

/// Returns whether a body is a [`DocumentUrl`], or was meant to be one: it has `url`, and neither
/// `openapi` nor `swagger`.
fn is_document_url(body: &[u8]) -> bool {
    body.len() <= URL_BYTES_MAX
        && Seen::parse(body).is_some_and(|it| it.url.is_some() && !it.is_openapi())
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

impl From<Note> for NoteBody {
    fn from(note: Note) -> Self {
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
