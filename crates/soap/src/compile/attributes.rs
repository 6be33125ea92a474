//! The attributes of a complex type, including those of its bases and groups.

use std::collections::{BTreeMap, BTreeSet};

use super::compiler::{Compiler, UNIT_BYTES};
use super::keys::Keys;
use super::{CompileError, built_in};
use crate::import::name::{self, QName};
use crate::import::schema::{
    Attribute, AttributeTerm, AttributeUse, Attributes, Complex, TypeReference,
};
use crate::import::table::Found;
use crate::plan;

/// Maximum depth of nested attribute groups.
const GROUPS_MAX: usize = 32;

/// The attributes merged so far, in the order of their first appearance.
#[derive(Default)]
struct Merged<'a> {
    uses: Vec<Option<(&'a AttributeUse, QName, Option<&'a Attribute>)>>,
    by_name: BTreeMap<QName, usize>,
    any: bool,
}

impl<'a> Compiler<'a> {
    /// Returns the attributes of the last of these types, each the base of the next, and whether
    /// others may appear.
    pub(super) fn attributes(
        &mut self,
        bases_first: impl Iterator<Item = &'a Complex>,
        elements: &BTreeSet<String>,
    ) -> Result<(Vec<plan::Attribute>, bool), CompileError> {
        let mut merged = Merged::default();
        for complex in bases_first {
            // A restriction allows no other attributes than it declares.
            merged.any &= !complex
                .base
                .as_ref()
                .is_some_and(|base| base.is_restriction);
            self.merge(&mut merged, &complex.attributes, 0)?;
        }
        let mut keys = Keys::default();
        let mut attributes = Vec::with_capacity(merged.uses.len());
        for (used, name, attribute) in merged.uses.into_iter().flatten() {
            let ty = attribute.and_then(|attribute| attribute.ty.as_ref());
            let fault = attribute.and_then(|attribute| attribute.fault.as_deref());
            self.note_fault("schema.declaration", fault);
            if let Some(ty) = ty {
                self.note_attachment(&name.local, ty, used.place);
            }
            attributes.push(plan::Attribute {
                json: keys.attribute(&name.local, elements),
                name: self.name(&name)?,
                value: self.attribute_value(ty)?,
                required: used.required,
                default: one_of(&used.default, attribute.map(|global| &global.default)),
                fixed: one_of(&used.fixed, attribute.map(|global| &global.fixed)),
            });
        }
        Ok((attributes, merged.any))
    }

    fn attribute_value(
        &mut self,
        ty: Option<&'a TypeReference>,
    ) -> Result<plan::Simple, CompileError> {
        match ty {
            Some(ty) => self.simple_of(ty, 0),
            None => Ok(built_in::text()),
        }
    }

    fn merge(
        &mut self,
        merged: &mut Merged<'a>,
        attributes: &'a Attributes,
        depth: usize,
    ) -> Result<(), CompileError> {
        merged.any |= attributes.any;
        self.note_fault("schema.declaration", attributes.fault.as_deref());
        for (name, place) in &attributes.groups {
            self.spend(1)?;
            let group = match self.schema.attribute_groups.find(name) {
                Some(Found::Exact(group)) => Some(group),
                Some(Found::Loose(found, group)) if name.namespace.is_empty() => {
                    self.note_loose_name(*place, name, found);
                    Some(group)
                }
                _ => None,
            };
            match group {
                Some(_) if depth == GROUPS_MAX => {
                    let why = "groups of attributes are nested too deep";
                    self.trouble("schema.circle", *place, why.to_owned());
                }
                Some(group) => self.merge(merged, group, depth + 1)?,
                None => {
                    let why = format!("the attribute group `{name}` is not defined");
                    self.trouble("schema.unknown_group", *place, why);
                }
            }
        }
        for used in &attributes.uses {
            let (name, attribute) = self.used(used);
            self.spend(1 + name.local.len() / UNIT_BYTES)?;
            merged.put(used, name, attribute);
        }
        Ok(())
    }

    fn used(&mut self, used: &'a AttributeUse) -> (QName, Option<&'a Attribute>) {
        let name = match &used.attribute {
            AttributeTerm::Local(attribute) => {
                return (attribute.name.clone(), Some(attribute));
            }
            AttributeTerm::Global(name) => name,
        };
        match self.schema.attributes.find(name) {
            Some(Found::Exact(attribute)) => (name.clone(), Some(attribute)),
            Some(Found::Loose(found, attribute)) if name.namespace.is_empty() => {
                self.note_loose_name(used.place, name, found);
                (found.clone(), Some(attribute))
            }
            _ => {
                // Attributes of `xml` are known to every parser without their schema.
                if &*name.namespace != name::XML {
                    let detail = format!("the attribute `{name}` is not defined; any text fits");
                    self.notes
                        .push("schema.unknown_attribute", used.place, detail);
                }
                (name.clone(), None)
            }
        }
    }
}

impl<'a> Merged<'a> {
    fn put(&mut self, used: &'a AttributeUse, name: QName, attribute: Option<&'a Attribute>) {
        let kept = (!used.prohibited).then_some((used, name.clone(), attribute));
        match self.by_name.get(&name) {
            Some(&at) => {
                if let Some(place) = self.uses.get_mut(at) {
                    *place = kept;
                }
            }
            None => {
                self.by_name.insert(name, self.uses.len());
                self.uses.push(kept);
            }
        }
    }
}

fn one_of(used: &Option<Box<str>>, global: Option<&Option<Box<str>>>) -> Option<Box<str>> {
    used.clone().or_else(|| global.and_then(Clone::clone))
}
