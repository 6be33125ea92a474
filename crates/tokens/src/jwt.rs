//! Signed tokens: JWT (RFC 7519) in the compact form of JWS (RFC 7515), processed by the rules of
//! RFC 8725. Access tokens (RFC 9068), assertions of clients (RFC 7523) and tokens of other issuers
//! take one path, in this order:
//!
//! 1. [`Unverified::parse`] checks length, form and the types of all claims. Its claims may then be
//!    used to find the key that should verify it, and for nothing else.
//! 2. [`Unverified::check`] checks the claims: type, issuer, audience, times.
//! 3. [`Checked::verify`] verifies the signature, the one costly step, with a key whose algorithm
//!    must be the token's.
//!
//! [`Compact`] is a JWS with any payload. `jku`, `jwk`, `x5u` and `x5c` are ignored: a token does
//! not bring its own key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tollgate_model::credential::Digest;

use crate::key::{SigningKey, Verifier};

mod claims;
mod compact;
mod expected;
mod invalid;

pub use claims::Claims;
pub use compact::{Compact, Header};
pub use expected::{Expected, Kind, TRIAL};
pub use invalid::Invalid;

/// Maximum length of a token, bytes.
pub const TOKEN_BYTES_MAX: usize = 16 * 1_024;

/// A token of the right form. Its claims are not verified.
pub struct Unverified<'a> {
    compact: Compact<'a>,
    claims: Claims<'a>,
}

/// A token with acceptable claims. Its signature is not verified yet.
pub struct Checked<'a>(Unverified<'a>);

/// A token with acceptable claims and a valid signature.
pub struct Verified<'a> {
    header: Header<'a>,
    claims: Claims<'a>,
}

impl<'a> Unverified<'a> {
    /// Parses a token. `space` is overwritten: reuse it to parse many tokens.
    ///
    /// # Errors
    /// Fails on a fault of form, or of the type of a claim.
    pub fn parse(token: &'a [u8], space: &'a mut Vec<u8>) -> Result<Self, Invalid> {
        let compact = Compact::parse(token, space)?;
        let claims = Claims::parse(compact.payload())?;
        Ok(Self { compact, claims })
    }

    /// Returns the unverified header.
    #[must_use]
    pub fn header(&self) -> &Header<'a> {
        self.compact.header()
    }

    /// Returns the unverified claims.
    #[must_use]
    pub fn claims(&self) -> &Claims<'a> {
        &self.claims
    }

    /// Checks the claims.
    ///
    /// # Errors
    /// The first claim that is not as expected.
    pub fn check(self, expected: &Expected<'_>) -> Result<Checked<'a>, Invalid> {
        expected.check(self.header(), &self.claims)?;
        Ok(Checked(self))
    }
}

impl<'a> Checked<'a> {
    /// Verifies the signature.
    ///
    /// # Errors
    /// [`Invalid::OtherAlgorithm`] or [`Invalid::Signature`].
    pub fn verify(self, key: &Verifier) -> Result<Verified<'a>, Invalid> {
        let Unverified { compact, claims } = self.0;
        compact.verify(key)?;
        let header = compact.into_header();
        Ok(Verified { header, claims })
    }
}

impl<'a> Verified<'a> {
    /// Returns the verified header.
    #[must_use]
    pub fn header(&self) -> &Header<'a> {
        &self.header
    }

    /// Returns the verified claims.
    #[must_use]
    pub fn claims(&self) -> &Claims<'a> {
        &self.claims
    }
}

/// Returns the SHA-256 of a whole token, by which verified ones are cached.
#[must_use]
pub fn digest(token: &[u8]) -> Digest {
    Sha256::digest(token).into()
}

/// Creates a token: `typ` as written in the header, such as `at+jwt`, and claims that are a JSON
/// object.
///
/// # Panics
/// If the claims cannot be written as JSON: a map in them has keys that are not strings.
#[must_use]
pub fn sign(key: &SigningKey, kid: &str, typ: &str, claims: &impl Serialize) -> String {
    let header = json!({ "alg": key.algorithm().word(), "kid": kid, "typ": typ });
    let claims = serde_json::to_vec(claims).expect("claims are JSON");
    let mut token = URL_SAFE_NO_PAD.encode(header.to_string());
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(claims, &mut token);
    let signature = key.sign(token.as_bytes());
    token.push('.');
    URL_SAFE_NO_PAD.encode_string(signature, &mut token);
    token
}

#[cfg(test)]
mod tests;
