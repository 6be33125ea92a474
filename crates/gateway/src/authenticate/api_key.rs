//! API keys: in the header that the version names, or in `Authorization: ApiKey …`.

use tollgate_http1::view::Line;
use tollgate_model::feed::ServedKey;
use tollgate_model::refusal::Refusal;
use tollgate_tokens::api_key;

use crate::refusal::Refused;
use crate::snapshot::Snapshot;

/// The key in a field line, if one is there. `header` is in lower case.
pub(super) fn read<'h>(line: Line<'h>, header: &[u8]) -> Option<&'h [u8]> {
    let value = line.value();
    if line.is(header) {
        Some(scheme(value).unwrap_or(value))
    } else if line.is(b"authorization") {
        scheme(value)
    } else {
        None
    }
}

/// What follows the scheme `ApiKey` (RFC 9110, section 11.4), in any case.
fn scheme(value: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = value.split_at_checked(7)?;
    scheme
        .eq_ignore_ascii_case(b"apikey ")
        .then(|| rest.trim_ascii_start())
}

/// The key of this text, if it may be used now.
pub(super) fn find<'s>(
    snapshot: &'s Snapshot,
    text: &[u8],
    now_us: i64,
) -> Result<&'s ServedKey, Refused> {
    let digest = api_key::digest(text).ok_or(Refusal::Invalid)?;
    let key = snapshot.keys.find(&digest).ok_or(Refusal::Invalid)?;
    if !is_current(key, now_us) {
        return Err(Refusal::Invalid.into());
    }
    Ok(key)
}

fn is_current(key: &ServedKey, now_us: i64) -> bool {
    key.not_before_us.is_none_or(|from| from <= now_us)
        && key.expires_us.is_none_or(|until| now_us < until)
}
