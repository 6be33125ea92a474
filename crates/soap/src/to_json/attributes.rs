//! Attributes to members.

use tollgate_json::{push_escaped, push_string};
use tollgate_xml::{Namespace, Reader, is_plain_name, trim};

use crate::convention::TYPE;

use super::program::ComplexIndex;
use super::run::Run;
use super::{Error, Mismatch, What};

impl Run<'_, '_, '_> {
    /// Writes the attributes of the element that was opened last.
    pub(super) fn attributes(
        &mut self,
        ty: &ComplexIndex,
        has_member: &mut bool,
    ) -> Result<(), Error> {
        // Bits of the attributes that are present, for the first 64.
        let mut found: u64 = 0;
        for index in 0..self.reader.attributes().len() {
            let attribute = &self.reader.attributes()[index];
            let name = self.reader.attribute_name(attribute);
            let mut known = ty.attributes.iter().enumerate();
            let known = known
                .find(|(_, known)| known.namespace == attribute.namespace && *known.local == *name);
            let place = match known {
                Some((place, _)) => Some(place),
                None => self.attribute_by_local_name(ty, index)?,
            };
            let Some(place) = place else {
                self.unknown_attribute(index, ty, has_member)?;
                continue;
            };
            let known = &ty.attributes[place];
            let attribute = &self.reader.attributes()[index];
            found |= 1_u64.checked_shl(place as u32).unwrap_or(0);
            if std::mem::replace(has_member, true) {
                self.out.push(b',');
            }
            self.out.extend_from_slice(&known.key);
            let value = self.reader.attribute_value(attribute, &mut self.work.value);
            if !known
                .leaf
                .write(value, &self.reader, &mut self.work.rules, self.out)
            {
                self.mismatch(What::Value)?;
            }
        }
        for (place, known) in ty.attributes.iter().enumerate() {
            let is_needed = known.is_required || known.default.is_some();
            let is_found = |reader: &Reader<'_, '_>| match 1_u64.checked_shl(place as u32) {
                Some(bit) => found & bit != 0,
                None => reader.attribute(known.namespace, &known.local).is_some(),
            };
            if !is_needed || is_found(&self.reader) {
                continue;
            }
            match &known.default {
                _ if known.is_required => self.mismatch(What::Missing)?,
                Some(default) if self.program.options.writes_attribute_defaults => {
                    self.separate(has_member);
                    self.out.extend_from_slice(&known.key);
                    known
                        .leaf
                        .write(default, &self.reader, &mut self.work.rules, self.out);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn unknown_attribute(
        &mut self,
        index: usize,
        ty: &ComplexIndex,
        has_member: &mut bool,
    ) -> Result<(), Error> {
        let attribute = &self.reader.attributes()[index];
        if is_of_soap(attribute.namespace) {
            let is_type = attribute.namespace == Namespace::INSTANCE
                && self.reader.attribute_name(attribute) == "type";
            return match ty.takes_any_type && is_type {
                true => self.any_type(index, has_member),
                false => Ok(()),
            };
        }
        if !ty.any_attribute {
            return self.mismatch(What::Attribute);
        }
        if std::mem::replace(has_member, true) {
            self.out.push(b',');
        }
        let prefix = self.reader.attribute_prefix(attribute);
        let namespace = match prefix {
            "" => "",
            _ => self.reader.resolve(prefix).map_or("", |(_, name)| name),
        };
        self.out.extend_from_slice(b"\"{");
        push_escaped(self.out, namespace);
        self.out.push(b'}');
        push_escaped(self.out, self.reader.attribute_name(attribute));
        self.out.extend_from_slice(b"\":");
        let value = self.reader.attribute_value(attribute, &mut self.work.value);
        push_string(self.out, value);
        Ok(())
    }

    /// Writes the `xsi:type` of an element of `anyType`.
    fn any_type(&mut self, index: usize, has_member: &mut bool) -> Result<(), Error> {
        let attribute = &self.reader.attributes()[index];
        let name = self.reader.attribute_value(attribute, &mut self.work.value);
        let name = trim(name);
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let namespace = match (prefix, self.reader.resolve(prefix)) {
            _ if !is_plain_name(local) => return self.mismatch(What::Type),
            (_, Some((_, namespace))) => namespace,
            ("", None) => "",
            (_, None) => return self.mismatch(What::Type),
        };
        if std::mem::replace(has_member, true) {
            self.out.push(b',');
        }
        push_string(self.out, TYPE);
        self.out.extend_from_slice(b":\"{");
        push_escaped(self.out, namespace);
        self.out.push(b'}');
        push_escaped(self.out, local);
        self.out.push(b'"');
        Ok(())
    }

    /// Counts the attributes of an element if its JSON is a scalar. Where a wildcard allows them,
    /// the publisher has chosen that form: strict checking accepts it.
    pub(super) fn dropped_attributes(&mut self, is_allowed: bool) -> Result<(), Error> {
        let mut attributes = self.reader.attributes().iter();
        if !attributes.any(|attribute| !is_of_soap(attribute.namespace)) {
            return Ok(());
        }
        if !is_allowed {
            return self.mismatch(What::Attribute);
        }
        self.work.note(Mismatch {
            what: What::Dropped,
            offset: self.reader.offset(),
        });
        Ok(())
    }
}

/// Whether an attribute of this namespace belongs to the message instead of its content.
pub(super) const fn is_of_soap(namespace: Namespace) -> bool {
    matches!(
        namespace,
        Namespace::INSTANCE | Namespace::ENVELOPE_1_1 | Namespace::ENVELOPE_1_2
    )
}
