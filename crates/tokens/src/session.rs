//! Secrets of signed-in people: sessions (a cookie's value), the CSRF token that belongs to each,
//! and personal access tokens for programs. The control plane keeps digests only.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;
use tollgate_model::credential::Digest;

use crate::base62;

/// The name of the cookie that carries a session's secret.
pub const COOKIE: &str = "tollgate_session";
/// The same name with the prefix that ties a cookie to HTTPS (RFC 6265bis, section 4.1.3.1).
pub const SECURE_COOKIE: &str = "__Secure-tollgate_session";

/// Begins the secrets of sessions that are valid over HTTPS alone.
const SECURE_PREFIX: &str = "tgs_";
const ACCESS_TOKEN_PREFIX: &str = "tgp_";
const ACCESS_TOKEN_BYTES: usize =
    ACCESS_TOKEN_PREFIX.len() + base62::DIGITS_256 + base62::CRC_DIGITS;
/// Keeps the digest of a session and its CSRF token apart.
const CSRF_LABEL: &[u8] = b"tollgate csrf token of session ";

/// A secret that was just made. The text goes to its owner and is then forgotten.
pub struct Secret {
    /// The whole secret.
    pub text: String,
    /// SHA-256 of the text: what is kept.
    pub digest: Digest,
}

impl Secret {
    fn of(text: String) -> Self {
        Self {
            digest: Sha256::digest(text.as_bytes()).into(),
            text,
        }
    }
}

/// A session's secret from 256 random bits: 43 base62 digits, behind `tgs_` if it is to be valid
/// over HTTPS alone.
#[must_use]
pub fn make_session(random: [u8; 32], is_secure: bool) -> Secret {
    let mut text = String::with_capacity(SECURE_PREFIX.len() + base62::DIGITS_256);
    text.push_str(if is_secure { SECURE_PREFIX } else { "" });
    base62::push(&mut text, random, base62::DIGITS_256);
    Secret::of(text)
}

/// A personal access token from 256 random bits: `tgp_`, 43 base62 digits and six check digits,
/// the CRC-32 of what stands before them.
#[must_use]
pub fn make_access_token(random: [u8; 32]) -> Secret {
    let mut text = String::with_capacity(ACCESS_TOKEN_BYTES);
    text.push_str(ACCESS_TOKEN_PREFIX);
    base62::push(&mut text, random, base62::DIGITS_256);
    base62::push_crc(&mut text);
    Secret::of(text)
}

/// Returns whether a session's secret is valid over HTTPS alone. Secrets of earlier releases do not
/// say so.
#[must_use]
pub fn is_secure(text: &str) -> bool {
    text.starts_with(SECURE_PREFIX)
}

/// The digest to look a session or an access token up by; `None` for a text that is neither.
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

/// The CSRF token of the session with this digest: 43 base62 digits. It tells nothing of the
/// session's secret, and nobody can compute it without the session.
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

/// Whether `token` is the session's CSRF token, compared in constant time.
#[must_use]
pub fn csrf_matches(session_digest: &Digest, token: &str) -> bool {
    csrf(session_digest)
        .as_bytes()
        .ct_eq(token.as_bytes())
        .into()
}

#[cfg(test)]
mod tests;
