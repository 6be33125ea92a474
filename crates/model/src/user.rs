//! Users of the control plane and what their roles are called.

use serde::{Deserialize, Serialize};

/// What a user may be. One person may be several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Users, plans, settings; everything that the others may.
    Administrator,
    /// APIs, versions, their lifecycle and subscriptions.
    Publisher,
    /// Applications, subscriptions, keys.
    Developer,
}

/// Every role.
pub const ROLES: [Role; 3] = [Role::Administrator, Role::Publisher, Role::Developer];

impl Role {
    /// The word of this role, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Administrator => "administrator",
            Self::Publisher => "publisher",
            Self::Developer => "developer",
        }
    }

    /// The role of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        ROLES.into_iter().find(|role| role.word() == word)
    }
}
