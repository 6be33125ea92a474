//! What an import tells: what there is in a contract, and each thing that is not taken over.

use std::collections::HashMap;

use serde::Serialize;
use tollgate_model::compile::ContractOperation;
use tollgate_model::resource::{Resource, RestService};
use tollgate_soap::compile::{Compiled, Ports};
use tollgate_soap::import::{Note, report};

use super::gather::Gathered;

/// What was understood of a contract, and what was not.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ContractReport {
    /// What the contract says of itself.
    documentation: Option<String>,
    /// The documents that were read, the main one first.
    documents: Vec<ContractDocumentBody>,
    /// The services.
    services: Vec<ContractService>,
    /// How each operation of the published port is called as REST, or why it cannot be; in an API
    /// of kind `soap_to_rest` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<OperationResource>>,
    /// What was not understood, or not as it is written; and documents that could not be had.
    notes: Vec<ContractNote>,
}

/// How an operation is called as REST.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OperationResource {
    /// The operation.
    #[schema(example = "getOrder")]
    operation: String,
    /// Its resource; absent where the draft has none for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<Resource>,
    /// Why REST cannot call it, so that only an API of kind `soap` can pass it on; absent where it
    /// can.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "a part of its request is SOAP-encoded")]
    proxy_only: Option<String>,
}

/// A document that was read.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ContractDocument)]
pub(crate) struct ContractDocumentBody {
    /// Where it was found, or its path in the archive.
    uri: String,
    /// `wsdl` or `schema`
    kind: String,
    /// Its length.
    bytes: usize,
}

/// A service.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ContractService {
    /// Its name.
    name: String,
    /// Its namespace.
    namespace: String,
    /// Its ports.
    ports: Vec<ContractPort>,
}

/// A port of a service.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ContractPort {
    /// Its name.
    name: String,
    /// `1.1` or `1.2`; absent for what is not SOAP over HTTP and cannot be published.
    #[serde(skip_serializing_if = "Option::is_none")]
    soap: Option<&'static str>,
    /// The address of the back end.
    address: Option<String>,
    /// Whether callers get a WSDL with it: it is the published port, or SOAP at the same address.
    published: bool,
    /// Its operations.
    operations: Vec<ContractOperationBody>,
}

/// An operation of a port.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ContractOperation)]
pub(crate) struct ContractOperationBody {
    /// Its name.
    name: String,
    /// Its `soapAction`.
    action: Option<String>,
    /// `document` or `rpc`
    style: String,
    /// Whether a message of it is SOAP-encoded: it can be passed on, but not be called as REST.
    is_encoded: bool,
    /// Whether nothing comes back.
    is_one_way: bool,
}

/// Something that is not taken over as it stands.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ContractNote {
    /// Stable code word.
    #[schema(example = "schema.unknown_type")]
    code: String,
    /// The document.
    document: String,
    /// The line of its first occurrence; 0 where it has none.
    line: u32,
    /// One sentence.
    detail: String,
    /// How often it was met in the document.
    times: u32,
}

impl From<Note> for ContractNote {
    fn from(note: Note) -> Self {
        Self {
            code: note.code,
            document: note.document,
            line: note.line,
            detail: note.detail,
            times: note.times,
        }
    }
}

/// The report of a contract, with what compiling its port and gathering its documents adds.
pub(crate) fn of_import(
    report: report::Report,
    compiled: &Compiled,
    gathered: &Gathered,
) -> ContractReport {
    let failures = gathered.failures.iter();
    let failures = failures.map(|(document, detail)| ContractNote {
        code: "wsdl.not_read".to_owned(),
        document: document.clone(),
        line: 0,
        detail: detail.clone(),
        times: 1,
    });
    let mut all = of(report, &compiled.ports);
    let warnings = compiled.warnings.iter().cloned();
    all.notes.extend(warnings.map(ContractNote::from));
    all.notes.splice(..0, failures);
    all
}

/// The report of a contract of which these ports are served.
pub(crate) fn of(report: report::Report, ports: &Ports) -> ContractReport {
    let services = report.services.into_iter().enumerate();
    let services = services.map(|(at, of)| service(of, |port| ports.serves(at, port)));
    let notes = report.notes.into_iter().chain(ports.notes.iter().cloned());
    ContractReport {
        documentation: report.documentation.map(String::from),
        documents: report.documents.into_iter().map(document).collect(),
        services: services.collect(),
        resources: None,
        notes: notes.map(ContractNote::from).collect(),
    }
}

impl ContractReport {
    /// With the resources of a service for the operations of its contract.
    pub(crate) fn with(mut self, rest: Option<&RestService>, known: &[ContractOperation]) -> Self {
        self.resources = rest.map(|rest| {
            let resources = rest.resources.iter();
            let resources: HashMap<_, _> = resources.map(|it| (&it.operation, it)).collect();
            let operations = known.iter().map(|operation| OperationResource {
                operation: operation.name.clone(),
                resource: resources.get(&operation.name).copied().cloned(),
                proxy_only: operation.proxy_only.clone(),
            });
            operations.collect()
        });
        self
    }
}

fn document(document: report::DocumentReport) -> ContractDocumentBody {
    ContractDocumentBody {
        uri: document.uri,
        kind: document.kind,
        bytes: document.bytes,
    }
}

/// A service, of which ports are published by their indices.
fn service(
    service: report::ServiceReport,
    is_published: impl Fn(usize) -> bool,
) -> ContractService {
    let ports = service.ports.into_iter().enumerate();
    ContractService {
        name: service.name,
        namespace: service.namespace,
        ports: ports.map(|(at, of)| port(of, is_published(at))).collect(),
    }
}

fn port(port: report::PortReport, published: bool) -> ContractPort {
    ContractPort {
        name: port.name,
        soap: port.soap.map(|version| version.number()),
        address: port.address,
        published,
        operations: port.operations.into_iter().map(operation).collect(),
    }
}

fn operation(operation: report::OperationReport) -> ContractOperationBody {
    ContractOperationBody {
        name: operation.name,
        action: operation.action,
        style: operation.style,
        is_encoded: operation.is_encoded,
        is_one_way: operation.is_one_way,
    }
}
