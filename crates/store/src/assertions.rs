//! Assertions that clients have authenticated with (RFC 7523). Each is valid once, so they are
//! stored until they expire.

use tollgate_model::credential::Digest;
use tollgate_model::id::ClientId;

use crate::{Store, StoreError, Tx};

/// Stores an assertion of a client by the digest of its id; returns false if it was stored before.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such client.
pub async fn keep(
    tx: &mut Tx,
    client: ClientId,
    digest: &Digest,
    expires_us: i64,
) -> Result<bool, StoreError> {
    const SQL: &str = "insert into assertions (client, digest, expires_us) values ($1, $2, $3) \
        on conflict (client, digest) do nothing";
    let values = [client.into(), digest.into(), expires_us.into()];
    Ok(tx.execute(SQL, &values).await? > 0)
}

/// Returns whether there is something to [`sweep`]: a sweep that finds nothing would still write.
///
/// # Errors
/// Fails if the database read fails.
pub async fn has_expired(store: &Store, now_us: i64) -> Result<bool, StoreError> {
    const SQL: &str = "select 1 from assertions where expires_us <= $1 limit 1";
    Ok(store.row(SQL, &[now_us.into()]).await?.is_some())
}

/// Deletes up to `at_most` expired assertions; returns how many.
///
/// # Errors
/// Fails if the database write fails.
pub async fn sweep(tx: &mut Tx, now_us: i64, at_most: u32) -> Result<u64, StoreError> {
    const SQL: &str = "delete from assertions where (client, digest) in \
        (select client, digest from assertions where expires_us <= $1 limit $2)";
    tx.execute(SQL, &[now_us.into(), i64::from(at_most).into()])
        .await
}
