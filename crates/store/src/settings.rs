//! Settings that the installation makes for itself, such as the counters' key: name and value.
//! What people configure is not here but in the configuration file.

use crate::{Store, StoreError, Tx};

/// The value of a setting.
///
/// # Errors
/// As any read.
pub async fn by_name(store: &Store, name: &str) -> Result<Option<String>, StoreError> {
    const SQL: &str = "select value from settings where name = $1";
    let row = store.row(SQL, &[name.into()]).await?;
    row.map(|row| row.text("value")).transpose()
}

/// Writes a setting, in place of the value before.
///
/// # Errors
/// As any write.
pub async fn put(tx: &mut Tx, name: &str, value: &str) -> Result<(), StoreError> {
    const SQL: &str = "insert into settings (name, value) values ($1, $2) \
        on conflict (name) do update set value = excluded.value";
    tx.execute(SQL, &[name.into(), value.into()]).await?;
    Ok(())
}

/// Writes a setting unless it has a value; the value that it has then. For what is made once,
/// at the first start.
///
/// # Errors
/// As any write.
pub async fn keep(tx: &mut Tx, name: &str, value: &str) -> Result<String, StoreError> {
    const SQL: &str = "insert into settings (name, value) values ($1, $2) \
        on conflict (name) do nothing";
    const READ: &str = "select value from settings where name = $1";
    tx.execute(SQL, &[name.into(), value.into()]).await?;
    let row = tx.row(READ, &[name.into()]).await?;
    row.ok_or(StoreError::NotFound("setting"))?.text("value")
}

/// Forgets a setting; one that is gone is forgotten.
///
/// # Errors
/// As any write.
pub async fn delete(tx: &mut Tx, name: &str) -> Result<(), StoreError> {
    const SQL: &str = "delete from settings where name = $1";
    tx.execute(SQL, &[name.into()]).await?;
    Ok(())
}
