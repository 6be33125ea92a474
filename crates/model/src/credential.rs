//! Credentials of applications: what an API key is besides its secret.
//! How keys are made and checked is the crate `tokens`' business.

use serde::{Deserialize, Serialize};

/// SHA-256 of a secret: all that is kept of it.
pub type Digest = [u8; 32];

/// Which of a version's upstreams a credential reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// The production upstream; keys begin with `tg_live_`.
    Production,
    /// The sandbox upstream; keys begin with `tg_test_`.
    Sandbox,
}

impl Environment {
    /// The word of this environment, as in JSON and the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Production => "production",
            Self::Sandbox => "sandbox",
        }
    }

    /// The environment of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Production, Self::Sandbox]
            .into_iter()
            .find(|it| it.word() == word)
    }
}
