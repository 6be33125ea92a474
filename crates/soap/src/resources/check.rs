//! Edited resources: what is wrong with them, and what a new import means for them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use tollgate_model::api::Method;
use tollgate_model::resource::{Parameter, Place, Resource};

use super::{Style, propose};
use crate::plan::{Content, Field, FieldKind, Operation, ServicePlan, Type};

/// What is wrong with a resource, for its publisher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// The operation.
    pub operation: String,
    /// What, in a sentence.
    pub sentence: String,
}

/// Finds all in which a list of resources does not fit the contract. What shows without it is told
/// by [`tollgate_model::resource::RestService::faults`].
#[must_use]
pub fn faults(plan: &ServicePlan, resources: &[Resource]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut operations = BTreeSet::new();
    for resource in resources {
        let mut fault = |sentence: String| {
            faults.push(Fault {
                operation: resource.operation.clone(),
                sentence,
            });
        };
        if !operations.insert(&resource.operation) {
            fault("the operation has two resources".into());
        }
        let operation = plan
            .operations
            .iter()
            .find(|of| *of.name == resource.operation);
        let Some(operation) = operation else {
            fault("the contract has no such operation".into());
            continue;
        };
        if let Some(reason) = operation.proxy_only.as_ref().filter(|_| resource.enabled) {
            fault(format!("the operation can only be proxied: {reason}"));
        }
        of_parameters(plan, operation, resource, &mut fault);
    }
    faults
}

fn of_parameters(
    plan: &ServicePlan,
    operation: &Operation,
    resource: &Resource,
    fault: &mut impl FnMut(String),
) {
    let (mut names, mut targets) = (BTreeSet::new(), BTreeSet::new());
    for parameter in &resource.parameters {
        let Parameter {
            place, name, path, ..
        } = parameter;
        let folded = match place {
            Place::Header => name.to_ascii_lowercase(),
            Place::Path | Place::Query => name.to_string(),
        };
        if !names.insert((*place as u8, folded)) {
            fault(format!("two parameters are called {name}"));
        }
        if !targets.insert(path) {
            fault(format!("two parameters give /{}", path.join("/")));
        }
        if name.is_empty() || *place == Place::Header && !name.bytes().all(super::names::is_token) {
            fault(format!("{name:?} cannot be the name of a parameter"));
        }
        if !reaches(plan, operation, parameter) {
            fault(format!("/{} is no scalar of the request", path.join("/")));
        }
    }
    if resource.method.has_body() {
        return;
    }
    for needed in required(plan, operation) {
        if !resource
            .parameters
            .iter()
            .any(|given| given.path.starts_with(&needed))
        {
            let method = match resource.method {
                Method::Delete => "DELETE",
                _ => "GET",
            };
            fault(format!(
                "{method} has no body, and /{} is required",
                needed.join("/")
            ));
        }
    }
}

/// Whether the path of a parameter leads to a scalar, or to an array of such.
fn reaches(plan: &ServicePlan, operation: &Operation, parameter: &Parameter) -> bool {
    let headers = operation.request.headers.iter();
    let (mut ty, rest) = match &parameter.path[..] {
        [first, part, rest @ ..] if is_headers(first) => {
            let mut headers = headers;
            match headers.find(|header| *header.part == **part) {
                Some(header) => (header.element.ty, rest),
                None => return false,
            }
        }
        path => match &operation.request.body {
            Some(body) => (body.ty, path),
            None => return false,
        },
    };
    let mut is_array = false;
    for key in rest {
        if is_array {
            return false;
        }
        let Some(Type::Complex(complex)) = plan.types.get(ty.0 as usize) else {
            return false;
        };
        if complex
            .attributes
            .iter()
            .any(|attribute| *attribute.json == **key)
        {
            return rest.last() == Some(key);
        }
        let Content::Elements(elements) = &complex.content else {
            return false;
        };
        let field = elements.fields.iter().find(|field| *field.json == **key);
        match field {
            Some(Field {
                kind: FieldKind::Element(element),
                is_array: repeats,
                ..
            }) => {
                (ty, is_array) = (element.ty, *repeats);
            }
            _ => return false,
        }
    }
    match plan.types.get(ty.0 as usize) {
        Some(Type::Simple(_)) => true,
        Some(Type::Complex(complex)) => complex.is_bare(),
        None => false,
    }
}

