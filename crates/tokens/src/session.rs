//! Secrets of signed-in users: sessions (a cookie's value), the CSRF token of each, and personal
//! access tokens for programs. The control plane stores digests only.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use tollgate_model::credential::Digest;

use crate::base62;

/// Name of the cookie with a session's secret.
pub const COOKIE: &str = "tollgate_session";
/// The same name with the prefix that binds a cookie to HTTPS (RFC 6265bis, section 4.1.3.1).
pub const SECURE_COOKIE: &str = "__Secure-tollgate_session";

/// Prefix of session secrets that are valid over HTTPS only.
const SECURE_PREFIX: &str = "tgs_";
const ACCESS_TOKEN_PREFIX: &str = "tgp_";
const ACCESS_TOKEN_BYTES: usize =
    ACCESS_TOKEN_PREFIX.len() + base62::DIGITS_256 + base62::CRC_DIGITS;
/// Makes a CSRF token differ from the digest of its session.
const CSRF_LABEL: &[u8] = b"tollgate csrf token of session ";

/// A new secret. The text is sent to its owner and not stored.
pub struct Secret {
    /// The whole secret.
    pub text: String,
    /// SHA-256 of the text, which is stored.
    pub digest: Digest,
}

impl Secret {
    fn from_text(text: String) -> Self {
        Self {
            digest: Sha256::digest(text.as_bytes()).into(),
            text,
        }
    }
}

/// Creates a session's secret from 256 random bits: 43 base62 digits, with the prefix `tgs_` if it
/// is valid over HTTPS only.
#[must_use]
pub fn make_session(random: [u8; 32], is_secure: bool) -> Secret {
    let mut text = String::with_capacity(SECURE_PREFIX.len() + base62::DIGITS_256);
    text.push_str(if is_secure { SECURE_PREFIX } else { "" });
    base62::push(&mut text, random, base62::DIGITS_256);
    Secret::from_text(text)
}

/// Creates a personal access token from 256 random bits: `tgp_`, 43 base62 digits and six check
/// digits, the CRC-32 of everything before them.
#[must_use]
pub fn make_access_token(random: [u8; 32]) -> Secret {
    let mut text = String::with_capacity(ACCESS_TOKEN_BYTES);
    text.push_str(ACCESS_TOKEN_PREFIX);
    base62::push(&mut text, random, base62::DIGITS_256);
    base62::push_crc(&mut text);
    Secret::from_text(text)
}

/// Returns whether a session's secret is valid over HTTPS only. Secrets of earlier releases never
/// are.
#[must_use]
pub fn is_secure(text: &str) -> bool {
    text.starts_with(SECURE_PREFIX)
}

/// Returns the digest that a session or an access token is looked up by; `None` for a text that is
/// neither.
#[must_use]
pub fn digest(text: &str) -> Option<Digest> {
    let is_formed = match text.strip_prefix(ACCESS_TOKEN_PREFIX) {
        Some(digits) => {
            text.len() == ACCESS_TOKEN_BYTES
                && base62::all_digits(digits.as_bytes())
                && base62::crc_fits(text.as_bytes())
        }
        None => {
            let digits = text.strip_prefix(SECURE_PREFIX).unwrap_or(text);
            digits.len() == base62::DIGITS_256 && base62::all_digits(digits.as_bytes())
        }
    };
    is_formed.then(|| Sha256::digest(text.as_bytes()).into())
}

/// Returns the CSRF token of the session with this digest: 43 base62 digits. It reveals nothing
/// about the session's secret, and cannot be computed without the session.
#[must_use]
pub fn csrf(session_digest: &Digest) -> String {
    let derived = Sha256::new()
        .chain_update(CSRF_LABEL)
        .chain_update(session_digest)
        .finalize();
    let mut text = String::with_capacity(base62::DIGITS_256);
    base62::push::<32>(&mut text, derived.into(), base62::DIGITS_256);
    text
}

/// Returns whether `token` is the session's CSRF token, compared in constant time.
#[must_use]
pub fn csrf_matches(session_digest: &Digest, token: &str) -> bool {
    csrf(session_digest)
        .as_bytes()
        .ct_eq(token.as_bytes())
        .into()
}

#[cfg(test)]
mod tests;
