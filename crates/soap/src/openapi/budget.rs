//! The bound on the work for a document, and so on its size.

use std::cell::Cell;
use std::collections::BTreeSet;

use crate::plan::{Attribute, Content, Kind, Simple, Type};

/// Maximum number of units. A unit is about one object of the document; those of the contracts in
/// the tests need up to 7,000.
const UNITS_MAX: usize = 200_000;
/// Bytes of a text for which it costs another unit.
const UNIT_BYTES: usize = 64;

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

    /// Takes the units of a list of properties.
    pub(super) fn spend_on_keys(&self, keys: &BTreeSet<String>) -> bool {
        self.spend(units_of_keys(keys))
    }

    pub(super) const fn is_exceeded(&self) -> bool {
        self.left.get().is_none()
    }
}

pub(super) const fn units_of_text(text: &str) -> usize {
    1 + text.len() / UNIT_BYTES
}

pub(super) fn units_of_keys(keys: &BTreeSet<String>) -> usize {
    keys.iter().map(|key| units_of_text(key)).sum()
}

/// Returns the units of the schema of an element with this type, without references to components.
pub(super) fn units_of_element(ty: Option<&Type>) -> usize {
    match ty {
        Some(Type::Simple(simple)) => units_of_type(simple),
        Some(Type::Complex(complex)) => match &complex.content {
            Content::Text(simple) => units_of_type(simple),
            _ => 1,
        },
        None => 1,
    }
}

/// Returns the units of attributes' schemas.
pub(super) fn units_of_attributes(attributes: &[Attribute]) -> usize {
    let attributes = attributes.iter();
    attributes
        .map(|it| units_of_text(&it.json) + units_of_type(&it.value))
        .sum()
}

/// Returns the units of a simple type's schema.
fn units_of_type(simple: &Simple) -> usize {
    let of_kind = match &simple.kind {
        Kind::List(item) => units_of_type(item),
        Kind::Union(members) => members.iter().map(units_of_type).sum(),
        _ => 0,
    };
    let facets = simple.facets.iter();
    let texts = facets.flat_map(|it| it.enumeration.iter().chain(&it.patterns));
    1 + of_kind + texts.map(|text| units_of_text(text)).sum::<usize>()
}
