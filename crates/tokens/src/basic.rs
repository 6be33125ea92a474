//! Credentials of HTTP Basic as callers present them, `base64(user:password)` (RFC 7617, section
//! 2). The gateway looks users up by the digest of the decoded text. It needs the two halves only
//! for users who chose their password.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tollgate_model::credential::Digest;

/// Maximum length of a user name, bytes.
pub const USER_BYTES_MAX: usize = 128;
/// Maximum length of a password, bytes.
pub const PASSWORD_BYTES_MAX: usize = 256;
/// Maximum length of both and the colon, bytes, rounded up to whole groups of three.
const DECODED_BYTES_MAX: usize = (USER_BYTES_MAX + 1 + PASSWORD_BYTES_MAX).next_multiple_of(3);
const ENCODED_BYTES_MAX: usize = DECODED_BYTES_MAX / 3 * 4;

/// A user name and a password. `{:?}` cannot print them.
pub struct Basic {
    bytes: [u8; DECODED_BYTES_MAX],
    length: usize,
    colon: usize,
}

impl Basic {
    /// Parses the token after the scheme's name and a space; `None` if it is not padded base64 of
    /// UTF-8, has no colon, has a control character, or is too long.
    ///
    /// Allocates nothing: the gateway calls this for every request.
    #[must_use]
    pub fn parse(token68: &[u8]) -> Option<Self> {
        if token68.len() > ENCODED_BYTES_MAX {
            return None;
        }
        let mut bytes = [0; DECODED_BYTES_MAX];
        let length = STANDARD.decode_slice(token68, &mut bytes).ok()?;
        let text = str::from_utf8(&bytes[..length]).ok()?;
        let (user, password) = text.split_once(':')?;
        let is_bounded = user.len() <= USER_BYTES_MAX && password.len() <= PASSWORD_BYTES_MAX;
        let colon = user.len();
        (is_bounded && !text.chars().any(char::is_control)).then_some(Self {
            bytes,
            length,
            colon,
        })
    }

    /// Returns the part before the first colon; may be empty.
    #[must_use]
    pub fn user(&self) -> &str {
        self.text(0, self.colon)
    }

    /// Returns the part after the first colon; may be empty.
    #[must_use]
    pub fn password(&self) -> &str {
        self.text(self.colon + 1, self.length)
    }

    /// Returns the SHA-256 of `user:password`.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Sha256::digest(&self.bytes[..self.length]).into()
    }

    fn text(&self, from: usize, to: usize) -> &str {
        str::from_utf8(&self.bytes[from..to]).expect("was split at a colon when it was parsed")
    }
}

/// Returns the SHA-256 of `user:password`, which is stored to match [`Basic::digest`].
#[must_use]
pub fn digest(user: &str, password: &str) -> Digest {
    let hash = Sha256::new().chain_update(user).chain_update(":");
    hash.chain_update(password).finalize().into()
}

#[cfg(test)]
mod tests;
