//! The bound on the work for a document, and so on its size.

use std::cell::Cell;

use crate::plan::{Attribute, Content, Kind, Simple, Type};

/// Maximum number of units. A unit is about one object of the document.
const UNITS_MAX: usize = 500_000;

/// The units that are left.
#[derive(Debug)]
pub(super) struct Budget {
    left: Cell<Option<usize>>,
}

impl Budget {
    pub(super) const fn new() -> Self {
        Self {
            left: Cell::new(Some(UNITS_MAX)),
        }
    }

    /// Takes units; returns whether there were enough. From the first time that there are not, the
    /// document is not used, so whatever remains to be written may be left out.
    pub(super) fn spend(&self, units: usize) -> bool {
        let left = self.left.get().and_then(|left| left.checked_sub(units));
        self.left.set(left);
        left.is_some()
    }

    pub(super) const fn is_exceeded(&self) -> bool {
        self.left.get().is_none()
    }
}

/// Returns the units of the schema of an element with this type, without those of components.
pub(super) fn units_of_element(ty: Option<&Type>) -> usize {
    match ty {
        None => 1,
        Some(Type::Simple(simple)) => units_of_type(simple),
        Some(Type::Complex(complex)) => {
            let of_text = match &complex.content {
                Content::Text(simple) => units_of_type(simple),
                _ => 0,
            };
            1 + complex.derived.len() + of_text
        }
    }
}

/// Returns the units of attributes' schemas.
pub(super) fn units_of_attributes(attributes: &[Attribute]) -> usize {
    let attributes = attributes.iter();
    attributes.map(|it| 1 + units_of_type(&it.value)).sum()
}

/// Returns the units of a simple type's schema.
fn units_of_type(simple: &Simple) -> usize {
    let of_kind = match &simple.kind {
        Kind::List(item) => units_of_type(item),
        Kind::Union(members) => members.iter().map(units_of_type).sum(),
        _ => 0,
    };
    let facets = simple.facets.as_deref();
    let of_facets = facets.map_or(0, |it| it.enumeration.len() + it.patterns.len());
    1 + of_kind + of_facets
}
