//! HTTP Basic users (RFC 7617), found by the digest of name and password. Passwords are generated
//! from 128 random bits, so no lockout is needed.

use std::borrow::Cow;

use tollgate_model::credential::CredentialId;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::basic::Basic;

use super::Proven;
use crate::refusal::Refused;
use crate::snapshot::Snapshot;

/// Finds the user with this name and password, if valid now.
pub(super) fn find<'s>(
    snapshot: &'s Snapshot,
    text: &[u8],
    now_us: i64,
) -> Result<Proven<'s>, Refused> {
    let basic = Basic::parse(text).ok_or(Refusal::Invalid)?;
    let digest = basic.digest();
    let (id, user) = snapshot.basic_user(&digest).ok_or(Refusal::Invalid)?;
    match user.accepts(&digest, now_us) {
        true => {
            let id = CredentialId::BasicUser(id);
            Ok(Proven::Credential(id, Cow::Borrowed(user)))
        }
        false => Err(Refusal::Invalid.into()),
    }
}
