//! The namespaces that a message may need.

use std::collections::BTreeSet;

use crate::plan::{self, NamespaceId, ServicePlan, TypeId};

/// The traversal of the types that a message can contain.
pub(super) struct Reach<'a> {
    plan: &'a ServicePlan,
    pub(super) namespaces: BTreeSet<NamespaceId>,
    seen: Vec<bool>,
}

impl<'a> Reach<'a> {
    pub(super) fn new(plan: &'a ServicePlan) -> Self {
        Self {
            plan,
            namespaces: BTreeSet::new(),
            seen: vec![false; plan.types.len()],
        }
    }

    pub(super) fn element(&mut self, element: &'a plan::Element) {
        self.namespaces.insert(element.name.namespace);
        let mut open = vec![element.ty];
        while let Some(id) = open.pop() {
            match self.seen.get_mut(id.0 as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            let plan::Type::Complex(complex) = &self.plan.types[id.0 as usize] else {
                continue;
            };
            open.extend(&complex.derived);
            let names = complex
                .attributes
                .iter()
                .map(|attribute| attribute.name.namespace);
            self.namespaces.extend(names);
            self.namespaces
                .extend(complex.name.as_ref().map(|name| name.namespace));
            if let plan::Content::Elements(elements) = &complex.content {
                self.fields(elements, &mut open);
            }
        }
    }

    fn fields(&mut self, elements: &'a plan::Elements, open: &mut Vec<TypeId>) {
        for field in &elements.fields {
            match &field.kind {
                plan::FieldKind::Element(element) => self.note(element, open),
                plan::FieldKind::Substitution { head, members } => {
                    self.note(head, open);
                    members
                        .iter()
                        .for_each(|(_, member)| self.note(member, open));
                }
                plan::FieldKind::Group(group) => self.fields(group, open),
                plan::FieldKind::Any(_) => {
                    self.plan
                        .globals
                        .iter()
                        .for_each(|global| self.note(global, open));
                }
            }
        }
    }

    fn note(&mut self, element: &'a plan::Element, open: &mut Vec<TypeId>) {
        self.namespaces.insert(element.name.namespace);
        open.push(element.ty);
    }
}
