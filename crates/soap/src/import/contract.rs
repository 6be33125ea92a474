//! Walks the documents of a contract, each once: definitions first, then the schemas inside and
//! below them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use roxmltree::{Document as Tree, Node};

use super::documents::{self, Document, DocumentKind, Documents, Missing};
use super::name;
use super::notes::{Place, offset};
use super::reading::{Reading, attribute, elements, tag};
use super::schema::{self, Redefining, Schema, Scope};
use super::wsdl::{self, Definitions, Port, Service};
use super::{ImportError, known, location};

/// Maximum length of a chain of schemas that redefine one another.
const REDEFINITIONS_MAX: usize = 64;

/// The state of reading a contract.
pub(super) struct Contract<'d> {
    documents: &'d Documents,
    loaded: Vec<Rc<Loaded<'d>>>,
    by_uri: BTreeMap<&'d str, u32>,
    /// The built-in ones by namespace: documents of the set may be located at these URIs.
    built_in: BTreeMap<&'d str, u32>,
    pub(super) reading: Reading,
    pub(super) definitions: Definitions,
    pub(super) schema: Schema,
    /// Schemas that were found but not read yet.
    queue: VecDeque<Unread>,
    /// The built-in ones of them.
    known: VecDeque<u32>,
    /// Documents read so far, each with the namespace it was read into.
    seen: BTreeSet<(u32, Arc<str>)>,
}

/// A document with its tree; built-in ones follow those of the set.
struct Loaded<'d> {
    uri: &'d str,
    kind: DocumentKind,
    tree: Tree<'d>,
}

/// A schema to read, and the namespace of the including schema.
type Unread = (u32, Option<Arc<str>>);

/// Whether an included schema may be read later.
#[derive(Debug, Clone, Copy)]
enum When {
    Later,
    /// It is redefined, so it must be read first; the depth of redefinitions.
    Now(usize),
}

