//! Names are classified as the engine does: crate `mediation` cannot use `http1`.

use super::*;

/// The names that the engine distinguishes.
const ENGINE: &str = include_str!("../../../../http1/src/head.rs");

#[test]
fn the_classes_of_names_are_those_of_the_engine() {
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
            let known = Known::of(name.as_bytes());
            let class = field_class(known);
            assert_eq!(FieldClass::of(&name), class, "{name}");
            let ends_here = known.ends_here() || known == Known::Proxy;
            assert_eq!(class == FieldClass::Hop, ends_here, "{name}");
        }
    }
}
