//! What a start finds missing of the acknowledged writes: [`Lost`]. Neighbours: `mark.rs` notes
//! them, `log.rs` looks at the log.

use std::fmt;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqlitePool;

use super::{Log, Write};
use crate::StoreError;
use crate::row::Row;
use crate::sqlite::{SqliteLink, beside};

impl Write {
    /// Counts the write that is under way on this connection.
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

    /// The last write that the database holds.
    pub(crate) async fn last(database: &SqlitePool) -> sqlx::Result<Self> {
        let last = sqlx::query_as("select number, at_us from last_write");
        let (number, at_us) = last.fetch_optional(database).await?.unwrap_or_default();
        Ok(Self { number, at_us })
    }

    /// When it was, RFC 3339; none before the first that was counted.
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
    /// How many; none where there is no mark that would tell.
    pub writes: Option<i64>,
    /// The time of the last write that is there, RFC 3339; none where none that was counted is.
    pub last: Option<String>,
    /// The time of the last one that was acknowledged.
    acknowledged: Option<String>,
    log: Log,
}

impl Lost {
    /// Compares what is there with what was acknowledged. `log` is what was found of
    /// the log when the database was opened.
    pub(crate) async fn find(
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

    /// Without a mark: whether the process before did not close the database, which leaves a log,
    /// and there is none (so is a copy of the database's file alone while it is in use) or one of
    /// which nothing can be read.
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
                "the database {} was not closed and its log {} {state}: what was acknowledged \
                 after its last change, which is of {last}, is gone",
                path.display(),
                log.display(),
            );
        };
        let acknowledged = self.acknowledged.as_deref().unwrap_or("unknown time");
        write!(
            out,
            "the database {} lacks its last {writes} acknowledged writes: its log {} {state}; \
             the last change that is there is of {last}, the last acknowledged one was of \
             {acknowledged}",
            path.display(),
            log.display(),
        )
    }
}
