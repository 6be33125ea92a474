//! Why a token is refused.

use super::TOKEN_BYTES_MAX;
use crate::json::Malformed;

/// Why a token is refused. The sentences are for logs and for those who sent it: they repeat
/// nothing of the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Invalid {
    /// Longer than [`TOKEN_BYTES_MAX`].
    #[error("the token has more than {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// Not three parts (RFC 7515, section 3.1).
    #[error("the token is not three parts with a dot between them")]
    Parts,
    /// Padding, a foreign character or bits that say nothing (RFC 7515, section 2).
    #[error("a part of the token is not base64url without padding")]
    Base64,
    /// Not a JSON object of UTF-8.
    #[error("the token's header or its claims are not a JSON object")]
    Json,
    /// A member twice in one object, at any depth (RFC 7515, section 4; RFC 7519, section 4).
    #[error("the token's header or its claims have a member twice")]
    Duplicate,
    /// Objects in objects without end.
    #[error("the token's header or its claims nest too deep")]
    Depth,
    /// A member of the header of another type than it must have.
    #[error("the member {0:?} of the token's header has the wrong type")]
    Header(&'static str),
    /// The header lists extensions, of which we know none (RFC 7515, section 4.1.11).
    #[error("the token needs extensions (crit) that are not supported")]
    Critical,
    /// The header names no algorithm that we take; `none` and `HS256` are among them.
    #[error("the token's algorithm is not one of ES256, EdDSA (or Ed25519), RS256 and PS256")]
    Algorithm,
    /// A claim of another type than it must have, or a time that is none.
    #[error("the token's claim {0:?} has the wrong type")]
    Claim(&'static str),
    /// A claim that such a token must have.
    #[error("the token has no claim {0:?}")]
    Missing(&'static str),
    /// Another `typ`: a token for something else (RFC 8725, section 3.11).
    #[error("the token's type (typ) is not that of a token for this purpose")]
    Type,
    /// Another `iss`.
    #[error("the token is of another issuer")]
    Issuer,
    /// Another `sub` than an assertion must have (RFC 7523, section 3).
    #[error("the token's subject is not its issuer")]
    Subject,
    /// None of the audiences is ours.
    #[error("the token is for another audience")]
    Audience,
    /// One of an assertion's audiences is ours, another is not.
    #[error("the token is for other audiences too: each member of aud must be a name of ours")]
    OtherAudience,
    /// `exp` has come.
    #[error("the token has expired")]
    Expired,
    /// `nbf` has not come.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// `iat` has not come.
    #[error("the token was issued in the future")]
    IssuedInFuture,
    /// `exp` is further away than is allowed.
    #[error("the token lasts longer than it may")]
    Lifetime,
    /// The key is for another algorithm than the header names.
    #[error("the token's algorithm is not that of its key")]
    OtherAlgorithm,
    /// The signature is not that of the key.
    #[error("the token's signature does not fit")]
    Signature,
}

impl From<Malformed> for Invalid {
    fn from(malformed: Malformed) -> Self {
        match malformed {
            Malformed::Encoding | Malformed::Syntax(_) | Malformed::NotAnObject => Self::Json,
            Malformed::Duplicate(_) => Self::Duplicate,
            Malformed::Depth => Self::Depth,
        }
    }
}
