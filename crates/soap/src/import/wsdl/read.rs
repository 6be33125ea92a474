//! Reads `wsdl:definitions` into the model.

use roxmltree::Node;

use super::policy::Policies;
use super::reader::{OPERATIONS_MAX, Reader};
use super::{
    Binding, Carried, Message, Operation, Part, PartKind, Port, PortType, Service, binding,
};
use crate::import::ImportError;
use crate::import::name::{self, QName};
use crate::import::reading::{attribute, documentation, elements, tag};

/// Maximum number of ports of a service, and of services of a contract.
const PORTS_MAX: usize = 50;
/// Maximum number of parts of a message.
const PARTS_MAX: usize = 1_000;

impl Reader<'_> {
    /// Reads a document; the caller handles its types and imports.
    pub(in crate::import) fn read(&mut self, root: Node<'_, '_>) -> Result<(), ImportError> {
        attribute(root, "targetNamespace").clone_into(&mut self.target);
        self.policies = Policies::read(root);
        if self.definitions.documentation.is_none() {
            self.definitions.documentation = documentation(root);
        }
        for node in elements(root) {
            self.reading.component()?;
            match tag(node) {
                (name::WSDL, "service") => self.service(node),
                (name::WSDL, "binding") => {
                    let binding = binding::read(self, node);
                    self.keep_binding(node, binding);
                }
                (name::WSDL, "portType") => self.port_type(node),
                (name::WSDL, "message") => self.message(node),
                (name::WSDL, "types" | "import" | "documentation") => {}
                _ => self.extension(node),
            }
        }
        Ok(())
    }

    fn own_name(&mut self, node: Node<'_, '_>) -> QName {
        let target = self.target.clone();
        self.reading.name(&target, attribute(node, "name"))
    }

    fn note_duplicate(&mut self, node: Node<'_, '_>, name: &QName) {
        let place = self.place(node);
        let kind = node.tag_name().name();
        let detail = format!("the {kind} `{name}` exceeds the limit, or its name is already used");
        self.reading.notes.push("wsdl.twice", place, detail);
    }

    fn service(&mut self, node: Node<'_, '_>) {
        let name = self.own_name(node);
        let services = &self.definitions.services;
        if services.len() == PORTS_MAX || services.iter().any(|service| service.name == name) {
            return self.note_duplicate(node, &name);
        }
        let mut ports = Vec::new();
        for child in elements(node) {
            match tag(child) {
                (name::WSDL, "port") if ports.len() < PORTS_MAX => ports.push(self.port(child)),
                (name::WSDL, "documentation") => {}
                _ => self.extension(child),
            }
        }
        self.definitions.services.push(Service {
            name,
            ports,
            documentation: documentation(node),
        });
    }

    fn port(&mut self, node: Node<'_, '_>) -> Port {
        let mut address = None;
        for child in elements(node) {
            match tag(child) {
                (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2 | name::WSDL_HTTP, "address") => {
                    address = Some(attribute(child, "location").to_owned());
                }
                (name::WSDL, "documentation") => {}
                _ => self.extension(child),
            }
        }
        Port {
            name: attribute(node, "name").to_owned(),
            binding: self.reference(node, "binding"),
            address: address.filter(|address| !address.is_empty()),
            requires_more: self.policies.require_of(node),
            place: self.place(node),
        }
    }

    fn keep_binding(&mut self, node: Node<'_, '_>, binding: Binding) {
        let name = self.own_name(node);
        if !self.definitions.bindings.add(name.clone(), binding) {
            self.note_duplicate(node, &name);
        }
    }

    fn port_type(&mut self, node: Node<'_, '_>) {
        let name = self.own_name(node);
        let mut operations = Vec::new();
        for child in elements(node) {
            match tag(child) {
                (name::WSDL, "operation") if operations.len() < OPERATIONS_MAX => {
                    operations.push(self.operation(child));
                }
                (name::WSDL, "documentation") => {}
                _ => self.extension(child),
            }
        }
        let port_type = PortType {
            operations,
            place: self.place(node),
        };
        if !self.definitions.port_types.add(name.clone(), port_type) {
            self.note_duplicate(node, &name);
        }
    }

    fn operation(&mut self, node: Node<'_, '_>) -> Operation {
        let mut operation = Operation {
            name: attribute(node, "name").to_owned(),
            input: None,
            output: None,
            is_from_service: false,
            faults: Vec::new(),
            documentation: documentation(node),
            place: self.place(node),
        };
        for child in elements(node) {
            match tag(child) {
                (name::WSDL, "input") => operation.input = Some(self.carried(child)),
                (name::WSDL, "output") => {
                    operation.is_from_service = operation.input.is_none();
                    operation.output = Some(self.carried(child));
                }
                (name::WSDL, "fault") => {
                    let fault = self.carried(child);
                    operation.faults.push(fault);
                }
                (name::WSDL, "documentation") => {}
                _ => self.extension(child),
            }
        }
        operation
    }

    fn carried(&mut self, node: Node<'_, '_>) -> Carried {
        Carried {
            name: attribute(node, "name").to_owned(),
            message: self.reference(node, "message"),
            place: self.place(node),
        }
    }

    fn message(&mut self, node: Node<'_, '_>) {
        let name = self.own_name(node);
        let mut parts = Vec::new();
        for child in elements(node) {
            match tag(child) {
                (name::WSDL, "part") if parts.len() < PARTS_MAX => parts.push(self.part(child)),
                (name::WSDL, "documentation") => {}
                _ => self.extension(child),
            }
        }
        let message = Message {
            parts,
            place: self.place(node),
        };
        if !self.definitions.messages.add(name.clone(), message) {
            self.note_duplicate(node, &name);
        }
    }

    fn part(&mut self, node: Node<'_, '_>) -> Part {
        let kind = if node.has_attribute("element") {
            PartKind::Element(self.schema_reference(node, "element"))
        } else if node.has_attribute("type") {
            PartKind::Type(self.schema_reference(node, "type"))
        } else {
            PartKind::Nothing
        };
        Part {
            name: attribute(node, "name").to_owned(),
            kind,
            place: self.place(node),
        }
    }

    fn schema_reference(&mut self, node: Node<'_, '_>, key: &str) -> QName {
        let place = self.place(node);
        self.reading
            .reference(node, place, attribute(node, key), "")
    }
}
