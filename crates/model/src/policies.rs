//! Policies of a version: what gateways do with its calls besides limiting and passing them on.

mod body;
mod cache;
mod cors;
mod step;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

pub use body::*;
pub use cache::{Cache, ENTRY_BYTES, ENTRY_BYTES_MAX, SECONDS_MAX, Share, Surroundings};
pub use cors::Cors;
pub(crate) use cors::{HEADERS_MAX, header_fault};
pub use step::*;

/// The policies of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Policies {
    /// Steps of requests, before the upstream is called.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub request: Vec<Step>,
    /// Steps of responses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub response: Vec<Step>,
    /// Steps of the gateway's own refusals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub error: Vec<Step>,
    /// Steps of some operations, beside or instead of those of the version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationPolicies>,
    /// Steps of operations that the version no longer has, since a new document left them out. They
    /// have no effect, and return with a document that has the operations again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aside: Vec<OperationPolicies>,
    /// Web pages of other origins that may call the version. If absent, only the portal's pages
    /// may, and the back end answers preflights of all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
    /// The cache of responses to `GET`; if absent, only operations with one of their own have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
}

impl Policies {
    /// Whether the header parameters of the version's OpenAPI document matter for what is served.
    #[must_use]
    pub fn needs_headers(&self) -> bool {
        self.cors
            .as_ref()
            .is_some_and(|cors| cors.headers.is_none())
    }

    /// Whether the examples of the version's OpenAPI document matter for what is served.
    #[must_use]
    pub fn needs_examples(&self) -> bool {
        let overrides = self.operations.iter().flat_map(|it| &it.request);
        let mut steps = self.request.iter().chain(overrides);
        steps.any(|step| matches!(step.policy, Policy::Mock(_)))
    }

    /// Adapts the steps of operations to a new document: `renamed` returns the present name of a
    /// previous operation, such as `GET /pets`, and `exists` whether the version has an operation.
    /// Steps of other operations are set aside.
    pub fn follow(
        &mut self,
        renamed: impl Fn(&str) -> Option<String>,
        exists: impl Fn(&str) -> bool,
    ) {
        let own = std::mem::take(&mut self.operations).into_iter();
        let own = own.map(|it| (it, true));
        let aside = std::mem::take(&mut self.aside).into_iter();
        for (it, is_own) in own.chain(aside.map(|it| (it, false))) {
            let (mut present, mut gone) = (Vec::new(), Vec::new());
            for name in &it.operations {
                let now = if is_own { renamed(name) } else { None };
                match now.or_else(|| exists(name).then(|| name.clone())) {
                    Some(name) => present.push(name),
                    None => gone.push(name.clone()),
                }
            }
            for (names, list) in [(present, &mut self.operations), (gone, &mut self.aside)] {
                if !names.is_empty() {
                    let operations = names;
                    list.push(OperationPolicies {
                        operations,
                        ..it.clone()
                    });
                }
            }
        }
    }

    /// Returns the cache of an operation, by its name, such as `GET /pets`; `None` without one.
    #[must_use]
    pub fn cache_of(&self, operation: &str) -> Option<&Cache> {
        let mut own = self.operations.iter();
        let own = own.find(|it| it.operations.iter().any(|name| name == operation));
        let cache = match own {
            Some(own) if own.cache.is_some() || own.mode == Combine::Replace => own.cache.as_ref(),
            _ => self.cache.as_ref(),
        };
        cache.filter(|cache| cache.enabled)
    }

    /// Returns the caches of the version and of its operations, each with its JSON Pointer.
    pub fn caches(&self) -> impl Iterator<Item = (String, &Cache)> {
        let own = self.operations.iter().enumerate();
        let own = own.filter_map(|(index, it)| {
            let cache = it.cache.as_ref()?;
            Some((format!("/operations/{index}/cache"), cache))
        });
        let of_version = self.cache.iter();
        let of_version = of_version.map(|cache| ("/cache".to_owned(), cache));
        of_version.chain(own)
    }

    /// Returns all faults; fields are JSON Pointers from the policies.
    #[must_use]
    pub fn faults(&self, surroundings: Surroundings<'_>) -> Vec<Fault> {
        let cors = self.cors.iter().flat_map(Cors::faults);
        let cors = cors.map(|fault| fault.under("/cors"));
        let caches = self.caches().flat_map(|(at, cache)| {
            let faults = cache.faults(surroundings).into_iter();
            faults.map(move |fault| fault.under(&at))
        });
        cors.chain(caches).collect()
    }
}
