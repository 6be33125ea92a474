//! Reads `xs:schema` into the model: its top level.

use std::sync::Arc;

use roxmltree::Node;

use super::{Attribute, Complex, Element, Fault, Schema, Type, TypeReference};
use crate::import::ImportError;
use crate::import::name::{self, QName};
use crate::import::notes::{Place, offset};
use crate::import::reading::{Reading, attribute, documentation, elements, is_true, tag};

/// The context of a declaration.
#[derive(Debug, Clone)]
pub(in crate::import) struct Scope {
    /// The document.
    pub(in crate::import) document: u32,
    /// The target namespace; that of the including schema for a chameleon.
    pub(in crate::import) target: Arc<str>,
    /// The namespace of unqualified references: not empty in a chameleon.
    pub(in crate::import) chameleon: Arc<str>,
    /// `elementFormDefault="qualified"`
    pub(in crate::import) are_elements_qualified: bool,
    /// `attributeFormDefault="qualified"`
    pub(in crate::import) are_attributes_qualified: bool,
}

/// Whether definitions replace those of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::import) enum Redefining {
    /// They are new definitions.
    No,
    /// They are inside `xs:redefine`.
    Yes,
}

/// Reads one schema into the model.
pub(in crate::import) struct Reader<'r> {
    pub(super) reading: &'r mut Reading,
    pub(super) scope: Scope,
    /// The problem in the content model that is being read.
    pub(super) fault: Option<Box<Fault>>,
    schema: &'r mut Schema,
}

/// The name of the original in a redefinition: no contract can contain it.
const ORIGINAL: &str = "\u{1}original";

impl<'r> Reader<'r> {
    pub(in crate::import) fn new(
        reading: &'r mut Reading,
        schema: &'r mut Schema,
        scope: Scope,
    ) -> Self {
        Self {
            reading,
            scope,
            fault: None,
            schema,
        }
    }

    /// Reads the children of a schema, or of its `redefine`.
    pub(in crate::import) fn read(
        &mut self,
        parent: Node<'_, '_>,
        redefining: Redefining,
    ) -> Result<(), ImportError> {
        self.note_block(parent);
        for node in elements(parent) {
            let original = match redefining {
                Redefining::Yes => self.put_aside(node),
                Redefining::No => None,
            };
            self.component(node)?;
            if let Some((name, original)) = original {
                self.point_to_original(&name, &original);
            }
        }
        Ok(())
    }

    fn component(&mut self, node: Node<'_, '_>) -> Result<(), ImportError> {
        match tag(node) {
            (name::XSD, "element") => self.element(node),
            (name::XSD, "complexType") => self.complex_type(node),
            (name::XSD, "simpleType") => {
                let name = self.own_name(node);
                let simple = self.simple(node)?;
                self.keep_type(node, name, Type::Simple(simple));
                Ok(())
            }
            (name::XSD, "group") => {
                let name = self.own_name(node);
                if let Some(group) = self.group_definition(node)? {
                    let is_new = self.schema.groups.add(name.clone(), group);
                    self.note_duplicate(is_new, node, &name);
                }
                Ok(())
            }
            (name::XSD, "attribute") => {
                let name = self.own_name(node);
                let attribute = self.global_attribute(node, name.clone())?;
                let is_new = self.schema.attributes.add(name.clone(), attribute);
                self.note_duplicate(is_new, node, &name);
                Ok(())
            }
            (name::XSD, "attributeGroup") => {
                let name = self.own_name(node);
                let attributes = self.attribute_group(node)?;
                let is_new = self.schema.attribute_groups.add(name.clone(), attributes);
                self.note_duplicate(is_new, node, &name);
                Ok(())
            }
            (name::XSD, "import" | "include" | "redefine" | "annotation") => Ok(()),
            _ => {
                self.unknown(node);
                Ok(())
            }
        }
    }

    pub(super) fn place(&self, node: Node<'_, '_>) -> Place {
        Place {
            document: self.scope.document,
            offset: offset(node.range().start),
        }
    }

