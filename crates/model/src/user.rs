//! Users of the control plane and their roles.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// A role of a user. One user may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Users, plans, settings; all rights of the other roles.
    Administrator,
    /// APIs, versions, their lifecycle and subscriptions.
    Publisher,
    /// Applications, subscriptions, keys.
    Developer,
}

/// Every role.
pub const ROLES: [Role; 3] = [Role::Administrator, Role::Publisher, Role::Developer];

impl Role {
    /// Returns the word of this role, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Administrator => "administrator",
            Self::Publisher => "publisher",
            Self::Developer => "developer",
        }
    }

    /// Parses a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        ROLES.into_iter().find(|role| role.word() == word)
    }
}

/// What happens to the API keys of a user's applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyDecision {
    /// They keep working although their owner is locked out.
    Keep,
    /// They are refused from now on, as are new ones, until an administrator resumes them.
    Suspend,
    /// Those that were suspended with their owner work again.
    Resume,
}

/// The effect of a change on whether a user is locked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disabling {
    /// Whether the change disables the user.
    pub is_asked: bool,
    /// Whether the user is disabled already.
    pub was_disabled: bool,
    /// Number of live keys of the user's applications.
    pub live_keys: u64,
}

/// Returns the fault of a decision on keys, or of its absence, if any.
///
/// A request that disables a user must decide on the keys that would keep working; `keep` and
/// `suspend` belong to such a request, `resume` to all others.
#[must_use]
pub fn key_decision_fault(decision: Option<KeyDecision>, disabling: Disabling) -> Option<Fault> {
    let Disabling {
        is_asked,
        was_disabled,
        live_keys,
    } = disabling;
    let (code, detail) = match decision {
        None if is_asked && !was_disabled && live_keys > 0 => {
            let detail = format!(
                "live credentials of this user's applications: {live_keys}; set credentials to \
                 \"keep\" or \"suspend\""
            );
            ("user.credentials_missing", detail)
        }
        Some(KeyDecision::Keep | KeyDecision::Suspend) if !is_asked => {
            let detail = "\"keep\" and \"suspend\" require \"disabled\": true";
            ("user.credentials", detail.to_owned())
        }
        Some(KeyDecision::Resume) if is_asked => {
            let detail = "\"resume\" is not allowed with \"disabled\": true";
            ("user.credentials", detail.to_owned())
        }
        _ => return None,
    };
    Some(Fault::new("/credentials", code, detail))
}

#[cfg(test)]
mod tests;
