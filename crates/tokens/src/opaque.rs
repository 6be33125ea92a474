//! Opaque access tokens: `tg_at_{id}{secret}{crc}`, base62, 11 + 22 + 6 digits, as API keys have
//! them. The key manager makes tokens and keeps their digests; the gateway finds callers by
//! the id in the token and knows them by the digest.

use tollgate_model::credential::Digest;
use tollgate_model::id::{Id, TokenId};

use crate::form;
pub use crate::form::NewSecret as NewToken;

const PREFIX: &str = "tg_at_";
/// Bytes of every token.
pub const TOKEN_BYTES: usize = form::bytes_with_id(PREFIX);

/// Makes the token with this id from 128 random bits.
#[must_use]
pub fn make<K>(id: Id<K>, secret: [u8; 16]) -> NewToken {
    form::make_with_id(PREFIX, id, secret)
}

/// Whether a text claims to be such a token, so that it is none of another kind.
#[must_use]
pub fn is_marked(text: &[u8]) -> bool {
    text.starts_with(PREFIX.as_bytes())
}

/// The id to look a token up by, and the digest that proves it; `None` for a text that cannot be
/// one: another length or prefix, a character that is no digit, or check digits that do not fit.
///
/// Allocates nothing: the gateway calls this for every request.
#[must_use]
pub fn parse(text: &[u8]) -> Option<(TokenId, Digest)> {
    form::parse_with_id(PREFIX, text)
}

#[cfg(test)]
mod tests;
