//! The algorithms that tokens are signed with.

use serde::{Deserialize, Serialize};

/// A signature algorithm of JOSE (RFC 7518, section 3.1; RFC 8037, section 3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    #[default]
    #[serde(rename = "ES256")]
    Es256,
    /// Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    #[serde(rename = "RS256")]
    Rs256,
    /// RSASSA-PSS with SHA-256.
    #[serde(rename = "PS256")]
    Ps256,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 4] = [Self::Es256, Self::EdDsa, Self::Rs256, Self::Ps256];

    /// The word of this algorithm, as in `alg`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
        }
    }

    /// The algorithm of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }
}
