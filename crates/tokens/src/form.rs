//! The form that Tollgate's secrets share: a prefix, an optional id, 128 random bits and check
//! digits, all in base62. The last six digits are the CRC-32 (IEEE 802.3) of everything before
//! them, so garbage needs no look-up and scanners can find leaks. The neighbours `api_key`,
//! `opaque` and `generated` use it.

use sha2::{Digest as _, Sha256};
use tollgate_model::credential::Digest;
use tollgate_model::id::{self, Id};

use crate::base62;

/// Number of characters of a secret that are stored, for its owner to recognise it.
const HINT_CHARACTERS: usize = 4;

/// A new secret. The text is shown once and not stored.
pub struct NewSecret {
    /// The whole secret.
    pub text: String,
    /// SHA-256 of the text, which is stored.
    pub digest: Digest,
    /// The last four characters.
    pub hint: String,
}

/// Creates `{prefix}{secret}{crc}`: 22 + 6 digits after the prefix.
pub(crate) fn make(prefix: &str, secret: [u8; 16]) -> NewSecret {
    finish(String::from(prefix), secret)
}

/// Creates `{prefix}{id}{secret}{crc}`: 11 + 22 + 6 digits after the prefix.
pub(crate) fn make_with_id<K>(prefix: &str, id: Id<K>, secret: [u8; 16]) -> NewSecret {
    let mut text = String::with_capacity(bytes_with_id(prefix));
    text.push_str(prefix);
    text.extend(id::digits(id.raw()).into_iter().map(char::from));
    finish(text, secret)
}

fn finish(mut text: String, secret: [u8; 16]) -> NewSecret {
    base62::push(&mut text, secret, base62::DIGITS_128);
    base62::push_crc(&mut text);
    NewSecret {
        digest: Sha256::digest(text.as_bytes()).into(),
        hint: text[text.len() - HINT_CHARACTERS..].to_owned(),
        text,
    }
}

/// Returns the length of a secret with this prefix and an id.
pub(crate) const fn bytes_with_id(prefix: &str) -> usize {
    prefix.len() + id::TEXT_DIGITS + base62::DIGITS_128 + base62::CRC_DIGITS
}

/// Returns the id in a secret with this prefix, and the digest of the whole; `None` for a text of
/// another form. Allocates nothing.
pub(crate) fn parse_with_id<K>(prefix: &str, text: &[u8]) -> Option<(Id<K>, Digest)> {
    let digits = text.strip_prefix(prefix.as_bytes())?;
    let is_formed =
        text.len() == bytes_with_id(prefix) && base62::all_digits(digits) && base62::crc_fits(text);
    if !is_formed {
        return None;
    }
    let id = id::from_digits(&digits[..id::TEXT_DIGITS])?;
    Some((Id::from_raw(id), Sha256::digest(text).into()))
}
