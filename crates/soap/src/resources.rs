//! REST resources for the operations of a service: a proposal that a publisher may edit, and the
//! changes that a new import makes to it.
//!
//! The name of an operation is split into words; the first one determines the method and the others
//! make the path. If the result is doubtful, it is `POST /<operation>`: no operation is dropped and
//! nothing is guessed twice. GET is a guess too, so nothing caches or repeats it automatically.

mod check;
mod merge;
mod names;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tollgate_model::api::Method;
use tollgate_model::resource::{PARAMETERS_MAX, Parameter, Place, Resource};
use tollgate_model::template::PathTemplate;

use crate::convention::headers_key;
use crate::plan::{
    Complex, Content, Elements, FieldKind, Kind, Occurs, Operation, Particle, Presence,
    ServicePlan, Simple, Type,
};
pub use check::{Fault, faults};
pub use merge::{Change, Merged, merge};
pub(crate) use names::words;
use names::{is_key, segment};

/// Maximum number of header fields proposed for one resource.
const HEADERS_MAX: usize = 50;

/// The style of a proposal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// By the words of the operation's name.
    #[default]
    Rest,
    /// `POST /<operation>` for all.
    Rpc,
}

/// Proposes a resource for each operation that can be called as REST, in the order of the contract.
#[must_use]
pub fn propose(plan: &ServicePlan, style: Style) -> Vec<Resource> {
    let mut taken = BTreeSet::new();
    let callable = plan
        .operations
        .iter()
        .filter(|operation| operation.proxy_only.is_none());
    // Resources are assigned in order: a fallback must not take the place of an earlier one either.
    let resources = callable.map(|operation| {
        let fallback = by_name(plan, operation);
        let proposed = match style {
            Style::Rest => by_words(plan, operation),
            Style::Rpc => None,
        };
        let proposed = proposed.filter(|it| taken.insert((it.method, it.path.shape())));
        proposed.unwrap_or_else(|| {
            taken.insert((fallback.method, fallback.path.shape()));
            fallback
        })
    });
    resources.collect()
}

/// Returns `POST /<operation>`, with everything in the body but flat header blocks.
fn by_name(plan: &ServicePlan, operation: &Operation) -> Resource {
    let path = format!("/{}", segment(&operation.name));
    // The names of a contract are bounded, but not by the bounds of paths.
    let path = PathTemplate::parse(&path).unwrap_or_else(|_| {
        let mut before = plan.operations.iter();
        let place = before.position(|it| it.name == operation.name);
        let path = format!("/operation-{}", place.unwrap_or_default());
        PathTemplate::parse(&path).expect("letters and digits are a path")
    });
    Resource {
        operation: operation.name.to_string(),
        method: Method::Post,
        path,
        parameters: headers(plan, operation),
        enabled: true,
    }
}

/// Proposes a resource by the words of the name; `None` if they are not sufficient.
fn by_words(plan: &ServicePlan, operation: &Operation) -> Option<Resource> {
    let words = words(&operation.name);
    let method = match words.first().map(String::as_str) {
        Some(
            "get" | "find" | "list" | "search" | "query" | "read" | "fetch" | "retrieve" | "lookup"
            | "count" | "is" | "has",
        ) => Method::Get,
        Some("delete" | "remove" | "cancel") => Method::Delete,
        Some("update" | "modify" | "set" | "edit" | "change" | "replace") => Method::Put,
        Some("patch") => Method::Patch,
        _ => Method::Post,
    };
    let inputs = inputs(plan, operation);
    let is_flat = inputs.is_some();
    if method == Method::Post || (!method.has_body() && !is_flat) {
        return by_message(plan, operation);
    }
    let place = path_words(operation, &words);
    // A number alone would not describe anything.
    if !place.chars().any(char::is_alphabetic) {
        return None;
    }
    let mut path = format!("/{}", segment(&place));
    let mut parameters = Vec::new();
    let inputs = inputs.unwrap_or_else(|| scalars(plan, operation));
    let keys = inputs
        .iter()
        .filter(|input| input.required && !input.is_array);
    let mut keys = keys.filter(|input| is_key(&input.name));
    // Only a single key names the resource; the order of two is unknown.
    let key = keys.next().filter(|_| keys.next().is_none());
    if let Some(key) = key {
        path.push_str(&format!("/{{{}}}", key.name));
        parameters.push(Parameter {
            place: Place::Path,
            ..key.clone()
        });
    }
    if !method.has_body() {
        parameters.extend(inputs.iter().filter(|&input| Some(input) != key).cloned());
    }
    parameters.extend(headers(plan, operation));
    Some(Resource {
        operation: operation.name.to_string(),
        method,
        path: PathTemplate::parse(&path).ok()?,
        parameters,
        enabled: true,
    })
}

