//! Compiles `mock`: finds the examples of all operations that a list applies to.

use std::collections::HashSet;

use tollgate_model::api::{Configuration, Kind};
use tollgate_model::policies::{self, Combine, Policies};

use super::paths;
use super::step::{Operation, Steps};
use crate::mock::Mock;
use crate::program::Action;

/// Maximum bytes of all examples of a step: 4 MiB.
const EXAMPLES_BYTES_MAX: usize = 4 << 20;
/// Maximum number of operations that a fault names.
const NAMED_MAX: usize = 3;

fn all(configuration: &Configuration) -> impl Iterator<Item = Operation<'_>> {
    let paths = paths(configuration);
    paths.map(|(method, path)| (format!("{} {path}", method.word()), method, path))
}

/// Returns the operations that the version's own lists apply to.
pub(super) fn of_version(configuration: &Configuration) -> Vec<Operation<'_>> {
    let overrides = configuration.policies.operations.iter();
    let replaced = overrides.filter(|it| it.mode == Combine::Replace);
    let replaced: HashSet<_> = replaced.flat_map(|it| &it.operations).collect();
    all(configuration)
        .filter(|it| !replaced.contains(&it.0))
        .collect()
}

/// Returns the operations with these names.
pub(super) fn named<'c>(configuration: &'c Configuration, names: &[String]) -> Vec<Operation<'c>> {
    let names: HashSet<_> = names.iter().collect();
    all(configuration)
        .filter(|it| names.contains(&it.0))
        .collect()
}

/// Returns the names of the operations with steps of their own.
pub(super) fn overridden(policies: &Policies) -> HashSet<&str> {
    let names = policies.operations.iter().flat_map(|it| &it.operations);
    names.map(String::as_str).collect()
}

impl Steps<'_> {
    pub(super) fn mock(&mut self, it: &policies::Mock, at: &str) -> Option<Action> {
        if self.kind != Kind::Rest {
            let kind = self.kind.word();
            let detail = format!("an API of kind {kind} has no OpenAPI document with examples");
            self.fault(format!("{at}/policy"), "policy.kind", detail);
            return None;
        }
        self.check_status(it.status, at);
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        for (name, method, path) in self.operations {
            match self
                .examples
                .find(*method, path, it.status, it.example.as_deref())
            {
                Some(example) => {
                    bytes += example.body.len();
                    found.push((name.as_str().into(), example));
                }
                None => missing.push(name.as_str()),
            }
        }
        let field = match it.example {
            Some(_) => format!("{at}/example"),
            None => format!("{at}/status"),
        };
        if !missing.is_empty() {
            let detail = without_example(it, &missing);
            self.fault(field, "policy.example", detail);
        } else if bytes > EXAMPLES_BYTES_MAX {
            let detail = format!("the examples have more than {EXAMPLES_BYTES_MAX} bytes");
            self.fault(field, "policy.example", detail);
        }
        found.sort_unstable_by(|one: &(Box<str>, _), other| one.0.cmp(&other.0));
        let operation = self.expression("api.operation", &format!("{at}/policy"))?;
        Some(Action::Mock(Box::new(Mock {
            status: it.status,
            operation,
            examples: found,
        })))
    }
}

fn without_example(it: &policies::Mock, missing: &[&str]) -> String {
    let mut named = missing[..missing.len().min(NAMED_MAX)].join(", ");
    if missing.len() > NAMED_MAX {
        named += &format!(" and {} others", missing.len() - NAMED_MAX);
    }
    let example = match &it.example {
        Some(name) => format!("no example {name:?}"),
        None => "no example".to_owned(),
    };
    format!(
        "the version's document has {example} of a response with status {} of {named}",
        it.status
    )
}
