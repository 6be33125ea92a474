//! The OpenAPI 3.1 document of this API, made from the handlers' types.

use axum::response::IntoResponse;
use utoipa::OpenApi;

use crate::error::ProblemBody;
use crate::json::Json;

#[derive(OpenApi)]
#[openapi(
    paths(crate::health::alive, crate::health::ready, show),
    components(schemas(ProblemBody<'static>)),
)]
struct Document;

/// The document of the whole API.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// This document.
#[utoipa::path(
    get, path = "/api/v1/openapi.json", tag = "health",
    responses((status = 200, description = "The OpenAPI document", body = Object)),
)]
pub(crate) async fn show() -> impl IntoResponse {
    Json(document())
}
