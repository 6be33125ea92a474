//! The few operations in which one database differs from another: [`Db`] gives connections,
//! a [`Connection`] begins, commits and runs statements, a [`Row`] is read by column.
//!
//! Everything above this file is written once, for all databases: static SQL with `$1`, values of
//! `value.rs`. PostgreSQL comes as a second variant of each enum, in a file beside `sqlite.rs`.

use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use tollgate_model::credential::Digest;
use tollgate_model::id::Id;

use crate::StoreError;
use crate::sqlite::mark::Lost;
use crate::sqlite::{Sqlite, SqliteLink};
use crate::value::{Value, from_json};

/// A database, whichever it is.
pub(crate) enum Db {
    /// One file, one writer, several readers.
    Sqlite(Sqlite),
}

impl Db {
    /// A connection for reading.
    pub(crate) async fn reader(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.reader().await.map(Connection::Sqlite),
        }
    }

    /// The connection for writing, waiting for its turn.
    pub(crate) async fn writer(&self) -> Result<Connection, StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.writer().await.map(Connection::Sqlite),
        }
    }

    /// What was acknowledged before this start and is not there.
    pub(crate) const fn lost(&self) -> Option<&Lost> {
        match self {
            Self::Sqlite(sqlite) => sqlite.lost(),
        }
    }

    /// Writes something small, to see whether that works.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(sqlite) => sqlite.probe().await,
        }
    }

    /// Waits for connections in use and closes all.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(sqlite) => sqlite.close().await,
        }
    }
}

/// A connection taken from its pool; it returns there when dropped.
pub(crate) enum Connection {
    /// A connection to the file.
    Sqlite(SqliteLink),
}

impl Connection {
    /// Begins a transaction in which others wait before they write.
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

    /// Makes the transaction's writes last.
    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(link) => link.commit().await,
        }
    }

    /// Runs a statement; the number of rows it changed.
    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(link) => link.execute(sql, values).await,
        }
    }

    /// Runs a statement; its rows.
    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<Row>, StoreError> {
        match self {
            Self::Sqlite(link) => {
                let rows = link.rows(sql, values).await?;
                Ok(rows.into_iter().map(Row::Sqlite).collect())
            }
        }
    }

    /// Closes the connection instead of returning it, which undoes what was not committed.
    pub(crate) fn discard(&mut self) {
        match self {
            Self::Sqlite(link) => link.discard(),
        }
    }
}

/// One row of an answer.
pub(crate) enum Row {
    /// A row of the file.
    Sqlite(SqliteRow),
}

impl Row {
    fn column<'r, T>(&'r self, name: &str) -> Result<T, StoreError>
    where
        T: sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
    {
        match self {
            Self::Sqlite(row) => sqlx::Row::try_get(row, name),
        }
        .map_err(|error| StoreError::Corrupt(format!("column {name}: {error}")))
    }

    pub(crate) fn int(&self, name: &str) -> Result<i64, StoreError> {
        self.column(name)
    }

    pub(crate) fn int_or_null(&self, name: &str) -> Result<Option<i64>, StoreError> {
        self.column(name)
    }

    pub(crate) fn id<K>(&self, name: &str) -> Result<Id<K>, StoreError> {
        self.column(name).map(Id::from_raw)
    }

    pub(crate) fn id_or_null<K>(&self, name: &str) -> Result<Option<Id<K>>, StoreError> {
        Ok(self.int_or_null(name)?.map(Id::from_raw))
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<bool, StoreError> {
        self.column(name)
    }

    pub(crate) fn text(&self, name: &str) -> Result<String, StoreError> {
        self.column(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        self.column(name)
    }

    pub(crate) fn digest(&self, name: &str) -> Result<Digest, StoreError> {
        let bytes: &[u8] = self.column(name)?;
        bytes
            .try_into()
            .map_err(|_| StoreError::Corrupt(format!("column {name} is no digest")))
    }

    /// A stored word as the model's value.
    pub(crate) fn word<T>(
        &self,
        name: &str,
        from_word: fn(&str) -> Option<T>,
    ) -> Result<T, StoreError> {
        let word: &str = self.column(name)?;
        from_word(word).ok_or_else(|| StoreError::Corrupt(format!("column {name} holds {word:?}")))
    }

    /// Stored JSON as the model's structure.
    pub(crate) fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, StoreError> {
        from_json(self.column(name)?, name)
    }
}
