//! The OpenAPI document of a version in parts: the list of its operations, and each operation with
//! what it refers to. A document may have megabytes, of which a reader of one operation needs few.
//!
//! Parts are copied out of the text of the document, which is made and kept whole (`constant.rs`);
//! they have its tag with their own names, so they change only when it does.

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

/// What can be called of a version, and what its document says of the whole.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OperationList {
    /// The fields `openapi`, `info`, `servers`, `tags` and `externalDocs` of the document.
    #[schema(value_type = Object)]
    document: serde_json::Value,
    /// In the order of the document, webhooks last; at most 5,000 of each.
    operations: Vec<ListedOperation>,
    /// What of the webhooks cannot be read.
    faults: Vec<Fault>,
}

/// An operation, or a request of a webhook.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ListedOperation {
    /// Names it in this version: its method and path, the same for as long as it has them.
    #[schema(example = "get-pets-pet")]
    id: String,
    /// Its method.
    #[schema(example = "GET")]
    method: String,
    /// Its path below the version; the name of a webhook.
    #[schema(example = "/pets/{pet}")]
    path: String,
    /// Its `operationId` in the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_id: Option<String>,
    /// One line, in Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// The names of its tags.
    tags: Vec<String>,
    /// Whether it is deprecated.
    deprecated: bool,
    /// Whether the API calls its callers by it.
    webhook: bool,
}

/// List the operations of a version that can be called.
///
/// Each is shown with what a list has of it; the document is described with what it says of
/// itself. APIs of the kind `soap` have no OpenAPI document: 404.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/operations", tag = "catalogue",
    operation_id = "operations",
    params(
        ("version" = VersionId, Path),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of what one has"),
    ),
    responses(
        (status = 200, description = "The operations", body = OperationList,
            headers(("ETag" = String))),
        (status = 304, description = "They are as If-None-Match says"),
    ),
)]
pub(crate) async fn list(
    State(control): State<Control>,
    asked: Asked,
    Path(id): Path<VersionId>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let described = Described::of(&control, id, &asked).await?;
    answer(
        &control,
        &described,
        ("operations", &headers),
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
/// Returns an OpenAPI document that has this operation alone, with the components that it refers
/// to, directly or by others.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/operations/{operation}", tag = "catalogue",
    operation_id = "operation",
    params(
        ("version" = VersionId, Path),
        ("operation" = String, Path, description = "Its id in the list of operations"),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of what one has"),
    ),
    responses(
        (status = 200, description = "The OpenAPI document of the operation", body = Object,
            content_type = "application/json", headers(("ETag" = String))),
        (status = 304, description = "It is as If-None-Match says"),
    ),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    asked: Asked,
    Path((id, operation)): Path<(VersionId, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let described = Described::of(&control, id, &asked).await?;
    let name = format!("operations/{operation}");
    answer(&control, &described, (&name, &headers), |index, text| {
        let part = index.operation(text, &operation);
        part.ok_or_else(|| Problem::unknown("operation"))
    })
    .await
}

/// Answers with the part that has this name below the document, which `cut` takes out of it.
async fn answer(
    control: &Control,
    described: &Described,
    (name, headers): (&str, &HeaderMap),
    cut: impl FnOnce(&Index, &[u8]) -> Result<Vec<u8>, Problem>,
) -> Result<Response, Problem> {
    let tag = described.tag.part(name);
    let making = async {
        let whole = described.document(control).await?;
        let (index, text) = whole.parts().ok_or_else(|| Problem::unknown("document"))?;
        let part = Constant::new(JSON, tag.clone(), cut(index, text)?);
        Ok(part.private().into())
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
