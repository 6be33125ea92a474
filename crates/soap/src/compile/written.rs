//! Names that the gateway writes must be names of XML: schemas and WSDL are read without
//! validation.

use tollgate_xml::is_plain_name;

use super::compiler::Compiler;
use crate::plan::{self, Complex, Content, Elements, FieldKind, Name, TypeId};

impl Compiler<'_> {
    /// Records the types with a name that is not one of XML.
    pub(super) fn check_names(&mut self) {
        for (id, ty) in (0..).map(TypeId).zip(&self.types) {
            if let plan::Type::Complex(complex) = ty
                && let Some(why) = wrong_in(complex)
            {
                self.faults.entry(id).or_insert_with(|| why.into());
            }
        }
    }
}

/// Returns what is wrong with a name; `None` if it is an NCName (Namespaces in XML 1.0, section 3).
pub(super) fn wrong(name: &Name) -> Option<String> {
    let is_wrong = !is_plain_name(&name.local);
    is_wrong.then(|| format!("{:?} is not a name of XML", name.local))
}

fn wrong_in(complex: &Complex) -> Option<String> {
    let of_type = complex.name.as_ref().and_then(wrong);
    let mut attributes = complex.attributes.iter();
    let of_attribute = || attributes.find_map(|attribute| wrong(&attribute.name));
    let of_element = || match &complex.content {
        Content::Elements(elements) => wrong_among(elements),
        _ => None,
    };
    of_type.or_else(of_attribute).or_else(of_element)
}

fn wrong_among(elements: &Elements) -> Option<String> {
    let mut fields = elements.fields.iter();
    fields.find_map(|field| match &field.kind {
        FieldKind::Element(element) => wrong(&element.name),
        FieldKind::Substitution { head, members } => {
            let members = members.iter().map(|(_, member)| member);
            let mut all = std::iter::once(head).chain(members);
            all.find_map(|element| wrong(&element.name))
        }
        FieldKind::Group(elements) => wrong_among(elements),
        FieldKind::Any(_) => None,
    })
}