    /// Returns the fault of the component that is being read, which this node causes.
    pub(super) fn fault_at(&self, node: Node<'_, '_>, why: String) -> Option<Box<Fault>> {
        Some(Box::new(Fault {
            why: why.into(),
            place: self.place(node),
        }))
    }

    /// Returns the fault of an element or attribute if its inline type `inline` is not its only
    /// type.
    pub(super) fn second_type(
        &self,
        node: Node<'_, '_>,
        inline: Node<'_, '_>,
        has_another: bool,
    ) -> Option<Box<Fault>> {
        if !has_another && !node.has_attribute("type") {
            return None;
        }
        let (kind, name) = (node.tag_name().name(), attribute(node, "name"));
        self.fault_at(inline, format!("the {kind} `{name}` has two types"))
    }

    /// Notes an element that has no effect here. Returns the fault of its parent if the element
    /// would change messages.
    pub(super) fn unknown(&mut self, node: Node<'_, '_>) -> Option<Box<Fault>> {
        let place = self.place(node);
        let (namespace, local) = tag(node);
        let parent = node
            .parent_element()
            .map_or("", |parent| parent.tag_name().name());
        let (code, detail) = match (namespace, local) {
            (name::XSD, "key" | "keyref" | "unique") => {
                ("schema.identity", format!("`{local}` is not enforced"))
            }
            (name::XSD, "notation") => ("schema.notation", format!("`{local}` has no effect")),
            (name::XSD, _) => {
                let detail = format!("`{local}` in `{parent}` is not part of XML Schema 1.0");
                self.reading
                    .notes
                    .push("schema.unknown", place, detail.as_str());
                return self.fault_at(node, detail);
            }
            _ => {
                let name = QName::new(namespace, local);
                (
                    "schema.extension",
                    format!("`{name}` in `{parent}` is ignored"),
                )
            }
        };
        self.reading.notes.push(code, place, detail);
        None
    }

    /// Reads a reference to another component.
    pub(super) fn reference(&mut self, node: Node<'_, '_>, key: &str) -> QName {
        self.reference_of(node, attribute(node, key))
    }

    pub(super) fn reference_of(&mut self, node: Node<'_, '_>, value: &str) -> QName {
        let (place, chameleon) = (self.place(node), Arc::clone(&self.scope.chameleon));
        self.reading.reference(node, place, value, &chameleon)
    }

    pub(super) fn own_name(&mut self, node: Node<'_, '_>) -> QName {
        let target = Arc::clone(&self.scope.target);
        self.reading.name(&target, attribute(node, "name"))
    }

    fn note_duplicate(&mut self, is_new: bool, node: Node<'_, '_>, name: &QName) {
        let place = self.place(node);
        // A contract may have its own definitions of what is built in.
        if !is_new && !self.reading.sources.is_built_in(place) {
            let kind = node.tag_name().name();
            let detail = format!("the {kind} `{name}` is defined again; the first one is used");
            self.reading.notes.push("schema.twice", place, detail);
        }
    }

    fn element(&mut self, node: Node<'_, '_>) -> Result<(), ImportError> {
        let name = self.own_name(node);
        let element = self.declared_element(node, name.clone())?;
        let head = element.head.clone();
        let is_new = self.schema.elements.add(name.clone(), element);
        self.note_duplicate(is_new, node, &name);
        if let Some(head) = head.filter(|_| is_new) {
            self.schema.substitutes.entry(head).or_default().push(name);
        }
        Ok(())
    }

    fn complex_type(&mut self, node: Node<'_, '_>) -> Result<(), ImportError> {
        let name = self.own_name(node);
        let complex = self.complex(node)?;
        self.keep_type(node, name, Type::Complex(complex));
        Ok(())
    }

    fn keep_type(&mut self, node: Node<'_, '_>, name: QName, ty: Type) {
        let base = match &ty {
            Type::Complex(Complex {
                base: Some(base), ..
            }) => Some(base.name.clone()),
            _ => None,
        };
        let is_new = self.schema.types.add(name.clone(), ty);
        self.note_duplicate(is_new, node, &name);
        // A redefinition is derived from the type with its own name.
        if let Some(base) = base.filter(|base| is_new && *base != name) {
            self.schema.derived.entry(base).or_default().push(name);
        }
    }

