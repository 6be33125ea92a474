//! The documents of a contract and their references.
//!
//! Nothing is fetched here: a caller adds the documents it has, checks which are
//! [missing](Documents::missing), fetches those that are allowed, and repeats. Relative references
//! are resolved against the final location of a document, so redirects move the base; a set of
//! files is a set of relative paths.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use roxmltree::{Document as Tree, Node, ParsingOptions};
use tollgate_xml as xml;

use super::limits::{DocumentError, Limits};
use super::{guard, known, location, name};

/// The kind of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceKind {
    /// `wsdl:import`
    Wsdl,
    /// `xsd:import`
    Import,
    /// `xsd:include`
    Include,
    /// `xsd:redefine`
    Redefine,
}

/// A reference of one document to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its kind.
    pub kind: ReferenceKind,
    /// The namespace of an import; for others that of their schema.
    pub namespace: Option<String>,
    /// Its target, resolved.
    pub uri: String,
    /// The range of the reference in the document's text, without the quotes, for replacing it.
    pub span: Range<usize>,
}

/// A reference to a document that is not in the set, or not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The document.
    pub uri: String,
    /// The document that refers to it first.
    pub from: String,
    /// The line of the reference, from 1.
    pub line: u32,
}

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentKind {
    /// WSDL 1.1
    Wsdl,
    /// XML Schema
    Schema,
    /// It has a document type declaration, so nothing of it is read: it may define entities, which
    /// are never expanded.
    Unread,
}

/// A document of the set.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its final location.
    pub uri: String,
    /// Its kind.
    pub kind: DocumentKind,
    /// The decoded text; the encoding in its XML declaration no longer applies.
    pub text: String,
    /// Its references, in document order.
    pub references: Vec<Reference>,
}

impl Document {
    /// Returns the built-in schema of a namespace, located there. Readers of schemas have their own
    /// one of XML Schema itself.
    pub(crate) fn built_in(namespace: &str) -> Option<Self> {
        let (uri, text) = known::by_namespace(namespace).filter(|(uri, _)| *uri != name::XSD)?;
        let (kind, references) = survey(&parse(text).ok()?, uri).ok()?;
        Some(Self {
            uri: uri.to_owned(),
            kind,
            text: text.to_owned(),
            references,
        })
    }
}

/// A set of documents.
#[derive(Debug, Clone, Default)]
pub struct Documents {
    limits: Limits,
    documents: Vec<Document>,
    by_uri: BTreeMap<String, usize>,
    bytes: usize,
    elements: usize,
}

impl Documents {
    /// Creates an empty set with bounds.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// Adds a document by its URI, or its path in a set of files.
    ///
    /// One with a document type declaration is added as [unread](DocumentKind::Unread), by the name
    /// of its root.
    ///
    /// # Errors
    /// Fails if it cannot be part of a contract; the set is unchanged.
    pub fn add(&mut self, uri: &str, bytes: &[u8]) -> Result<(), DocumentError> {
        self.add_fetched(uri, uri, None, bytes)
    }

    /// Adds a document that was requested at `requested` and found at `uri`, in the `charset` that
    /// the transport declared.
    ///
    /// # Errors
    /// Fails if it cannot be part of a contract; the set is unchanged.
    pub fn add_fetched(
        &mut self,
        requested: &str,
        uri: &str,
        charset: Option<&str>,
        bytes: &[u8],
    ) -> Result<(), DocumentError> {
        let (requested, uri) = (location::normal(requested), location::normal(uri));
        if let Some(&at) = self.by_uri.get(&uri) {
            self.by_uri.insert(requested, at);
            return Ok(());
        }
        if self.documents.len() == self.limits.documents_max {
            return Err(DocumentError::TooMany(self.limits.documents_max));
        }
        self.hold_to_bytes(bytes.len())?;
        let text = decode(bytes, charset, &self.limits)?;
        let text = text.as_str().to_owned();
        self.hold_to_bytes(text.len())?;
        let (elements, kind, references) = match self.survey(&text, &uri) {
            Err(DocumentError::Doctype) => match guard::root(&text)?.local_name().into_inner() {
                "definitions" | "schema" => (self.elements, DocumentKind::Unread, Vec::new()),
                other => return Err(DocumentError::Root(other.chars().take(80).collect())),
            },
            surveyed => surveyed?,
        };
        self.bytes += text.len();
        self.elements = elements;
        let at = self.documents.len();
        self.documents.push(Document {
            uri: uri.clone(),
            kind,
            text,
            references,
        });
        self.by_uri.insert(uri, at);
        self.by_uri.insert(requested, at);
        Ok(())
    }

