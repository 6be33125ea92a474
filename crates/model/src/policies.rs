//! Policies of a version: what gateways do with its calls besides limiting and passing them on.

mod cors;
mod step;

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

pub(crate) use cors::header_fault;
pub use cors::{ANY_ORIGIN, Cors, HEADERS_MAX, MAX_AGE_S_MAX, ORIGINS_MAX};
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
    /// Web pages of other origins that may call the version. If absent, only the portal's pages
    /// may, and the back end answers preflights of all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
}

impl Policies {
    /// Returns whether the version's OpenAPI document matters for what is served.
    #[must_use]
    pub fn need_document(&self) -> bool {
        self.cors
            .as_ref()
            .is_some_and(|cors| cors.headers.is_none())
    }

    /// Returns all faults; fields are JSON Pointers from the policies.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        let cors = self.cors.iter().flat_map(Cors::faults);
        cors.map(|fault| fault.under("/cors")).collect()
    }
}
