//! The mark of acknowledged writes: a small file beside the database, `<file>.mark`, that holds the
//! number and the time of the last write that was acknowledged.
//!
//! SQLite takes a log (`<file>-wal`) that is missing, cut short or garbled for one that ends
//! earlier (sqlite.org/walformat.html, 4.4): the writes in the rest are gone, and it says nothing.
//! Each write counts itself in the table `last_write`, in its own transaction, and is noted in the
//! mark after the commit and before it is acknowledged. A start that finds fewer writes in the
//! database than the mark says tells so: [`Lost`].
//!
//! A note is one write of 42 bytes to the page cache, some microseconds, so it outlives a kill at
//! any moment. It is synced at the start and at a clean stop only, since a sync for each would
//! nearly double what a write costs: after a power cut the mark may be older than the database,
//! and what is lost then besides is not told. A database without a mark is taken as it is, unless
//! it says itself that it was in use and its log is missing, or holds frames and gives none back:
//! somebody has copied the one file, or the log was damaged.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqlitePool;

use super::log::Log;
use super::{SqliteLink, beside, create_private};
use crate::StoreError;
use crate::row::Row;

const SUFFIX: &str = ".mark";
/// Two numbers of 20 digits, a space and a line feed.
const BYTES: usize = 42;

/// A write that was counted; the default is before all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Write {
    number: i64,
    /// Unix microseconds.
    at_us: i64,
}

impl Write {
    /// Counts the write that is under way on this connection.
    pub(super) async fn count(link: &mut SqliteLink) -> Result<Self, StoreError> {
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
    pub(super) async fn last(database: &SqlitePool) -> sqlx::Result<Self> {
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

    fn parse(text: &str) -> Option<Self> {
        let (number, at_us) = text.strip_suffix('\n')?.split_once(' ')?;
        Some(Self {
            number: number.parse().ok()?,
            at_us: at_us.parse().ok()?,
        })
    }
}

/// The open file.
pub(super) struct Mark(File);

impl Mark {
    /// Opens or makes the mark of the database at `path`, and what it says, if that can be read.
    pub(super) fn open(path: &Path) -> io::Result<(Self, Option<Write>)> {
        let file = create_private(&beside(path, SUFFIX))?;
        let mut bytes = [0; BYTES];
        let is_whole = file.read_exact_at(&mut bytes, 0).is_ok();
        let text = str::from_utf8(&bytes).ok().filter(|_| is_whole);
        Ok((Self(file), text.and_then(Write::parse)))
    }

    /// Notes a write that was committed.
    pub(super) fn note(&self, write: Write) -> io::Result<()> {
        let Write { number, at_us } = write;
        let text = format!("{number:020} {at_us:020}\n");
        self.0.write_all_at(text.as_bytes(), 0)
    }

    /// Makes the last note outlive a power cut.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
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
    pub(super) async fn find(
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
    pub(super) async fn suspect(
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
        let state = match self.log {
            Log::Missing => "was missing",
            Log::There | Log::Unreadable => "was cut short, damaged or exchanged",
        };
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

#[cfg(test)]
mod tests;
