//! What a run compares besides its sides: pairs of scenarios, and the times of threads.

use serde::{Deserialize, Serialize};

/// Two scenarios, to compare their costs under the same conditions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// Its name in a run's last lines.
    pub name: String,
    /// The scenario's folder name.
    pub of: String,
    /// Folder name of the other scenario.
    pub to: String,
    /// The message size for which the last lines report it.
    pub message_bytes: u64,
    /// Another scenario, to add its cost to that of `to`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plus: Option<String>,
    /// Compares the cost of the gateway's threads with this name, instead of its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<String>,
}

/// User and system time of the threads that serve calls, compared with those of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The side that the others are compared with.
    pub to: String,
    /// Names of the threads that serve calls, on any side.
    pub threads: Vec<String>,
}
