//! Secrets generated for programs: of OAuth2 clients (`tg_cs_…`) and of users of HTTP Basic
//! (`tg_pw_…`), each 22 + 6 base62 digits. They have 128 random bits, so storing their SHA-256 is
//! enough; `password` handles passwords chosen by people.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use tollgate_model::credential::Digest;

use crate::form;
pub use crate::form::NewSecret;

const CLIENT_SECRET: &str = "tg_cs_";
const BASIC_PASSWORD: &str = "tg_pw_";

/// Creates the secret of an OAuth2 client (RFC 6749, section 2.3.1) from 128 random bits.
#[must_use]
pub fn client_secret(random: [u8; 16]) -> NewSecret {
    form::make(CLIENT_SECRET, random)
}

/// Creates the password of a user of HTTP Basic (RFC 7617) from 128 random bits.
#[must_use]
pub fn basic_password(random: [u8; 16]) -> NewSecret {
    form::make(BASIC_PASSWORD, random)
}

/// Returns whether `text` is the secret with this digest, compared in constant time.
#[must_use]
pub fn matches(digest: &Digest, text: &str) -> bool {
    let presented: Digest = Sha256::digest(text.as_bytes()).into();
    presented.ct_eq(digest).into()
}

#[cfg(test)]
mod tests;
