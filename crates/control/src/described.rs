//! The OpenAPI document of a configuration, as its callers read it: based on the uploaded document
//! or, for SOAP as REST, on the contract.

use std::sync::Arc;

use tollgate_model::api::{Configuration, Kind};
use tollgate_openapi::{Limits, Published, PublishedDocument, PublishedOperation, published};
use tollgate_store::apis::Api;
use tollgate_store::contracts;
use tollgate_store::versions::{Offer, Version};

use crate::contracts::Made;
use crate::contracts::rest::{self, Title};
use crate::error::Problem;
use crate::state::Control;

/// The addresses in a document.
#[derive(Debug, Clone)]
pub(crate) struct Addresses {
    /// The version's URL at the gateway.
    pub(crate) server: String,
    /// The URL of the token endpoint, if there is an issuer.
    pub(crate) token_url: Option<String>,
}

/// A configuration of a version, and its uploaded document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'d> {
    pub(crate) offer: &'d Offer,
    pub(crate) configuration: &'d Configuration,
    pub(crate) uploaded: Option<&'d [u8]>,
}

/// Generates the document. `guard` is held until that has ended, also if the caller is cancelled.
///
/// # Errors
/// 409 `soap.contract` if the contract cannot be read, `document.kept` if the uploaded document
/// cannot; 404 for a SOAP service without a contract.
pub(crate) async fn generate(
    control: &Control,
    source: Source<'_>,
    addresses: Addresses,
    guard: impl Send + 'static,
) -> Result<PublishedDocument, Problem> {
    let Offer { api, version } = source.offer;
    let configuration = source.configuration.clone();
    let basis = match version.kind {
        Kind::Rest => source.uploaded.map(|bytes| Basis::Uploaded(bytes.to_vec())),
        Kind::Soap | Kind::SoapToRest => {
            let made = made(control, (api, version), &configuration).await?;
            let title = Title {
                api: api.name.clone(),
                version: version.name.clone(),
                server: addresses.server.clone(),
                security: configuration.security(),
            };
            Some(Basis::Resources(made, title))
        }
    };
    let (api, version) = (api.clone(), version.name.clone());
    let generating = tokio::task::spawn_blocking(move || {
        let _guard = guard;
        let uploaded = text_of(basis, &configuration)?;
        let security = configuration.security();
        let facts = Published {
            title: &api.name,
            version: &version,
            description: &api.description,
            server: &addresses.server,
            security: &security,
            token_url: addresses.token_url.as_deref(),
            operations: &operations(&configuration),
        };
        let document = published(uploaded.as_deref(), &facts, Limits::default());
        document.map_err(|fault| Problem::conflict("document.kept", fault.detail))
    });
    generating
        .await
        .map_err(|error| Problem::internal(&error))?
}

/// Returns the compiled contract of a configuration.
///
/// # Errors
/// 404 `contract.unknown` if it has none; 409 `soap.contract` if it cannot be compiled.
pub(crate) async fn made(
    control: &Control,
    (api, version): (&Api, &Version),
    configuration: &Configuration,
) -> Result<Arc<Made>, Problem> {
    let unknown = || Problem::unknown("contract");
    let soap = configuration.soap.as_ref().ok_or_else(unknown)?;
    let documents = contracts::documents(&control.store, version.id, &soap.contract).await?;
    let place = (api.context.as_str(), version.name.as_str());
    let made = control.contracts.of(place, configuration, documents).await;
    let made = made.map_err(|detail| Problem::conflict("soap.contract", detail))?;
    made.ok_or_else(unknown)
}

/// The basis of a generated document.
enum Basis {
    /// The uploaded OpenAPI document.
    Uploaded(Vec<u8>),
    /// The resources of a SOAP service.
    Resources(Arc<Made>, Title),
}

/// Returns the document to publish, if there is one.
fn text_of(
    basis: Option<Basis>,
    configuration: &Configuration,
) -> Result<Option<Vec<u8>>, Problem> {
    let rest = configuration
        .soap
        .as_ref()
        .and_then(|soap| soap.rest.as_ref());
    match (basis, rest) {
        (Some(Basis::Uploaded(bytes)), _) => Ok(Some(bytes)),
        (Some(Basis::Resources(made, title)), Some(rest)) => {
            let text = rest::document(&made, rest, &title);
            let text = text.map_err(|detail| Problem::conflict("soap.contract", detail))?;
            Ok(Some(text.into_bytes()))
        }
        _ => Ok(None),
    }
}

/// Returns the operations that are called with a method and a path.
fn operations(configuration: &Configuration) -> Vec<PublishedOperation<'_>> {
    let plain = configuration.operations.iter();
    let plain = plain.map(|operation| PublishedOperation {
        method: operation.method,
        path: &operation.path,
        summary: operation.summary.as_deref(),
        scopes: &operation.scopes,
        anonymous: operation.anonymous,
    });
    let soap = configuration.soap.iter();
    let resources = soap.flat_map(|soap| {
        let rest = soap.rest.iter().flat_map(|rest| &rest.resources);
        let enabled = rest.filter(|resource| resource.enabled);
        enabled.filter_map(|resource| {
            let mut operations = soap.operations.iter();
            let operation = operations.find(|it| it.name == resource.operation)?;
            Some(PublishedOperation {
                method: resource.method,
                path: &resource.path,
                summary: None,
                scopes: &operation.scopes,
                anonymous: operation.anonymous,
            })
        })
    });
    plain.chain(resources).collect()
}
