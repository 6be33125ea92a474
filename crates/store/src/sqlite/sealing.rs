//! The migration step that seals secrets which older releases stored in clear, and the check that
//! the master key belongs to this file.
//!
//! It has two parts, since the process may end between them: all secrets are sealed in one
//! transaction, which also stores a text that only this key opens; then the file is rewritten and
//! its log truncated, so no page keeps the old content (sqlite.org/lang_vacuum.html). If that
//! fails, for example on a full disk, it is logged and retried at the next start.

use std::path::Path;

use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnection;
use tollgate_model::api::Configuration;
use tollgate_model::id::VersionId;

use super::open_error;
use crate::master_key::{KeyFile, MasterKey};
use crate::secrets::sealed_json;
use crate::{OpenError, StoreError};

/// Names in the table `sealing`.
const CHECK: &str = "check";
const REWRITTEN: &str = "rewritten";
/// Owner and text of the sealed check.
const CHECK_OWNER: &str = "master key";
const CHECK_TEXT: &str = "tollgate";

/// Statements for a table with configurations.
struct Table {
    name: &'static str,
    /// Selects rows that may hold a password, with their versions.
    list: &'static str,
    read: &'static str,
    write: &'static str,
}

const TABLES: [Table; 2] = [
    Table {
        name: "versions",
        list: "select id, id from versions where draft like '%\"password\"%'",
        read: "select cast(draft as blob) from versions where id = $1",
        write: "update versions set draft = $2 where id = $1",
    },
    Table {
        name: "revisions",
        list: "select id, version from revisions where configuration like '%\"password\"%'",
        read: "select cast(configuration as blob) from revisions where id = $1",
        write: "update revisions set configuration = $2 where id = $1",
    },
];

#[derive(Debug, thiserror::Error)]
enum SealError {
    #[error(transparent)]
    Engine(#[from] sqlx::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the key of a file that has one. Called before anything is written to the file, so a
/// start with another key changes nothing.
pub(super) async fn known_key(
    writer: &SqlitePool,
    path: &Path,
    file: &KeyFile,
) -> Result<Option<MasterKey>, OpenError> {
    let table = sqlx::query_scalar("select count(*) from sqlite_schema where name = 'sealing'");
    let tables: i64 = table
        .fetch_one(writer)
        .await
        .map_err(|it| open_error(path, it))?;
    if tables == 0 {
        return Ok(None);
    }
    let check = sqlx::query_scalar("select value from sealing where name = $1").bind(CHECK);
    let check: Option<String> = check
        .fetch_optional(writer)
        .await
        .map_err(|error| open_error(path, error))?;
    let Some(check) = check else {
        return Ok(None);
    };
    let key = file.read()?;
    if key.open(CHECK_OWNER, &check).as_deref() != Some(CHECK_TEXT) {
        let detail = "is not the one that this database was sealed with";
        return Err(file.refused(detail));
    }
    Ok(Some(key))
}

/// Returns the key of a file with an up-to-date schema, after sealing everything in it with the
/// key. `known` is the file's [`known_key`], if it has one.
pub(super) async fn seal(
    writer: &SqlitePool,
    path: &Path,
    file: &KeyFile,
    known: Option<MasterKey>,
) -> Result<MasterKey, OpenError> {
    let mut connection = writer
        .acquire()
        .await
        .map_err(|error| open_error(path, error))?;
    let key = match known {
        Some(key) => key,
        None => {
            let key = file.read_or_make()?;
            let sealed = seal_all(&mut connection, &key).await;
            sealed.map_err(|error| match error {
                SealError::Engine(error) => open_error(path, error),
                SealError::Store(error) => OpenError::Other {
                    path: path.to_owned(),
                    source: error.into(),
                },
            })?;
            key
        }
    };
    if let Err(error) = rewrite(&mut connection).await {
        tracing::warn!(
            %error,
            "secrets stored in clear are now sealed, but may remain in free pages of {} until it \
             is rewritten, which is retried at the next start: {error}",
            path.display()
        );
    }
    Ok(key)
}

/// Seals every password that is stored in clear, and stores the check; all or nothing.
async fn seal_all(connection: &mut SqliteConnection, key: &MasterKey) -> Result<(), SealError> {
    let mut tx = sqlx::Connection::begin(connection).await?;
    for table in &TABLES {
        let rows: Vec<(i64, i64)> = sqlx::query_as(table.list).fetch_all(&mut *tx).await?;
        for (row, version) in rows {
            let read = sqlx::query_scalar(table.read).bind(row);
            let text: Vec<u8> = read.fetch_one(&mut *tx).await?;
            let Ok(configuration) = serde_json::from_slice::<Configuration>(&text) else {
                tracing::error!(
                    "a damaged row of {} is not sealed and may hold a password in clear: {row}",
                    table.name
                );
                continue;
            };
            let sealed = sealed_json(key, VersionId::from_raw(version), &configuration)?;
            let write = sqlx::query(table.write).bind(row).bind(sealed);
            write.execute(&mut *tx).await?;
        }
    }
    let check = key.seal(CHECK_OWNER, CHECK_TEXT)?;
    insert(&mut tx, CHECK, &check).await?;
    Ok(tx.commit().await?)
}

/// Rewrites the file and truncates its log, once.
async fn rewrite(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    let done = sqlx::query_scalar("select count(*) from sealing where name = $1").bind(REWRITTEN);
    let done: i64 = done.fetch_one(&mut *connection).await?;
    if done > 0 {
        return Ok(());
    }
    sqlx::query("vacuum").execute(&mut *connection).await?;
    let cut = sqlx::query_as("pragma wal_checkpoint(truncate)");
    let (is_busy, _, _): (i64, i64, i64) = cut.fetch_one(&mut *connection).await?;
    if is_busy != 0 {
        let busy = "another process is reading it";
        return Err(sqlx::Error::Protocol(busy.to_owned()));
    }
    insert(connection, REWRITTEN, "yes").await
}

async fn insert(connection: &mut SqliteConnection, name: &str, value: &str) -> sqlx::Result<()> {
    let sql = "insert into sealing (name, value) values ($1, $2)";
    let insert = sqlx::query(sql).bind(name).bind(value);
    insert.execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
