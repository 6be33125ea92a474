//! Purges of stored responses, as sent to gateways.

use serde::{Deserialize, Serialize};

use crate::id::VersionId;

/// A purge of stored responses of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachePurge {
    /// The version.
    pub version: VersionId,
    /// Number of the purge; rises with each of the version. One that a gateway has carried out
    /// already has no effect.
    pub number: u64,
    /// The responses; in a [`Message::Whole`](super::Message::Whole), all of the version.
    pub selector: CacheSelector,
}

/// Selects stored responses of a version: those that one of the lists names, or all if the lists
/// are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct CacheSelector {
    /// Operations, by method and path as in the version, such as `GET /pets/{id}`.
    #[cfg_attr(feature = "schema", schema(max_items = 100))]
    pub operations: Vec<String>,
    /// Paths below the version, such as `/pets/7`; responses to any query of them are selected.
    #[cfg_attr(feature = "schema", schema(max_items = 100))]
    pub targets: Vec<String>,
    /// Tags, as the upstream sends them in `Cache-Tag`.
    #[cfg_attr(feature = "schema", schema(max_items = 100))]
    pub tags: Vec<String>,
}
