//! Compares a new contract with the previous one: lists the added, removed and changed operations,
//! with their resources.
//!
//! Operations are compared as their callers see them: by the OpenAPI documents of both contracts.
//! Documentation is ignored.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};
use tollgate_model::resource::Resource;
use tollgate_model::soap::SoapService;
use tollgate_soap::compile::{Compiled, Documentation};
use tollgate_soap::openapi::{self, Info, Strings, TooLarge};
use tollgate_soap::plan::ServicePlan;
use tollgate_soap::resources::{self, Change, propose};

/// A change of an operation by a new contract.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct OperationChange {
    /// Name of the operation.
    #[schema(example = "getOrder")]
    operation: String,
    /// Kind of the change.
    change: Word,
    /// Details of the change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!(["its response has changed"]))]
    reasons: Vec<String>,
    /// Its previous resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Resource>,
    /// Its current resource; the same as before if only its messages have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    now: Option<Resource>,
}

/// The kind of an operation's change.
#[derive(Debug, Clone, Copy, Serialize, utoipa::ToSchema)]
#[schema(as = OperationChangeWord)]
#[serde(rename_all = "snake_case")]
enum Word {
    /// The previous contract does not have the operation.
    Added,
    /// The new contract does not have the operation.
    Removed,
    /// Its messages have changed, or how it can be called.
    Changed,
}

/// Descriptions of operations' differences, by operation name.
pub(crate) type Differences = BTreeMap<String, Vec<String>>;

/// Compares the operations that both contracts have. `before` is the plan as sent to gateways.
pub(crate) fn differences(before: &[u8], now: &ServicePlan) -> Differences {
    // The plan of another release cannot be read, so nothing is compared.
    let Ok(before) = ServicePlan::from_bytes(before) else {
        return Differences::new();
    };
    let described = (Described::from_plan(&before), Described::from_plan(now));
    let (Ok(before), Ok(now)) = described else {
        return match before == *now {
            true => Differences::new(),
            false => not_compared(&before, now),
        };
    };
    let components = before.differing(&now);
    let mut differences = Differences::new();
    for (name, one) in &before.operations {
        let Some(other) = now.operations.get(name) else {
            continue;
        };
        let parts = one.iter().zip(other);
        let sentences: Vec<_> = parts
            .filter(|((_, one), (_, other))| {
                let mut named = BTreeSet::new();
                references(one, &mut named);
                one != other || !named.is_disjoint(&components)
            })
            .map(|((what, _), _)| format!("its {what} has changed"))
            .collect();
        if !sentences.is_empty() {
            differences.insert(name.clone(), sentences);
        }
    }
    differences
}

/// Returns a difference of each operation that both plans have.
fn not_compared(before: &ServicePlan, now: &ServicePlan) -> Differences {
    let names = now.operations.iter().map(|it| &*it.name);
    let names: BTreeSet<_> = names.collect();
    let common = before.operations.iter().map(|it| &*it.name);
    let common = common.filter(|name| names.contains(name));
    let sentence = "its contract is too large to be compared";
    common
        .map(|name| (name.to_owned(), vec![sentence.to_owned()]))
        .collect()
}

/// Operations with the parts visible to callers, and the components that these reference.
struct Described {
    operations: BTreeMap<String, [(&'static str, Value); 4]>,
    components: Map<String, Value>,
}

impl Described {
    fn from_plan(plan: &ServicePlan) -> Result<Self, TooLarge> {
        let resources = propose(plan, resources::Style::Rpc);
        let info = Info {
            title: "",
            version: "",
            server: None,
            security: None,
            fixed: &[],
            fault_statuses: &[],
            strings: Strings::default(),
        };
        let mut document = openapi::document(plan, &resources, &Documentation::default(), &info)?;
        let operations = resources.into_iter().map(|resource| {
            let mut operation = document["paths"][resource.path.as_str()]["post"].take();
            let request = [
                operation["parameters"].take(),
                operation["requestBody"].take(),
            ];
            let (mut answers, mut faults) = (Map::new(), Map::new());
            if let Value::Object(responses) = operation["responses"].take() {
                let is_answer = |(status, _): &(String, Value)| status.starts_with('2');
                (answers, faults) = responses.into_iter().partition(is_answer);
            }
            let parts = [
                ("request", Value::from(request.to_vec())),
                ("response", Value::Object(answers)),
                ("set of faults", Value::Object(faults)),
                ("SOAP action or namespace", operation["x-soap"].take()),
            ];
            (resource.operation, parts)
        });
        Ok(Self {
            operations: operations.collect(),
            components: match document["components"]["schemas"].take() {
                Value::Object(components) => components,
                _ => Map::new(),
            },
        })
    }

    /// Returns the components that differ, or that reference differing ones.
    fn differing(&self, other: &Self) -> BTreeSet<String> {
        let mut differing = BTreeSet::new();
        let mut led_by = BTreeMap::<String, Vec<&String>>::new();
        for (name, component) in &self.components {
            if other.components.get(name) != Some(component) {
                differing.insert(name.clone());
            }
            let mut named = BTreeSet::new();
            references(component, &mut named);
            for to in named {
                led_by.entry(to).or_default().push(name);
            }
        }
        let mut open: Vec<_> = differing.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for from in led_by.get(&name).into_iter().flatten() {
                if differing.insert((*from).clone()) {
                    open.push((*from).clone());
                }
            }
        }
        differing
    }
}

/// Collects the names of the components that a schema references.
fn references(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(to)) = members.get("$ref") {
                into.extend(to.rsplit('/').next().map(str::to_owned));
            }
            members.values().for_each(|member| references(member, into));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, into)),
        _ => {}
    }
}

