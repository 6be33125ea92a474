//! The contents of a WSDL 1.1 contract: services, ports, bindings, port types, messages.

use std::collections::BTreeMap;

use super::name::QName;
use super::notes::Place;
use super::table::Table;
use crate::version::SoapVersion;

mod binding;
mod policy;
mod read;
mod reader;

pub(super) use reader::Reader;

/// All documents of a contract combined.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    /// The services, those of the main document first.
    pub services: Vec<Service>,
    /// The bindings.
    pub bindings: Table<Binding>,
    /// The port types.
    pub port_types: Table<PortType>,
    /// The messages.
    pub messages: Table<Message>,
    /// The documentation of the main document.
    pub documentation: Option<Box<str>>,
}

/// A service.
#[derive(Debug, Clone)]
pub struct Service {
    /// Its name.
    pub name: QName,
    /// Its ports.
    pub ports: Vec<Port>,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
}

/// A port: a binding at an address.
#[derive(Debug, Clone)]
pub struct Port {
    /// Its name, unique in its service.
    pub name: String,
    /// Its binding.
    pub binding: QName,
    /// Its address; `None` if the contract has none.
    pub address: Option<String>,
    /// Whether it requires more than plain SOAP, such as WS-Addressing or signatures.
    pub requires_more: bool,
    /// Its position.
    pub place: Place,
}

/// The protocol of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// SOAP over HTTP.
    Soap(SoapVersion),
    /// SOAP over something else.
    OtherTransport(SoapVersion),
    /// Plain HTTP: `http:binding`.
    Http,
    /// Another protocol.
    Unknown,
}

/// A binding.
#[derive(Debug, Clone)]
pub struct Binding {
    /// Its port type.
    pub port_type: QName,
    /// Its protocol.
    pub protocol: Protocol,
    /// Its operations.
    pub operations: Vec<BoundOperation>,
    /// Whether it requires more than plain SOAP, such as WS-Addressing or signatures.
    pub requires_more: bool,
    /// Its position.
    pub place: Place,
}

/// The style of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The parts are the children of the body.
    Document,
    /// The parts are children of a wrapper that has the operation's name.
    Rpc,
}

/// An operation of a binding.
#[derive(Debug, Clone)]
pub struct BoundOperation {
    /// Its name.
    pub name: String,
    /// `soapAction`; `None` if absent.
    pub action: Option<String>,
    /// Its style.
    pub style: Style,
    /// The binding of its input.
    pub input: Option<BoundMessage>,
    /// The binding of its output.
    pub output: Option<BoundMessage>,
    /// The faults that it binds, by name; `true` for encoded ones.
    pub faults: BTreeMap<String, bool>,
    /// Its position.
    pub place: Place,
}

/// The binding of a message to an envelope.
#[derive(Debug, Clone, Default)]
pub struct BoundMessage {
    /// The name that distinguishes overloaded operations; empty for none.
    pub name: String,
    /// The parts in the body; `None` for all that are not bound elsewhere.
    pub parts: Option<Vec<String>>,
    /// `use="encoded"`
    pub is_encoded: bool,
    /// The namespace of the wrapper of an rpc message.
    pub namespace: Option<String>,
    /// The header blocks.
    pub headers: Vec<BoundHeader>,
    /// Parts sent as attachments: `mime:content`.
    pub attachments: Vec<String>,
}

/// A header block.
#[derive(Debug, Clone)]
pub struct BoundHeader {
    /// The message with the part.
    pub message: QName,
    /// The part.
    pub part: String,
    /// `use="encoded"`
    pub is_encoded: bool,
    /// Its position.
    pub place: Place,
}

/// A port type.
#[derive(Debug, Clone)]
pub struct PortType {
    /// Its operations.
    pub operations: Vec<Operation>,
    /// Its position.
    pub place: Place,
}

/// An operation of a port type.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Its name; not unique if it is overloaded.
    pub name: String,
    /// The message sent to the service.
    pub input: Option<Carried>,
    /// The message returned by the service.
    pub output: Option<Carried>,
    /// Whether the output comes first, as in a notification.
    pub is_from_service: bool,
    /// The faults.
    pub faults: Vec<Carried>,
    /// Its documentation.
    pub documentation: Option<Box<str>>,
    /// Its position.
    pub place: Place,
}

/// An input, output or fault of an operation.
#[derive(Debug, Clone)]
pub struct Carried {
    /// Its name; empty for none.
    pub name: String,
    /// Its message.
    pub message: QName,
    /// Its position.
    pub place: Place,
}

/// A message.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its parts.
    pub parts: Vec<Part>,
    /// Its position.
    pub place: Place,
}

/// A part of a message.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: PartKind,
    /// Its position.
    pub place: Place,
}

/// The kind of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// A global element.
    Element(QName),
    /// A type.
    Type(QName),
    /// Neither is declared.
    Nothing,
}