fn is_headers(key: &str) -> bool {
    matches!(
        key,
        crate::convention::HEADERS | crate::convention::HEADERS_BESIDE
    )
}

/// What a request must have, by its path.
fn required(plan: &ServicePlan, operation: &Operation) -> Vec<Vec<String>> {
    let Some(inputs) = super::inputs(plan, operation) else {
        // Not flat: the body itself, which a method without one cannot send.
        return vec![Vec::new()];
    };
    let needed = inputs.into_iter().filter(|input| input.required);
    needed.map(|input| input.path).collect()
}

/// What a new import changes for a list of resources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// The contract has an operation that the list does not know.
    Added {
        /// Its name.
        operation: String,
    },
    /// The operation is not there any more, or can only be proxied now.
    Removed {
        /// Its name.
        operation: String,
    },
    /// What a resource says does not fit the operation any more.
    Broken {
        /// Its name.
        operation: String,
        /// Why, in sentences.
        reasons: Vec<String>,
    },
}

/// Compares edited resources with the contract of a new import. Resources that still fit are no
/// change, whatever the new contract would propose.
#[must_use]
pub fn changes(plan: &ServicePlan, edited: &[Resource]) -> Vec<Change> {
    let mut changes = Vec::new();
    let is_callable = |name: &str| {
        let operation = plan.operations.iter().find(|of| &*of.name == name);
        operation.is_some_and(|operation| operation.proxy_only.is_none())
    };
    let mut reasons = BTreeMap::<String, Vec<String>>::new();
    for fault in faults(plan, edited) {
        reasons
            .entry(fault.operation)
            .or_default()
            .push(fault.sentence);
    }
    for resource in edited {
        let operation = resource.operation.clone();
        if !is_callable(&operation) {
            changes.push(Change::Removed { operation });
        } else if let Some(reasons) = reasons.remove(&operation) {
            changes.push(Change::Broken { operation, reasons });
        }
    }
    let known: BTreeSet<_> = edited.iter().map(|resource| &*resource.operation).collect();
    let callable = plan
        .operations
        .iter()
        .filter(|operation| is_callable(&operation.name));
    for operation in callable.filter(|operation| !known.contains(&&*operation.name)) {
        changes.push(Change::Added {
            operation: operation.name.to_string(),
        });
    }
    changes
}

/// The edited resources brought to a new contract: what still fits stays as it was edited, what is
/// broken or new is as proposed, what is gone is left out. A proposal that would take the place of
/// an edited resource is `POST /<operation>`.
#[must_use]
pub fn merge(plan: &ServicePlan, edited: &[Resource], style: Style) -> Vec<Resource> {
    let broken: BTreeSet<_> = faults(plan, edited)
        .into_iter()
        .map(|of| of.operation)
        .collect();
    let kept = edited
        .iter()
        .filter(|resource| !broken.contains(&resource.operation));
    let mut kept: BTreeMap<_, _> = kept.map(|of| (of.operation.clone(), of.clone())).collect();
    let mut taken: BTreeSet<_> = kept
        .values()
        .map(|of| (of.method, of.path.shape()))
        .collect();
    let plain = propose(plan, Style::Rpc).into_iter();
    let proposals = propose(plan, style).into_iter().zip(plain);
    let merged = proposals.map(|(proposal, plain)| match kept.remove(&proposal.operation) {
        Some(resource) => resource,
        None if taken.insert((proposal.method, proposal.path.shape())) => proposal,
        None => plain,
    });
    merged.collect()
}
