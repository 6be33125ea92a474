//! The OpenAPI document of a configuration, as its callers read it: based on the uploaded document
//! or, for SOAP as REST, on the contract.

use std::sync::Arc;

use tollgate_model::api::{Configuration, Kind};
use tollgate_model::fault::Fault;
use tollgate_openapi::{Limits, Published, PublishedDocument, PublishedOperation, published};
use tollgate_store::apis::Api;
use tollgate_store::contracts;
use tollgate_store::versions::Offer;

use crate::contracts::Made;
use crate::contracts::rest::{self, Title};
use crate::error::Problem;
use crate::gateways::version_path;
use crate::state::Control;

/// Bytes that the document of a contract may have.
const GENERATED_BYTES: usize = 4 << 20;

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

/// A document to generate.
pub(crate) struct Generation {
    api: Api,
    version: String,
    configuration: Configuration,
    addresses: Addresses,
    basis: Option<Basis>,
}

impl Generation {
    /// Reads the basis of the document.
    ///
    /// # Errors
    /// 409 `soap.contract` if the contract cannot be read; 404 for a SOAP service without one.
    pub(crate) async fn prepare(
        control: &Control,
        source: Source<'_>,
        addresses: Addresses,
    ) -> Result<Self, Problem> {
        let Offer { api, version } = source.offer;
        let configuration = source.configuration.clone();
        let basis = match version.kind {
            Kind::Rest => source.uploaded.map(|bytes| Basis::Uploaded(bytes.to_vec())),
            Kind::Soap | Kind::SoapToRest => {
                let made = made(control, source.offer, &configuration).await?;
                let title = Title {
                    api: api.name.clone(),
                    version: version.name.clone(),
                    server: addresses.server.clone(),
                    security: configuration.security(),
                };
                Some(Basis::Resources(made, title))
            }
        };
        Ok(Self {
            api: api.clone(),
            version: version.name.clone(),
            configuration,
            addresses,
            basis,
        })
    }

    /// Returns the bytes of the uploaded document, or those that a document of a contract may have.
    pub(crate) fn bytes(&self) -> usize {
        match &self.basis {
            Some(Basis::Uploaded(bytes)) => bytes.len(),
            Some(Basis::Resources(..)) => GENERATED_BYTES,
            None => 0,
        }
    }

    /// Generates the document, which takes a while if it is large.
    ///
    /// # Errors
    /// 409 `soap.contract` if the contract cannot be read; `not_read` of the fault if the uploaded
    /// document cannot.
    pub(crate) fn run(
        self,
        limits: Limits,
        not_read: impl FnOnce(Fault) -> Problem,
    ) -> Result<PublishedDocument, Problem> {
        let uploaded = text_of(self.basis, &self.configuration)?;
        let security = self.configuration.security();
        let facts = Published {
            title: &self.api.name,
            version: &self.version,
            description: &self.api.description,
            server: &self.addresses.server,
            security: &security,
            token_url: self.addresses.token_url.as_deref(),
            operations: &operations(&self.configuration),
        };
        published(uploaded.as_deref(), &facts, limits).map_err(not_read)
    }
}

/// Returns the problem of an uploaded document that was read before and cannot be read now.
pub(crate) fn unreadable(fault: Fault) -> Problem {
    Problem::conflict("document.kept", fault.detail)
}

/// Generates the document. `guard` is held until that has ended, also if the caller is cancelled.
///
/// # Errors
/// Fails like the methods of [`Generation`], with 409 `document.kept` if the uploaded document
/// cannot be read.
pub(crate) async fn generate(
    control: &Control,
    source: Source<'_>,
    addresses: Addresses,
    guard: impl Send + 'static,
) -> Result<PublishedDocument, Problem> {
    let generation = Generation::prepare(control, source, addresses).await?;
    let generating = tokio::task::spawn_blocking(move || {
        let _guard = guard;
        generation.run(Limits::default(), unreadable)
    });
    generating
        .await
        .map_err(|error| Problem::internal(&error))?
}

/// Returns the compiled contract of a version's configuration.
///
/// # Errors
/// 404 `contract.unknown` if it has none; 409 `soap.contract` if it cannot be compiled.
pub(crate) async fn made(
    control: &Control,
    offer: &Offer,
    configuration: &Configuration,
) -> Result<Arc<Made>, Problem> {
    let unknown = || Problem::unknown("contract");
    let soap = configuration.soap.as_ref().ok_or_else(unknown)?;
    let Offer { api, version } = offer;
    let documents = contracts::documents(&control.store, version.id, &soap.contract).await?;
    let path = version_path(&api.context, &version.name);
    let made = control.contracts.of(&path, configuration, documents).await;
    made.map_err(|detail| Problem::conflict("soap.contract", detail))?
        .ok_or_else(unknown)
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
