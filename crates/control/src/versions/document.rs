//! The description of a version's draft or deployed revision: its OpenAPI document, as uploaded;
//! for a SOAP service its WSDL, and for SOAP as REST the OpenAPI document of its resources.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::id::{RevisionId, VersionId};
use tollgate_model::resource::RestService;
use tollgate_store::versions::{self, Offer, Version};
use tollgate_store::{documents, revisions};

use crate::caller::Caller;
use crate::contracts::Made;
use crate::contracts::rest::{self, Title};
use crate::described::made;
use crate::error::Problem;
use crate::gateways::version_path;
use crate::ownership::{self, Sight, not_owner};
use crate::parameters::{Path, Query};
use crate::policies::{self, DocumentExamples};
use crate::state::Control;

/// The gateway's query for the document that a contract starts with.
pub(crate) const MAIN: &str = "wsdl";

/// The configuration to return the document of.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DocumentQuery {
    /// The deployed revision or the draft. By default the deployed revision, or the draft if none
    /// is deployed.
    #[param(inline, example = "draft")]
    of: Option<Of>,
}

/// A configuration of a version.
#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Of {
    /// The deployed revision.
    Deployed,
    /// The draft.
    Draft,
}

/// Download the document of a version.
///
/// For an API of kind `rest` this is the OpenAPI document, as uploaded; for kind
/// `soap_to_rest` the OpenAPI 3.1 document of the enabled resources; for kind `soap` the WSDL with
/// the gateway's address, as gateways serve it and its schemas at `?wsdl`. For the API's owner and
/// administrators; others get the document of a deployed SOAP service in the catalogue.
#[utoipa::path(
    get, path = "/api/v1/versions/{version}/document", tag = "documents",
    params(("version" = VersionId, Path), DocumentQuery),
    responses((status = 200, description = "The document", content(
        (Object = "application/json"), (String = "application/yaml"), (String = "text/xml"),
    ))),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    caller: Caller,
    Path(id): Path<VersionId>,
    Query(query): Query<DocumentQuery>,
) -> Result<Response, Problem> {
    let (offer, sight) = ownership::version(&control, &caller, id).await?;
    let version = &offer.version;
    let of = match sight {
        Sight::Whole => query.of,
        // The uploaded document names servers, and drafts are for the owner only.
        Sight::Catalogue if version.kind == Kind::Rest => return Err(not_owner()),
        Sight::Catalogue if matches!(query.of, Some(Of::Draft)) => return Err(not_owner()),
        Sight::Catalogue => Some(Of::Deployed),
    };
    if version.kind == Kind::Rest {
        return uploaded(&control, version, of).await;
    }
    let configuration = configuration(&control, version, of).await?;
    let made = made(&control, &offer, &configuration).await?;
    let Offer { api, version } = offer;
    let path = version_path(&api.context, &version.name);
    let title = Title {
        server: control.contracts.address(&path),
        api: api.name,
        version: version.name,
        security: configuration.security(),
    };
    match configuration.soap.and_then(|soap| soap.rest) {
        Some(rest) => described(made, rest, title).await,
        None => {
            let main = made
                .contract
                .documents
                .iter()
                .find(|document| document.query == MAIN)
                .ok_or_else(|| Problem::unknown("document"))?;
            file(
                "text/xml; charset=utf-8",
                "contract.wsdl",
                control.contracts.with_gateway(&main.text).into_bytes(),
            )
        }
    }
}

/// Responds with the document of a revision or of the draft, as uploaded.
async fn uploaded(
    control: &Control,
    version: &Version,
    of: Option<Of>,
) -> Result<Response, Problem> {
    let store = &control.store;
    let found = match revision(version, of)? {
        Some(revision) => documents::of_revision(store, revision).await?,
        None => documents::of_draft(store, version.id).await?,
    };
    let document = found.ok_or_else(|| Problem::unknown("document"))?;
    let name = match document.media_type.as_str() {
        "application/json" => "openapi.json",
        _ => "openapi.yaml",
    };
    file(&document.media_type, name, document.bytes)
}

/// Returns the configuration of the deployed revision or of the draft.
pub(super) async fn configuration(
    control: &Control,
    version: &Version,
    of: Option<Of>,
) -> Result<Configuration, Problem> {
    let store = &control.store;
    match revision(version, of)? {
        Some(revision) => Ok(revisions::by_id(store, revision).await?.1),
        None => Ok(versions::draft(store, version.id).await?.configuration),
    }
}

/// Returns the examples of the document of the deployed revision or of the draft.
pub(super) async fn examples(
    control: &Control,
    version: &Version,
    of: Option<Of>,
    configuration: &Configuration,
) -> Result<DocumentExamples, Problem> {
    let revision = revision(version, of)?;
    let document = async {
        match revision {
            Some(revision) => documents::of_revision(&control.store, revision).await,
            None => documents::of_draft(&control.store, version.id).await,
        }
    };
    policies::examples(&mut control.importing.admission(), configuration, document).await
}

/// Returns the requested revision; `None` for the draft.
pub(super) fn revision(version: &Version, of: Option<Of>) -> Result<Option<RevisionId>, Problem> {
    match (of, version.deployed) {
        (None | Some(Of::Deployed), Some(deployed)) => Ok(Some(deployed)),
        (Some(Of::Deployed), None) => Err(Problem::unknown("deployment")),
        (None, None) | (Some(Of::Draft), _) => Ok(None),
    }
}

/// Responds with the OpenAPI document of the enabled resources.
async fn described(made: Arc<Made>, rest: RestService, title: Title) -> Result<Response, Problem> {
    let describing = tokio::task::spawn_blocking(move || rest::document(&made, &rest, &title));
    let document = describing
        .await
        .map_err(|error| Problem::internal(&error))?
        .map_err(|detail| Problem::conflict("soap.contract", detail))?;
    file("application/json", "openapi.json", document.into_bytes())
}

/// Responds with a document as a file with this name.
fn file(media_type: &str, name: &str, bytes: Vec<u8>) -> Result<Response, Problem> {
    let value = |text: &str| HeaderValue::try_from(text).map_err(|error| Problem::internal(&error));
    let headers = [
        (header::CONTENT_TYPE, value(media_type)?),
        (
            header::CONTENT_DISPOSITION,
            value(&format!("attachment; filename=\"{name}\""))?,
        ),
    ];
    Ok((headers, bytes).into_response())
}
