//! Selects the port to publish, and the others that are served with it.

use std::collections::BTreeSet;

use super::{Causes, Choice, CompileError};
use crate::import::notes::Notes;
use crate::import::table::Found;
use crate::import::wsdl::{Binding, Port, PortType, Protocol};
use crate::import::{Imported, Note};
use crate::version::SoapVersion;

/// The codes of notes on documents that are missing or unread.
const MISSING: [&str; 2] = ["wsdl.missing", "wsdl.doctype"];

/// A port with its binding and port type.
pub(super) struct Chosen<'a> {
    pub(super) service: &'a str,
    pub(super) port: &'a Port,
    pub(super) binding: &'a Binding,
    /// `None` if the contract has no port type with the name in the binding.
    pub(super) port_type: Option<&'a PortType>,
    pub(super) version: SoapVersion,
}

/// The ports of a contract that are served when one of them is published: those for SOAP over HTTP
/// at its address, in either version. All others are different back ends, or use protocols that are
/// not served.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ports {
    /// The indices of service and port in the report.
    served: BTreeSet<(usize, usize)>,
    /// Their positions: documents and offsets.
    places: BTreeSet<(String, usize)>,
    /// Notes on SOAP ports that are left out.
    pub notes: Vec<Note>,
}

impl Ports {
    /// Returns the ports that are served with the chosen one.
    ///
    /// # Errors
    /// Fails if there is no such port.
    pub fn of(imported: &Imported, choice: &Choice) -> Result<Self, CompileError> {
        Ok(Self::beside(&choose(imported, choice)?, imported))
    }

    pub(super) fn beside(chosen: &Chosen<'_>, imported: &Imported) -> Self {
        let mut all = Self::default();
        let mut notes = Notes::default();
        let services = imported.definitions.services.iter().enumerate();
        for (service_at, service) in services {
            for (at, port) in service.ports.iter().enumerate() {
                let is_soap = soap_binding(imported, port).is_some();
                let is_served = is_soap && port.address == chosen.port.address;
                if is_served || port.place == chosen.port.place {
                    let uri = imported.sources.uri(port.place).to_owned();
                    all.served.insert((service_at, at));
                    all.places.insert((uri, port.place.offset as usize));
                } else if is_soap {
                    let detail = format!(
                        "the port `{}` of the service `{}` is at another address than `{}`, which \
                         is published: callers get a WSDL without it",
                        port.name, service.name.local, chosen.port.name
                    );
                    notes.push("wsdl.port_left_out", port.place, detail);
                }
            }
        }
        all.notes = notes.to_notes(&imported.sources);
        all
    }

    /// Whether the published WSDL has a port, given by the indices of its service and its own in
    /// the report of the contract.
    #[must_use]
    pub fn serves(&self, service: usize, port: usize) -> bool {
        self.served.contains(&(service, port))
    }

    /// Like [`Self::serves`], for the port at an offset of a document.
    pub(crate) fn has(&self, uri: &str, offset: usize) -> bool {
        self.places.contains(&(uri.to_owned(), offset))
    }
}

pub(super) fn choose<'a>(
    imported: &'a Imported,
    choice: &Choice,
) -> Result<Chosen<'a>, CompileError> {
    if let Some(name) = &choice.service {
        let mut services = imported.definitions.services.iter();
        if !services.any(|service| *service.name.local == **name) {
            let causes = Causes::of(imported, &MISSING);
            return Err(CompileError::UnknownService(name.clone(), causes));
        }
    }
    let ports = ports(imported).filter(|port| {
        let service = choice.service.as_deref();
        let name = choice.port.as_deref();
        service.is_none_or(|service| service == port.service)
            && name.is_none_or(|name| name == port.port.name)
    });
    let ports: Vec<Chosen<'a>> = ports.collect();
    let first = ports
        .iter()
        .find(|port| !port.binding.operations.is_empty())
        .or(ports.first());
    let Some(service) = first.map(|port| port.service) else {
        let causes = Causes::of(imported, &["wsdl.port", MISSING[0], MISSING[1]]);
        return Err(match &choice.port {
            Some(port) => CompileError::UnknownPort(port.clone(), causes),
            None => CompileError::NoPort(causes),
        });
    };
    let rank = |port: &Chosen<'_>| {
        let is_empty = port.binding.operations.is_empty();
        let requires_more = port.binding.requires_more || port.port.requires_more;
        (is_empty, requires_more, port.version == SoapVersion::V1_1)
    };
    let of_service = ports.into_iter().filter(|port| port.service == service);
    let preferred = of_service.min_by_key(rank);
    preferred.ok_or_else(|| CompileError::NoPort(Causes::default()))
}

/// Returns the ports for SOAP over HTTP.
fn ports(imported: &Imported) -> impl Iterator<Item = Chosen<'_>> {
    let definitions = &imported.definitions;
    definitions.services.iter().flat_map(move |service| {
        service.ports.iter().filter_map(move |port| {
            let (binding, version) = soap_binding(imported, port)?;
            Some(Chosen {
                service: &service.name.local,
                port,
                binding,
                port_type: component(definitions.port_types.find(&binding.port_type)),
                version,
            })
        })
    })
}

/// Returns the binding of a port for SOAP over HTTP.
fn soap_binding<'a>(imported: &'a Imported, port: &Port) -> Option<(&'a Binding, SoapVersion)> {
    let binding = component(imported.definitions.bindings.find(&port.binding))?;
    match binding.protocol {
        Protocol::Soap(version) => Some((binding, version)),
        _ => None,
    }
}

fn component<T>(found: Option<Found<'_, T>>) -> Option<&T> {
    found.map(|found| match found {
        Found::Exact(component) | Found::Loose(_, component) => component,
    })
}
