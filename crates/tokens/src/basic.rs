//! What is kept of the users of HTTP Basic (RFC 7617).

use sha2::{Digest as _, Sha256};
use tollgate_model::credential::Digest;

/// SHA-256 of `user:password`: what is kept, and looked up by.
#[must_use]
pub fn digest(user: &str, password: &str) -> Digest {
    let hash = Sha256::new().chain_update(user).chain_update(":");
    hash.chain_update(password).finalize().into()
}
