//! Users of the control plane and what their roles are called.

use serde::{Deserialize, Serialize};

use crate::fault::Fault;

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

/// What becomes of the API keys of a user's applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeyDecision {
    /// They go on working although their owner is kept out.
    Keep,
    /// They are refused from now on, as are new ones, until an administrator resumes them.
    Suspend,
    /// Those that were suspended with their owner work again.
    Resume,
}

/// What a change does to whether a user is kept out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disabling {
    /// Whether the change asks for it.
    pub is_asked: bool,
    /// Whether the user is kept out already.
    pub was_disabled: bool,
    /// Keys of the user's applications that work, or will.
    pub live_keys: u64,
}

/// What is wrong with a decision on keys, or with its absence, if anything.
///
/// Whoever keeps a user out must say what becomes of the keys that go on working without one;
/// `keep` and `suspend` belong to that, `resume` to everything else.
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
                "API keys of this user's applications that work: {live_keys}; say what becomes of \
                 them: \"keep\" or \"suspend\""
            );
            ("user.credentials_missing", detail)
        }
        Some(KeyDecision::Keep | KeyDecision::Suspend) if !is_asked => {
            let detail = "\"keep\" and \"suspend\" go with \"disabled\": true";
            ("user.credentials", detail.to_owned())
        }
        Some(KeyDecision::Resume) if is_asked => {
            let detail = "\"resume\" does not go with \"disabled\": true";
            ("user.credentials", detail.to_owned())
        }
        _ => return None,
    };
    Some(Fault::new("/credentials", code, detail))
}

#[cfg(test)]
mod tests;
