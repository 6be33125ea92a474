//! How large the gateway's configuration is while it is measured.

use serde::Deserialize;

/// How much the gateway knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// API keys, or other credentials of the kind that callers carry, used in random order.
    pub keys: u64,
    /// Access tokens that are revoked and have not ended.
    pub revoked_tokens: u64,
    /// APIs that are published; one of them a scenario is called.
    pub apis: u64,
    /// Limits of each call.
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
