//! Checks edited resources against their contract.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tollgate_model::resource::{Parameter, Resource};

use crate::convention::{headers_key, in_header};
use crate::plan::{Content, FieldKind, Kind, Operation, ServicePlan, Simple, Type};

/// A mismatch between a resource and its contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The index of the resource in the list.
    pub resource: usize,
    /// A JSON Pointer to the problem, relative to the resource.
    pub field: String,
    /// The problem, as a sentence.
    pub sentence: String,
}

/// Checks a list of resources against the contract. Problems that are visible without it are
/// reported by [`tollgate_model::resource::RestService::faults`]. `fixed` are the parts with header
/// blocks from the publisher's configuration, which parameters cannot set.
#[must_use]
pub fn faults(plan: &ServicePlan, resources: &[Resource], fixed: &[&str]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let operations = plan.operations.iter();
    let operations: BTreeMap<&str, _> = operations.map(|of| (&*of.name, of)).collect();
    for (index, resource) in resources.iter().enumerate() {
        let mut fault = |field: &str, sentence: String| {
            faults.push(Fault {
                resource: index,
                field: field.to_owned(),
                sentence,
            });
        };
        match operations.get(&*resource.operation) {
            Some(operation) => of_resource(plan, operation, resource, fixed, &mut fault),
            None => {
                let sentence = format!("the contract has no operation {:?}", resource.operation);
                fault("/operation", sentence);
            }
        }
    }
    faults
}

/// Checks the resource of an operation against it: reports fields and sentences.
pub(super) fn of_resource(
    plan: &ServicePlan,
    operation: &Operation,
    resource: &Resource,
    fixed: &[&str],
    fault: &mut impl FnMut(&str, String),
) {
    if let Some(reason) = operation.proxy_only.as_ref().filter(|_| resource.enabled) {
        let sentence = format!("the operation can only be proxied: {reason}");
        fault("/operation", sentence);
    }
    for (number, parameter) in resource.parameters.iter().enumerate() {
        let mut fault = |below: &str, sentence: String| {
            fault(&format!("/parameters/{number}{below}"), sentence);
        };
        of_parameter(plan, operation, parameter, fixed, &mut fault);
    }
    of_method(plan, operation, resource, fault);
}

fn of_parameter(
    plan: &ServicePlan,
    operation: &Operation,
    parameter: &Parameter,
    fixed: &[&str],
    fault: &mut impl FnMut(&str, String),
) {
    let part = in_header(headers_key(plan, operation), &parameter.path);
    if let Some((part, _)) = part.filter(|(part, _)| fixed.contains(part)) {
        let sentence = format!("the configuration sets the header block {part}");
        return fault("/path", sentence);
    }
    match target(plan, operation, parameter) {
        None => {
            let sentence = format!(
                "/{} is not a scalar of the request",
                parameter.path.join("/")
            );
            fault("/path", sentence);
        }
        Some(is_array) if is_array != parameter.is_array => {
            let what = if is_array { "an array" } else { "not an array" };
            let sentence = format!("/{} is {what}", parameter.path.join("/"));
            fault("/is_array", sentence);
        }
        Some(_) => {}
    }
}

fn of_method(
    plan: &ServicePlan,
    operation: &Operation,
    resource: &Resource,
    fault: &mut impl FnMut(&str, String),
) {
    if resource.method.has_body() {
        return;
    }
    for needed in required(plan, operation) {
        let mut given = resource.parameters.iter();
        if !given.any(|given| given.path.starts_with(&needed)) {
            let (method, needed) = (resource.method, needed.join("/"));
            let sentence = format!("{method} has no body, and /{needed} is required");
            fault("/method", sentence);
        }
    }
}

/// Whether the path of a parameter leads to an array; `None` if it leads to neither a scalar nor an
/// array of scalars.
pub(super) fn target(
    plan: &ServicePlan,
    operation: &Operation,
    parameter: &Parameter,
) -> Option<bool> {
    let path = &parameter.path[..];
    let (mut ty, rest) = match in_header(headers_key(plan, operation), path) {
        Some((part, rest)) => {
            let mut headers = operation.request.headers.iter();
            let header = headers.find(|header| *header.part == *part)?;
            (header.element.ty, rest)
        }
        None => (operation.request.body.as_ref()?.ty, path),
    };
    let is_list = |simple: &Simple| matches!(simple.kind, Kind::List(_));
    let mut is_array = false;
    for (depth, key) in rest.iter().enumerate() {
        let Type::Complex(complex) = plan.types.get(ty.0 as usize)? else {
            return None;
        };
        if is_array {
            return None;
        }
        let mut attributes = complex.attributes.iter();
        if let Some(attribute) = attributes.find(|attribute| *attribute.json == **key) {
            return (depth + 1 == rest.len()).then_some(is_list(&attribute.value));
        }
        let Content::Elements(elements) = &complex.content else {
            return None;
        };
        let field = elements.fields.iter().find(|field| *field.json == **key)?;
        let FieldKind::Element(element) = &field.kind else {
            return None;
        };
        (ty, is_array) = (element.ty, field.is_array);
    }
    let is_list = match plan.types.get(ty.0 as usize)? {
        Type::Simple(simple) => is_list(simple),
        Type::Complex(complex) if !complex.is_bare() => return None,
        Type::Complex(complex) => match &complex.content {
            Content::Text(simple) => is_list(simple),
            _ => false,
        },
    };
    // A list that is the whole body has no key to collect items under.
    (!is_list || !path.is_empty()).then_some(is_array || is_list)
}

/// Returns the paths of the required values of a request.
fn required(plan: &ServicePlan, operation: &Operation) -> Vec<Vec<String>> {
    let Some(inputs) = super::inputs(plan, operation) else {
        // Not flat: the body itself, which a method without one cannot send.
        return vec![Vec::new()];
    };
    let needed = inputs.into_iter().filter(|input| input.required);
    needed.map(|input| input.path).collect()
}
