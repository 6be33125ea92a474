//! The dry run classifies header fields as the engine does: crate `mediation` cannot use `http1`.

use tollgate_http1::head::Known;
use tollgate_mediation::dry_run::FieldClass;

/// The names that the engine distinguishes.
const ENGINE: &str = include_str!("../../http1/src/head.rs");

fn class(known: Known) -> FieldClass {
    match known {
        Known::Cookie => FieldClass::Cookie,
        Known::Origin => FieldClass::Origin,
        Known::RateLimit => FieldClass::RateLimit,
        Known::MethodOverride => FieldClass::MethodOverride,
        Known::Other => FieldClass::Other,
        Known::Proxy => FieldClass::Hop,
        of => {
            assert!(of.ends_here());
            FieldClass::Hop
        }
    }
}

#[test]
fn the_dry_run_knows_the_fields_of_the_engine() {
    let literals = ENGINE.split("b\"").skip(1);
    let names = literals.filter_map(|rest| rest.split('"').next());
    let names: Vec<_> = names.filter(|name| name.len() > 1).collect();
    assert!(names.contains(&"te") && names.contains(&"x-forwarded-"));
    for name in names {
        let variants = [
            name.to_owned(),
            name.to_ascii_uppercase(),
            name.replace('-', "_"),
            format!("{name}x"),
        ];
        for name in variants {
            let of_engine = class(Known::of(name.as_bytes()));
            assert_eq!(FieldClass::of(&name), of_engine, "{name}");
        }
    }
}
