//! The few operations in which databases differ: [`Db`] provides connections, a [`Connection`]
//! begins, commits and runs statements. Results are [`Row`]s.
//!
//! Everything above this file is written once, for all databases: static SQL with `$1`, values of
//! `value.rs`. PostgreSQL comes as a second variant of each enum, in a file beside `sqlite.rs`.

use std::collections::BTreeSet;

use crate::StoreError;
use crate::row::Row;
use crate::sqlite::mark::Lost;
use crate::sqlite::{Sqlite, SqliteLink};
use crate::value::Value;

/// A database of one of the supported engines.
pub(crate) enum Db {
    /// One file, one writer, several readers.
    Sqlite(Sqlite),
}

impl Db {
    /// Returns a connection for reading.
    pub(crate) async fn reader(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.reader().await.map(Connection::Sqlite),
        }
    }

    /// Returns the connection for writing; waits for its turn.
    pub(crate) async fn writer(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer().await.map(Connection::Sqlite),
        }
    }

    /// The acknowledged writes that were missing when the database was opened, if any.
    pub(crate) const fn lost(&self) -> Option<&Lost> {
        match self {
            Self::Sqlite(sqlite) => sqlite.lost(),
        }
    }

    /// Returns the size of the database in bytes, without its log.
    pub(crate) async fn bytes(&self) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.bytes().await,
        }
    }

    /// Writes a few bytes, to check that writes succeed.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.probe().await,
        }
    }

    /// Waits for connections in use and closes all of them.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.close().await,
        }
    }
}

/// A connection from a pool; it returns there when dropped.
pub(crate) enum Connection {
    /// A connection to the file.
    Sqlite(SqliteLink),
}

impl Connection {
    /// Begins a transaction that holds the write lock from its start.
    pub(crate) async fn begin_write(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(link) => link.run("begin immediate").await,
        }
    }

    /// Begins a transaction in which every statement sees the same state.
    pub(crate) async fn begin_read(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(link) => link.run("begin deferred").await,
        }
    }

    /// Commits the transaction.
    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(link) => link.commit().await,
        }
    }

    /// Runs a statement; returns the number of rows it changed.
    ///
    /// # Panics
    /// In debug builds, if the number of values differs from the number of parameters.
    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        check_parameters(sql, values);
        match self {
            Self::Sqlite(link) => link.execute(sql, values).await,
        }
    }

    /// Runs a statement; returns its rows.
    ///
    /// # Panics
    /// Like [`Self::execute`].
    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        check_parameters(sql, values);
        match self {
            Self::Sqlite(link) => {
                let rows = link.rows(sql, values).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
        }
    }

    /// Closes the connection instead of returning it, which rolls back an uncommitted transaction.
    pub(crate) fn discard(&mut self) {
        match self {
            Self::Sqlite(link) => link.discard(),
        }
    }
}

/// Checks, in debug builds, that a statement has the parameters `$1` to `$n` for `n` values.
/// SQLite's driver does not: it ignores a surplus value and reads a missing one as null, so a
/// statement with shifted parameters would match other rows.
fn check_parameters(sql: &str, values: &[Value<'_>]) {
    debug_assert!(
        parameters(sql).into_iter().eq(1..=values.len()),
        "a statement has the parameters {:?} and is given {} values: {sql}",
        parameters(sql),
        values.len()
    );
}

/// Returns the numbers of a statement's parameters.
fn parameters(sql: &str) -> BTreeSet<usize> {
    let after_dollars = sql.split('$').skip(1);
    let numbers = after_dollars.map(|text| {
        let end = text.find(|it: char| !it.is_ascii_digit());
        &text[..end.unwrap_or(text.len())]
    });
    // A JSON path, such as `$.security`, has no number.
    numbers.filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests;
