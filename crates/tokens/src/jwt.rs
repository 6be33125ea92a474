//! Signed tokens: JWT (RFC 7519) in the compact form of JWS (RFC 7515), read by the rules of
//! RFC 8725. Access tokens (RFC 9068), assertions of clients (RFC 7523) and tokens of other issuers
//! are read by one path, in this order:
//!
//! 1. [`Unverified::parse`] judges length, form and the types of all claims. What the token says
//!    may then be used to find the key that it should be signed with, and for nothing else.
//! 2. [`Unverified::check`] judges what it says: type, issuer, audience, times.
//! 3. [`Checked::verify`] judges the signature, the one costly step, with a key whose algorithm
//!    must be the token's.
//!
//! [`Compact`] is a JWS whose payload may be anything. `jku`, `jwk`, `x5u` and `x5c` are never
//! looked at: a token does not bring its own key.

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
pub use expected::{Expected, Kind};
pub use invalid::Invalid;

/// Bytes of a token at most.
pub const TOKEN_BYTES_MAX: usize = 16 * 1_024;

/// A token of the right form. What it says is not proven.
pub struct Unverified<'a> {
    compact: Compact<'a>,
    claims: Claims<'a>,
}

/// A token that says what it must. It is not proven yet.
pub struct Checked<'a>(Unverified<'a>);

/// A token that says what it must and is signed by the key that was asked for.
pub struct Verified<'a> {
    header: Header<'a>,
    claims: Claims<'a>,
}

impl<'a> Unverified<'a> {
    /// Reads a token. `space` is overwritten: who reads many tokens gives the same one each time.
    ///
    /// # Errors
    /// What is wrong with its form, or with the type of a claim.
    pub fn parse(token: &'a [u8], space: &'a mut Vec<u8>) -> Result<Self, Invalid> {
        let compact = Compact::parse(token, space)?;
        let claims = Claims::parse(compact.payload())?;
        Ok(Self { compact, claims })
    }

    /// What the token says of itself.
    #[must_use]
    pub fn header(&self) -> &Header<'a> {
        self.compact.header()
    }

    /// What the token says.
    #[must_use]
    pub fn claims(&self) -> &Claims<'a> {
        &self.claims
    }

    /// Judges what the token says.
    ///
    /// # Errors
    /// What it should say and does not.
    pub fn check(self, expected: &Expected<'_>) -> Result<Checked<'a>, Invalid> {
        expected.judge(self.header(), &self.claims)?;
        Ok(Checked(self))
    }
}

impl<'a> Checked<'a> {
    /// Judges the signature.
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
    /// What the token says of itself.
    #[must_use]
    pub fn header(&self) -> &Header<'a> {
        &self.header
    }

    /// What the token says.
    #[must_use]
    pub fn claims(&self) -> &Claims<'a> {
        &self.claims
    }
}

/// SHA-256 of a whole token: what a verified one is remembered by.
#[must_use]
pub fn digest(token: &[u8]) -> Digest {
    Sha256::digest(token).into()
}

/// Makes a token: `typ` as it is written, such as `at+jwt`, and claims that are a JSON object.
///
/// # Panics
/// The claims cannot be written as JSON: a map in them has keys that are no text.
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
