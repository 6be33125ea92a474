//! The envelope around the body: its header blocks, and the namespaces used in values.

use tollgate_json::tape::{Kind, NodeId};
use tollgate_xml::escape::push_attribute;

use super::index::{Element, Operation, Slots};
use super::security::{Moment, push_security};
use super::write::Writing;
use super::{Program, Request, Scratch, Violation};
use crate::import::name::{XML, XMLNS};

/// Maximum number of namespaces used in the values of one request.
const NAMESPACES_MAX: usize = 64;

impl<'p> Writing<'p, '_, '_> {
    pub(super) fn envelope(&mut self, operation: &'p Operation, moment: Moment) {
        self.out.extend_from_slice(&operation.open);
        let end_of_names = self.out.len();
        self.out.push(b'>');
        self.headers(operation, moment);
        self.out.extend_from_slice(b"<soap:Body>");
        match (&operation.body, self.view.root()) {
            (Some(body), Some(root)) => self.element(body, root),
            (Some(_), None) => self.fault(String::new(), "is missing".into()),
            (None, Some(root)) => self.no_body(root),
            (None, None) => {}
        }
        self.out.extend_from_slice(b"</soap:Body></soap:Envelope>");
        self.declare_at(end_of_names);
    }

    /// Accepts an object without keys of its own, for an operation without a body.
    fn no_body(&mut self, root: NodeId) {
        if self.view.kind(root) == Kind::Object {
            self.resolve(&Slots::default(), 0, root, None);
        } else if self.view.kind(root) != Kind::Null {
            self.violation(root, "must be an empty object".into());
        }
    }

    fn headers(&mut self, operation: &'p Operation, moment: Moment) {
        let of_root = self.view.root().filter(|_| !operation.blocks.is_empty());
        self.root = of_root.map(|root| (root, operation.headers_key));
        let in_root = of_root
            .filter(|&root| self.view.kind(root) == Kind::Object)
            .and_then(|root| self.view.find(root, operation.headers_key))
            .map(|key| self.view.value(key));
        let object = in_root.or(self.view.beside());
        let token = self.program.token.as_ref();
        if object.is_none() && operation.fixed_headers.is_empty() && token.is_none() {
            return;
        }
        self.out.extend_from_slice(b"<soap:Header>");
        if let Some(token) = token {
            push_security(token, moment, self.out);
        }
        self.out.extend_from_slice(&operation.fixed_headers);
        if let Some(object) = object {
            self.blocks(operation, object);
        }
        self.out.extend_from_slice(b"</soap:Header>");
    }

    fn blocks(&mut self, operation: &'p Operation, object: NodeId) {
        if self.view.kind(object) != Kind::Object {
            self.violation(object, "must be an object".into());
            return;
        }
        self.slots.resize(operation.headers.count, None);
        self.resolve(&operation.headers, 0, object, None);
        for (slot, block) in operation.blocks.iter().enumerate() {
            if let Some(id) = self.slots[slot] {
                self.element(block, id);
            }
        }
        self.slots.clear();
    }

    /// Declares the namespaces used in values, inside a start tag that was written without them.
    /// This is so rare that moving the bytes written since does not matter.
    fn declare_at(&mut self, at: usize) {
        if self.namespaces.is_empty() {
            return;
        }
        let mut names = Vec::new();
        for (index, name) in self.namespaces.iter().enumerate() {
            names.extend_from_slice(format!(" xmlns:q{index}=\"").as_bytes());
            // The name was checked when it was recorded.
            let _ = push_attribute(&mut names, name);
            names.push(b'"');
        }
        self.out.splice(at..at, names);
    }

    /// Returns the number of a namespace used in a value; `None` if there are too many, or no
    /// prefix but its own may be declared for it (Namespaces in XML 1.0, section 3).
    pub(super) fn namespace(&mut self, name: &str) -> Option<usize> {
        if let Some(index) = self.namespaces.iter().position(|other| other == name) {
            return Some(index);
        }
        let is_reserved = [XML, XMLNS].contains(&name);
        let is_fine = !is_reserved && push_attribute(&mut Vec::new(), name).is_ok();
        if !is_fine || self.namespaces.len() >= NAMESPACES_MAX {
            return None;
        }
        self.namespaces.push(name.to_owned());
        Some(self.namespaces.len() - 1)
    }
}

impl Program {
    /// Writes a single element, with all namespaces declared in its own tag.
    pub(super) fn write_block(
        &self,
        block: &Element,
        request: &Request<'_>,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) -> Result<(), Vec<Violation>> {
        let mut tape = std::mem::take(&mut scratch.tape);
        let json = tape.read(request.body.unwrap_or_default(), self.bounds);
        let json = json.map_err(|malformed| {
            vec![Violation {
                pointer: String::new(),
                sentence: malformed.to_string(),
            }]
        })?;
        let view = tape.view(json);
        let mut writing = Writing::new(self, view, scratch, out);
        if let Some(root) = view.root() {
            writing.element(block, root);
        }
        writing.declare_at(block.unclosed.len());
        let violations = writing.into_violations();
        if violations.is_empty() {
            Ok(())
        } else {
            Err(violations)
        }
    }
}
