//! Reads `wsdl:binding` with its extensions for SOAP 1.1, SOAP 1.2, HTTP and MIME.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::reader::{OPERATIONS_MAX, Reader};
use super::{Binding, BoundHeader, BoundMessage, BoundOperation, Protocol, Style};
use crate::import::name;
use crate::import::reading::{attribute, elements, tag};
use crate::version::SoapVersion;

/// The transports that are HTTP; the last three are used by deployed tools.
const HTTP_TRANSPORTS: [&str; 5] = [
    "http://schemas.xmlsoap.org/soap/http",
    "http://www.w3.org/2003/05/soap/bindings/HTTP/",
    "http://schemas.xmlsoap.org/soap/http/",
    "http://schemas.xmlsoap.org/wsdl/soap/http",
    "",
];

/// Maximum number of header blocks of a message.
const HEADERS_MAX: usize = 100;

pub(super) fn read(reader: &mut Reader<'_>, node: Node<'_, '_>) -> Binding {
    let mut protocol = Protocol::Unknown;
    let mut style = Style::Document;
    let mut operations = Vec::new();
    for child in elements(node) {
        match tag(child) {
            (name::WSDL_SOAP_1_1, "binding") => {
                protocol = soap(SoapVersion::V1_1, child);
                style = style_of(child, style);
            }
            (name::WSDL_SOAP_1_2, "binding") => {
                protocol = soap(SoapVersion::V1_2, child);
                style = style_of(child, style);
            }
            (name::WSDL_HTTP, "binding") => protocol = Protocol::Http,
            (name::WSDL, "operation") if operations.len() < OPERATIONS_MAX => {
                let operation = operation(reader, child, style);
                operations.push(operation);
            }
            (name::WSDL, "documentation") => {}
            _ => reader.extension(child),
        }
    }
    Binding {
        port_type: reader.reference(node, "type"),
        protocol,
        operations,
        requires_more: reader.policies.require_of(node),
        place: reader.place(node),
    }
}

fn soap(version: SoapVersion, node: Node<'_, '_>) -> Protocol {
    if HTTP_TRANSPORTS.contains(&attribute(node, "transport")) {
        Protocol::Soap(version)
    } else {
        Protocol::OtherTransport(version)
    }
}

fn style_of(node: Node<'_, '_>, otherwise: Style) -> Style {
    match attribute(node, "style") {
        "rpc" => Style::Rpc,
        "document" => Style::Document,
        _ => otherwise,
    }
}

fn operation(reader: &mut Reader<'_>, node: Node<'_, '_>, style: Style) -> BoundOperation {
    let mut operation = BoundOperation {
        name: attribute(node, "name").to_owned(),
        action: None,
        style,
        input: None,
        output: None,
        faults: BTreeMap::new(),
        place: reader.place(node),
    };
    for child in elements(node) {
        match tag(child) {
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "operation") => {
                operation.action = child.attribute("soapAction").map(str::to_owned);
                operation.style = style_of(child, style);
            }
            (name::WSDL, "input") => operation.input = Some(message(reader, child)),
            (name::WSDL, "output") => operation.output = Some(message(reader, child)),
            (name::WSDL, "fault") => {
                let (name, is_encoded) = fault(reader, child);
                operation.faults.insert(name, is_encoded);
            }
            (name::WSDL, "documentation") | (name::WSDL_HTTP, "operation") => {}
            _ => reader.extension(child),
        }
    }
    operation
}

fn fault(reader: &mut Reader<'_>, node: Node<'_, '_>) -> (String, bool) {
    let mut is_encoded = false;
    for child in elements(node) {
        match tag(child) {
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "fault") => {
                is_encoded = attribute(child, "use") == "encoded";
            }
            (name::WSDL, "documentation") => {}
            _ => reader.extension(child),
        }
    }
    (attribute(node, "name").to_owned(), is_encoded)
}

fn message(reader: &mut Reader<'_>, node: Node<'_, '_>) -> BoundMessage {
    let mut message = BoundMessage {
        name: attribute(node, "name").to_owned(),
        ..BoundMessage::default()
    };
    extensions(reader, node, &mut message);
    message
}

fn extensions(reader: &mut Reader<'_>, node: Node<'_, '_>, message: &mut BoundMessage) {
    for child in elements(node) {
        match tag(child) {
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "body") => body(child, message),
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "header")
                if message.headers.len() < HEADERS_MAX =>
            {
                header(reader, child, message);
            }
            // One level only: nested parts are not expected, and recursion would need a bound.
            (name::WSDL_MIME, "multipartRelated") => {
                for part in elements(child) {
                    match tag(part) {
                        (name::WSDL_MIME, "part") => mime_part(reader, part, message),
                        _ => reader.extension(part),
                    }
                }
            }
            (name::WSDL_MIME, "content") => {
                message
                    .attachments
                    .push(attribute(child, "part").to_owned());
            }
            (name::WSDL, "documentation")
            | (name::WSDL_HTTP, "urlEncoded" | "urlReplacement")
            | (name::WSDL_MIME, "mimeXml") => {}
            _ => reader.extension(child),
        }
    }
}

fn mime_part(reader: &mut Reader<'_>, node: Node<'_, '_>, message: &mut BoundMessage) {
    for child in elements(node) {
        match tag(child) {
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "body") => body(child, message),
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "header")
                if message.headers.len() < HEADERS_MAX =>
            {
                header(reader, child, message);
            }
            (name::WSDL_MIME, "content") => {
                message
                    .attachments
                    .push(attribute(child, "part").to_owned());
            }
            _ => reader.extension(child),
        }
    }
}

fn body(node: Node<'_, '_>, message: &mut BoundMessage) {
    let parts = node.attribute("parts");
    message.parts = parts.map(|parts| parts.split_whitespace().map(str::to_owned).collect());
    message.is_encoded = attribute(node, "use") == "encoded";
    message.namespace = node
        .attribute("namespace")
        .map(|name| name.trim().to_owned());
}

fn header(reader: &mut Reader<'_>, node: Node<'_, '_>, message: &mut BoundMessage) {
    let header = BoundHeader {
        message: reader.reference(node, "message"),
        part: attribute(node, "part").to_owned(),
        is_encoded: attribute(node, "use") == "encoded",
        place: reader.place(node),
    };
    message.headers.push(header);
    for child in elements(node) {
        let place = reader.place(child);
        let detail = "`headerfault` is ignored: a fault of a header has no detail";
        match tag(child) {
            (name::WSDL_SOAP_1_1 | name::WSDL_SOAP_1_2, "headerfault") => {
                reader
                    .reading
                    .notes
                    .push("wsdl.header_fault", place, detail);
            }
            _ => reader.extension(child),
        }
    }
}
