//! The open content of a schema: any element, and mixed content.

use tollgate_json::tape::{Kind, NodeId};
use tollgate_xml::{self as xml, Event, Reader, decode};

use super::index::Wildcard;
use super::write::Writing;
use crate::plan::Process;

impl Writing<'_, '_, '_> {
    /// Writes an item of a wildcard: an object with one property for a known element, or XML in a
    /// string.
    pub(super) fn wildcard(&mut self, wildcard: &Wildcard, id: NodeId) {
        match self.view.kind(id) {
            Kind::Object => self.known_element(wildcard, id),
            Kind::Text | Kind::Word => self.unknown_element(wildcard, id),
            _ => {
                let sentence = "must be XML in a string, or an object with one known element";
                self.violation(id, sentence.into());
            }
        }
    }

    fn known_element(&mut self, wildcard: &Wildcard, id: NodeId) {
        let mut keys = self.view.children(id);
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return self.violation(id, "must have one property, a known element".into());
        };
        let program = self.program;
        let Some(&index) = program.global_keys.get(self.view.text(key)) else {
            return self.violation(key, "is not a known element".into());
        };
        let global = &program.globals[index];
        if !allows(wildcard, &global.namespace) {
            return self.violation(key, "is in a namespace that is not allowed here".into());
        }
        self.element(&global.element, self.view.value(key));
    }

    fn unknown_element(&mut self, wildcard: &Wildcard, id: NodeId) {
        let text = xml::trim(self.view.text(id));
        let names = &self.program.global_names;
        let root = self.read_document(text, |namespace, local| Root {
            is_allowed: allows(wildcard, namespace),
            is_known: names.get(namespace).is_some_and(|of| of.contains(local)),
        });
        let root = match root {
            Ok(root) => root,
            Err(reason) => return self.violation(id, format!("must be an element: {reason}")),
        };
        if !root.is_allowed {
            return self.violation(id, "is in a namespace that is not allowed here".into());
        }
        match wildcard.process {
            Process::Skip => {}
            _ if root.is_known => {
                let sentence = "is a known element: give its JSON, in an object under its name";
                return self.violation(id, sentence.into());
            }
            Process::Strict => return self.violation(id, "must be a known element".into()),
            Process::Lax => {}
        }
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Writes text and elements from XML in a string.
    pub(super) fn mixed(&mut self, id: NodeId) {
        if !matches!(self.view.kind(id), Kind::Text | Kind::Word) {
            return self.violation(id, "must be XML in a string".into());
        }
        let text = self.view.text(id);
        // The reader requires one root; text that ends this one early leaves a second one behind.
        let mut document = std::mem::take(self.document);
        document.clear();
        for piece in ["<x>", text, "</x>"] {
            document.push_str(piece);
        }
        let read = self.read_document(&document, |_, _| ());
        *self.document = document;
        match read {
            Ok(_) => self.out.extend_from_slice(text.as_bytes()),
            Err(reason) => self.violation(id, format!("must be XML: {reason}")),
        }
    }

    /// Reads a whole document strictly; returns the result of `of_root` for namespace and name of
    /// its root.
    fn read_document<T>(
        &mut self,
        document: &str,
        of_root: impl Fn(&str, &str) -> T,
    ) -> Result<T, Box<str>> {
        let reason = |error: xml::Error| error.problem.to_string().into_boxed_str();
        if document.starts_with("<?") {
            return Err("it begins with a declaration".into());
        }
        let text = decode(document.as_bytes(), None, xml::Bounds::default());
        let text = text.map_err(|error| error.reason().into_boxed_str())?;
        let names = &self.program.names;
        let mut reader = Reader::new(&text, names, self.stack, xml::Bounds::default());
        reader.refuse_instructions();
        let mut root = None;
        loop {
            match reader.next().map_err(reason)? {
                Event::Start(tag) if root.is_none() => {
                    let uri = reader.resolve(tag.prefix).map_or("", |(_, uri)| uri);
                    root = Some(of_root(uri, tag.local));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        root.ok_or_else(|| "there is no element".into())
    }
}

/// The properties of an element that a wildcard checks.
struct Root {
    is_allowed: bool,
    is_known: bool,
}

fn allows(wildcard: &Wildcard, namespace: &str) -> bool {
    match &wildcard.namespaces {
        None => true,
        Some(names) => names.iter().any(|name| **name == *namespace) != wildcard.is_except,
    }
}
