//! API keys: `tg_{live|test}_{id}{secret}{crc}`, base62, 11 + 22 + 6 digits.
//!
//! The format is that of the design's keys page: the last six digits are the CRC-32 (IEEE 802.3)
//! of everything before them, so that garbage costs no look-up and scanners can find leaks.
//! The control plane makes keys and keeps their digests; the gateway looks callers up by digest.

use sha2::{Digest as _, Sha256};
use tollgate_model::credential::{Digest, Environment};
use tollgate_model::id::{self, ApiKeyId};

use crate::base62;

const LIVE: &[u8] = b"tg_live_";
const TEST: &[u8] = b"tg_test_";
/// Bytes of every key.
pub const KEY_BYTES: usize = LIVE.len() + id::TEXT_DIGITS + base62::DIGITS_128 + base62::CRC_DIGITS;
/// Characters of a key that are kept so that its owner recognises it.
const HINT_CHARACTERS: usize = 4;

/// A key that was just made. The text is shown once and then forgotten.
pub struct NewKey {
    /// The whole key.
    pub text: String,
    /// SHA-256 of the text: what is kept.
    pub digest: Digest,
    /// The last four characters.
    pub hint: String,
}

/// Makes the key with this id from 128 random bits.
#[must_use]
pub fn make(environment: Environment, id: ApiKeyId, secret: [u8; 16]) -> NewKey {
    let mut text = String::with_capacity(KEY_BYTES);
    text.push_str(match environment {
        Environment::Production => "tg_live_",
        Environment::Sandbox => "tg_test_",
    });
    text.extend(id::digits(id.raw()).into_iter().map(char::from));
    base62::push(&mut text, secret, base62::DIGITS_128);
    base62::push_crc(&mut text);
    NewKey {
        digest: Sha256::digest(text.as_bytes()).into(),
        hint: text[KEY_BYTES - HINT_CHARACTERS..].to_owned(),
        text,
    }
}

/// The digest to look a key up by; `None` for a text that cannot be a key: another length or
/// prefix, a character that is no digit, or check digits that do not fit.
///
/// Allocates nothing: the gateway calls this for every request.
#[must_use]
pub fn digest(text: &[u8]) -> Option<Digest> {
    if text.len() != KEY_BYTES {
        return None;
    }
    let (prefix, digits) = text.split_at(LIVE.len());
    let is_formed = (prefix == LIVE || prefix == TEST) && base62::all_digits(digits);
    (is_formed && base62::crc_fits(text)).then(|| Sha256::digest(text).into())
}

#[cfg(test)]
mod tests;
