//! Opaque access tokens: `tg_at_{id}{secret}{crc}`, base62, 11 + 22 + 6 digits, like API keys. The
//! key manager creates tokens and stores their digests; the gateway looks a token up by the id in
//! it and verifies it by the digest.

use tollgate_model::credential::Digest;
use tollgate_model::id::{Id, TokenId};

use crate::form;
pub use crate::form::NewSecret as NewToken;

const PREFIX: &str = "tg_at_";
/// Length of every token, bytes.
pub const TOKEN_BYTES: usize = form::bytes_with_id(PREFIX);

/// Creates the token with this id from 128 random bits.
#[must_use]
pub fn make<K>(id: Id<K>, secret: [u8; 16]) -> NewToken {
    form::make_with_id(PREFIX, id, secret)
}

/// Returns whether a text has the prefix of such tokens, so it is not a token of another kind.
#[must_use]
pub fn is_marked(text: &[u8]) -> bool {
    text.starts_with(PREFIX.as_bytes())
}

/// Returns the id that a token is looked up by, and the digest that verifies it; `None` for a text
/// that cannot be one: another length or prefix, a character that is not a digit, or wrong check
/// digits.
///
/// Allocates nothing: the gateway calls this for every request.
#[must_use]
pub fn parse(text: &[u8]) -> Option<(TokenId, Digest)> {
    form::parse_with_id(PREFIX, text)
}

#[cfg(test)]
mod tests;
