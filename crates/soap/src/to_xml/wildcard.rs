//! What a schema leaves open: any element, and mixed content.

use super::index::Wildcard;
use super::write::Writing;
use crate::plan::Process;
use crate::tape::{Kind, NodeId};
use crate::xml::{self, Event, Reader, decode};

impl Writing<'_, '_, '_> {
    /// An item of a wildcard: an object with one property names a known element, a string is XML.
    pub(super) fn wildcard(&mut self, wildcard: &Wildcard, id: NodeId) {
        match self.view.kind(id) {
            Kind::Object => self.known(wildcard, id),
            Kind::Text | Kind::Word => self.unknown(wildcard, id),
            _ => {
                let sentence = "must be XML in a string, or an object with one known element";
                self.violation(id, sentence.into());
            }
        }
    }

    fn known(&mut self, wildcard: &Wildcard, id: NodeId) {
        let mut keys = self.view.children(id);
        let (Some(key), None) = (keys.next(), keys.next()) else {
            return self.violation(id, "must have one property, a known element".into());
        };
        let program = self.program;
        let Some(&index) = program.global_keys.get(self.view.text(key)) else {
            return self.violation(key, "is not a known element".into());
        };
        let name = program
            .global_names
            .iter()
            .find(|(_, other)| **other == index);
        if name.is_some_and(|((namespace, _), _)| !allows(wildcard, namespace)) {
            return self.violation(key, "is of a namespace that is not allowed here".into());
        }
        self.element(&program.globals[index], self.view.value(key));
    }

    fn unknown(&mut self, wildcard: &Wildcard, id: NodeId) {
        let text = xml::trim(self.view.text(id));
        let (namespace, local) = match self.read(text) {
            Ok(name) => name,
            Err(reason) => return self.violation(id, format!("must be an element: {reason}")),
        };
        if !allows(wildcard, &namespace) {
            return self.violation(id, "is of a namespace that is not allowed here".into());
        }
        let is_known = self.program.global_names.contains_key(&(namespace, local));
        match wildcard.process {
            Process::Skip => {}
            _ if is_known => {
                let sentence = "is a known element: give its JSON, in an object under its name";
                return self.violation(id, sentence.into());
            }
            Process::Strict => return self.violation(id, "must be a known element".into()),
            Process::Lax => {}
        }
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Text and elements, as XML in a string.
    pub(super) fn mixed(&mut self, id: NodeId) {
        if !matches!(self.view.kind(id), Kind::Text | Kind::Word) {
            return self.violation(id, "must be XML in a string".into());
        }
        let text = self.view.text(id);
        // The reader wants one root; what ends this one early leaves a second behind.
        let document = format!("<x>{text}</x>");
        match self.read(&document) {
            Ok(_) => self.out.extend_from_slice(text.as_bytes()),
            Err(reason) => self.violation(id, format!("must be XML: {reason}")),
        }
    }

    /// Reads a whole document strictly: the name of its root.
    fn read(&mut self, document: &str) -> Result<(Box<str>, Box<str>), Box<str>> {
        let reason = |error: xml::Error| error.problem.to_string().into_boxed_str();
        if document.starts_with("<?") {
            return Err("it begins with a declaration".into());
        }
        let text = decode(document.as_bytes(), None, xml::Bounds::default()).map_err(reason)?;
        let names = &self.program.names;
        let mut reader = Reader::new(&text, names, self.stack, xml::Bounds::default());
        reader.refuse_instructions();
        let mut root = None;
        loop {
            match reader.next().map_err(reason)? {
                Event::Start(tag) if root.is_none() => {
                    let local = tag.local.into();
                    let uri = reader.resolve(tag.prefix).map_or("", |(_, uri)| uri);
                    root = Some((uri.into(), local));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        root.ok_or_else(|| "there is no element".into())
    }
}

fn allows(wildcard: &Wildcard, namespace: &str) -> bool {
    match &wildcard.namespaces {
        None => true,
        Some(names) => names.iter().any(|name| **name == *namespace) != wildcard.is_except,
    }
}
