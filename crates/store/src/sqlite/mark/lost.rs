//! Acknowledged writes missing at startup: [`Lost`]. Neighbours: `mark.rs` notes writes, `log.rs`
//! inspects the log.

use std::fmt;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqlitePool;

use super::{Log, Write};
use crate::StoreError;
use crate::row::Row;
use crate::sqlite::{SqliteLink, beside};

impl Write {
    /// Counts the current write on this connection.
    pub(crate) async fn count(link: &mut SqliteLink) -> Result<Self, StoreError> {
        const SQL: &str = "update last_write set number = number + 1, \
            at_us = cast(unixepoch('subsec') * 1000000 as integer) returning number, at_us";
        let rows = link.rows(SQL, &[]).await?;
        let row = rows.into_iter().next().map(Row::Sqlite);
        let row = row.ok_or_else(|| StoreError::Corrupt("the table last_write is empty".into()))?;
        Ok(Self {
            number: row.int("number")?,
            at_us: row.int("at_us")?,
        })
    }

    /// Returns the last write in the database.
    pub(crate) async fn last(database: &SqlitePool) -> sqlx::Result<Self> {
        let last = sqlx::query_as("select number, at_us from last_write");
        let (number, at_us) = last.fetch_optional(database).await?.unwrap_or_default();
        Ok(Self { number, at_us })
    }

    /// Returns its time, RFC 3339; `None` before the first counted write.
    async fn time(self, database: &SqlitePool) -> sqlx::Result<Option<String>> {
        const TIME: &str = "select strftime('%Y-%m-%dT%H:%M:%SZ', $1 / 1000000, 'unixepoch')";
        if self.at_us == 0 {
            return Ok(None);
        }
        let time = sqlx::query_scalar(TIME).bind(self.at_us);
        time.fetch_one(database).await
    }
}

/// Acknowledged writes that a database lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    path: PathBuf,
    /// How many; `None` if there is no mark to compare with.
    pub writes: Option<i64>,
    /// The time of the last write in the database, RFC 3339; `None` if it has no counted write.
    pub last: Option<String>,
    /// The time of the last acknowledged write.
    acknowledged: Option<String>,
    log: Log,
}

impl Lost {
    /// Compares the last write in the database with the last acknowledged one. `log` is the state
    /// of the log when the database was opened.
    pub(crate) async fn compare(
        database: &SqlitePool,
        path: &Path,
        acknowledged: Write,
        log: Log,
    ) -> sqlx::Result<Option<Self>> {
        let there = Write::last(database).await?;
        if there.number >= acknowledged.number {
            return Ok(None);
        }
        Ok(Some(Self {
            path: path.to_owned(),
            writes: Some(acknowledged.number - there.number),
            last: there.time(database).await?,
            acknowledged: acknowledged.time(database).await?,
            log,
        }))
    }

    /// Checks a database without a mark: the previous process did not close it, which leaves a log,
    /// and there is none (as after copying only the database's file while it is in use) or none of
    /// its frames can be read.
    pub(crate) async fn suspect(
        database: &SqlitePool,
        path: &Path,
        log: Log,
    ) -> sqlx::Result<Option<Self>> {
        let is_open = sqlx::query_scalar("select is_open from last_write");
        let is_open: Option<bool> = is_open.fetch_optional(database).await?;
        if log == Log::There || !is_open.unwrap_or_default() {
            return Ok(None);
        }
        Ok(Some(Self {
            path: path.to_owned(),
            writes: None,
            last: Write::last(database).await?.time(database).await?,
            acknowledged: None,
            log,
        }))
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        let log = beside(path, "-wal");
        let state = self.log.state();
        let last = self.last.as_deref().unwrap_or("unknown time");
        let Some(writes) = self.writes else {
            return write!(
                out,
                "the database {} was not closed and its log {} {state}: writes acknowledged \
                 after its last change, from {last}, are lost",
                path.display(),
                log.display(),
            );
        };
        let acknowledged = self.acknowledged.as_deref().unwrap_or("unknown time");
        write!(
            out,
            "the database {} lacks its last {writes} acknowledged writes: its log {} {state}; \
             its last change is from {last}, the last acknowledged one was from \
             {acknowledged}",
            path.display(),
            log.display(),
        )
    }
}
