//! Reads `xs:simpleType` and facets.

use roxmltree::Node;

use super::{Facet, FacetKind, Fault, Reader, Simple, Type, TypeReference, Variety};
use crate::import::ImportError;
use crate::import::name;
use crate::import::reading::{attribute, documentation, elements, tag};

impl Reader<'_> {
    pub(super) fn simple(&mut self, node: Node<'_, '_>) -> Result<Simple, ImportError> {
        let id = self.reading.component()?;
        let mut variety = None;
        let mut fault = None;
        for child in elements(node) {
            let is_definition = matches!(tag(child), (name::XSD, "restriction" | "list" | "union"));
            if is_definition && variety.is_some() {
                let why = "it has more than one definition";
                fault = fault.or(self.fault_at(child, why.to_owned()));
            }
            match tag(child) {
                (name::XSD, "restriction") => {
                    variety = Some(self.restriction(child, &mut fault)?);
                }
                (name::XSD, "list") => {
                    let item = self.inline_simple(child, &mut fault)?;
                    let item = item.unwrap_or_else(|| self.type_reference(child, "itemType"));
                    variety = Some(Variety::List(item));
                }
                (name::XSD, "union") => {
                    variety = Some(Variety::Union(self.members(child, &mut fault)?));
                }
                (name::XSD, "annotation") => {}
                _ => fault = fault.or(self.unknown(child)),
            }
        }
        let variety = variety.unwrap_or_else(|| {
            let why = "a simple type that is neither restriction, list nor union";
            fault = self.fault_at(node, why.to_owned());
            Variety::Union(Vec::new())
        });
        Ok(Simple {
            id,
            variety,
            fault,
            documentation: documentation(node),
            place: self.place(node),
        })
    }

    fn restriction(
        &mut self,
        node: Node<'_, '_>,
        fault: &mut Option<Box<Fault>>,
    ) -> Result<Variety, ImportError> {
        for child in elements(node) {
            let why = match tag(child) {
                (name::XSD, "attribute" | "attributeGroup" | "anyAttribute") => {
                    "a simple type has attributes"
                }
                (name::XSD, "simpleType") if node.has_attribute("base") => "it has two bases",
                _ => continue,
            };
            *fault = fault.take().or(self.fault_at(child, why.to_owned()));
        }
        let (inline, facets) = self.facets(node, fault)?;
        let base = inline.unwrap_or_else(|| self.type_reference(node, "base"));
        Ok(Variety::Restriction(base, facets))
    }

    fn members(
        &mut self,
        node: Node<'_, '_>,
        fault: &mut Option<Box<Fault>>,
    ) -> Result<Vec<TypeReference>, ImportError> {
        let place = self.place(node);
        let mut members = Vec::new();
        for member in attribute(node, "memberTypes").split_whitespace() {
            members.push(TypeReference::Named(self.reference_of(node, member), place));
        }
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "simpleType") => {
                    let simple = Type::Simple(self.simple(child)?);
                    members.push(TypeReference::Inline(Box::new(simple)));
                }
                (name::XSD, "annotation") => {}
                _ => {
                    let unknown = self.unknown(child);
                    *fault = fault.take().or(unknown);
                }
            }
        }
        Ok(members)
    }

    /// Reads the inline type of a list's items.
    fn inline_simple(
        &mut self,
        node: Node<'_, '_>,
        fault: &mut Option<Box<Fault>>,
    ) -> Result<Option<TypeReference>, ImportError> {
        let mut inline = None;
        for child in elements(node) {
            let wrong = match tag(child) {
                (name::XSD, "annotation") => continue,
                (name::XSD, "simpleType") if inline.is_none() => {
                    let simple = Type::Simple(self.simple(child)?);
                    inline = Some(TypeReference::Inline(Box::new(simple)));
                    let has_another = node.has_attribute("itemType");
                    has_another.then_some("the items of a list have two types")
                }
                (name::XSD, "simpleType") => Some("the items of a list have two types"),
                _ => {
                    let unknown = self.unknown(child);
                    *fault = fault.take().or(unknown);
                    continue;
                }
            };
            if let Some(why) = wrong {
                *fault = fault.take().or(self.fault_at(child, why.to_owned()));
            }
        }
        Ok(inline)
    }

    /// Reads the facets of a restriction, and the type that it restricts if that is inline.
    /// Attributes are ignored.
    pub(super) fn facets(
        &mut self,
        node: Node<'_, '_>,
        fault: &mut Option<Box<Fault>>,
    ) -> Result<(Option<TypeReference>, Vec<Facet>), ImportError> {
        let mut inline = None;
        let mut facets = Vec::new();
        for child in elements(node) {
            let (namespace, local) = tag(child);
            match (namespace, local, kind(local)) {
                (name::XSD, "simpleType", _) => {
                    let simple = Type::Simple(self.simple(child)?);
                    inline = Some(TypeReference::Inline(Box::new(simple)));
                }
                (name::XSD, "annotation" | "attribute" | "attributeGroup" | "anyAttribute", _) => {}
                (name::XSD, _, Some(kind)) => facets.push(Facet {
                    kind,
                    value: child.attribute("value").unwrap_or_default().into(),
                    place: self.place(child),
                }),
                _ => {
                    let unknown = self.unknown(child);
                    *fault = fault.take().or(unknown);
                }
            }
        }
        Ok((inline, facets))
    }
}

fn kind(local: &str) -> Option<FacetKind> {
    Some(match local {
        "length" => FacetKind::Length,
        "minLength" => FacetKind::MinLength,
        "maxLength" => FacetKind::MaxLength,
        "pattern" => FacetKind::Pattern,
        "enumeration" => FacetKind::Enumeration,
        "whiteSpace" => FacetKind::WhiteSpace,
        "minInclusive" => FacetKind::MinInclusive,
        "maxInclusive" => FacetKind::MaxInclusive,
        "minExclusive" => FacetKind::MinExclusive,
        "maxExclusive" => FacetKind::MaxExclusive,
        "totalDigits" => FacetKind::TotalDigits,
        "fractionDigits" => FacetKind::FractionDigits,
        _ => return None,
    })
}
