//! Users of HTTP Basic (RFC 7617), found by the digest of name and password, as keys are by theirs.
//! The passwords are made by us, of 128 random bits, so that nobody needs to be locked out.

use tollgate_model::refusal::Refusal;
use tollgate_tokens::basic::Basic;

use super::Proven;
use crate::refusal::Refused;
use crate::snapshot::Snapshot;

/// The user of this name and password, if they may be used now.
pub(super) fn find<'s>(
    snapshot: &'s Snapshot,
    text: &[u8],
    now_us: i64,
) -> Result<Proven<'s>, Refused> {
    let basic = Basic::parse(text).ok_or(Refusal::Invalid)?;
    let user = snapshot.credentials.find(&basic.digest());
    let user = user.ok_or(Refusal::Invalid)?;
    match user.term.contains(now_us) {
        true => Ok(Proven::Credential(user)),
        false => Err(Refusal::Invalid.into()),
    }
}
