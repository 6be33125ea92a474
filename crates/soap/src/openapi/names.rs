//! Names of the components.

use std::collections::BTreeSet;

use super::generators::RESERVED;
use crate::plan::{ServicePlan, Type};

/// Returns the names of components, one for each type: its local name as OpenAPI allows it, with a
/// number where two would share one, or where generators reserve it.
pub(super) fn names(plan: &ServicePlan) -> Vec<String> {
    let own = ["Problem", "KnownElement"].into_iter();
    let mut taken: BTreeSet<_> = own.chain(RESERVED).map(str::to_owned).collect();
    let name = |ty: &Type| {
        let json = match ty {
            Type::Complex(complex) => match &complex.name {
                Some(name) => &*name.local,
                None => &*complex.json,
            },
            Type::Simple(_) => return String::new(),
        };
        let allowed = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_')
        };
        let clean: String = json
            .chars()
            .map(|of| if allowed(of) { of } else { '_' })
            .collect();
        let clean = if clean.is_empty() {
            "Type".to_owned()
        } else {
            clean
        };
        let mut name = clean.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{clean}_{number}");
            number += 1;
        }
        name
    };
    plan.types.iter().map(name).collect()
}
