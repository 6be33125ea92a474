//! Names of APIs, versions and applications, kept after deletion: usage refers to them for ever.
//! `operations.rs` does the same for operations.

use tollgate_model::id::{ApiId, ApplicationId, VersionId};

use crate::{Store, StoreError, Tx};

pub(crate) const API: &str = "api";
pub(crate) const VERSION: &str = "version";
const APPLICATION: &str = "application";

/// Returns the name of an API, also after its deletion.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_api(store: &Store, id: ApiId) -> Result<Option<String>, StoreError> {
    const SQL: &str = "select name from apis where id = $1 \
        union all select name from deleted_names where noun = $2 and id = $1 limit 1";
    let row = store.row(SQL, &[id.into(), API.into()]).await?;
    row.map(|row| row.text("name")).transpose()
}

/// Returns the name of a version, also after its deletion.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_version(store: &Store, id: VersionId) -> Result<Option<String>, StoreError> {
    const SQL: &str = "select name from versions where id = $1 \
        union all select name from deleted_names where noun = $2 and id = $1 limit 1";
    let row = store.row(SQL, &[id.into(), VERSION.into()]).await?;
    row.map(|row| row.text("name")).transpose()
}

/// Returns the name of an application, also after its deletion.
///
/// # Errors
/// Fails if the database read fails.
pub async fn of_application(
    store: &Store,
    id: ApplicationId,
) -> Result<Option<String>, StoreError> {
    const SQL: &str = "select name from applications where id = $1 \
        union all select name from deleted_names where noun = $2 and id = $1 limit 1";
    let row = store.row(SQL, &[id.into(), APPLICATION.into()]).await?;
    row.map(|row| row.text("name")).transpose()
}

/// Stores the names and the owner of an API and its versions before they are deleted.
pub(crate) async fn keep_of_api(tx: &mut Tx, id: ApiId) -> Result<(), StoreError> {
    const OWN: &str = "insert into deleted_names (noun, id, name, owner) \
        select $2, id, name, owner from apis where id = $1";
    const VERSIONS: &str = "insert into deleted_names (noun, id, name, owner) \
        select $2, v.id, v.name, a.owner from versions v join apis a on a.id = v.api \
        where v.api = $1";
    tx.execute(OWN, &[id.into(), API.into()]).await?;
    tx.execute(VERSIONS, &[id.into(), VERSION.into()]).await?;
    Ok(())
}

/// Stores the name and the API's owner of a version before it is deleted.
pub(crate) async fn keep_of_version(tx: &mut Tx, id: VersionId) -> Result<(), StoreError> {
    const SQL: &str = "insert into deleted_names (noun, id, name, owner) \
        select $2, v.id, v.name, a.owner from versions v join apis a on a.id = v.api \
        where v.id = $1";
    tx.execute(SQL, &[id.into(), VERSION.into()]).await?;
    Ok(())
}

/// Stores the name of an application before it is deleted.
pub(crate) async fn keep_of_application(tx: &mut Tx, id: ApplicationId) -> Result<(), StoreError> {
    const SQL: &str = "insert into deleted_names (noun, id, name) \
        select $2, id, name from applications where id = $1";
    tx.execute(SQL, &[id.into(), APPLICATION.into()]).await?;
    Ok(())
}
