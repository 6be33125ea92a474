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

/// Writes a purge and returns its number. Deletes the purges that no reader of the feed needs:
/// their changes are no longer kept, so it reads the whole, which has the last of each version.
/// Besides those, at most [`CHANGES_KEPT`](crate::feed::CHANGES_KEPT) are stored.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such version or user.
pub async fn create(tx: &mut Tx, purge: NewPurge<'_>) -> Result<u64, StoreError> {
    const INSERT: &str = "insert into cache_purges (version, selector, created_us, created_by) \
        values ($1, $2, $3, $4) returning id";
    // Ids rise with sequences.
    const FORGET: &str = "delete from cache_purges \
        where id < (select id from changes where noun = $1 order by sequence limit 1) \
        and id < (select max(p.id) from cache_purges p where p.version = cache_purges.version)";
    let selector = json(purge.selector);
    let values = [
        purge.version.into(),
        (&selector).into(),
        purge.at_us.into(),
        purge.by.into(),
    ];
    let row = tx.row(INSERT, &values).await?;
    let id: CachePurgeId = row.ok_or(StoreError::NotFound("version"))?.id("id")?;
    tx.note(Noun::CachePurge(id)).await?;
    tx.execute(FORGET, &[Noun::CACHE_PURGE.into()]).await?;
    Ok(id.raw().unsigned_abs())
}
