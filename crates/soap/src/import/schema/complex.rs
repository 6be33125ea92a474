//! Reads `xs:complexType` and attributes.

use std::mem;
use std::sync::Arc;

use roxmltree::Node;

use super::{
    Attribute, AttributeTerm, AttributeUse, Attributes, Base, Complex, Content, Fault, Reader,
    Type, TypeReference, Variety,
};
use crate::import::ImportError;
use crate::import::name::{self, QName};
use crate::import::reading::{attribute, documentation, elements, is_true, tag};

impl Reader<'_> {
    pub(super) fn complex(&mut self, node: Node<'_, '_>) -> Result<Complex, ImportError> {
        self.note_block(node);
        let mut complex = Complex {
            id: self.reading.component()?,
            is_abstract: is_true(node, "abstract"),
            is_mixed: is_true(node, "mixed"),
            base: None,
            content: Content::Elements(None),
            attributes: Attributes::default(),
            fault: None,
            documentation: documentation(node),
            place: self.place(node),
        };
        let inner = elements(node)
            .find(|child| matches!(tag(*child), (name::XSD, "simpleContent" | "complexContent")));
        match inner {
            None => self.own_content(node, &mut complex)?,
            Some(inner) => {
                self.derived_content(inner, &mut complex)?;
                self.check_beside(node, inner, &mut complex);
            }
        }
        Ok(complex)
    }

    /// Checks the siblings of `simpleContent` or `complexContent`: it must be alone, so what is
    /// beside it has no defined effect.
    fn check_beside(&mut self, node: Node<'_, '_>, inner: Node<'_, '_>, complex: &mut Complex) {
        for child in elements(node).filter(|child| *child != inner) {
            let fault = match tag(child) {
                (name::XSD, "annotation") => continue,
                (name::XSD, local) => {
                    let inner = inner.tag_name().name();
                    self.fault_at(
                        child,
                        format!("`{local}` is beside `{inner}`, not inside it"),
                    )
                }
                _ => self.unknown(child),
            };
            complex.fault = complex.fault.take().or(fault);
        }
    }

    fn derived_content(
        &mut self,
        node: Node<'_, '_>,
        complex: &mut Complex,
    ) -> Result<(), ImportError> {
        let is_simple = tag(node).1 == "simpleContent";
        complex.is_mixed |= is_true(node, "mixed");
        for child in elements(node) {
            let is_restriction = match tag(child) {
                (name::XSD, "restriction") => true,
                (name::XSD, "extension") => false,
                (name::XSD, "annotation") => continue,
                _ => {
                    let unknown = self.unknown(child);
                    complex.fault = complex.fault.take().or(unknown);
                    continue;
                }
            };
            if complex.base.is_some() {
                let fault = self.fault_at(child, "it is derived more than once".to_owned());
                complex.fault = complex.fault.take().or(fault);
            }
            complex.base = Some(Base {
                name: self.reference(child, "base"),
                is_restriction,
            });
            if is_simple {
                let (inline, facets) = self.facets(child, &mut complex.fault)?;
                complex.content = Content::Text(inline, facets);
                complex.attributes = self.attributes(child)?;
            } else {
                self.own_content(child, complex)?;
            }
        }
        if complex.base.is_none() {
            let why = "it declares a base but does not name it";
            complex.fault = self.fault_at(node, why.to_owned());
        }
        Ok(())
    }

    fn own_content(
        &mut self,
        node: Node<'_, '_>,
        complex: &mut Complex,
    ) -> Result<(), ImportError> {
        let mut particle = None;
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "sequence" | "choice" | "all" | "group") => {
                    let fault = if particle.is_none() {
                        let outer = self.fault.take();
                        particle = Some(self.particle(child)?);
                        mem::replace(&mut self.fault, outer)
                    } else {
                        self.fault_at(child, "it has more than one content model".to_owned())
                    };
                    complex.fault = complex.fault.take().or(fault);
                }
                (name::XSD, "annotation" | "attribute" | "attributeGroup" | "anyAttribute") => {}
                _ => {
                    let unknown = self.unknown(child);
                    complex.fault = complex.fault.take().or(unknown);
                }
            }
        }
        complex.content = Content::Elements(particle.flatten());
        complex.attributes = self.attributes(node)?;
        Ok(())
    }

    /// Reads the attributes among the children; other children are ignored.
    pub(super) fn attributes(&mut self, node: Node<'_, '_>) -> Result<Attributes, ImportError> {
        let mut attributes = Attributes::default();
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "attribute") => attributes.uses.push(self.attribute_use(child)?),
                (name::XSD, "attributeGroup") => {
                    self.reading.component()?;
                    let group = self.reference(child, "ref");
                    attributes.groups.push((group, self.place(child)));
                }
                (name::XSD, "anyAttribute") => attributes.any = true,
                _ => {}
            }
        }
        Ok(attributes)
    }

    /// Reads a named group of attributes.
    pub(super) fn attribute_group(
        &mut self,
        node: Node<'_, '_>,
    ) -> Result<Attributes, ImportError> {
        let mut attributes = self.attributes(node)?;
        for child in elements(node) {
            if !matches!(
                tag(child),
                (
                    name::XSD,
                    "annotation" | "attribute" | "attributeGroup" | "anyAttribute"
                )
            ) {
                let unknown = self.unknown(child);
                attributes.fault = attributes.fault.take().or(unknown);
            }
        }
        Ok(attributes)
    }

    fn attribute_use(&mut self, node: Node<'_, '_>) -> Result<AttributeUse, ImportError> {
        self.reading.component()?;
        let term = if node.has_attribute("ref") {
            AttributeTerm::Global(self.reference(node, "ref"))
        } else {
            let (ty, fault) = self.attribute_type(node)?;
            AttributeTerm::Local(Attribute {
                name: self.attribute_name(node),
                ty,
                default: None,
                fixed: None,
                fault,
            })
        };
        Ok(AttributeUse {
            attribute: term,
            required: attribute(node, "use") == "required",
            prohibited: attribute(node, "use") == "prohibited",
            default: node.attribute("default").map(Into::into),
            fixed: node.attribute("fixed").map(Into::into),
            place: self.place(node),
        })
    }

    fn attribute_name(&mut self, node: Node<'_, '_>) -> QName {
        let is_qualified = match attribute(node, "form") {
            "qualified" => true,
            "unqualified" => false,
            _ => self.scope.are_attributes_qualified,
        };
        let target = Arc::clone(&self.scope.target);
        let namespace = if is_qualified { &*target } else { "" };
        self.reading.name(namespace, attribute(node, "name"))
    }

    pub(super) fn attribute_type(
        &mut self,
        node: Node<'_, '_>,
    ) -> Result<(Option<TypeReference>, Option<Box<Fault>>), ImportError> {
        let (mut ty, mut fault) = (None, None);
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "simpleType") => {
                    fault = fault.or(self.second_type(node, child, ty.is_some()));
                    let simple = Type::Simple(self.simple(child)?);
                    ty = Some(TypeReference::Inline(Box::new(simple)));
                }
                (name::XSD, "annotation") => {}
                _ => fault = fault.or(self.unknown(child)),
            }
        }
        if node.has_attribute("type") {
            ty = Some(self.type_reference(node, "type"));
        }
        Ok((ty, fault))
    }
}

impl Type {
    /// Replaces the base `from` by `to`.
    pub(super) fn rename_base(&mut self, from: &QName, to: &QName) {
        match self {
            Self::Complex(complex) => {
                let base = complex.base.as_mut().filter(|base| base.name == *from);
                if let Some(base) = base {
                    base.name.clone_from(to);
                }
            }
            Self::Simple(simple) => {
                if let Variety::Restriction(TypeReference::Named(base, _), _) = &mut simple.variety
                    && base == from
                {
                    base.clone_from(to);
                }
            }
        }
    }
}
