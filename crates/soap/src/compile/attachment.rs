//! References to attachments: `swaRef` (WS-I Attachments Profile 1.0, section 4.4), which holds the
//! URI of another part of the package. JSON has the URI; the part itself is not passed on.

use crate::import::name::{self, QName};
use crate::import::schema::{Content, Schema, Type, TypeReference, Variety};

/// Maximum number of derivation steps between a type and `swaRef`.
const STEPS_MAX: usize = 64;

/// Whether the contract has `swaRef`.
pub(super) fn is_known(schema: &Schema) -> bool {
    let name = QName::new(name::ATTACHMENTS, "swaRef");
    schema.types.exact(&name).is_some()
}

/// Whether a type is `swaRef`, or one derived from it.
pub(super) fn is_reference(schema: &Schema, ty: &TypeReference) -> bool {
    refers(schema, ty, STEPS_MAX)
}

fn refers(schema: &Schema, ty: &TypeReference, steps: usize) -> bool {
    match ty {
        TypeReference::Named(name, _) => refers_by_name(schema, name, steps),
        TypeReference::Inline(ty) => derives(schema, ty, steps),
    }
}

fn refers_by_name(schema: &Schema, name: &QName, steps: usize) -> bool {
    let derives = |ty| steps > 0 && derives(schema, ty, steps - 1);
    name.is(name::ATTACHMENTS, "swaRef") || schema.types.exact(name).is_some_and(derives)
}

fn derives(schema: &Schema, ty: &Type, steps: usize) -> bool {
    match ty {
        Type::Simple(simple) => match &simple.variety {
            Variety::Restriction(of, _) | Variety::List(of) => refers(schema, of, steps),
            Variety::Union(_) => false,
        },
        Type::Complex(complex) => {
            let base = complex.base.as_ref();
            matches!(complex.content, Content::Text(..))
                && base.is_some_and(|base| refers_by_name(schema, &base.name, steps))
        }
    }
}
