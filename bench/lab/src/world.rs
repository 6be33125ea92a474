//! The size of the gateway's configuration during a measurement.

use serde::Deserialize;

/// The size of the gateway's configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// API keys, or other credentials of the callers' kind, used in random order.
    pub keys: u64,
    /// Revoked access tokens that have not expired.
    pub revoked_tokens: u64,
    /// Published APIs; scenarios call one of them.
    pub apis: u64,
    /// Limits applied to each call; 0 for an unlimited plan.
    pub limits: u64,
}

impl Default for World {
    fn default() -> Self {
        Self {
            keys: 10_000,
            revoked_tokens: 0,
            apis: 1,
            limits: 3,
        }
    }
}
