//! JSON bodies of requests and responses, and the bound on every request body.
//!
//! The extractor rejects a body with a [`Problem`] that locates the fault by JSON Pointer (RFC
//! 6901). Ids in the path, query parameters and entity tags are read in `parameters`.

use std::error::Error;
use std::io;
use std::time::Duration;

use axum::body::{Bytes, HttpBody as _};
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{DefaultBodyLimit, FromRequest, OptionalFromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path as Trail, Segment};
use tollgate_model::fault::{Fault, pointer_token};

use crate::error::Problem;

mod strict;

use strict::Strict;

/// Maximum bytes of a body unless its route sets another bound (`router.rs`).
pub(crate) const BODY_BYTES_MAX: usize = 16 << 10;
/// Maximum bytes of a body with a name and a password.
pub(crate) const SIGN_IN_BYTES_MAX: usize = 4 << 10;
/// Maximum bytes of a body with a description, a note or a key set.
pub(crate) const TEXT_BYTES_MAX: usize = 128 << 10;
/// Maximum bytes of a version's draft: 5,000 operations with scopes and limits.
pub(crate) const DRAFT_BYTES_MAX: usize = 4 << 20;
/// Maximum bytes of a call to try policies on, with policies: 2 MiB.
pub(crate) const MEDIATE_BYTES_MAX: usize = 2 << 20;
/// Maximum bytes of an imported OpenAPI document.
pub(crate) const DOCUMENT_BYTES_MAX: usize = 16 << 20;
/// Maximum bytes of an imported WSDL or archive.
pub(crate) const CONTRACT_BYTES_MAX: usize = 8 << 20;
/// Maximum bytes of a body that contains the URL of a document.
pub(crate) const URL_BYTES_MAX: usize = 16 << 10;
/// Maximum time for a body to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

/// The bound on a request's body in bytes, an extension of the request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyMax(pub(crate) usize);

/// A JSON body: checked and bounded in requests, with its content type in responses.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        require_json(request.headers())?;
        parse(&read(request).await?).map(Self)
    }
}

/// A body that may be absent.
impl<T: DeserializeOwned, S: Send + Sync> OptionalFromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Option<Self>, Problem> {
        if request.body().is_end_stream() {
            return Ok(None);
        }
        let body = <Self as FromRequest<S>>::from_request(request, state);
        body.await.map(Some)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                let json = HeaderValue::from_static("application/json");
                ([(header::CONTENT_TYPE, json)], body).into_response()
            }
            Err(error) => Problem::internal(&error).into_response(),
        }
    }
}

/// Rejects a request without a JSON body.
///
/// # Errors
/// 415 `body.type`.
pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    if is_json(headers) {
        return Ok(());
    }
    let detail = "the body must be JSON: send Content-Type: application/json";
    let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
    Err(Problem::new(status, "body.type", detail))
}

/// Returns whether the type is `application/json`, with or without parameters, or ends in `+json`.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let essence = essence(headers);
    essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// Returns whether the type is `application/yaml` or ends in `+yaml` (RFC 9512), is one of the
/// names used before, or that of OpenAPI documents, with or without parameters.
pub(crate) fn is_yaml(headers: &HeaderMap) -> bool {
    const YAML: [&str; 5] = [
        "application/yaml",
        "application/x-yaml",
        "text/yaml",
        "text/x-yaml",
        "application/vnd.oai.openapi",
    ];
    let essence = essence(headers);
    YAML.contains(&&*essence) || (essence.starts_with("application/") && essence.ends_with("+yaml"))
}

