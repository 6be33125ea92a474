//! Deprecations as the HTTP API shows them, of versions and wherever versions are shown.
//! `versions/deprecation.rs` changes them.

use serde::Serialize;
use tollgate_model::id::VersionId;
use tollgate_model::lifecycle::{Deprecation, State};

use crate::time::Time;

/// The deprecation of a version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Deprecation)]
pub(crate) struct DeprecationBody {
    /// When the version was deprecated.
    since: Time,
    /// The announced end. It may have passed: no version retires by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    sunset: Option<Time>,
    /// The version that its callers should move to; absent while it is not in the catalogue, except
    /// for the API's owner and administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    successor: Option<SuccessorBody>,
    /// Text for its callers; may be empty.
    text: String,
}

/// The successor of a deprecated version.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Successor)]
pub(crate) struct SuccessorBody {
    /// The version's id.
    id: VersionId,
    /// The version's name.
    #[schema(example = "2.0")]
    name: String,
    /// The version's state.
    state: State,
}

impl From<Deprecation> for DeprecationBody {
    fn from(deprecation: Deprecation) -> Self {
        Self {
            since: Time(deprecation.since_us),
            sunset: deprecation.sunset_us.map(Time),
            successor: deprecation.successor.map(|successor| SuccessorBody {
                id: successor.id,
                name: successor.name,
                state: successor.state,
            }),
            text: deprecation.text,
        }
    }
}

impl DeprecationBody {
    /// Returns the deprecation as callers of the version see it.
    pub(crate) fn announced(deprecation: Option<Deprecation>) -> Option<Self> {
        deprecation.map(|it| it.announced().into())
    }
}
