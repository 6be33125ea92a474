//! The published form of a contract: every document is served at the gateway's address, and so are
//! the ports that the gateway serves and all references between the documents. Other ports are left
//! out, as are services that have no other ports.
//!
//! Imports of well-known schemas lose their `schemaLocation`, unless it is the one of the
//! specification. Apart from these places the documents are kept byte for byte.

use std::collections::HashMap;
use std::ops::Range;

use roxmltree::Node;

use crate::compile::Ports;
use crate::import::DocumentError;
use crate::import::documents::{
    Document, DocumentKind, Documents, Reference, ReferenceKind, parse,
};

/// The namespaces of the elements that hold a port's address (WSDL 1.1, sections 3.8 and 4.1; the
/// SOAP 1.2 binding's note).
const BINDINGS: [&str; 3] = [
    "http://schemas.xmlsoap.org/wsdl/soap/",
    "http://schemas.xmlsoap.org/wsdl/soap12/",
    "http://schemas.xmlsoap.org/wsdl/http/",
];
const ADDRESSING: [&str; 2] = [
    "http://www.w3.org/2005/08/addressing",
    "http://schemas.xmlsoap.org/ws/2004/08/addressing",
];
/// The hosts of well-known schemas.
const PUBLIC_HOSTS: [&str; 3] = ["www.w3.org/", "schemas.xmlsoap.org/", "ws-i.org/"];
const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";

/// A published document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The query that returns it: `wsdl` for the main one, `wsdl=1`, `xsd=1` for others.
    pub query: String,
    /// The text, in UTF-8.
    pub text: String,
}

/// Returns the documents that `main` needs, `main` first, as served at `address` with these ports.
///
/// # Errors
/// Fails if a document cannot be read, which is impossible for documents that were added to the
/// set.
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

/// Whether an import gives another location for a well-known schema than its specification does,
/// perhaps at a host that must not be disclosed to callers.
fn is_elsewhere(reference: &Reference) -> bool {
    let host = reference.uri.split_once("://").map(|(_, rest)| rest);
    reference.kind == ReferenceKind::Import
        && host.is_none_or(|it| !PUBLIC_HOSTS.iter().any(|public| it.starts_with(public)))
}

/// Returns the range of an import's attribute `schemaLocation` with the white space before it: a
/// hint, which may be left out (XML Schema 1.0 part 1, section 4.2.3).
fn hint(text: &str, Reference { span, .. }: &Reference) -> Range<usize> {
    let name = text[..span.start].rfind("schemaLocation");
    with_space(text, name.unwrap_or(span.start)..span.end + 1)
}

/// Returns the query of each document, numbered in the order in which they are reached.
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

/// Returns the splices for a document's services: the addresses of ports that are served are
/// replaced, all other ports are removed.
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

/// Extends a range by the white space before it, to leave no empty lines.
fn with_space(text: &str, range: Range<usize>) -> Range<usize> {
    text[..range.start].trim_ascii_end().len()..range.end
}

/// Returns the range of the address in an address element of a port.
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

/// Returns the text with its splices, and with a declaration of the encoding in which it is sent.
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

/// Returns the length of the XML declaration, which may name an encoding that no longer applies.
fn declaration(text: &str) -> usize {
    let is_declared = text.starts_with("<?xml") && text[5..].starts_with(char::is_whitespace);
    let end = is_declared.then(|| text.find("?>")).flatten();
    end.map_or(0, |end| end + 2)
}

/// Escapes an address for use as text and as an attribute value in either kind of quotes.
fn escaped(address: &str) -> String {
    let address = address.replace('&', "&amp;").replace('<', "&lt;");
    address.replace('"', "&quot;").replace('\'', "&apos;")
}

#[cfg(test)]
mod tests;
