//! The classes, for forwarding, of the fields that the engine distinguishes.

use tollgate_http1::head::Known;
use tollgate_mediation::forwarding::FieldClass;

/// Returns the class of a field.
pub(crate) fn field_class(known: Known) -> FieldClass {
    match known {
        Known::Cookie => FieldClass::Cookie,
        Known::Origin => FieldClass::Origin,
        Known::RateLimit => FieldClass::RateLimit,
        Known::MethodOverride => FieldClass::MethodOverride,
        Known::Other => FieldClass::Other,
        _ => FieldClass::Hop,
    }
}

#[cfg(test)]
mod tests;
