//! Deprecations of versions; `lifecycle.rs` writes them when a version becomes deprecated, and
//! removes them when it leaves that state, unless it retires.

use std::collections::HashMap;

use tollgate_model::id::{ApiId, VersionId};
use tollgate_model::lifecycle::Deprecation;

use crate::{Noun, Store, StoreError, Tx};

/// Writes the deprecation of a deprecated version, replacing the previous one.
///
/// # Errors
/// [`StoreError::NotFound`] if there is no such version, or it is not deprecated.
pub async fn replace(
    tx: &mut Tx,
    id: VersionId,
    deprecation: &Deprecation,
    now_us: i64,
) -> Result<(), StoreError> {
    const SQL: &str = "update versions set deprecated_us = $2, sunset_us = $3, successor = $4, \
            deprecation_text = $5, updated_us = $6 \
        where id = $1 and state = 'deprecated'";
    let values = [
        id.into(),
        deprecation.since_us.into(),
        deprecation.sunset_us.into(),
        deprecation.successor.as_ref().map(|it| it.id.raw()).into(),
        (&deprecation.text).into(),
        now_us.into(),
    ];
    tx.execute_one(SQL, &values, "version").await?;
    tx.note(Noun::Version(id)).await
}

/// Removes the deprecation of a version, if it has one.
pub(crate) async fn clear(tx: &mut Tx, id: VersionId) -> Result<(), StoreError> {
    const SQL: &str = "update versions set deprecated_us = null, sunset_us = null, \
            successor = null, deprecation_text = null \
        where id = $1";
    tx.execute(SQL, &[id.into()]).await?;
    Ok(())
}

/// Returns the successor of each deprecated or retired version of an API that has one.
///
/// # Errors
/// Fails if the database read fails.
pub async fn successors(
    store: &Store,
    api: ApiId,
) -> Result<HashMap<VersionId, VersionId>, StoreError> {
    const SQL: &str = "select id, successor from versions where api = $1 and successor is not null";
    let rows = store.rows(SQL, &[api.into()]).await?;
    let pairs = rows.iter();
    pairs
        .map(|row| Ok((row.id("id")?, row.id("successor")?)))
        .collect()
}

/// Notes the versions that have this one as their successor for gateways, which announce it.
pub(crate) async fn note_predecessors(tx: &mut Tx, id: VersionId) -> Result<(), StoreError> {
    const SQL: &str = "select id from versions where successor = $1";
    for row in tx.rows(SQL, &[id.into()]).await? {
        tx.note(Noun::Version(row.id("id")?)).await?;
    }
    Ok(())
}

/// Removes a version as the successor of others, and notes these for gateways.
pub(crate) async fn end_succession(tx: &mut Tx, id: VersionId) -> Result<(), StoreError> {
    const SQL: &str = "update versions set successor = null where successor = $1";
    note_predecessors(tx, id).await?;
    tx.execute(SQL, &[id.into()]).await?;
    Ok(())
}
