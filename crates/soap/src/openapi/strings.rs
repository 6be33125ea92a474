//! Numbers that are strings in responses, for programs that keep numbers as doubles.

use std::borrow::Cow;

use super::Strings;
use crate::convention::is_exact;
use crate::plan::{Content, Facets, Kind, ServicePlan, Simple, Type};

/// Returns the plan with the string types of such numbers.
pub(super) fn with(plan: &ServicePlan, strings: Strings) -> Cow<'_, ServicePlan> {
    if strings == Strings::default() {
        return Cow::Borrowed(plan);
    }
    let mut plan = plan.clone();
    for ty in &mut plan.types {
        match ty {
            Type::Simple(simple) => write(simple, strings),
            Type::Complex(complex) => {
                let attributes = complex.attributes.iter_mut();
                attributes.for_each(|attribute| write(&mut attribute.value, strings));
                if let Content::Text(simple) = &mut complex.content {
                    write(simple, strings);
                }
            }
        }
    }
    Cow::Owned(plan)
}

fn write(simple: &mut Simple, strings: Strings) {
    let pattern = match &mut simple.kind {
        Kind::List(item) => return write(item, strings),
        Kind::Union(members) => return members.iter_mut().for_each(|it| write(it, strings)),
        Kind::Integer { min, max } if strings.longs && !is_exact(*min, *max) => "^-?[0-9]+$",
        Kind::Decimal if strings.decimals => "^-?[0-9]+(\\.[0-9]+)?$",
        _ => return,
    };
    // Bounds and values apply to numbers: strings of digits have no order, and more than one
    // spelling.
    simple.kind = Kind::String;
    simple.facets = Some(Box::new(Facets {
        patterns: vec![pattern.into()],
        ..Facets::default()
    }));
}
