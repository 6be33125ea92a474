//! Items of repeated substitution groups, which include the name of their element.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Schemas, is, nil};
use crate::convention::{ELEMENT, NIL, TYPE, VALUE};
use crate::plan::{Complex, Content, Element, Elements, FieldKind, ServicePlan, Type};

impl Schemas<'_> {
    /// Returns one schema for each type that an element may have.
    pub(super) fn items(&mut self, key: &str, element: &Element) -> Vec<Value> {
        if let Some(Type::Complex(complex)) = self.plan.types.get(element.ty.0 as usize)
            && !complex.is_bare()
        {
            let mut needed = vec![ELEMENT];
            needed.extend(Some(TYPE).filter(|_| !complex.derived.is_empty()));
            let named = json!({
                "type": "object",
                "properties": { ELEMENT: is(key) },
                "required": needed,
            });
            let all = self.concrete(element.ty, complex);
            if element.nillable {
                self.nillable.extend(all.iter().map(|id| id.0));
            }
            let all = all.iter().map(|id| {
                let path = format!("#/components/schemas/{}", self.names[id.0 as usize]);
                json!({ "allOf": [{ "$ref": path }, named] })
            });
            let nil = element.nillable.then(|| {
                let mut nil = nil(complex);
                nil["properties"][ELEMENT] = is(key);
                json!({ "allOf": [nil, { "required": [ELEMENT] }] })
            });
            return all.chain(nil).collect();
        }
        let plain = Element {
            nillable: false,
            ..element.clone()
        };
        let schema = self.of_element(&plain);
        let mut properties = json!({ ELEMENT: is(key), VALUE: schema });
        if element.nillable {
            properties[NIL] = json!({ "const": true });
        }
        vec![json!({
            "type": "object",
            "properties": properties,
            "required": if element.nillable { json!([ELEMENT]) } else { json!([ELEMENT, VALUE]) },
            "additionalProperties": false,
        })]
    }
}

/// Returns the types that are items somewhere, and those derived from them, which may replace them.
pub(super) fn types_of_items(plan: &ServicePlan) -> BTreeSet<u32> {
    let mut items = BTreeSet::new();
    for ty in &plan.types {
        if let Type::Complex(Complex {
            content: Content::Elements(elements),
            ..
        }) = ty
        {
            note_items(elements, &mut items);
        }
    }
    let complex = |id: &u32| match plan.types.get(*id as usize)? {
        Type::Complex(complex) => Some(&complex.derived),
        Type::Simple(_) => None,
    };
    let derived = items.iter().filter_map(complex).flatten();
    let derived: Vec<_> = derived.map(|id| id.0).collect();
    items.extend(derived);
    items
}

/// Records the types that are items of a content model.
fn note_items(elements: &Elements, items: &mut BTreeSet<u32>) {
    for field in &elements.fields {
        match &field.kind {
            FieldKind::Substitution { head, members } if field.is_array => {
                items.insert(head.ty.0);
                items.extend(members.iter().map(|(_, member)| member.ty.0));
            }
            FieldKind::Group(group) => note_items(group, items),
            _ => {}
        }
    }
}
