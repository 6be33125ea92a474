//! API keys: in the header that the version names, in `Authorization: ApiKey …`, or in the query if
//! the version allows it. Workers remember verified keys (crate::worker::recent), but still check
//! each call against them.

use tollgate_model::credential::CredentialId;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::api_key;

use super::Proven;
use crate::refusal::Refused;
use crate::snapshot::Snapshot;
use crate::worker::recent::RecentKeys;

/// Finds the key with this text, if it is valid now.
pub(super) fn find<'s>(
    snapshot: &'s Snapshot,
    recent: &mut RecentKeys,
    text: &[u8],
    now_us: i64,
) -> Result<Proven<'s>, Refused> {
    let (id, digest) = api_key::parse(text).ok_or(Refusal::Invalid)?;
    let key = recent.find(snapshot, id, &digest, now_us);
    let key = key.ok_or(Refusal::Invalid)?;
    Ok(Proven::Credential(CredentialId::ApiKey(id), key))
}
