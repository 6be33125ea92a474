//! Reads the content models of complex types: sequences, choices, elements, wildcards.

use std::sync::Arc;

use roxmltree::Node;

use super::{Group, Particle, Reader, Term, Wildcard};
use crate::import::ImportError;
use crate::import::name::{self, QName};
use crate::import::notes::Place;
use crate::import::reading::{attribute, elements, tag};
use crate::plan::{Occurs, Process};

impl Reader<'_> {
    /// Reads the content of a named group.
    pub(super) fn group_definition(
        &mut self,
        node: Node<'_, '_>,
    ) -> Result<Option<Group>, ImportError> {
        let (mut content, mut fault) = (None, None);
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "sequence" | "choice" | "all") if content.is_none() => {
                    content = self.particle(child)?;
                    fault = fault.or(self.fault.take());
                }
                (name::XSD, "sequence" | "choice" | "all") => {
                    let why = "the group has more than one content model".to_owned();
                    fault = fault.or(self.fault_at(child, why));
                }
                (name::XSD, "annotation") => {}
                _ => fault = fault.or(self.unknown(child)),
            }
        }
        Ok(content.map(|content| Group { content, fault }))
    }

    /// Reads a particle of a content model; returns `None` for other elements.
    pub(super) fn particle(&mut self, node: Node<'_, '_>) -> Result<Option<Particle>, ImportError> {
        let term = match tag(node) {
            (name::XSD, "element") if node.has_attribute("ref") => {
                self.reading.component()?;
                self.check_reference(node);
                Term::Global(self.reference(node, "ref"))
            }
            (name::XSD, "element") => {
                let name = self.element_name(node);
                Term::Local(Box::new(self.declared_element(node, name)?))
            }
            (name::XSD, "group") => {
                self.reading.component()?;
                Term::Group(self.reference(node, "ref"))
            }
            (name::XSD, "sequence") => Term::Sequence(self.particles(node)?),
            (name::XSD, "choice") => Term::Choice(self.particles(node)?),
            (name::XSD, "all") => Term::All(self.particles(node)?),
            (name::XSD, "any") => Term::Any(self.wildcard(node)?),
            (name::XSD, "annotation") => return Ok(None),
            _ => {
                let unknown = self.unknown(node);
                self.fault = self.fault.take().or(unknown);
                return Ok(None);
            }
        };
        let place = self.place(node);
        Ok(Some(Particle {
            occurs: self.occurs(node, place),
            term,
            place,
        }))
    }

    /// Checks a reference to a global element: a type of its own contradicts it.
    fn check_reference(&mut self, node: Node<'_, '_>) {
        let mut children = elements(node).map(|child| tag(child));
        let is_typed = node.has_attribute("type")
            || children.any(|child| matches!(child, (name::XSD, "simpleType" | "complexType")));
        if is_typed {
            let why = format!("the reference to `{}` has a type", attribute(node, "ref"));
            self.fault = self.fault.take().or(self.fault_at(node, why));
        }
    }

    fn particles(&mut self, node: Node<'_, '_>) -> Result<Vec<Particle>, ImportError> {
        self.reading.component()?;
        let mut particles = Vec::new();
        for child in elements(node) {
            particles.extend(self.particle(child)?);
        }
        Ok(particles)
    }

    fn element_name(&mut self, node: Node<'_, '_>) -> QName {
        let is_qualified = match attribute(node, "form") {
            "qualified" => true,
            "unqualified" => false,
            _ => self.scope.are_elements_qualified,
        };
        let target = Arc::clone(&self.scope.target);
        let namespace = if is_qualified { &*target } else { "" };
        self.reading.name(namespace, attribute(node, "name"))
    }

    fn occurs(&mut self, node: Node<'_, '_>, place: Place) -> Occurs {
        let mut number = |key: &str| match attribute(node, key) {
            "" => Some(1),
            // A number that is too large for its type is treated as no bound.
            text if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let detail = format!("`{key}` is `{text}`; 1 is used instead");
                self.reading.notes.push("schema.occurs", place, detail);
                Some(1)
            }
            text => text.parse().ok(),
        };
        let max = match attribute(node, "maxOccurs") {
            "unbounded" => None,
            _ => number("maxOccurs"),
        };
        let min: u32 = number("minOccurs").unwrap_or(u32::MAX);
        Occurs {
            min: max.map_or(min, |max: u32| min.min(max)),
            max,
        }
    }

    fn wildcard(&mut self, node: Node<'_, '_>) -> Result<Wildcard, ImportError> {
        self.reading.component()?;
        let process = match attribute(node, "processContents") {
            "lax" => Process::Lax,
            "skip" => Process::Skip,
            _ => Process::Strict,
        };
        let target = Arc::clone(&self.scope.target);
        let none = self.reading.string("");
        let (namespaces, is_except) = match attribute(node, "namespace") {
            "" | "##any" => (None, false),
            // Elements without a namespace are not in another one.
            "##other" => (Some(vec![target, none]), true),
            list => {
                let names = list.split_whitespace().map(|word| match word {
                    "##targetNamespace" => Arc::clone(&target),
                    "##local" => Arc::clone(&none),
                    uri => self.reading.string(uri),
                });
                (Some(names.collect()), false)
            }
        };
        Ok(Wildcard {
            namespaces,
            is_except,
            process,
        })
    }
}

impl Particle {
    /// Redirects references from the group `from` to `to`.
    pub(super) fn rename_group(&mut self, from: &QName, to: &QName) {
        match &mut self.term {
            Term::Group(name) if name == from => name.clone_from(to),
            Term::Sequence(parts) | Term::Choice(parts) | Term::All(parts) => {
                parts
                    .iter_mut()
                    .for_each(|part| part.rename_group(from, to));
            }
            _ => {}
        }
    }
}