    /// Returns the elements of the set with this document, its kind and its references.
    fn survey(
        &self,
        text: &str,
        uri: &str,
    ) -> Result<(usize, DocumentKind, Vec<Reference>), DocumentError> {
        let elements = self.elements + guard::check(text, &self.limits)?;
        if elements > self.limits.elements_max {
            return Err(DocumentError::TooManyElements(self.limits.elements_max));
        }
        let (kind, references) = survey(&parse(text)?, uri)?;
        Ok((elements, kind, references))
    }

    /// Whether the root of a document is that of a WSDL 1.1 contract. Nothing behind it is read.
    ///
    /// # Errors
    /// Fails if the document is not text, or malformed before the end of its root's tag.
    pub fn is_contract(bytes: &[u8]) -> Result<bool, DocumentError> {
        let text = decode(bytes, None, &Limits::default())?;
        let root = guard::root(text.as_str())?;
        Ok(guard::is_named(&root, name::WSDL, "definitions"))
    }

    /// Returns the total bytes of all texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the document that was added with this URI.
    #[must_use]
    pub fn find(&self, uri: &str) -> Option<&Document> {
        let at = self.by_uri.get(&location::normal(uri))?;
        self.documents.get(*at)
    }

    /// Returns the contracts that no other document of the set refers to: one of them is the main
    /// document of a set of files. Documents that are unread may be contracts.
    #[must_use]
    pub fn mains(&self) -> Vec<&str> {
        let references = self.documents.iter().flat_map(|document| {
            let others = document.references.iter();
            others
                .filter_map(|reference| self.find(&reference.uri))
                .filter(|found| found.uri != document.uri)
        });
        let referred: BTreeSet<&str> = references.map(|found| found.uri.as_str()).collect();
        let documents = self.documents.iter();
        let contracts = documents.filter(|document| document.kind != DocumentKind::Schema);
        let uris = contracts.map(|document| document.uri.as_str());
        uris.filter(|uri| !referred.contains(uri)).collect()
    }

    /// Returns the documents missing from the set that `main` needs, over any number of steps; at
    /// most as many as a set may hold. Schemas of well-known namespaces are built in and never
    /// missing, so a set of only missing documents has no copies of them. Contracts that earlier
    /// releases stored have copies, which are read as they were.
    #[must_use]
    pub fn missing(&self, main: &str) -> Vec<Missing> {
        self.closure(main).missing
    }

    /// Returns the URIs of the missing documents that one document refers to; see
    /// [`Self::missing`].
    #[must_use]
    pub fn wanted_by(&self, uri: &str) -> Vec<String> {
        let references = self.find(uri).into_iter().flat_map(|it| &it.references);
        let wanted = references.filter(|it| !it.is_known() && self.find(&it.uri).is_none());
        wanted.map(|it| it.uri.clone()).collect()
    }

    /// Returns the documents that `main` needs, `main` first, also those that are unread.
    #[must_use]
    pub fn reached(&self, main: &str) -> Vec<&Document> {
        self.closure(main).reached
    }

    /// Returns the unread documents that `main` needs, with the first reference to each.
    pub(crate) fn unread(&self, main: &str) -> Vec<Missing> {
        self.closure(main).unread
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    fn closure(&self, main: &str) -> Closure<'_> {
        let mut found = Closure::default();
        let mut seen = BTreeSet::new();
        let mut queue: VecDeque<&Document> = self.find(main).into_iter().collect();
        seen.extend(queue.front().map(|document| document.uri.as_str()));
        while let Some(document) = queue.pop_front() {
            found.reached.push(document);
            // References are in document order, so lines are counted once.
            let (mut line, mut counted) = (1, 0);
            for reference in &document.references {
                let next = self.find(&reference.uri);
                let is_read = next.is_some_and(|next| next.kind != DocumentKind::Unread);
                let uri = next.map_or(&reference.uri, |next| &next.uri);
                let is_enough = next.is_none() && found.missing.len() == self.limits.documents_max;
                if (!is_read && reference.is_known()) || is_enough || !seen.insert(uri) {
                    continue;
                }
                queue.extend(next);
                if is_read {
                    continue;
                }
                let more = document.text.get(counted..reference.span.start);
                line += guard::line_ends(more.unwrap_or_default());
                counted = reference.span.start;
                let lacking = if next.is_some() {
                    &mut found.unread
                } else {
                    &mut found.missing
                };
                lacking.push(Missing {
                    uri: uri.clone(),
                    from: document.uri.clone(),
                    line,
                });
            }
        }
        found
    }

