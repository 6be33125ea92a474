//! Which port is published.

use super::{Choice, CompileError};
use crate::import::Imported;
use crate::import::table::Found;
use crate::import::wsdl::{Binding, Port, PortType, Protocol};
use crate::version::SoapVersion;

/// A port with all that it is made of.
pub(super) struct Chosen<'a> {
    pub(super) service: &'a str,
    pub(super) port: &'a Port,
    pub(super) binding: &'a Binding,
    /// `None` where the contract has no port type of the name that the binding says.
    pub(super) port_type: Option<&'a PortType>,
    pub(super) version: SoapVersion,
}

pub(super) fn choose<'a>(
    imported: &'a Imported,
    choice: &Choice,
) -> Result<Chosen<'a>, CompileError> {
    if let Some(wanted) = &choice.service {
        let mut services = imported.definitions.services.iter();
        if !services.any(|service| *service.name.local == **wanted) {
            return Err(CompileError::UnknownService(wanted.clone()));
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
        return Err(match &choice.port {
            Some(port) => CompileError::UnknownPort(port.clone()),
            None => CompileError::NoPort,
        });
    };
    let rank = |port: &Chosen<'_>| {
        let is_empty = port.binding.operations.is_empty();
        (is_empty, port.version == SoapVersion::V1_1)
    };
    let of_service = ports.into_iter().filter(|port| port.service == service);
    of_service.min_by_key(rank).ok_or(CompileError::NoPort)
}

/// The ports that are SOAP over HTTP.
fn ports(imported: &Imported) -> impl Iterator<Item = Chosen<'_>> {
    let definitions = &imported.definitions;
    definitions.services.iter().flat_map(move |service| {
        service.ports.iter().filter_map(move |port| {
            let binding = named(definitions.bindings.find(&port.binding))?;
            let Protocol::Soap(version) = binding.protocol else {
                return None;
            };
            Some(Chosen {
                service: &service.name.local,
                port,
                binding,
                port_type: named(definitions.port_types.find(&binding.port_type)),
                version,
            })
        })
    })
}

fn named<T>(found: Option<Found<'_, T>>) -> Option<&T> {
    found.map(|found| match found {
        Found::Exact(component) | Found::Loose(_, component) => component,
    })
}
