//! Algorithms of token signatures: the JOSE algorithms that Tollgate signs with and accepts. The
//! crate `tokens` creates and verifies signatures.

use serde::{Deserialize, Serialize};

/// Algorithm of a signing key, by its word in JOSE (RFC 7518, section 3.1; RFC 8037, section 3.1).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = SigningAlgorithm))]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    #[default]
    #[serde(rename = "ES256")]
    Es256,
    /// EdDSA with Ed25519.
    #[serde(rename = "EdDSA")]
    EdDsa,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    #[serde(rename = "RS256")]
    Rs256,
    /// RSASSA-PSS with SHA-256.
    #[serde(rename = "PS256")]
    Ps256,
}

/// The fully-specified name of EdDSA with Ed25519 (RFC 9864, section 2.2).
const ED25519: &str = "Ed25519";

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Self; 4] = [Self::Es256, Self::EdDsa, Self::Rs256, Self::Ps256];

    /// Values of `alg` that are accepted in signatures and in keys of other issuers. Tollgate's own
    /// signatures use [`word`](Self::word).
    pub const ACCEPTED: [&str; 5] = ["ES256", "EdDSA", ED25519, "RS256", "PS256"];

    /// Returns the algorithm's word, as in the header of a token, in JSON and in the database.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
            Self::Ps256 => "PS256",
        }
    }

    /// Parses a word. Case matters (RFC 7515, section 4.1.1).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.word() == word)
    }

    /// Parses an accepted value of `alg`: the algorithm's word, or its fully-specified name.
    #[must_use]
    pub fn from_alg(alg: &str) -> Option<Self> {
        match alg {
            ED25519 => Some(Self::EdDsa),
            word => Self::from_word(word),
        }
    }
}

#[cfg(test)]
mod tests;
