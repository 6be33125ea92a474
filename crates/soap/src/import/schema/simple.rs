//! Reads `xs:simpleType` and facets.

use roxmltree::Node;

use super::{Facet, FacetKind, Reader, Simple, Type, TypeReference, Variety};
use crate::import::ImportError;
use crate::import::name;
use crate::import::reading::{attribute, documentation, elements, tag};

impl Reader<'_> {
    pub(super) fn simple(&mut self, node: Node<'_, '_>) -> Result<Simple, ImportError> {
        let id = self.reading.component()?;
        let mut variety = None;
        let mut fault = None;
        for child in elements(node) {
            match tag(child) {
                (name::XSD, "restriction") => {
                    let (inline, facets) = self.facets(child, &mut fault)?;
                    let base = inline.unwrap_or_else(|| self.type_reference(child, "base"));
                    variety = Some(Variety::Restriction(base, facets));
                }
                (name::XSD, "list") => {
                    let item = self.inline_simple(child)?;
                    let item = item.unwrap_or_else(|| self.type_reference(child, "itemType"));
                    variety = Some(Variety::List(item));
                }
                (name::XSD, "union") => variety = Some(Variety::Union(self.members(child)?)),
                (name::XSD, "annotation") => {}
                _ => fault = fault.or(self.unknown(child)),
            }
        }
        let variety = variety.unwrap_or_else(|| {
            fault = Some("a simple type that is neither restriction, list nor union".into());
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

    fn members(&mut self, node: Node<'_, '_>) -> Result<Vec<TypeReference>, ImportError> {
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
                _ => drop(self.unknown(child)),
            }
        }
        Ok(members)
    }

    fn inline_simple(&mut self, node: Node<'_, '_>) -> Result<Option<TypeReference>, ImportError> {
        for child in elements(node) {
            if tag(child) == (name::XSD, "simpleType") {
                let simple = Type::Simple(self.simple(child)?);
                return Ok(Some(TypeReference::Inline(Box::new(simple))));
            }
        }
        Ok(None)
    }

    /// Reads the facets of a restriction, and the type that it restricts if that is inline.
    /// Attributes are ignored.
    pub(super) fn facets(
        &mut self,
        node: Node<'_, '_>,
        fault: &mut Option<Box<str>>,
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
