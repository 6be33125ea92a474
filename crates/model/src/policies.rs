//! Policies of a version: what gateways do with its calls besides limiting and passing them on.

mod step;

use serde::{Deserialize, Serialize};

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
}
