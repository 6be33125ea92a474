//! A contract as callers get it from a gateway: every document under the gateway's address, the
//! ports that are served there at it, every reference between the documents leading there too. The
//! other ports are left out, with services that have no other.
//!
//! An import of a schema that everybody knows loses the place where it was to be found, unless that
//! is its specification's. The documents stay as they are, byte for byte, but for those places.

use std::collections::HashMap;
use std::ops::Range;

use roxmltree::Node;

use crate::compile::Ports;
use crate::import::DocumentError;
use crate::import::documents::{
    Document, DocumentKind, Documents, Reference, ReferenceKind, parse,
};

/// Where a port says its address (WSDL 1.1, sections 3.8 and 4.1; the SOAP 1.2 binding's note).
const BINDINGS: [&str; 3] = [
    "http://schemas.xmlsoap.org/wsdl/soap/",
    "http://schemas.xmlsoap.org/wsdl/soap12/",
    "http://schemas.xmlsoap.org/wsdl/http/",
];
const ADDRESSING: [&str; 2] = [
    "http://www.w3.org/2005/08/addressing",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
];
/// Where the schemas are that everybody knows.
const PUBLIC_HOSTS: [&str; 3] = ["www.w3.org/", "schemas.xmlsoap.org/", "ws-i.org/"];
const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";

/// A document as callers get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The query that asks for it: `wsdl` for the main one, `wsdl=1`, `xsd=1` for others.
    pub query: String,
    /// In UTF-8.
    pub text: String,
}

/// The documents that `main` needs, itself first, as they are served at `address`, with these
/// ports.
///
/// # Errors
/// A document cannot be read, which none is that was added to the set.
pub fn publish(
    documents: &Documents,
    main: &str,
    address: &str,
    ports: &Ports,
) -> Result<Vec<Published>, DocumentError> {
    let reached = documents.reached(main);
    let queries = queries(&reached);
    let address = escaped(address);
    let published = reached.iter().map(|document| {
        let mut splices = places(document, &address, ports)?;
        for reference in &document.references {
            let found = documents.find(&reference.uri);
            match found.and_then(|it| queries.get(it.uri.as_str())) {
                Some(query) => {
                    splices.push((reference.span.clone(), format!("{address}?{query}")));
                }
                None if is_elsewhere(reference) => {
                    splices.push((hint(&document.text, reference), String::new()));
                }
                None => {}
            }
        }
        Ok(Published {
            query: queries[document.uri.as_str()].clone(),
            text: spliced(&document.text, splices),
        })
    });
    published.collect()
}

/// Whether an import says that a schema which everybody knows is at another place than that of its
/// specification, perhaps at a host that callers should not hear of.
fn is_elsewhere(reference: &Reference) -> bool {
    let host = reference.uri.split_once("://").map(|(_, rest)| rest);
    reference.kind == ReferenceKind::Import
        && host.is_none_or(|it| !PUBLIC_HOSTS.iter().any(|public| it.starts_with(public)))
}

/// The attribute `schemaLocation` of an import, with the white space before it: a hint, which may
/// be left out (XML Schema 1.0 part 1, section 4.2.3).
fn hint(text: &str, Reference { span, .. }: &Reference) -> Range<usize> {
    let name = text[..span.start].rfind("schemaLocation");
    with_space(text, name.unwrap_or(span.start)..span.end + 1)
}

/// The query of each document, numbered in the order in which they are reached.
fn queries<'d>(reached: &[&'d Document]) -> HashMap<&'d str, String> {
    let (mut wsdls, mut schemas) = (0, 0);
    let numbered = reached.iter().map(|document| {
        let query = match document.kind {
            DocumentKind::Wsdl if wsdls == 0 => "wsdl".to_owned(),
            DocumentKind::Wsdl => format!("wsdl={wsdls}"),
            DocumentKind::Schema => format!("xsd={}", schemas + 1),
        };
        match document.kind {
            DocumentKind::Wsdl => wsdls += 1,
            DocumentKind::Schema => schemas += 1,
        }
        (document.uri.as_str(), query)
    });
    numbered.collect()
}

type Splice = (Range<usize>, String);

/// What changes about the services of a document: the addresses of ports that are served, and all
/// of those that are not.
fn places(
    document: &Document,
    address: &str,
    served: &Ports,
) -> Result<Vec<Splice>, DocumentError> {
    if document.kind != DocumentKind::Wsdl {
        return Ok(Vec::new());
    }
    let tree = parse(&document.text)?;
    let mut splices = Vec::new();
    let services = tree.root_element().children();
    for service in services.filter(|node| node.has_tag_name((WSDL, "service"))) {
        let ports = service.children();
        let ports = ports.filter(|node| node.has_tag_name((WSDL, "port")));
        let is_served = |port: &Node<'_, '_>| served.has(&document.uri, port.range().start);
        let (kept, left): (Vec<_>, Vec<_>) = ports.partition(is_served);
        if kept.is_empty() && !left.is_empty() {
            splices.push((with_space(&document.text, service.range()), String::new()));
            continue;
        }
        let left = left
            .iter()
            .map(|port| with_space(&document.text, port.range()));
        splices.extend(left.map(|range| (range, String::new())));
        let all = kept.iter().flat_map(Node::descendants);
        splices.extend(
            all.filter_map(place)
                .map(|place| (place, address.to_owned())),
        );
    }
    Ok(splices)
}

/// The place with the white space before it, so that no empty lines stay.
fn with_space(text: &str, range: Range<usize>) -> Range<usize> {
    text[..range.start].trim_ascii_end().len()..range.end
}

/// Where an element of a port says an address.
fn place(node: Node<'_, '_>) -> Option<Range<usize>> {
    let tag = node.tag_name();
    let namespace = tag.namespace()?;
    if tag.name() == "address" && BINDINGS.contains(&namespace) {
        return node
            .attribute_node("location")
            .map(|attribute| attribute.range_value());
    }
    if tag.name() == "Address" && ADDRESSING.contains(&namespace) {
        let (first, last) = (node.first_child()?, node.last_child()?);
        return Some(first.range().start..last.range().end);
    }
    None
}

/// The text with its splices, and with a declaration that says how it is sent.
fn spliced(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + 64 * splices.len());
    let mut at = declaration(text);
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    if at == 0 {
        out.push('\n');
    }
    for (range, replacement) in splices {
        out.push_str(&text[at..range.start]);
        out.push_str(&replacement);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The bytes of the XML declaration; it may say an encoding that the text has no more.
fn declaration(text: &str) -> usize {
    let is_declared = text.starts_with("<?xml") && text[5..].starts_with(char::is_whitespace);
    let end = is_declared.then(|| text.find("?>")).flatten();
    end.map_or(0, |end| end + 2)
}

/// As the value of an attribute, in either kind of quotes, and as text.
fn escaped(address: &str) -> String {
    let address = address.replace('&', "&amp;").replace('<', "&lt;");
    address.replace('"', "&quot;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests;
