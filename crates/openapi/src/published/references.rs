//! Finds references to other parts of the document: `$ref`, discriminator mappings, and security
//! requirements (OpenAPI 3.1, Reference, Discriminator and Security Requirement Objects).

use super::clean::{Are, kind};
use crate::value::{Members, Value};

/// A reference to another part of the document.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reference<'d> {
    /// A URI fragment, including the `#`.
    Fragment(&'d str),
    /// The name of a schema in the components.
    Schema(&'d str),
    /// The name of a security scheme in the components.
    SecurityScheme(&'d str),
}

/// Adds the references in a field, at any depth.
pub(super) fn of_field<'d>(name: &str, value: &'d Value, found: &mut Vec<Reference<'d>>) {
    match (name, value) {
        ("$ref", Value::Scalar(_)) => {
            let local = value.as_text().filter(|it| it.starts_with('#'));
            found.extend(local.map(Reference::Fragment));
        }
        ("security", Value::List(alternatives)) => {
            let alternatives = alternatives.iter().filter_map(Value::as_map);
            let names = alternatives.flat_map(|it| &it.0);
            found.extend(names.map(|(name, _)| Reference::SecurityScheme(name)));
        }
        ("discriminator", Value::Map(discriminator)) => of_mapping(discriminator, found),
        _ => below(value, kind(name, value), found),
    }
}

/// Adds the references in an object, at any depth; the name of the object is arbitrary.
pub(super) fn of_object<'d>(value: &'d Value, found: &mut Vec<Reference<'d>>) {
    below(value, Are::Fields, found);
}

fn below<'d>(value: &'d Value, are: Are, found: &mut Vec<Reference<'d>>) {
    match (value, are) {
        (Value::Scalar(_), _) | (_, Are::Data) => {}
        (Value::List(list), _) => list.iter().for_each(|it| of_object(it, found)),
        (Value::Map(named), Are::Names) => {
            named.0.iter().for_each(|(_, it)| of_object(it, found));
        }
        (Value::Map(fields), Are::Fields) => {
            let fields = fields.0.iter();
            fields.for_each(|(name, it)| of_field(name, it, found));
        }
    }
}

/// A mapping holds URI fragments or names of schemas.
fn of_mapping<'d>(discriminator: &'d Members, found: &mut Vec<Reference<'d>>) {
    let mapping = discriminator.value("mapping").and_then(Value::as_map);
    let targets = mapping.into_iter().flat_map(|mapping| &mapping.0);
    let targets = targets.filter_map(|(_, target)| target.as_text());
    found.extend(targets.map(|target| match target.starts_with('#') {
        true => Reference::Fragment(target),
        false => Reference::Schema(target),
    }));
}
