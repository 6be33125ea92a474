//! The published form of a contract: every document is served at the gateway's address, and so are
//! the ports that the gateway serves and all references between the documents. Other ports are left
//! out, as are services that have no other ports.
//!
//! Built-in schemas are served like documents of the contract, unless an import has the location of
//! the specification; imports of documents that are not served lose theirs. Apart from these places
//! the documents are kept byte for byte.

use std::collections::{HashMap, VecDeque};
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
const PUBLIC_HOSTS: [&str; 4] = [
    "www.w3.org/",
    "schemas.xmlsoap.org/",
    "ws-i.org/",
    "docs.oasis-open.org/",
];
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
/// Unread ones are not served.
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
    let mut reached = documents.reached(main);
    reached.retain(|document| document.kind != DocumentKind::Unread);
    let own = reached.len();
    let built_in = built_in(documents, &reached);
    reached.extend(&built_in);
    let address = escaped(address);
    let queries = queries(&reached);
    let located = reached.iter().zip(&queries);
    let mut located = located.map(|(it, query)| (it.uri.as_str(), format!("{address}?{query}")));
    let served = Served {
        documents,
        own: located.by_ref().take(own).collect(),
        built_in: located.collect(),
    };
    let published = reached.iter().zip(&queries).enumerate();
    let published = published.map(|(at, (document, query))| {
        let mut splices = places(document, &address, ports)?;
        let references = document.references.iter();
        splices.extend(references.filter_map(|reference| {
            if at < own {
                served.splice(document, reference)
            } else {
                served.built_in_splice(reference)
            }
        }));
        Ok(Published {
            query: query.clone(),
            text: spliced(&document.text, splices),
        })
    });
    published.collect()
}

/// Returns the built-in schemas that take the place of what these documents refer to, and those
/// that they need.
fn built_in(documents: &Documents, reached: &[&Document]) -> Vec<Document> {
    let references = reached.iter().flat_map(|document| &document.references);
    let is_served = |uri: &str| {
        let found = documents.find(uri);
        found.is_some_and(|found| found.kind != DocumentKind::Unread)
    };
    let known = references.filter(|it| it.is_known());
    let known = known.filter(|it| is_elsewhere(it) && !is_served(&it.uri));
    let mut wanted: VecDeque<String> = known.filter_map(|it| it.namespace.clone()).collect();
    let mut found: Vec<Document> = Vec::new();
    while let Some(namespace) = wanted.pop_front() {
        if found.iter().any(|document| document.uri == namespace) {
            continue;
        }
        let Some(document) = Document::built_in(&namespace) else {
            continue;
        };
        let references = document.references.iter();
        wanted.extend(references.filter_map(|it| it.namespace.clone()));
        found.push(document);
    }
    found
}

/// The locations of the served documents.
struct Served<'d> {
    documents: &'d Documents,
    /// Those of the contract, by their URIs.
    own: HashMap<&'d str, String>,
    /// The built-in ones, by their namespaces.
    built_in: HashMap<&'d str, String>,
}

impl Served<'_> {
    /// Returns the splice for a reference of a document of the contract.
    fn splice(&self, document: &Document, reference: &Reference) -> Option<Splice> {
        let found = self.documents.find(&reference.uri);
        if let Some(location) = found.and_then(|it| self.own.get(it.uri.as_str())) {
            return Some((reference.span.clone(), location.clone()));
        }
        if !is_elsewhere(reference) {
            return None;
        }
        let is_import = reference.kind == ReferenceKind::Import;
        let without = || is_import.then(|| (hint(&document.text, reference), String::new()));
        self.built_in_splice(reference).or_else(without)
    }

    fn built_in_splice(&self, reference: &Reference) -> Option<Splice> {
        let location = self.built_in.get(reference.namespace.as_deref()?)?;
        Some((reference.span.clone(), location.clone()))
    }
}

/// Whether a reference has another location for a well-known schema than its specification does,
/// perhaps at a host that must not be disclosed to callers.
fn is_elsewhere(reference: &Reference) -> bool {
    let host = reference.uri.split_once("://").map(|(_, rest)| rest);
    host.is_none_or(|it| !PUBLIC_HOSTS.iter().any(|public| it.starts_with(public)))
}

/// Returns the range of an import's attribute `schemaLocation` with the white space before it: a
/// hint, which may be left out (XML Schema 1.0 part 1, section 4.2.3).
fn hint(text: &str, Reference { span, .. }: &Reference) -> Range<usize> {
    let name = text[..span.start].rfind("schemaLocation");
    with_space(text, name.unwrap_or(span.start)..span.end + 1)
}

/// Returns the query of each document, numbered in the order in which they are reached.
fn queries(reached: &[&Document]) -> Vec<String> {
    let (mut wsdls, mut schemas) = (0, 0);
    let numbered = reached.iter().map(|document| {
        if document.kind == DocumentKind::Wsdl {
            wsdls += 1;
            return match wsdls {
                1 => "wsdl".to_owned(),
                _ => format!("wsdl={}", wsdls - 1),
            };
        }
        schemas += 1;
        format!("xsd={schemas}")
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
