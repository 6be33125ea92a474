//! Purges of stored responses, numbered over all versions.

use tollgate_model::feed::CacheSelector;
use tollgate_model::id::{CachePurgeId, UserId, VersionId};

use crate::value::json;
use crate::{Noun, StoreError, Tx};

/// A purge to be written.
#[derive(Debug, Clone, Copy)]
pub struct NewPurge<'p> {
    /// The version.
    pub version: VersionId,
    /// The responses that end.
    pub selector: &'p CacheSelector,
    /// The user who ordered it.
    pub by: UserId,
    /// When, Unix microseconds.
    pub at_us: i64,
}

/// Writes a purge and returns its number. Deletes earlier ones that no reader of the feed needs
/// any more: those without a kept change, except the last of each version.
///
/// # Errors
/// Fails if the database write fails.
pub async fn create(tx: &mut Tx, purge: NewPurge<'_>) -> Result<u64, StoreError> {
    const INSERT: &str = "insert into cache_purges (version, selector, created_us, created_by) \
        values ($1, $2, $3, $4) returning id";
    const FORGET: &str = "delete from cache_purges where version = $1 \
        and id < (select max(id) from cache_purges where version = $1) \
        and id not in (select id from changes where noun = $2)";
    let selector = json(purge.selector);
    let values = [
        purge.version.raw().into(),
        (&selector).into(),
        purge.at_us.into(),
        purge.by.raw().into(),
    ];
    let row = tx.row(INSERT, &values).await?;
    let id: CachePurgeId = row.ok_or(StoreError::NotFound("version"))?.id("id")?;
    tx.note(Noun::CachePurge(id)).await?;
    let values = [purge.version.raw().into(), Noun::CACHE_PURGE.into()];
    tx.execute(FORGET, &values).await?;
    Ok(id.raw().unsigned_abs())
}
