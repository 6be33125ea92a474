//! Downloads for callers of a version: its OpenAPI document, or the WSDL of a SOAP service.
//!
//! Both describe the deployed revision, and the gateway is the only server in them. A document is
//! generated for its first reader and cached for the next ones (`constant.rs`). Its tag is a digest
//! of its inputs, so it is not generated for clients that have it already.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use tollgate_model::api::{Configuration, Kind};
use tollgate_model::feed::ASKED_GATEWAY;
use tollgate_model::id::{RevisionId, VersionId};
use tollgate_store::versions::{self, Offer};
use tollgate_store::{documents, revisions};

use crate::constant::{Constant, Tag, Turn};
use crate::described::{Addresses, Source, generate, made};
use crate::error::Problem;
use crate::gateways::{Asked, version_path};
use crate::parameters::{Path, Query};
use crate::state::Control;
use crate::versions::document::MAIN;

const XML: &str = "text/xml; charset=utf-8";
/// Selects a document of a contract.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PartQuery {
    /// Query of the document's address in the WSDL, such as `xsd=1`; the WSDL itself when absent.
    #[param(example = "xsd=1")]
    document: Option<String>,
}

/// Download the OpenAPI document of a version that can be called.
///
/// It is generated from the deployed revision: the operations are those that are deployed, the
/// gateway is the only server, and the security schemes are those of the version. From an imported
/// document, servers, extensions and references to other documents are removed. APIs of the kind
/// `soap` have no OpenAPI document: 404.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/document", tag = "catalogue",
    operation_id = "document",
    params(
        ("version" = VersionId, Path),
        ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached response"),
    ),
    responses(
        (status = 200, description = "The OpenAPI document", body = Object,
            content_type = "application/json", headers(("ETag" = String))),
        (status = 304, description = "Unchanged: If-None-Match has the current ETag"),
    ),
)]
pub(crate) async fn show(
    State(control): State<Control>,
    asked: Asked,
    Path(id): Path<VersionId>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let described = Described::load(&control, id, &asked).await?;
    let documents = &control.documents;
    let making = described.document(&control);
    documents.answer(&described.tag, &headers, making).await
}

/// Download the contract of a version that can be called, of an API of kind `soap`.
///
/// Returns the WSDL as gateways serve it, with the address that callers use; or, with `document`,
/// one of the documents that it refers to.
#[utoipa::path(
    get, path = "/api/v1/catalogue/{version}/contract", tag = "catalogue",
    operation_id = "contract",
    params(
        ("version" = VersionId, Path),
        PartQuery,
        ("If-None-Match" = Option<String>, Header, description = "The ETag of a cached response"),
    ),
    responses(
        (status = 200, description = "The document", body = String, content_type = "text/xml",
            headers(("ETag" = String))),
        (status = 304, description = "Unchanged: If-None-Match has the current ETag"),
    ),
)]
pub(crate) async fn contract(
    State(control): State<Control>,
    asked: Asked,
    Path(id): Path<VersionId>,
    Query(query): Query<PartQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (offer, _, configuration) = deployed(&control, id).await?;
    if offer.version.kind != Kind::Soap {
        return Err(Problem::unknown("contract"));
    }
    let made = made(&control, &offer, &configuration).await?;
    let wanted = query.document.as_deref().unwrap_or(MAIN);
    let document = made
        .contract
        .documents
        .iter()
        .find(|document| document.query == wanted)
        .ok_or_else(|| Problem::unknown("document"))?;
    let gateway = control
        .gateways
        .url(&asked)
        .unwrap_or_else(|| control.contracts.with_gateway(ASKED_GATEWAY));
    let tag = Tag::of([document.etag.as_bytes(), gateway.as_bytes()]);
    let documents = &control.documents;
    let making = documents.kept_or_made(&tag, async |_turn| {
        let text = document.text.replace(ASKED_GATEWAY, &gateway);
        Ok(Constant::new(XML, tag.clone(), text).private())
    });
    documents.answer(&tag, &headers, making).await
}

/// A version in the catalogue that has an OpenAPI document: the document's inputs and its tag.
pub(super) struct Described {
    pub(super) tag: Tag,
    offer: Offer,
    revision: RevisionId,
    configuration: Configuration,
    addresses: Addresses,
}

impl Described {
    /// Loads the inputs of a version's document.
    ///
    /// # Errors
    /// 404 if the version is not in the catalogue, or is a SOAP service, which has a contract.
    pub(super) async fn load(
        control: &Control,
        id: VersionId,
        asked: &Asked,
    ) -> Result<Self, Problem> {
        let (offer, revision, configuration) = deployed(control, id).await?;
        let Offer { api, version } = &offer;
        if version.kind == Kind::Soap {
            return Err(Problem::unknown("document"));
        }
        let path = version_path(&api.context, &version.name);
        let server = control.address(asked, &path);
        let token_url = control.token_url();
        let revision_text = revision.to_string();
        let about = [&*api.name, &api.description, &version.name, &server];
        let parts = about
            .into_iter()
            .chain([&*revision_text, env!("CARGO_PKG_VERSION")])
            .chain(token_url.as_deref());
        Ok(Self {
            tag: Tag::of(parts.map(str::as_bytes)),
            offer,
            revision,
            configuration,
            addresses: Addresses { server, token_url },
        })
    }

    /// Returns the document from the cache, or generates it.
    pub(super) async fn document(&self, control: &Control) -> Result<Arc<Constant>, Problem> {
        let making = |turn| self.make(control, turn);
        control.documents.kept_or_made(&self.tag, making).await
    }

    async fn make(&self, control: &Control, turn: Turn) -> Result<Constant, Problem> {
        let uploaded = documents::of_revision(&control.store, self.revision).await?;
        let source = Source {
            offer: &self.offer,
            configuration: &self.configuration,
            uploaded: uploaded.as_ref().map(|document| &document.bytes[..]),
        };
        let document = generate(control, source, self.addresses.clone(), turn).await?;
        Ok(Constant::indexed(self.tag.clone(), document).private())
    }
}

/// Returns a version of the catalogue, its deployed revision and that revision's configuration.
pub(super) async fn deployed(
    control: &Control,
    id: VersionId,
) -> Result<(Offer, RevisionId, Configuration), Problem> {
    let unknown = || Problem::unknown("version");
    let offer = versions::with_api(&control.store, id).await?;
    if !offer.version.state.in_catalogue().is_listed(true) {
        return Err(unknown());
    }
    let deployed = offer.version.deployed.ok_or_else(unknown)?;
    let (_, configuration) = revisions::by_id(&control.store, deployed).await?;
    Ok((offer, deployed, configuration))
}

#[cfg(test)]
mod tests;