/// Returns the media type without its parameters, in lower case; empty if there is none.
fn essence(headers: &HeaderMap) -> String {
    let value = headers
        .get(header::CONTENT_TYPE)
        .and_then(|it| it.to_str().ok());
    let essence = value
        .and_then(|it| it.split(';').next())
        .unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Parses a body. Faults are located by JSON Pointer.
///
/// # Errors
/// 400 `body.not_json` if the body is not JSON, 422 `body.invalid` if it is JSON of another form.
pub fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(Strict(&mut reader));
    let value = value.map_err(|error| refuse(error.path(), error.inner()))?;
    reader.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

fn refuse(trail: &Trail, error: &serde_json::Error) -> Problem {
    if error.classify() != serde_json::error::Category::Data {
        return not_json(error);
    }
    let detail = error.to_string();
    // The pointer is more precise than the position in the text.
    let detail = detail.split(" at line ").next().unwrap_or_default();
    let mut field = pointer(trail);
    // serde reports the object; the pointer must be that of the missing member.
    if let Some(name) = detail.strip_prefix("missing field `") {
        field = field + "/" + &pointer_token(name.trim_end_matches('`'));
    }
    let detail = match is_secret(&field) {
        true => without_value(detail),
        false => detail.to_owned(),
    };
    Fault::new(field, "body.invalid", in_json_words(&detail)).into()
}

/// Returns whether the value at a pointer may be a secret.
fn is_secret(field: &str) -> bool {
    let name = field.rsplit('/').next().unwrap_or_default();
    ["password", "new_password", "value"].contains(&name)
}

/// Removes the value that serde repeats: "invalid type: integer `5`, expected a string".
fn without_value(detail: &str) -> String {
    let Some((found, expected)) = detail.rsplit_once(", expected ") else {
        return detail.to_owned();
    };
    let found = found.split(['`', '"']).next().unwrap_or_default();
    format!("{}, expected {expected}", found.trim_end())
}

/// Replaces serde's names of Rust types with those of JSON.
fn in_json_words(detail: &str) -> String {
    let Some((found, expected)) = detail.rsplit_once(", expected ") else {
        return detail.to_owned();
    };
    let expected = match expected {
        "a map" => "an object",
        "a sequence" => "a list",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" => "a whole number that is not negative",
        expected if expected.starts_with("struct ") => "an object",
        expected => expected,
    };
    let found = match found {
        "invalid type: map" => "invalid type: object",
        "invalid type: sequence" => "invalid type: list",
        found => found,
    };
    format!("{found}, expected {expected}")
}

fn not_json(error: &serde_json::Error) -> Problem {
    let detail = format!("the body is not JSON: {error}");
    Problem::new(StatusCode::BAD_REQUEST, "body.not_json", detail)
}

/// Returns the JSON Pointer of a place in a document.
fn pointer(trail: &Trail) -> String {
    let segments = trail.iter().filter_map(|segment| match segment {
        Segment::Seq { index } => Some(index.to_string()),
        Segment::Map { key } => Some(pointer_token(key)),
        Segment::Enum { .. } | Segment::Unknown => None,
    });
    segments.fold(String::new(), |pointer, segment| pointer + "/" + &segment)
}

/// Reads a whole body, within the bound of its route.
///
/// # Errors
/// 413 `body.too_large`, 408 `body.too_slow`, 400 `body.broken`; 503 `bodies.full` if it was
/// dropped because all bodies together were too large.
pub async fn read(mut request: Request) -> Result<Bytes, Problem> {
    let bound = request.extensions().get();
    let &BodyMax(bytes_max) = bound.unwrap_or(&BodyMax(BODY_BYTES_MAX));
    // If the announced length is too large, the body is rejected before it is sent.
    if request.body().size_hint().lower() > bytes_max as u64 {
        return Err(too_large(bytes_max));
    }
    DefaultBodyLimit::max(bytes_max).apply(&mut request);
    let reading = Bytes::from_request(request, &());
    match tokio::time::timeout(BODY_TIME, reading).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)))) => {
            Err(too_large(bytes_max))
        }
        Ok(Err(error)) if has_no_room(&error) => Err(Problem::no_room()),
        Ok(Err(_)) => {
            let detail = "the body ended early";
            Err(Problem::new(StatusCode::BAD_REQUEST, "body.broken", detail))
        }
        Err(_) => {
            let detail = format!("the body took longer than {} s", BODY_TIME.as_secs());
            let status = StatusCode::REQUEST_TIMEOUT;
            Err(Problem::new(status, "body.too_slow", detail))
        }
    }
}

fn too_large(bytes_max: usize) -> Problem {
    let detail = format!("the body is larger than {bytes_max} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body.too_large", detail)
}

fn has_no_room(error: &BytesRejection) -> bool {
    let mut next = Some(error as &(dyn Error + 'static));
    while let Some(error) = next {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::QuotaExceeded) {
            return true;
        }
        next = error.source();
    }
    false
}

impl Problem {
    /// 503: the body was dropped because all bodies together were too large.
    pub(crate) fn no_room() -> Self {
        let detail = "too many bodies are being read, so this one was dropped: send it again";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self::new(status, "bodies.full", detail).with(header::RETRY_AFTER, 1)
    }
}

#[cfg(test)]
mod tests;
