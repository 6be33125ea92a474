//! The report of an import: the contents of a contract, and the parts that are not supported.

use std::collections::HashMap;

use serde::Serialize;
use tollgate_model::compile::ContractOperation;
use tollgate_model::resource::{Resource, RestService};
use tollgate_soap::compile::{Compiled, Ports};
use tollgate_soap::import::{Note, report};

use super::gather::Gathered;
use super::read::upstream_fault;

/// Maximum characters of an address in a note.
const ADDRESS_CHARACTERS_MAX: usize = 200;

/// A report on a contract.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ContractReport {
    /// Documentation in the contract.
    documentation: Option<String>,
    /// The documents of the contract, the main one first.
    documents: Vec<ContractDocumentBody>,
    /// The services.
    services: Vec<ContractService>,
    /// The resource of each operation of the published port, or the reason why it has none; only
    /// for APIs of kind `soap_to_rest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<OperationResource>>,
    /// Parts that are not supported or are changed, and documents that could not be read.
    notes: Vec<ContractNote>,
}

/// The resource of an operation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OperationResource {
    /// Name of the operation.
    #[schema(example = "getOrder")]
    operation: String,
    /// Its resource; absent if the draft has none for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<Resource>,
    /// Reason why it cannot be called as REST, only proxied by an API of kind `soap`; absent if it
    /// can.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "a part of its request is SOAP-encoded")]
    proxy_only: Option<String>,
}

/// A document of the contract.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ContractDocument)]
pub(crate) struct ContractDocumentBody {
    /// Its URL, or its path in the archive.
    uri: String,
    /// `wsdl` or `schema`.
    kind: String,
    /// Its size in bytes.
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
    /// SOAP version, `1.1` or `1.2`; absent for ports that are not SOAP over HTTP, which cannot be
    /// published.
    #[serde(skip_serializing_if = "Option::is_none")]
    soap: Option<&'static str>,
    /// Address of the back end.
    address: Option<String>,
    /// Whether the WSDL for callers contains it: it is the published port, or a SOAP port with the
    /// same address.
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
    /// `document` or `rpc`.
    style: String,
    /// Whether one of its messages is SOAP-encoded: it can be proxied, but not called as REST.
    is_encoded: bool,
    /// Whether it has no response message.
    is_one_way: bool,
}

/// A part of the contract that is not supported or is changed.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ContractNote {
    /// Stable code.
    #[schema(example = "schema.unknown_type")]
    code: String,
    /// URL or path of the document.
    document: String,
    /// Line of its first occurrence; 0 if it has none.
    line: u32,
    /// Explanation, one sentence.
    detail: String,
    /// Number of occurrences in the document.
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

/// Returns the report of an imported contract, including warnings from compiling its port, an
/// address of it that is not proposed as the upstream, and documents that could not be read.
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
    all.notes.extend(address_note(compiled));
    all.notes.splice(..0, failures);
    all
}

/// Returns a note on the address of the port, if it cannot be an upstream.
fn address_note(compiled: &Compiled) -> Option<ContractNote> {
    let address = compiled.address.as_deref()?;
    let fault = upstream_fault(address)?;
    let shown: String = address.chars().take(ADDRESS_CHARACTERS_MAX).collect();
    let (document, line) = compiled.place.clone();
    Some(ContractNote {
        code: "wsdl.address".to_owned(),
        document,
        line,
        detail: format!(
            "the address {shown:?} of the port `{}` is not proposed as the upstream: {fault}",
            compiled.port
        ),
        times: 1,
    })
}

/// Returns the report of a contract with these published ports.
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
    /// Adds the resources of a service for the operations of its contract.
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

/// Converts a service; `is_published` takes the index of a port.
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
