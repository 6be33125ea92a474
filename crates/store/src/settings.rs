//! Settings that the installation generates for itself, such as the counters' key: name and value.
//! What people configure is in the configuration file instead.

use crate::{Store, StoreError, Tx};

/// Returns the value of a setting.
///
/// # Errors
/// Fails if the database read fails.
pub async fn by_name(store: &Store, name: &str) -> Result<Option<String>, StoreError> {
    const SQL: &str = "select value from settings where name = $1";
    let row = store.row(SQL, &[name.into()]).await?;
    row.map(|row| row.text("value")).transpose()
}

/// Writes a setting, replacing its previous value.
///
/// # Errors
/// Fails if the database write fails.
pub async fn put(tx: &mut Tx, name: &str, value: &str) -> Result<(), StoreError> {
    const SQL: &str = "insert into settings (name, value) values ($1, $2) \
        on conflict (name) do update set value = excluded.value";
    tx.execute(SQL, &[name.into(), value.into()]).await?;
    Ok(())
}

/// Writes a setting unless it has a value; returns the stored value. For values generated once, at
/// the first start.
///
/// # Errors
/// Fails if the database write fails.
pub async fn keep(tx: &mut Tx, name: &str, value: &str) -> Result<String, StoreError> {
    const SQL: &str = "insert into settings (name, value) values ($1, $2) \
        on conflict (name) do nothing";
    const READ: &str = "select value from settings where name = $1";
    tx.execute(SQL, &[name.into(), value.into()]).await?;
    let row = tx.row(READ, &[name.into()]).await?;
    row.ok_or(StoreError::NotFound("setting"))?.text("value")
}

/// Returns the value of a setting that [`put_sealed`] wrote; `None` if there is none, or if it does
/// not open.
///
/// # Errors
/// Fails if the database read fails.
pub async fn sealed_by_name(store: &Store, name: &str) -> Result<Option<String>, StoreError> {
    let sealed = by_name(store, name).await?;
    Ok(sealed.and_then(|sealed| store.master_key().open(&owner(name), &sealed)))
}

/// Writes a setting sealed by the master key, replacing its previous value. For secrets.
///
/// # Errors
/// Fails if the database write fails.
pub async fn put_sealed(tx: &mut Tx, name: &str, value: &str) -> Result<(), StoreError> {
    let sealed = tx.master_key().seal(&owner(name), value)?;
    put(tx, name, &sealed).await
}

/// Deletes a setting; does nothing if there is none.
///
/// # Errors
/// Fails if the database write fails.
pub async fn delete(tx: &mut Tx, name: &str) -> Result<(), StoreError> {
    const SQL: &str = "delete from settings where name = $1";
    tx.execute(SQL, &[name.into()]).await?;
    Ok(())
}

/// Returns the owner that a setting is sealed for.
fn owner(name: &str) -> String {
    format!("setting {name}")
}
