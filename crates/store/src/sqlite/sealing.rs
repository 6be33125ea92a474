//! The step of the program that seals what older releases stored in clear, and the check that the
//! master key is this file's.
//!
//! It is done in two parts, since a process may end between them: all secrets are sealed in one
//! transaction, which also keeps a word that opens with this key alone; then the file is written
//! anew and its log cut, so that no page keeps what was there before (sqlite.org/lang_vacuum.html).

use std::path::Path;

use serde_json::Value as Json;
use sqlx::SqlitePool;
use sqlx::sqlite::SqliteConnection;
use tollgate_model::id::VersionId;

use super::open_error;
use crate::master_key::{KeyFile, MasterKey};
use crate::{OpenError, StoreError, secrets};

/// Names in the table `sealing`.
const CHECK: &str = "check";
const REWRITTEN: &str = "rewritten";
/// What the check is sealed for, and its text.
const OWNER: &str = "master key";
const WORD: &str = "tollgate";
/// Where older releases stored passwords.
const CLEAR: [&str; 2] = [
    "/soap/rest/back_end/username_token/password",
    "/soap/rest/back_end/basic/password",
];

/// The master key of a file; everything in it is sealed by it afterwards.
pub(super) async fn unlock(
    writer: &SqlitePool,
    path: &Path,
    file: &KeyFile,
) -> Result<MasterKey, OpenError> {
    let failed = |error| open_error(path, error);
    let mut connection = writer.acquire().await.map_err(failed)?;
    let check = kept(&mut connection, CHECK).await.map_err(failed)?;
    let key = match check {
        Some(check) => {
            let key = file.read()?;
            if key.open(OWNER, &check).as_deref() != Some(WORD) {
                let detail = "is not the one that this database was sealed with";
                return Err(file.refused(detail.to_owned()));
            }
            key
        }
        None => {
            let key = file.read_or_make()?;
            seal(&mut connection, &key)
                .await
                .map_err(|error| match error {
                    SealError::Engine(error) => open_error(path, error),
                    SealError::Store(error) => OpenError::Other {
                        path: path.to_owned(),
                        source: error.into(),
                    },
                })?;
            key
        }
    };
    let rewritten = kept(&mut connection, REWRITTEN).await.map_err(failed)?;
    if rewritten.is_none() {
        rewrite(&mut connection).await.map_err(failed)?;
    }
    Ok(key)
}

#[derive(Debug)]
enum SealError {
    Engine(sqlx::Error),
    Store(StoreError),
}

impl From<sqlx::Error> for SealError {
    fn from(error: sqlx::Error) -> Self {
        Self::Engine(error)
    }
}

async fn kept(connection: &mut SqliteConnection, name: &str) -> sqlx::Result<Option<String>> {
    let sql = "select value from sealing where name = $1";
    sqlx::query_scalar(sql)
        .bind(name)
        .fetch_optional(connection)
        .await
}

/// Seals every password that is stored in clear, and keeps the check; all or nothing.
async fn seal(connection: &mut SqliteConnection, key: &MasterKey) -> Result<(), SealError> {
    let mut tx = sqlx::Connection::begin(connection).await?;
    let drafts = (
        "select id, id from versions where draft like '%\"password\"%'",
        "select draft from versions where id = $1",
        "update versions set draft = $2 where id = $1",
    );
    let revisions = (
        "select id, version from revisions where configuration like '%\"password\"%'",
        "select configuration from revisions where id = $1",
        "update revisions set configuration = $2 where id = $1",
    );
    for (list, read, write) in [drafts, revisions] {
        let rows: Vec<(i64, i64)> = sqlx::query_as(list).fetch_all(&mut *tx).await?;
        for (row, version) in rows {
            let text: String = sqlx::query_scalar(read)
                .bind(row)
                .fetch_one(&mut *tx)
                .await?;
            let owner = secrets::owner(VersionId::from_raw(version));
            if let Some(sealed) = sealed(key, &owner, &text).map_err(SealError::Store)? {
                sqlx::query(write)
                    .bind(row)
                    .bind(sealed)
                    .execute(&mut *tx)
                    .await?;
            }
        }
    }
    let check = key.seal(OWNER, WORD).map_err(SealError::Store)?;
    keep(&mut tx, CHECK, &check).await?;
    Ok(tx.commit().await?)
}

/// The JSON with its passwords sealed; `None` where there are none, or where it is damaged, which
/// those who read it will tell.
fn sealed(key: &MasterKey, owner: &str, text: &str) -> Result<Option<String>, StoreError> {
    let Ok(mut json) = serde_json::from_str::<Json>(text) else {
        return Ok(None);
    };
    let mut has_any = false;
    for pointer in CLEAR {
        if let Some(Json::String(password)) = json.pointer_mut(pointer) {
            *password = key.seal(owner, password)?;
            has_any = true;
        }
    }
    Ok(has_any.then(|| json.to_string()))
}

async fn rewrite(connection: &mut SqliteConnection) -> sqlx::Result<()> {
    sqlx::query("vacuum").execute(&mut *connection).await?;
    sqlx::query("pragma wal_checkpoint(truncate)")
        .execute(&mut *connection)
        .await?;
    keep(connection, REWRITTEN, "yes").await
}

async fn keep(connection: &mut SqliteConnection, name: &str, value: &str) -> sqlx::Result<()> {
    let sql = "insert into sealing (name, value) values ($1, $2)";
    sqlx::query(sql)
        .bind(name)
        .bind(value)
        .execute(connection)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests;