impl<'d> Contract<'d> {
    /// Reads the contract with these documents, the main one first.
    pub(super) fn read(
        documents: &'d Documents,
        reached: &[&'d Document],
    ) -> Result<Self, ImportError> {
        let mut contract = Self {
            documents,
            loaded: Vec::new(),
            by_uri: BTreeMap::new(),
            built_in: BTreeMap::new(),
            reading: Reading::new(*documents.limits()),
            definitions: Definitions::default(),
            schema: Schema::default(),
            queue: VecDeque::new(),
            known: VecDeque::new(),
            seen: BTreeSet::new(),
        };
        for document in reached {
            if document.kind == DocumentKind::Unread {
                continue;
            }
            let at = contract.load(&document.uri, document.kind, &document.text, false)?;
            contract.by_uri.insert(&document.uri, at);
        }
        contract.note_missing(reached);
        contract.note_unread(reached);
        contract.all()?;
        Ok(contract)
    }

    fn load(
        &mut self,
        uri: &'d str,
        kind: DocumentKind,
        text: &'d str,
        is_built_in: bool,
    ) -> Result<u32, ImportError> {
        let tree = documents::parse(text).map_err(|source| ImportError::Document {
            uri: uri.to_owned(),
            source,
        })?;
        let at = offset(self.loaded.len());
        self.reading.sources.push(uri, text, is_built_in);
        self.loaded.push(Rc::new(Loaded { uri, kind, tree }));
        Ok(at)
    }

    fn note_missing(&mut self, reached: &[&Document]) {
        let Some(main) = reached.first() else { return };
        for missing in self.documents.missing(&main.uri) {
            let detail = format!("the document {} is missing", missing.uri);
            let place = self.reference_place(&missing);
            self.reading.notes.push("wsdl.missing", place, detail);
        }
    }

    fn note_unread(&mut self, reached: &[&Document]) {
        let Some(main) = reached.first() else { return };
        for unread in self.documents.unread(&main.uri) {
            let detail = unread_reason(&unread.uri);
            let place = self.reference_place(&unread);
            self.reading.notes.push("wsdl.doctype", place, detail);
        }
    }

    /// Returns the start of the line with the reference.
    fn reference_place(&self, to: &Missing) -> Place {
        let from = self.by_uri.get(to.from.as_str()).copied();
        let document = from.unwrap_or_default();
        Place {
            document,
            offset: self.reading.sources.line_start(document, to.line),
        }
    }

    fn all(&mut self) -> Result<(), ImportError> {
        let mut wsdls = VecDeque::from([0]);
        let mut order = Vec::new();
        while let Some(document) = wsdls.pop_front() {
            let Some(loaded) = self.document(document) else {
                continue;
            };
            if loaded.kind == DocumentKind::Schema {
                // Some deployed contracts import schemas this way.
                self.queue.push_back((document, None));
                continue;
            }
            if !self.seen.insert((document, Arc::from(name::WSDL))) {
                continue;
            }
            order.push(document);
            let root = loaded.tree.root_element();
            wsdl::Reader::new(&mut self.reading, &mut self.definitions, document).read(root)?;
            let imports = elements(root).filter(|node| tag(*node) == (name::WSDL, "import"));
            for node in imports {
                match self.referenced(loaded.uri, node, "location") {
                    Some(document) => wsdls.push_back(document),
                    None => self.queue_known(attribute(node, "namespace"))?,
                }
            }
        }
        self.without_port();
        for document in order {
            self.types(document)?;
        }
        self.queue_known(name::XSD)?;
        while let Some((document, target)) = self.next_schema() {
            self.schema_document(document, target, When::Later)?;
        }
        Ok(())
    }

    /// Returns the next schema to read. Built-in ones follow those of the contract, of which the
    /// definitions are kept.
    fn next_schema(&mut self) -> Option<Unread> {
        let next = self.queue.pop_front();
        next.or_else(|| self.known.pop_front().map(|document| (document, None)))
    }

    /// Adds a service if a contract has bindings but no port that refers to one: the publisher must
    /// enter the address.
    fn without_port(&mut self) {
        let definitions = &mut self.definitions;
        let mut ports = definitions
            .services
            .iter()
            .flat_map(|service| &service.ports);
        if ports.any(|port| definitions.bindings.find(&port.binding).is_some()) {
            return;
        }
        let bindings = definitions.bindings.iter();
        let ports: Vec<Port> = bindings
            .map(|(name, binding)| Port {
                name: name.local.to_string(),
                binding: name.clone(),
                address: None,
                requires_more: false,
                place: binding.place,
            })
            .collect();
        let Some(first) = ports.first() else {
            return;
        };
        let detail = "no port has a binding; each binding is used as a port of a service";
        self.reading.notes.push("wsdl.no_port", first.place, detail);
        definitions.services.push(Service {
            name: first.binding.clone(),
            ports,
            documentation: None,
        });
    }

    fn document(&self, document: u32) -> Option<Rc<Loaded<'d>>> {
        self.loaded.get(document as usize).map(Rc::clone)
    }

    fn referenced(&self, base: &str, node: Node<'_, '_>, key: &str) -> Option<u32> {
        let uri = location::resolve(base, node.attribute(key)?);
        let document = self.documents.find(&uri)?;
        self.by_uri.get(document.uri.as_str()).copied()
    }

    fn types(&mut self, document: u32) -> Result<(), ImportError> {
        let Some(loaded) = self.document(document) else {
            return Ok(());
        };
        let types = elements(loaded.tree.root_element());
        let types = types.filter(|node| tag(*node) == (name::WSDL, "types"));
        for node in types.flat_map(elements) {
            match tag(node) {
                (name::XSD, "schema") => self.schema(document, node, None, When::Later)?,
                (name::WSDL, "documentation") => {}
                (namespace, local) => {
                    let detail = format!(
                        "`{{{namespace}}}{local}` in `types` is not an XML Schema and is ignored"
                    );
                    let place = place(document, node);
                    self.reading.notes.push("wsdl.types", place, detail);
                }
            }
        }
        Ok(())
    }

    /// Reads a schema document, into the namespace `target` if it has none.
    fn schema_document(
        &mut self,
        document: u32,
        target: Option<Arc<str>>,
        when: When,
    ) -> Result<(), ImportError> {
        let Some(loaded) = self.document(document) else {
            return Ok(());
        };
        let root = loaded.tree.root_element();
        if loaded.kind != DocumentKind::Schema {
            return Ok(());
        }
        let own = attribute(root, "targetNamespace");
        let chameleon = target.filter(|_| own.is_empty());
        let into = chameleon.clone().unwrap_or_else(|| Arc::from(own));
        if !self.seen.insert((document, into)) {
            return Ok(());
        }
        self.schema(document, root, chameleon, when)
    }