/// Returns the words of a path, joined: those of the operation's name, or of an overload's message,
/// without the first, which is the method. If the name has only this word, the message keeps it.
fn path_words(operation: &Operation, words: &[String]) -> String {
    let Some(overload) = &operation.overload else {
        return words.get(1..).unwrap_or_default().join("-");
    };
    // The last word of the name is the number by which it differs from that of the other operation.
    let is_single = words.len() < 3;
    let after = words
        .first()
        .and_then(|first| overload.strip_prefix(&**first));
    let after = after.and_then(|after| after.strip_prefix('-'));
    after.filter(|_| !is_single).unwrap_or(overload).to_owned()
}

/// Returns `POST /<words of the message>` for an overload, unless an operation has this name.
fn by_message(plan: &ServicePlan, operation: &Operation) -> Option<Resource> {
    let words = operation.overload.as_ref()?;
    let mut others = plan.operations.iter();
    let is_named = others.any(|it| it.name == *words);
    let path = format!("/{}", segment(words));
    Some(Resource {
        path: PathTemplate::parse(&path).ok().filter(|_| !is_named)?,
        ..by_name(plan, operation)
    })
}

/// Returns the inputs of an operation as query parameters, if all are scalars, lists of scalars, or
/// one level of these.
fn inputs(plan: &ServicePlan, operation: &Operation) -> Option<Vec<Parameter>> {
    let mut inputs = Vec::new();
    let Some(body) = &operation.request.body else {
        return Some(inputs);
    };
    match plan.types.get(body.ty.0 as usize)? {
        Type::Simple(Simple {
            kind: Kind::List(_),
            ..
        }) => return None,
        Type::Simple(_) => inputs.push(Parameter {
            place: Place::Query,
            name: body.name.local.to_string(),
            path: Vec::new(),
            is_array: false,
            required: true,
        }),
        Type::Complex(complex) => {
            fields(plan, complex, &[], true, &mut inputs)?;
        }
    }
    let mut names = BTreeSet::new();
    let is_unique = inputs.iter().all(|input| names.insert(input.name.clone()));
    (is_unique && inputs.len() <= PARAMETERS_MAX - HEADERS_MAX).then_some(inputs)
}

/// Returns the flat fields of a type at a path.
fn fields(
    plan: &ServicePlan,
    complex: &Complex,
    path: &[String],
    required: bool,
    inputs: &mut Vec<Parameter>,
) -> Option<()> {
    let is_plain = !complex.any_attribute && complex.derived.is_empty() && !complex.is_abstract;
    if !is_plain || !complex.attributes.is_empty() {
        return None;
    }
    let elements = match &complex.content {
        Content::Empty => return Some(()),
        Content::Elements(elements) => elements,
        Content::Text(_) | Content::Mixed | Content::Open => return None,
    };
    let (particles, presence) = particles(elements)?;
    for particle in particles {
        let Particle::Field(index, Occurs { min, .. }) = particle else {
            return None;
        };
        let field = elements.fields.get(usize::from(*index))?;
        let FieldKind::Element(element) = &field.kind else {
            return None;
        };
        let is_required = required && *min > 0 && presence == Presence::Required;
        let path = [path, &[field.json.to_string()]].concat();
        match plan.types.get(element.ty.0 as usize)? {
            Type::Simple(simple) => inputs.push(Parameter {
                place: Place::Query,
                name: field.json.to_string(),
                is_array: field.is_array || matches!(simple.kind, Kind::List(_)),
                path,
                required: is_required && !element.nillable,
            }),
            Type::Complex(below) if path.len() == 1 && !field.is_array => {
                fields(plan, below, &path, is_required, inputs)?;
            }
            Type::Complex(_) => return None,
        }
    }
    Some(())
}

