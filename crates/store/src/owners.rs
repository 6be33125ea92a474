//! Owners of APIs, versions and operations, kept after deletion: an owner can read the usage for
//! ever. `names.rs` stores the owners of deleted objects.

use tollgate_model::id::{ApiId, OperationId, UserId, VersionId};

use crate::names::{API, VERSION};
use crate::value::{after, limit};
use crate::{Store, StoreError};

/// Lists the APIs that a user owns, or owned when they were deleted, by id, beginning after
/// `after_id`.
///
/// # Errors
/// Fails if the database read fails.
pub async fn apis(
    store: &Store,
    owner: UserId,
    after_id: Option<ApiId>,
    at_most: u32,
) -> Result<Vec<ApiId>, StoreError> {
    const SQL: &str = "select id from apis where owner = $1 and id > $2 \
        union all select id from deleted_names where owner = $1 and noun = $3 and id > $2 \
        order by id limit $4";
    let values = [owner.into(), after(after_id), API.into(), limit(at_most)];
    store.list(SQL, &values, |row| row.id("id")).await
}

/// Returns the owner of an API, also after its deletion; `None` if unknown.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_api(store: &Store, id: ApiId) -> Result<Option<UserId>, StoreError> {
    const SQL: &str = "select owner from apis where id = $1 \
        union all select owner from deleted_names where noun = $2 and id = $1 limit 1";
    let row = store.row(SQL, &[id.into(), API.into()]).await?;
    row.map_or(Ok(None), |row| row.id_or_null("owner"))
}

/// Returns the owner of a version's API, also after its deletion; `None` if unknown.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_version(store: &Store, id: VersionId) -> Result<Option<UserId>, StoreError> {
    const SQL: &str = "select a.owner from versions v join apis a on a.id = v.api where v.id = $1 \
        union all select owner from deleted_names where noun = $2 and id = $1 limit 1";
    let row = store.row(SQL, &[id.into(), VERSION.into()]).await?;
    row.map_or(Ok(None), |row| row.id_or_null("owner"))
}

/// Returns the version of an operation that was ever deployed.
///
/// # Errors
/// Fails if the database read fails.
pub async fn version_of(store: &Store, id: OperationId) -> Result<Option<VersionId>, StoreError> {
    const SQL: &str = "select version from operations where id = $1";
    let row = store.row(SQL, &[id.into()]).await?;
    row.map(|row| row.id("version")).transpose()
}