/// Returns the changes of the operations of two services that are proxied, for their callers:
/// removed ones last.
pub(crate) fn changes_of_contract(
    before: Option<&SoapService>,
    now: Option<&SoapService>,
    differences: &Differences,
) -> Vec<OperationChange> {
    let [had, has] = [before, now].map(|service| {
        let operations = service.into_iter().flat_map(|it| &it.operations);
        operations
            .map(|it| it.name.as_str())
            .collect::<BTreeSet<_>>()
    });
    let change = |operation: &str, change| OperationChange {
        operation: operation.to_owned(),
        change,
        reasons: differences.get(operation).cloned().unwrap_or_default(),
        before: None,
        now: None,
    };
    let both = has.intersection(&had);
    let changed = both.filter(|name| differences.contains_key(**name));
    let changed = changed.map(|name| change(name, Word::Changed));
    let added = has.difference(&had).map(|name| change(name, Word::Added));
    let removed = had.difference(&has).map(|name| change(name, Word::Removed));
    changed.chain(added).chain(removed).collect()
}

fn resources_of(service: Option<&SoapService>) -> BTreeMap<&str, &Resource> {
    let rest = service.and_then(|service| service.rest.as_ref());
    let resources = rest.into_iter().flat_map(|rest| &rest.resources);
    resources.map(|it| (it.operation.as_str(), it)).collect()
}

/// Returns all changes of operations.
pub(crate) fn changes(
    before: Option<&SoapService>,
    now: &SoapService,
    compiled: &Compiled,
    differences: &Differences,
    changes: &[Change],
) -> Vec<OperationChange> {
    let listed = before.into_iter().flat_map(|before| &before.operations);
    let known: BTreeSet<&str> = listed.map(|it| it.name.as_str()).collect();
    let broken: BTreeMap<_, _> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Broken { operation, reasons } => Some((operation.as_str(), reasons)),
            _ => None,
        })
        .collect();
    let is_rest = now.rest.is_some();
    let (had, has) = (resources_of(before), resources_of(Some(now)));
    let mut all = Vec::new();
    for operation in &compiled.plan.operations {
        let name = &*operation.name;
        let (had, has) = (had.get(name).copied(), has.get(name).copied());
        let mut reasons: Vec<_> = differences.get(name).cloned().unwrap_or_default();
        reasons.extend(broken.get(name).copied().into_iter().flatten().cloned());
        match (had, &operation.proxy_only) {
            (Some(_), Some(reason)) => reasons.push(format!("it can only be proxied: {reason}")),
            (None, Some(reason)) if is_rest && !known.contains(name) => {
                reasons.push(format!("it can only be proxied: {reason}"));
            }
            (None, None) if is_rest && known.contains(name) => {
                reasons.push("it had no resource".to_owned());
            }
            _ => {}
        }
        let change = match known.contains(name) {
            false => Word::Added,
            true if reasons.is_empty() => continue,
            true => Word::Changed,
        };
        all.push(OperationChange {
            operation: name.to_owned(),
            change,
            reasons,
            before: had.cloned(),
            now: has.cloned(),
        });
    }
    let still: BTreeSet<&str> = now.operations.iter().map(|it| it.name.as_str()).collect();
    for name in known.difference(&still) {
        all.push(OperationChange {
            operation: (*name).to_owned(),
            change: Word::Removed,
            reasons: Vec::new(),
            before: had.get(name).copied().cloned(),
            now: None,
        });
    }
    all
}