/// Returns the particles of a sequence or `all`; `None` for a choice.
fn particles(elements: &Elements) -> Option<(&[Particle], Presence)> {
    match &elements.order {
        Particle::Sequence(particles, presence) | Particle::All(particles, presence) => {
            Some((particles, *presence))
        }
        // A sequence of one member is that member.
        one @ Particle::Field(..) => Some((std::slice::from_ref(one), Presence::Required)),
        Particle::Choice(..) => None,
    }
}

/// Returns the scalars that a request must have at the top level; deeper values are ignored.
fn scalars(plan: &ServicePlan, operation: &Operation) -> Vec<Parameter> {
    let body = operation.request.body.as_ref();
    let ty = body.and_then(|body| plan.types.get(body.ty.0 as usize));
    let Some(Type::Complex(Complex {
        content: Content::Elements(elements),
        ..
    })) = ty
    else {
        return Vec::new();
    };
    let Some((particles, Presence::Required)) = particles(elements) else {
        return Vec::new();
    };
    let scalar = |particle: &Particle| {
        let Particle::Field(index, Occurs { min: 1.., .. }) = particle else {
            return None;
        };
        let field = elements.fields.get(usize::from(*index))?;
        let FieldKind::Element(element) = &field.kind else {
            return None;
        };
        let Type::Simple(simple) = plan.types.get(element.ty.0 as usize)? else {
            return None;
        };
        let is_list = field.is_array || matches!(simple.kind, Kind::List(_));
        (!is_list && !element.nillable).then(|| Parameter {
            place: Place::Query,
            name: field.json.to_string(),
            path: vec![field.json.to_string()],
            is_array: false,
            required: true,
        })
    };
    particles.iter().filter_map(scalar).collect()
}

/// Returns the fields of flat header blocks: `X-Soap-<Part>-<Field>`, or `X-Soap-<Part>` for text.
fn headers(plan: &ServicePlan, operation: &Operation) -> Vec<Parameter> {
    let key = headers_key(plan, operation);
    let (mut all, mut taken) = (Vec::new(), BTreeSet::new());
    for header in &operation.request.headers {
        let path = [key.to_owned(), header.part.to_string()];
        let mut found = Vec::new();
        match plan.types.get(header.element.ty.0 as usize) {
            Some(Type::Simple(simple)) => found.push(Parameter {
                place: Place::Header,
                name: String::new(),
                path: path.into(),
                is_array: matches!(simple.kind, Kind::List(_)),
                required: false,
            }),
            Some(Type::Complex(complex)) => {
                let is_flat = fields(plan, complex, &path, false, &mut found).is_some();
                // Fields deeper than one level have no header name.
                if !is_flat || found.iter().any(|field| field.path.len() > 3) {
                    continue;
                }
            }
            None => continue,
        }
        for field in &mut found {
            let end = field.path.get(2).map(|name| format!("-{name}"));
            field.name = format!("X-Soap-{}{}", header.part, end.unwrap_or_default());
            field.place = Place::Header;
        }
        // Names that are invalid in HTTP, or equal but for case, stay in the body.
        found.retain(|field| {
            let is_token = field.name.bytes().all(names::is_token);
            is_token && taken.insert(field.name.to_ascii_lowercase())
        });
        all.extend(found);
    }
    all.truncate(HEADERS_MAX);
    all
}
