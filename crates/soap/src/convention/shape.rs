//! The part of the convention that a publisher may choose. The choice is written into the plan, so
//! that both directions, the resources and the document read it from one place.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ELEMENT, HEADERS_BESIDE, NIL, TYPE};
use crate::plan::{
    Attribute, Complex, Content, Element, Elements, FieldKind, Particle, ServicePlan, Type,
};

#[cfg(test)]
mod tests;

/// Changes to the usual JSON of a service; none by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shape {
    /// Makes every attribute the property `@name`, not only one that shares its name with an
    /// element.
    pub marks_attributes: bool,
    /// Makes an element that holds nothing but one repeated element an array instead of an object
    /// with an array: see [`Complex::is_list`].
    pub collapses_arrays: bool,
    /// Makes mixed content and `anyType` an object with the attributes that a wildcard allows,
    /// instead of the XML alone, which loses them: see [`Content::Open`].
    pub opens_mixed: bool,
}

impl Shape {
    /// Writes the choice into a compiled plan, before anything is derived from it.
    pub fn apply(self, plan: &mut ServicePlan) {
        if self.marks_attributes {
            for ty in &mut plan.types {
                if let Type::Complex(complex) = ty {
                    mark(&mut complex.attributes);
                }
            }
        }
        if self.opens_mixed {
            for ty in &mut plan.types {
                if let Type::Complex(complex) = ty
                    && complex.is_bare()
                    && complex.any_attribute
                    && matches!(complex.content, Content::Mixed)
                {
                    complex.content = Content::Open;
                }
            }
        }
        if self.collapses_arrays {
            let kept = objects(plan);
            for (id, ty) in (0..).zip(&mut plan.types) {
                if let Type::Complex(complex) = ty {
                    complex.is_list = !kept.contains(&id) && may_be_list(complex);
                }
            }
        }
    }
}

fn mark(attributes: &mut [Attribute]) {
    let mut taken: BTreeSet<String> = [TYPE, ELEMENT, NIL, HEADERS_BESIDE]
        .map(str::to_owned)
        .into();
    for attribute in attributes {
        let name = format!("@{}", attribute.name.local);
        let mut key = name.clone();
        let mut number = 1;
        while !taken.insert(key.clone()) {
            number += 1;
            key = format!("{name}_{number}");
        }
        attribute.json = key.into();
    }
}

/// Returns the types with JSON that must stay an object: that of a message, which may gain a second
/// property later; that of an item with its element's name; and base and derived types, which
/// include the name of their type.
fn objects(plan: &ServicePlan) -> BTreeSet<u32> {
    let mut kept = BTreeSet::new();
    let mut keep = |element: &Element| {
        kept.insert(element.ty.0);
    };
    for operation in &plan.operations {
        for message in std::iter::once(&operation.request).chain(&operation.response) {
            message.body.iter().for_each(&mut keep);
            let headers = message.headers.iter();
            headers.for_each(|header| keep(&header.element));
        }
        operation
            .faults
            .iter()
            .for_each(|fault| keep(&fault.element));
    }
    for ty in &plan.types {
        let Type::Complex(complex) = ty else { continue };
        kept.extend(complex.derived.iter().map(|id| id.0));
        if let Content::Elements(elements) = &complex.content {
            keep_items(elements, &mut kept);
        }
    }
    kept
}

fn keep_items(elements: &Elements, kept: &mut BTreeSet<u32>) {
    for field in &elements.fields {
        match &field.kind {
            FieldKind::Substitution { head, members } => {
                kept.insert(head.ty.0);
                kept.extend(members.iter().map(|(_, member)| member.ty.0));
            }
            FieldKind::Group(group) => keep_items(group, kept),
            FieldKind::Element(_) | FieldKind::Any(_) => {}
        }
    }
}

fn may_be_list(complex: &Complex) -> bool {
    let Content::Elements(elements) = &complex.content else {
        return false;
    };
    let [field] = elements.fields.as_slice() else {
        return false;
    };
    let is_plain = complex.attributes.is_empty()
        && !complex.any_attribute
        && !complex.is_abstract
        && complex.derived.is_empty();
    let is_repeated = field.is_array && matches!(field.kind, FieldKind::Element(_));
    is_plain && is_repeated && is_one(&elements.order)
}

/// Whether an order consists of one field in one place.
fn is_one(order: &Particle) -> bool {
    match order {
        Particle::Field(..) => true,
        Particle::Sequence(particles, _) | Particle::All(particles, _) => {
            matches!(particles.as_slice(), [one] if is_one(one))
        }
        Particle::Choice(..) => false,
    }
}
