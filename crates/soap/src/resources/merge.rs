//! Applies a new import to edited resources.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tollgate_model::api::{Method, OPERATIONS_MAX};
use tollgate_model::resource::{Parameter, Place, Resource};
use tollgate_model::template::PathTemplate;

use super::check::{of_resource, target};
use super::{Style, faults, propose};
use crate::plan::{Operation, ServicePlan};

/// A change that a new import makes to a list of resources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum Change {
    /// The contract has an operation that is not in the list.
    Added {
        /// Its name.
        operation: String,
    },
    /// The operation no longer exists, or can only be proxied now.
    Removed {
        /// Its name.
        operation: String,
    },
    /// A resource no longer fits its operation.
    Broken {
        /// Its name.
        operation: String,
        /// The reasons, as sentences.
        reasons: Vec<String>,
    },
}

/// Edited resources, adapted to a new contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// One for each operation that can be called as REST, in the order of the contract.
    pub resources: Vec<Resource>,
    /// The changes.
    pub changes: Vec<Change>,
}

/// Adapts edited resources to a new contract. A resource that still fits is kept as edited,
/// whatever the new contract would propose. One that does not loses the parameters that are gone
/// and gets those that are required now; if that is not sufficient, and for new operations, it is
/// as proposed. Removed operations are left out. Nothing is served that was not served before.
/// `fixed` is as in [`faults`].
#[must_use]
pub fn merge(plan: &ServicePlan, edited: &[Resource], style: Style, fixed: &[&str]) -> Merged {
    let mut reasons = BTreeMap::<usize, Vec<String>>::new();
    for fault in faults(plan, edited, fixed) {
        let sentences = reasons.entry(fault.resource).or_default();
        sentences.push(fault.sentence);
    }
    let known: BTreeMap<&str, _> = edited
        .iter()
        .enumerate()
        .map(|(at, of)| (&*of.operation, (at, of)))
        .collect();
    let operations = plan.operations.iter();
    let callable = operations.filter(|operation| operation.proxy_only.is_none());
    let proposals = proposals(plan, style, fixed).zip(proposals(plan, Style::Rpc, fixed));
    let kept = known.values().filter(|(at, _)| !reasons.contains_key(at));
    let mut places = Places(kept.map(|(_, resource)| place(resource)).collect());
    let (mut resources, mut changes) = (Vec::new(), Vec::new());
    for (operation, (proposal, plain)) in callable.zip(proposals) {
        let name = operation.name.to_string();
        let Some(&(at, before)) = known.get(&*operation.name) else {
            resources.push(places.free(proposal, plain));
            changes.push(Change::Added { operation: name });
            continue;
        };
        let Some(reasons) = reasons.remove(&at) else {
            resources.push(before.clone());
            continue;
        };
        let mended = mend(plan, operation, before, &proposal)
            .filter(|mended| fits(plan, operation, mended, fixed));
        let now = places.free(mended.unwrap_or(proposal), plain);
        resources.push(Resource {
            enabled: before.enabled,
            ..now
        });
        changes.push(Change::Broken {
            operation: name,
            reasons,
        });
    }
    let now: BTreeSet<&str> = resources.iter().map(|of| &*of.operation).collect();
    let gone = known.keys().filter(|name| !now.contains(*name));
    changes.extend(gone.map(|&name| Change::Removed {
        operation: name.to_owned(),
    }));
    Merged { resources, changes }
}

/// Returns the proposals, without the parameters that the configuration sets.
fn proposals(
    plan: &ServicePlan,
    style: Style,
    fixed: &[&str],
) -> impl Iterator<Item = Resource> + use<> {
    let mut proposals = propose(plan, style);
    let broken = faults(plan, &proposals, fixed).into_iter();
    let broken: BTreeSet<_> = broken.map(|fault| (fault.resource, fault.field)).collect();
    for (index, proposal) in proposals.iter_mut().enumerate() {
        let mut places = (0..).map(|at| (index, format!("/parameters/{at}/path")));
        let mut is_broken = || places.next().is_some_and(|place| broken.contains(&place));
        proposal.parameters.retain(|_| !is_broken());
    }
    proposals.into_iter()
}

fn fits(plan: &ServicePlan, operation: &Operation, resource: &Resource, fixed: &[&str]) -> bool {
    let mut fits = true;
    of_resource(plan, operation, resource, fixed, &mut |_, _| fits = false);
    fits
}

/// Returns an edited resource with the parameters that its operation still has, and those that it
/// requires now; `None` if it is unclear what its path would name.
fn mend(
    plan: &ServicePlan,
    operation: &Operation,
    edited: &Resource,
    proposal: &Resource,
) -> Option<Resource> {
    let mut mended = edited.clone();
    mended.parameters.retain_mut(|parameter| {
        let target = target(plan, operation, parameter);
        parameter.is_array = target.unwrap_or_default();
        target.is_some()
    });
    match (&in_path(edited)[..], &in_path(&mended)[..]) {
        (before, now) if before.len() == now.len() => {}
        // The only value in the path was renamed.
        (&[gone], []) => {
            let inputs = proposal.parameters.iter();
            let needed = inputs.filter(|of| of.place != Place::Header && of.required);
            let needed = needed.filter(|of| !mended.parameters.iter().any(|it| it.path == of.path));
            let [key] = needed.collect::<Vec<_>>()[..] else {
                return None;
            };
            let (hole, named) = (format!("{{{}}}", gone.name), format!("{{{}}}", key.name));
            let path = edited.path.as_str().replace(&hole, &named);
            mended.path = PathTemplate::parse(&path).ok()?;
            let key = Parameter {
                place: Place::Path,
                ..key.clone()
            };
            mended.parameters.insert(0, key);
        }
        _ => return None,
    }
    if !edited.method.has_body() {
        let is_given = |parameter: &Parameter| {
            let mut given = mended.parameters.iter();
            given.any(|given| given.path == parameter.path || given.name == parameter.name)
        };
        let more = proposal.parameters.iter().filter(|of| of.required);
        let more = more.filter(|of| of.place != Place::Header && !is_given(of));
        let more = more.map(|parameter| Parameter {
            place: Place::Query,
            ..parameter.clone()
        });
        let more: Vec<_> = more.collect();
        mended.parameters.extend(more);
    }
    Some(mended)
}

fn in_path(resource: &Resource) -> Vec<&Parameter> {
    let parameters = resource.parameters.iter();
    parameters.filter(|of| of.place == Place::Path).collect()
}

fn place(resource: &Resource) -> (Method, String) {
    (resource.method, resource.path.shape())
}

/// The methods and shapes of paths that are in use.
struct Places(BTreeSet<(Method, String)>);

impl Places {
    fn take(&mut self, resource: &Resource) -> bool {
        self.0.insert(place(resource))
    }

    /// Returns the resource; if its place is in use, `plain`, with a number if necessary.
    fn free(&mut self, resource: Resource, mut plain: Resource) -> Resource {
        if self.take(&resource) {
            return resource;
        }
        let path = plain.path.clone();
        let mut number = 1;
        while !self.take(&plain) && number < OPERATIONS_MAX {
            number += 1;
            let numbered = PathTemplate::parse(&format!("{path}-{number}"));
            plain.path = numbered.unwrap_or(plain.path);
        }
        plain
    }
}
