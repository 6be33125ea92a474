//! The report of an import for its user: the contents of the contract, and each construct that was
//! not understood.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::documents::{Document, DocumentKind};
use super::name::QName;
use super::notes::Note;
use super::reading::Reading;
use super::table::Found;
use super::wsdl::{Binding, Definitions, Operation, Port, Protocol, Service, Style};
use crate::version::SoapVersion;

/// The report of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The documentation of the contract.
    pub documentation: Option<Box<str>>,
    /// The documents that were read, the main one first; without built-in ones.
    pub documents: Vec<DocumentReport>,
    /// The services.
    pub services: Vec<ServiceReport>,
    /// Constructs that are not understood, or not as written.
    pub notes: Vec<Note>,
}

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentReport {
    /// Its location.
    pub uri: String,
    /// `wsdl` or `schema`
    pub kind: String,
    /// The length of its text in bytes.
    pub bytes: usize,
}

/// A service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceReport {
    /// Its local name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
    /// Its ports.
    pub ports: Vec<PortReport>,
}

/// A port.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortReport {
    /// Its name.
    pub name: String,
    /// The version of SOAP; `None` if it is not SOAP over HTTP and cannot be published.
    pub soap: Option<SoapVersion>,
    /// The address of the back end.
    pub address: Option<String>,
    /// Its operations.
    pub operations: Vec<OperationReport>,
}

/// An operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationReport {
    /// Its name.
    pub name: String,
    /// Its `soapAction`.
    pub action: Option<String>,
    /// `document` or `rpc`
    pub style: String,
    /// Whether one of its messages is SOAP-encoded.
    pub is_encoded: bool,
    /// Whether it has no response.
    pub is_one_way: bool,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
}

pub(super) fn build_report(
    definitions: &Definitions,
    reading: &mut Reading,
    reached: &[&Document],
) -> Report {
    let services = definitions.services.iter();
    let services = services
        .map(|service| service_report(definitions, reading, service))
        .collect();
    let documents = reached.iter().filter_map(|document| {
        let kind = match document.kind {
            DocumentKind::Wsdl => "wsdl",
            DocumentKind::Schema => "schema",
            DocumentKind::Unread => return None,
        };
        Some(DocumentReport {
            uri: document.uri.clone(),
            kind: kind.to_owned(),
            bytes: document.text.len(),
        })
    });
    Report {
        documentation: definitions.documentation.clone(),
        documents: documents.collect(),
        services,
        notes: reading.notes.to_notes(&reading.sources),
    }
}

fn service_report(
    definitions: &Definitions,
    reading: &mut Reading,
    service: &Service,
) -> ServiceReport {
    let ports = service.ports.iter();
    ServiceReport {
        name: service.name.local.to_string(),
        namespace: service.name.namespace.to_string(),
        documentation: service.documentation.clone(),
        ports: ports
            .map(|port| port_report(definitions, reading, port))
            .collect(),
    }
}

fn port_report(definitions: &Definitions, reading: &mut Reading, port: &Port) -> PortReport {
    let mut report = PortReport {
        name: port.name.clone(),
        soap: None,
        address: port.address.clone(),
        operations: Vec::new(),
    };
    let Some(binding) = binding(definitions, reading, port) else {
        return report;
    };
    match binding.protocol {
        Protocol::Soap(version) => report.soap = Some(version),
        Protocol::Http => note_port(reading, port, "is bound to plain HTTP"),
        Protocol::OtherTransport(_) => note_port(reading, port, "is SOAP over another transport"),
        Protocol::Unknown => note_port(reading, port, "is bound to an unknown protocol"),
    }
    report.operations = operation_reports(definitions, binding);
    report
}

fn note_port(reading: &mut Reading, port: &Port, why: &str) {
    let detail = format!("the port `{}` {why} and cannot be published", port.name);
    reading.notes.push("wsdl.port", port.place, detail);
}

fn binding<'a>(
    definitions: &'a Definitions,
    reading: &mut Reading,
    port: &Port,
) -> Option<&'a Binding> {
    match definitions.bindings.find(&port.binding) {
        Some(Found::Exact(binding)) => Some(binding),
        Some(Found::Loose(name, binding)) => {
            note_loose_name(reading, port, &port.binding, name);
            Some(binding)
        }
        None => {
            let why = format!(
                "names the binding `{}`, which is not defined,",
                port.binding
            );
            note_port(reading, port, &why);
            None
        }
    }
}

fn note_loose_name(reading: &mut Reading, port: &Port, written: &QName, found: &QName) {
    let detail = format!("`{written}` is not defined; `{found}` is used instead");
    reading.notes.push("wsdl.loose_name", port.place, detail);
}

fn operation_reports(definitions: &Definitions, binding: &Binding) -> Vec<OperationReport> {
    let port_type = match definitions.port_types.find(&binding.port_type) {
        Some(Found::Exact(port_type) | Found::Loose(_, port_type)) => Some(port_type),
        None => None,
    };
    let declared = port_type
        .into_iter()
        .flat_map(|port_type| &port_type.operations);
    let by_name: BTreeMap<&str, &Operation> = declared
        .map(|operation| (operation.name.as_str(), operation))
        .collect();
    let operations = binding.operations.iter().map(|bound| {
        let declared = by_name.get(bound.name.as_str());
        let messages = [&bound.input, &bound.output];
        OperationReport {
            name: bound.name.clone(),
            action: bound.action.clone(),
            style: match bound.style {
                Style::Document => "document".to_owned(),
                Style::Rpc => "rpc".to_owned(),
            },
            is_encoded: messages
                .into_iter()
                .flatten()
                .any(|message| message.is_encoded),
            is_one_way: declared.is_some_and(|operation| operation.output.is_none()),
            documentation: declared.and_then(|operation| operation.documentation.clone()),
        }
    });
    operations.collect()
}
