//! Parts of a version's OpenAPI document: the list of operations, and each operation with the
//! components it references. A document can have megabytes; most clients need one operation.
//!
//! Parts are copied from the text of the whole document, which is generated once and cached
//! (`constant.rs`). Their entity tags derive from the document's, so they change only with it.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Serialize;
use tollgate_model::fault::Fault;
use tollgate_model::id::VersionId;
use tollgate_openapi::{Index, OperationHead};

use super::document::Described;
use crate::constant::Constant;
use crate::error::Problem;
use crate::gateways::Asked;
use crate::parameters::Path;
use crate::state::Control;

const JSON: &str = "application/json";

/// The operations of a version, and the general fields of its document.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OperationList {
    /// The fields `openapi`, `info`, `servers`, `tags` and `externalDocs` of the document.
    #[schema(value_type = Object)]
    document: serde_json::Value,
    /// The operations in document order, then the webhooks; at most 5,000 of each.
    operations: Vec<ListedOperation>,
    /// Webhooks that are not valid OpenAPI, and so are not listed.
    faults: Vec<Fault>,
}

/// An operation or a webhook.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ListedOperation {
    /// Unique in this version; derived from method and path.
    #[schema(example = "get-pets-pet")]
    id: String,
    /// Its method.
    #[schema(example = "GET")]
    method: String,
    /// Its path below the version, or the name of the webhook.
    #[schema(example = "/pets/{pet}")]
    path: String,
    /// Its `operationId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<String>,
    /// Its summary, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The names of its tags.
    tags: Vec<String>,
    /// Whether it is deprecated.
    deprecated: bool,
    /// Whether it is a webhook: a request that the API sends.
    webhook: bool,
}

/// List the operations of a version that can be called.
///
/// Also returns the general fields of the OpenAPI document. APIs of the kind `soap` have no OpenAPI
/// document: 404.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/operations", tag = "catalogue",
    operation_id = "operations",
    params(
        ("version" = VersionId, Path),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached response"),
    ),
    responses(
        (status = 200, description = "The operations", body = OperationList,
            headers(("ETag" = String))),
        (status = 304, description = "Unchanged: If-None-Match has the current ETag"),
    ),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    asked: Asked,
    Path(id): Path<VersionId>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let described = Described::load(&control, id, &asked).await?;
    answer(
        &control,
        &described,
        "operations",
        &headers,
        |index, text| {
            let document = serde_json::from_slice(&index.overview(text));
            let list = OperationList {
                document: document.map_err(|error| Problem::internal(&error))?,
                operations: index.operations().iter().map(Into::into).collect(),
                faults: index.faults().to_vec(),
            };
            serde_json::to_vec(&list).map_err(|error| Problem::internal(&error))
        },
    )
    .await
}

/// See an operation of a version that can be called.
///
/// Returns an OpenAPI document with this operation only, and the components that it references
/// directly or indirectly.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/operations/{operation}", tag = "catalogue",
    operation_id = "operation",
    params(
        ("version" = VersionId, Path),
        ("operation" = String, Path, description = "Its `id` in the list of operations"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached response"),
    ),
    responses(
        (status = 200, description = "The OpenAPI document of the operation", body = Object,
            content_type = "application/json", headers(("ETag" = String))),
        (status = 304, description = "Unchanged: If-None-Match has the current ETag"),
    ),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    asked: Asked,
    Path((id, operation)): Path<(VersionId, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let described = Described::load(&control, id, &asked).await?;
    let name = format!("operations/{operation}");
    answer(&control, &described, &name, &headers, move |index, text| {
        let part = index.operation(text, &operation);
        part.ok_or_else(|| Problem::unknown("operation"))
    })
    .await
}

/// Responds with a part of the document. `name` identifies the part in its entity tag; `cut`
/// extracts it from the text of the document.
async fn answer(
    control: &Control,
    described: &Described,
    name: &str,
    headers: &HeaderMap,
    cut: impl FnOnce(&Index, &[u8]) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let tag = described.tag.part(name);
    let making = async {
        let whole = described.document(control).await?;
        let documents = &control.documents;
        // A part may have megabytes, which its readers share.
        let part = documents.kept_or_made(&tag, async |turn| {
            let cutting = tokio::task::spawn_blocking(move || {
                let _turn = turn;
                let (index, text) = whole.parts().ok_or_else(|| Problem::unknown("document"))?;
                cut(index, text)
            });
            let text = cutting.await.map_err(|error| Problem::internal(&error))??;
            Ok(Constant::new(JSON, tag.clone(), text).private())
        });
        part.await
    };
    control.documents.answer(&tag, headers, making).await
}

impl From<&OperationHead> for ListedOperation {
    fn from(head: &OperationHead) -> Self {
        let head = head.clone();
        Self {
            id: head.id,
            method: head.method,
            path: head.path,
            operation_id: head.operation_id,
            summary: head.summary,
            tags: head.tags,
            deprecated: head.deprecated,
            webhook: head.webhook,
        }
    }
}

#[cfg(test)]
mod tests;
