//! The OpenAPI document that a version was imported from, as it was uploaded.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::IntoResponse;
use tollgate_model::id::VersionId;
use tollgate_store::{documents, versions};

use crate::error::Problem;
use crate::parameters::Path;
use crate::state::Control;

/// Download the document of a version.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/document", tag = "documents",
    params(("version" = VersionId, Path)),
    responses((status = 200, description = "The document as it was uploaded", content(
        (Object = "application/json"), (String = "application/yaml"),
    ))),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    Path(id): Path<VersionId>,
) -> Result<impl IntoResponse, Problem> {
    versions::by_id(&control.store, id).await?;
    let document = documents::of_version(&control.store, id).await?;
    let document = document.ok_or_else(|| Problem::unknown("document"))?;
    let is_json = document.media_type == "application/json";
    let attachment = if is_json {
        "attachment; filename=\"openapi.json\""
    } else {
        "attachment; filename=\"openapi.yaml\""
    };
    let media_type = HeaderValue::try_from(document.media_type);
    let media_type = media_type.map_err(|error| Problem::internal(&error))?;
    let headers = [
        (header::CONTENT_TYPE, media_type),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static(attachment),
        ),
    ];
    Ok((headers, document.bytes))
}
