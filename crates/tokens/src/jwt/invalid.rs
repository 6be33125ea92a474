//! Reasons why a token is rejected.

use super::TOKEN_BYTES_MAX;
use crate::json::Malformed;

/// Why a token is rejected. The messages are for logs and for clients: they quote nothing from the
/// token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Invalid {
    /// Longer than [`TOKEN_BYTES_MAX`].
    #[error("the token has more than {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// Not three parts (RFC 7515, section 3.1).
    #[error("the token is not three parts separated by dots")]
    Parts,
    /// Padding, an invalid character or unused bits that are not zero (RFC 7515, section 2).
    #[error("a part of the token is not base64url without padding")]
    Base64,
    /// Not a JSON object of UTF-8.
    #[error("the token's header or its claims are not a JSON object")]
    Json,
    /// A member twice in one object, at any depth (RFC 7515, section 4; RFC 7519, section 4).
    #[error("the token's header or its claims have a duplicate member")]
    Duplicate,
    /// Too many nested objects or lists.
    #[error("the token's header or its claims nest too deeply")]
    Depth,
    /// A member of the header has the wrong type.
    #[error("the member {0:?} of the token's header has the wrong type")]
    Header(&'static str),
    /// The header lists extensions, none of which are supported (RFC 7515, section 4.1.11).
    #[error("the token requires extensions (crit), which are not supported")]
    Critical,
    /// The header does not name a supported algorithm; `none` and `HS256` are unsupported.
    #[error("the token's algorithm is not one of ES256, EdDSA (or Ed25519), RS256 and PS256")]
    Algorithm,
    /// A claim has the wrong type, or a time is not valid.
    #[error("the token's claim {0:?} has the wrong type")]
    Claim(&'static str),
    /// A required claim is absent.
    #[error("the token has no claim {0:?}")]
    Missing(&'static str),
    /// Another `typ`: a token for another purpose (RFC 8725, section 3.11).
    #[error("the token's type (typ) is not the one for this purpose")]
    Type,
    /// Another `iss`.
    #[error("the token is from another issuer")]
    Issuer,
    /// `sub` of an assertion is not its `iss` (RFC 7523, section 3).
    #[error("the token's subject is not its issuer")]
    Subject,
    /// No audience is one of our names.
    #[error("the token is for another audience")]
    Audience,
    /// One audience of an assertion is one of our names, another is not.
    #[error("the token is for other audiences too: each member of aud must name this server")]
    OtherAudience,
    /// `exp` has passed.
    #[error("the token has expired")]
    Expired,
    /// `nbf` is in the future.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// `iat` is in the future.
    #[error("the token was issued in the future")]
    IssuedInFuture,
    /// `exp` is further away than allowed.
    #[error("the token is valid for longer than allowed")]
    Lifetime,
    /// The key is for another algorithm than the header names.
    #[error("the token's algorithm is not that of its key")]
    OtherAlgorithm,
    /// The signature was not made by the key.
    #[error("the token's signature is not valid")]
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