    fn schema(
        &mut self,
        document: u32,
        root: Node<'_, '_>,
        chameleon: Option<Arc<str>>,
        when: When,
    ) -> Result<(), ImportError> {
        let none = self.reading.string("");
        let own = self.reading.string(attribute(root, "targetNamespace"));
        let scope = Scope {
            document,
            target: chameleon.clone().unwrap_or(own),
            chameleon: chameleon.unwrap_or(none),
            are_elements_qualified: attribute(root, "elementFormDefault") == "qualified",
            are_attributes_qualified: attribute(root, "attributeFormDefault") == "qualified",
        };
        for node in elements(root) {
            match tag(node) {
                (name::XSD, "import") => self.import(&scope, node)?,
                (name::XSD, "include") => self.include(&scope, node, when)?,
                (name::XSD, "redefine") => self.redefine(&scope, node, when)?,
                _ => {}
            }
        }
        schema::Reader::new(&mut self.reading, &mut self.schema, scope).read(root, Redefining::No)
    }

    fn import(&mut self, scope: &Scope, node: Node<'_, '_>) -> Result<(), ImportError> {
        let namespace = attribute(node, "namespace");
        let Some(document) = self.referenced(self.uri(scope), node, "schemaLocation") else {
            return self.queue_known(namespace);
        };
        let found = self.document(document);
        let root = found.as_ref().map(|loaded| loaded.tree.root_element());
        let target = root.map_or("", |root| attribute(root, "targetNamespace"));
        if target != namespace {
            let detail = format!(
                "a schema of `{namespace}` is imported, but the document is one of `{target}`"
            );
            let place = place(scope.document, node);
            self.reading
                .notes
                .push("schema.import_namespace", place, detail);
        }
        self.queue.push_back((document, None));
        Ok(())
    }

    fn include(
        &mut self,
        scope: &Scope,
        node: Node<'_, '_>,
        when: When,
    ) -> Result<(), ImportError> {
        let Some(document) = self.referenced(self.uri(scope), node, "schemaLocation") else {
            return self.queue_known(&scope.target);
        };
        let target = Some(Arc::clone(&scope.target));
        match when {
            When::Later => {
                self.queue.push_back((document, target));
                Ok(())
            }
            When::Now(depth) => self.schema_document(document, target, deeper(depth)?),
        }
    }

    fn redefine(
        &mut self,
        scope: &Scope,
        node: Node<'_, '_>,
        when: When,
    ) -> Result<(), ImportError> {
        let document = match self.referenced(self.uri(scope), node, "schemaLocation") {
            None => self.known_document(&scope.target)?,
            document => document,
        };
        if let Some(document) = document {
            let target = Some(Arc::clone(&scope.target));
            let depth = match when {
                When::Later => 0,
                When::Now(depth) => depth,
            };
            self.schema_document(document, target, deeper(depth)?)?;
        }
        schema::Reader::new(&mut self.reading, &mut self.schema, scope.clone())
            .read(node, Redefining::Yes)
    }

    fn uri(&self, scope: &Scope) -> &'d str {
        let loaded = self.loaded.get(scope.document as usize);
        loaded.map_or("", |loaded| loaded.uri)
    }

    /// Queues the built-in schema of a namespace, if there is one.
    fn queue_known(&mut self, namespace: &str) -> Result<(), ImportError> {
        let document = self.known_document(namespace)?;
        self.known.extend(document);
        Ok(())
    }

    /// Returns the built-in schema of a namespace, if there is one.
    fn known_document(&mut self, namespace: &str) -> Result<Option<u32>, ImportError> {
        let Some((uri, text)) = known::by_namespace(namespace) else {
            return Ok(None);
        };
        if let Some(&document) = self.built_in.get(uri) {
            return Ok(Some(document));
        }
        let document = self.load(uri, DocumentKind::Schema, text, true)?;
        self.built_in.insert(uri, document);
        Ok(Some(document))
    }
}

/// Returns the reason why a contract with an unread document can only be proxied.
pub(super) fn unread_reason(uri: &str) -> String {
    format!("{uri} has a DOCTYPE and is not read")
}

fn deeper(depth: usize) -> Result<When, ImportError> {
    if depth == REDEFINITIONS_MAX {
        return Err(ImportError::Redefinitions(REDEFINITIONS_MAX));
    }
    Ok(When::Now(depth + 1))
}

fn place(document: u32, node: Node<'_, '_>) -> Place {
    Place {
        document,
        offset: offset(node.range().start),
    }
}
