//! The kinds of credentials that callers authenticate with, and how each is sent.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of credential.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Credential {
    /// An API key in the field `apikey`.
    #[default]
    ApiKey,
    /// An opaque access token.
    Opaque,
    /// A signed access token: ES256.
    Jwt,
    /// A signed access token with a wrong signature; it is rejected.
    Forged,
    /// Name and password of a user of HTTP Basic (RFC 7617).
    Basic,
}

impl Credential {
    /// Returns the header field that carries it; `{value}` is the placeholder of the credential.
    #[must_use]
    pub fn field(self) -> (String, String) {
        let (name, value) = match self {
            Self::ApiKey => ("apikey", "{value}"),
            Self::Opaque | Self::Jwt | Self::Forged => ("authorization", "Bearer {value}"),
            Self::Basic => ("authorization", "Basic {value}"),
        };
        (name.to_owned(), value.to_owned())
    }

    /// Whether the key manager issues it and it expires.
    #[must_use]
    pub const fn is_token(self) -> bool {
        matches!(self, Self::Opaque | Self::Jwt)
    }

    /// Returns the kind of credential that has to be created for it.
    #[must_use]
    pub const fn made_of(self) -> Self {
        match self {
            Self::Forged => Self::Jwt,
            made => made,
        }
    }

    /// Returns its name in scenarios and in the control plane.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::Opaque => "opaque",
            Self::Jwt => "jwt",
            Self::Forged => "forged",
            Self::Basic => "basic",
        }
    }
}

impl fmt::Display for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