    fn hold_to_bytes(&self, more: usize) -> Result<(), DocumentError> {
        if self.bytes.saturating_add(more) > self.limits.bytes_max {
            return Err(DocumentError::TooLarge(self.limits.bytes_max));
        }
        Ok(())
    }
}

/// The documents that a main document needs.
#[derive(Default)]
struct Closure<'d> {
    reached: Vec<&'d Document>,
    missing: Vec<Missing>,
    unread: Vec<Missing>,
}

impl Reference {
    /// Whether the referenced schema is built in.
    pub(crate) fn is_known(&self) -> bool {
        let namespace = self.namespace.as_deref();
        namespace.is_some_and(|namespace| known::by_namespace(namespace).is_some())
    }
}

fn decode<'b>(
    bytes: &'b [u8],
    charset: Option<&str>,
    limits: &Limits,
) -> Result<xml::Text<'b>, DocumentError> {
    let bounds = xml::Bounds {
        bytes_max: limits.bytes_max,
        ..xml::Bounds::default()
    };
    xml::decode(bytes, charset, bounds).map_err(DocumentError::Encoding)
}

/// Parses a text that has passed the guard.
pub(crate) fn parse(text: &str) -> Result<Tree<'_>, DocumentError> {
    let options = ParsingOptions {
        allow_dtd: false,
        // The guard has counted the elements; the nodes between them are limited by the bytes.
        nodes_limit: u32::MAX,
        entity_resolver: None,
    };
    Tree::parse_with_options(text, options).map_err(|error| match error {
        roxmltree::Error::DtdDetected => DocumentError::Doctype,
        error => DocumentError::Malformed {
            line: error.pos().row,
            fault: error.to_string(),
        },
    })
}

fn survey(tree: &Tree<'_>, uri: &str) -> Result<(DocumentKind, Vec<Reference>), DocumentError> {
    let root = tree.root_element();
    let tag = root.tag_name();
    let kind = match (tag.namespace().unwrap_or_default(), tag.name()) {
        (name::WSDL, "definitions") => DocumentKind::Wsdl,
        (name::XSD, "schema") => DocumentKind::Schema,
        (name::WSDL_2, _) => return Err(DocumentError::Wsdl2),
        _ => return Err(DocumentError::Root(tag.name().chars().take(80).collect())),
    };
    let elements = root.descendants().filter(Node::is_element);
    let references = elements.filter_map(|node| reference(node, uri));
    Ok((kind, references.collect()))
}

fn reference(node: Node<'_, '_>, uri: &str) -> Option<Reference> {
    let tag = node.tag_name();
    let (kind, place) = match (tag.namespace()?, tag.name()) {
        (name::WSDL, "import") => (ReferenceKind::Wsdl, "location"),
        (name::XSD, "import") => (ReferenceKind::Import, "schemaLocation"),
        (name::XSD, "include") => (ReferenceKind::Include, "schemaLocation"),
        (name::XSD, "redefine") => (ReferenceKind::Redefine, "schemaLocation"),
        _ => return None,
    };
    let place = node.attribute_node(place)?;
    let namespace = match kind {
        ReferenceKind::Wsdl | ReferenceKind::Import => node.attribute("namespace"),
        ReferenceKind::Include | ReferenceKind::Redefine => {
            node.parent_element()?.attribute("targetNamespace")
        }
    };
    Some(Reference {
        kind,
        namespace: namespace.map(|namespace| namespace.trim().to_owned()),
        uri: location::resolve(uri, place.value()),
        span: place.range_value(),
    })
}