    /// Reads an element declaration, global or local.
    pub(super) fn declared_element(
        &mut self,
        node: Node<'_, '_>,
        name: QName,
    ) -> Result<Element, ImportError> {
        self.reading.component()?;
        let (mut ty, mut fault) = (None, None);
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "simpleType") => {
                    fault = fault.or(self.second_type(node, child, ty.is_some()));
                    ty = Some(TypeReference::Inline(Box::new(Type::Simple(
                        self.simple(child)?,
                    ))));
                }
                (name::XSD, "complexType") => {
                    fault = fault.or(self.second_type(node, child, ty.is_some()));
                    ty = Some(TypeReference::Inline(Box::new(Type::Complex(
                        self.complex(child)?,
                    ))));
                }
                (name::XSD, "annotation") => {}
                _ => fault = fault.or(self.unknown(child)),
            }
        }
        if node.has_attribute("type") {
            ty = Some(self.type_reference(node, "type"));
        }
        self.note_block(node);
        let head = node.has_attribute("substitutionGroup");
        Ok(Element {
            name,
            ty,
            nillable: is_true(node, "nillable"),
            is_abstract: is_true(node, "abstract"),
            default: node.attribute("default").map(Into::into),
            fixed: node.attribute("fixed").map(Into::into),
            head: head.then(|| self.reference(node, "substitutionGroup")),
            fault,
            documentation: documentation(node),
            place: self.place(node),
        })
    }

    /// Notes that `block` is not enforced.
    pub(super) fn note_block(&mut self, node: Node<'_, '_>) {
        let key = ["block", "blockDefault"];
        if key.into_iter().any(|key| !attribute(node, key).is_empty()) {
            let place = self.place(node);
            let detail = "`block` is not enforced: derived types and members may appear there";
            self.reading.notes.push("schema.block", place, detail);
        }
    }

    pub(super) fn type_reference(&mut self, node: Node<'_, '_>, key: &str) -> TypeReference {
        TypeReference::Named(self.reference(node, key), self.place(node))
    }

    fn global_attribute(
        &mut self,
        node: Node<'_, '_>,
        name: QName,
    ) -> Result<Attribute, ImportError> {
        let (ty, fault) = self.attribute_type(node)?;
        Ok(Attribute {
            name,
            ty,
            default: node.attribute("default").map(Into::into),
            fixed: node.attribute("fixed").map(Into::into),
            fault,
        })
    }

    /// Renames a component that will be redefined. Returns its name and the new one.
    fn put_aside(&mut self, node: Node<'_, '_>) -> Option<(QName, QName)> {
        let name = self.own_name(node);
        let original = self
            .reading
            .name(&name.namespace, &format!("{}{ORIGINAL}", name.local));
        let is_moved = match tag(node).1 {
            "simpleType" | "complexType" => self.schema.types.rename(&name, original.clone()),
            "group" => self.schema.groups.rename(&name, original.clone()),
            "attributeGroup" => self.schema.attribute_groups.rename(&name, original.clone()),
            _ => return None,
        };
        if !is_moved {
            let place = self.place(node);
            let detail = format!("`{name}` is redefined, but has no other definition");
            self.reading.notes.push("schema.redefine", place, detail);
        }
        is_moved.then_some((name, original))
    }

    /// Redirects references inside a redefinition to the original.
    fn point_to_original(&mut self, name: &QName, original: &QName) {
        if let Some(ty) = self.schema.types.exact_mut(name) {
            ty.rename_base(name, original);
        }
        if let Some(group) = self.schema.groups.exact_mut(name) {
            group.content.rename_group(name, original);
        }
        if let Some(group) = self.schema.attribute_groups.exact_mut(name) {
            group
                .groups
                .iter_mut()
                .filter(|(used, _)| used == name)
                .for_each(|(used, _)| {
                    used.clone_from(original);
                });
        }
    }
}
