//! Invariants of every plan, whatever it was compiled from.

use std::collections::BTreeSet;

use tollgate_soap::pattern;
use tollgate_soap::plan::{
    Complex, Content, Element, Elements, FieldKind, Kind, NamespaceId, Particle, ServicePlan,
    Simple, Type, TypeId,
};
use tollgate_soap::{to_json, to_xml};

/// Panics on plans on which a transcoder would panic.
pub(crate) fn check(plan: &ServicePlan) {
    drop(to_json::Program::load(plan, to_json::Options::default()));
    to_xml::Program::load(plan, &to_xml::Settings::default()).expect("a plan that loads");
    assert_eq!(plan.namespaces.first().map(|name| &**name), Some(""));
    unique("namespace", plan.namespaces.iter().map(|name| &**name));
    unique(
        "operation",
        plan.operations.iter().map(|operation| &*operation.name),
    );
    let complex = plan.types.iter().filter_map(|ty| match ty {
        Type::Complex(complex) => Some(complex),
        Type::Simple(_) => None,
    });
    unique("type", complex.map(|complex| &*complex.json));
    let mut patterns = BTreeSet::new();
    for ty in &plan.types {
        match ty {
            Type::Simple(text) => simple(text, &mut patterns),
            Type::Complex(ty) => self::complex(plan, ty, &mut patterns),
        }
    }
    for pattern in patterns {
        pattern::compiled(pattern).expect("a pattern that compiles");
    }
    assert!(
        plan.globals.is_sorted_by(|a, b| a.name < b.name),
        "globals are in order"
    );
    plan.globals.iter().for_each(|global| element(plan, global));
    for operation in &plan.operations {
        for message in [Some(&operation.request), operation.response.as_ref()]
            .into_iter()
            .flatten()
        {
            message.body.iter().for_each(|body| element(plan, body));
            message
                .headers
                .iter()
                .for_each(|header| element(plan, &header.element));
        }
        operation
            .faults
            .iter()
            .for_each(|fault| element(plan, &fault.element));
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) {
    let mut seen = BTreeSet::new();
    for name in names {
        assert!(seen.insert(name), "two of the {what} `{name}`");
    }
}

fn namespace(plan: &ServicePlan, id: NamespaceId) {
    assert!(
        usize::from(id.0) < plan.namespaces.len(),
        "no namespace {id:?}"
    );
}

fn ty(plan: &ServicePlan, id: TypeId) -> &Type {
    plan.types
        .get(id.0 as usize)
        .expect("a type of this number")
}

fn element(plan: &ServicePlan, element: &Element) {
    namespace(plan, element.name.namespace);
    ty(plan, element.ty);
}

/// Checks a simple type; its patterns are checked once each.
fn simple<'a>(text: &'a Simple, patterns: &mut BTreeSet<&'a str>) {
    if let Some(facets) = &text.facets {
        patterns.extend(facets.patterns.iter().map(|pattern| &**pattern));
    }
    match &text.kind {
        Kind::List(item) => simple(item, patterns),
        Kind::Union(members) => members.iter().for_each(|member| simple(member, patterns)),
        _ => {}
    }
}

fn complex<'a>(plan: &'a ServicePlan, complex: &'a Complex, patterns: &mut BTreeSet<&'a str>) {
    let mut keys: Vec<&str> = match &complex.content {
        Content::Empty => Vec::new(),
        Content::Mixed | Content::Open => vec!["value"],
        Content::Text(text) => {
            simple(text, patterns);
            vec!["value"]
        }
        Content::Elements(elements) => self::elements(plan, elements),
    };
    for attribute in &complex.attributes {
        namespace(plan, attribute.name.namespace);
        simple(&attribute.value, patterns);
        let ours = ["@type", "@element", "@nil", "@headers"];
        assert!(!ours.contains(&&*attribute.json), "{}", attribute.json);
        keys.push(&attribute.json);
    }
    unique("property", keys.into_iter());
    for derived in &complex.derived {
        match ty(plan, *derived) {
            Type::Complex(derived) => assert!(derived.name.is_some() && !derived.is_abstract),
            Type::Simple(_) => panic!("a simple type is derived from a complex one"),
        }
    }
}

/// Checks elements. Returns the keys that they use in their object.
fn elements<'a>(plan: &'a ServicePlan, elements: &'a Elements) -> Vec<&'a str> {
    let mut keys = Vec::new();
    for field in &elements.fields {
        keys.push(&*field.json);
        match &field.kind {
            FieldKind::Element(of) => element(plan, of),
            FieldKind::Group(inner) => {
                // A single field if the group has one element several times.
                assert!(
                    field.is_array && !inner.fields.is_empty(),
                    "`{}`",
                    field.json
                );
                unique("property", self::elements(plan, inner).into_iter());
            }
            FieldKind::Any(_) => assert!(field.is_array, "`{}`", field.json),
            FieldKind::Substitution { head, members } => {
                element(plan, head);
                members.iter().for_each(|(_, member)| element(plan, member));
                let members = members.iter().map(|(key, _)| &**key);
                if field.is_array {
                    unique("member", members.chain([&*field.json]));
                } else {
                    keys.extend(members);
                }
            }
        }
    }
    let mut placed = vec![0; elements.fields.len()];
    order(&elements.order, &mut placed, 0);
    for (field, placed) in elements.fields.iter().zip(placed) {
        assert!(placed > 0, "`{}` has no place in the order", field.json);
    }
    keys
}

fn order(particle: &Particle, placed: &mut [u32], depth: usize) {
    assert!(depth < 256, "the order is too deep");
    match particle {
        Particle::Field(at, occurs) => {
            assert!(
                occurs.max.is_none_or(|max| max >= occurs.min && max > 0),
                "{occurs:?}"
            );
            placed[usize::from(*at)] += 1;
        }
        Particle::Sequence(parts, _) | Particle::Choice(parts, _) | Particle::All(parts, _) => {
            parts.iter().for_each(|part| order(part, placed, depth + 1));
        }
    }
}
