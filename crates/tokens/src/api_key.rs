//! API keys: `tg_{live|test}_{id}{secret}{crc}`, base62, 11 + 22 + 6 digits.
//!
//! The format is that of the design's keys page: the last six digits are the CRC-32 (IEEE 802.3) of
//! everything before them, so garbage needs no look-up and scanners can find leaks. The control
//! plane creates keys and stores their digests; the gateway looks a key up by the id in it and
//! verifies it by the digest.

use tollgate_model::credential::{Digest, Environment};
use tollgate_model::id::ApiKeyId;

use crate::form;
pub use crate::form::NewSecret as NewKey;

const LIVE: &str = "tg_live_";
const TEST: &str = "tg_test_";
/// Length of every key, bytes.
pub const KEY_BYTES: usize = form::bytes_with_id(LIVE);

/// Creates the key with this id from 128 random bits.
#[must_use]
pub fn make(environment: Environment, id: ApiKeyId, secret: [u8; 16]) -> NewKey {
    let prefix = match environment {
        Environment::Production => LIVE,
        Environment::Sandbox => TEST,
    };
    form::make_with_id(prefix, id, secret)
}

/// Returns the id that a key is looked up by, and the digest that verifies it; `None` for a text
/// that cannot be a key: another length or prefix, a character that is not a digit, or wrong check
/// digits.
///
/// Allocates nothing: the gateway calls this for every request.
#[must_use]
pub fn parse(text: &[u8]) -> Option<(ApiKeyId, Digest)> {
    form::parse_with_id(LIVE, text).or_else(|| form::parse_with_id(TEST, text))
}

#[cfg(test)]
mod tests;
