//! Credentials of HTTP Basic as callers present them, `base64(user:password)` (RFC 7617,
//! section 2). The gateway looks users up by the digest of what was decoded. It needs both halves
//! only of those who chose their password.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tollgate_model::credential::Digest;

/// Bytes of a user name at most.
pub const USER_BYTES_MAX: usize = 128;
/// Bytes of a password at most.
pub const PASSWORD_BYTES_MAX: usize = 256;
/// Bytes of both and the colon at most. They fill whole groups of three up.
const DECODED_BYTES_MAX: usize = (USER_BYTES_MAX + 1 + PASSWORD_BYTES_MAX).next_multiple_of(3);
const ENCODED_BYTES_MAX: usize = DECODED_BYTES_MAX / 3 * 4;

/// A user and a password. They cannot be printed with `{:?}`.
pub struct Basic {
    bytes: [u8; DECODED_BYTES_MAX],
    length: usize,
    colon: usize,
}

impl Basic {
    /// Reads what stands after the scheme's name and the space behind it; `None` for what is no
    /// padded base64 of UTF-8, holds no colon or a control character, or is too long.
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

    /// What stands before the first colon; may be empty.
    #[must_use]
    pub fn user(&self) -> &str {
        self.text(0, self.colon)
    }

    /// What stands after the first colon; may be empty.
    #[must_use]
    pub fn password(&self) -> &str {
        self.text(self.colon + 1, self.length)
    }

    /// SHA-256 of `user:password`.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Sha256::digest(&self.bytes[..self.length]).into()
    }

    fn text(&self, from: usize, to: usize) -> &str {
        str::from_utf8(&self.bytes[from..to]).expect("was split at a colon when it was read")
    }
}

/// SHA-256 of `user:password`: what is kept so that [`Basic::digest`] finds it.
#[must_use]
pub fn digest(user: &str, password: &str) -> Digest {
    let hash = Sha256::new().chain_update(user).chain_update(":");
    hash.chain_update(password).finalize().into()
}

#[cfg(test)]
mod tests;
