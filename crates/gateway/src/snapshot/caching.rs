//! How the responses of operations are stored, decided when their version is applied. The room
//! `cache` applies it.

use std::sync::Arc;

use hashbrown::HashMap;
use tollgate_cache::storable::Rules;
use tollgate_model::api::Method;
use tollgate_model::feed::{ServedAccess, ServedOperation};
use tollgate_model::policies::Cache;

use crate::snapshot::policies::Steps;

/// What the calls of an operation mean for stored responses.
#[derive(Debug, Clone, Default)]
pub(crate) enum Caching {
    /// Nothing.
    #[default]
    None,
    /// Responses are stored. Those of `GET` also answer `HEAD`.
    Stores(Arc<CacheRules>),
    /// A call may change its target: what is stored of it ends.
    Changes,
}

/// How the responses of an operation are stored.
#[derive(Debug)]
pub(crate) struct CacheRules {
    pub(crate) served: Cache,
    /// Method and path as configured, such as `GET /pets/{id}`.
    pub(crate) operation: Arc<str>,
    pub(crate) storable: Rules,
    /// Names of the keyed fields, in lower case.
    pub(crate) headers: Box<[String]>,
}

/// Fields of each call that the upstream gets, and that are not part of the key.
const OF_CALL: [&str; 4] = ["traceparent", "tracestate", "x-request-id", "via"];

impl CacheRules {
    fn new(served: &Cache, operation: &ServedOperation) -> Self {
        let lower = |names: &[String]| -> Vec<_> {
            let names = names.iter();
            names.map(|name| name.to_ascii_lowercase()).collect()
        };
        let mut passed = lower(&served.pass);
        passed.extend(OF_CALL.map(str::to_owned));
        Self {
            served: served.clone(),
            operation: format!("{} {}", operation.method, operation.path).into(),
            storable: Rules {
                negative_s: served.negatives().collect(),
                passed,
            },
            headers: lower(&served.headers).into(),
        }
    }

    /// Whether a field goes up without being part of the key.
    pub(crate) fn passes(&self, name: &[u8]) -> bool {
        let mut passed = self.storable.passed.iter();
        passed.any(|of| of.as_bytes().eq_ignore_ascii_case(name))
    }
}

/// The caches of a version's operations.
#[derive(Debug)]
pub(crate) struct Cachings<'v> {
    /// By the paths of `GET` operations.
    of_get: HashMap<&'v str, OfGet<'v>>,
}

/// The rules of a `GET` operation, who may call it, and its steps.
type OfGet<'v> = (Arc<CacheRules>, &'v ServedAccess, Option<&'v Arc<Steps>>);

impl<'v> Cachings<'v> {
    /// Prepares the caches of operations with their steps.
    pub(crate) fn new(
        operations: impl Iterator<Item = (&'v ServedOperation, Option<&'v Arc<Steps>>)>,
    ) -> Self {
        let of_get = operations.filter_map(|(operation, steps)| {
            let rules = Arc::new(CacheRules::new(operation.cache.as_deref()?, operation));
            Some((operation.path.as_str(), (rules, &operation.access, steps)))
        });
        Self {
            of_get: of_get.collect(),
        }
    }

    /// What the calls of an operation mean for stored responses. `HEAD` has those of `GET` if
    /// callers need the same scopes and the same steps run.
    pub(crate) fn of(&self, operation: &ServedOperation, steps: Option<&Arc<Steps>>) -> Caching {
        if self.of_get.is_empty() {
            return Caching::None;
        }
        match operation.method {
            Method::Post | Method::Put | Method::Patch | Method::Delete => Caching::Changes,
            Method::Get if operation.cache.is_some() => {
                let of_get = self.of_get.get(operation.path.as_str());
                of_get.map_or(Caching::None, |it| Caching::Stores(Arc::clone(&it.0)))
            }
            Method::Head => match self.of_get.get(operation.path.as_str()) {
                Some((rules, access, of_get))
                    if **access == operation.access && have_same_program(*of_get, steps) =>
                {
                    Caching::Stores(Arc::clone(rules))
                }
                _ => Caching::None,
            },
            _ => Caching::None,
        }
    }
}

fn have_same_program(one: Option<&Arc<Steps>>, other: Option<&Arc<Steps>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => Arc::ptr_eq(&one.program, &other.program),
        _ => false,
    }
}
