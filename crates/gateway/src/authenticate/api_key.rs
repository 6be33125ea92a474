//! API keys: in the header that the version names, in `Authorization: ApiKey …`, or in the query
//! where the version says so.

use tollgate_model::credential::CredentialId;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::api_key;

use super::Proven;
use crate::refusal::Refused;
use crate::snapshot::Snapshot;

/// The key of this text, if it may be used now.
pub(super) fn find<'s>(
    snapshot: &'s Snapshot,
    text: &[u8],
    now_us: i64,
) -> Result<Proven<'s>, Refused> {
    let (id, digest) = api_key::parse(text).ok_or(Refusal::Invalid)?;
    let key = snapshot.api_keys.find(&id).ok_or(Refusal::Invalid)?;
    match key.takes(&digest, now_us) {
        true => Ok(Proven::Credential(CredentialId::ApiKey(id), key)),
        false => Err(Refusal::Invalid.into()),
    }
}
