//! SQLite: opening the file, its connections, and the meaning of its error codes.
//!
//! One connection writes and a few read (WAL, so readers never wait for the writer). Each commit
//! is synced before it returns. Statements are prepared once per connection and kept.
//! Sources: sqlite.org/pragma.html, sqlite.org/wal.html, sqlite.org/rescode.html.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::pool::PoolConnection;
use sqlx::query::Query;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};

use self::log::checkpoint;
use self::mark::{Log, Lost, Mark, Write};
use self::migrations::MIGRATIONS;
use self::schema::Unfit;
use crate::master_key::{KeyFile, MasterKey};
use crate::row::Row;
use crate::value::Value;
use crate::{OpenError, StoreError};

mod log;
pub mod mark;
mod migrations;
pub mod schema;
mod sealing;

/// Number of connections for reading.
const READERS: u32 = 4;
/// Target of log lines about statements: their texts without values, and how many rows they had.
const STATEMENTS_RUN: &str = "statement";
/// Prepared statements cached per connection; more than all modules have.
const STATEMENTS: usize = 256;

/// An open database file.
pub(crate) struct Sqlite {
    writer: SqlitePool,
    readers: SqlitePool,
    /// Locked while this lives. A separate file: SQLite's own locks on the database are lost when
    /// any other handle of the file is closed (sqlite.org/howtocorrupt.html, 2.2).
    lock: File,
    mark: Arc<Mark>,
    lost: Option<Lost>,
}

impl Sqlite {
    pub(crate) async fn open(
        path: &Path,
        key: &KeyFile,
        wait: Duration,
    ) -> Result<(Self, MasterKey), OpenError> {
        let lock = lock(path)?;
        let log = Log::before(path);
        create_private(path).map_err(|source| io_error(path, source))?;
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(wait)
            .statement_cache_capacity(STATEMENTS)
            .disable_statement_logging();
        let writer = pool(1, wait)
            // Overwrites deleted content: the first one-time password is stored in clear.
            .connect_with(options.clone().pragma("secure_delete", "on"))
            .await
            .map_err(|error| open_error(path, error))?;
        check(&writer, path).await?;
        let log = log.checkpointed(&writer).await;
        let known = sealing::known_key(&writer, path, key).await?;
        migrate(&writer, path).await?;
        let master_key = sealing::seal(&writer, path, key, known).await?;
        let (mark, lost) = compare(&writer, path, log).await?;
        let readers = pool(READERS, wait)
            .connect_with(options.pragma("query_only", "on"))
            .await
            .map_err(|error| open_error(path, error))?;
        let sqlite = Self {
            writer,
            readers,
            lock,
            mark: Arc::new(mark),
            lost,
        };
        Ok((sqlite, master_key))
    }

    /// The acknowledged writes that were missing at startup, if any.
    pub(crate) const fn lost(&self) -> Option<&Lost> {
        self.lost.as_ref()
    }

    /// Writes a few bytes that are never read.
    pub(crate) async fn probe(&self) -> Result<(), StoreError> {
        let mut link = self.writer().await?;
        link.run("update last_write set probes = probes + 1").await
    }

    /// Returns the size of the database in bytes, without its log.
    pub(crate) async fn bytes(&self) -> Result<u64, StoreError> {
        const SQL: &str = "select page_count * page_size as bytes \
            from pragma_page_count(), pragma_page_size()";
        let rows = self.reader().await?.rows(SQL, &[]).await?;
        let row = rows.into_iter().next().map(Row::Sqlite);
        let bytes = row.map_or(Ok(0), |row| row.int("bytes"))?;
        Ok(u64::try_from(bytes).unwrap_or_default())
    }

    pub(crate) async fn reader(&self) -> Result<SqliteLink, StoreError> {
        let connection = self.readers.acquire().await.map_err(failure)?;
        Ok(SqliteLink {
            connection,
            mark: None,
        })
    }

    pub(crate) async fn writer(&self) -> Result<SqliteLink, StoreError> {
        let connection = self.writer.acquire().await.map_err(failure)?;
        Ok(SqliteLink {
            connection,
            mark: Some(Arc::clone(&self.mark)),
        })
    }

    pub(crate) async fn close(&self) {
        self.readers.close().await;
        set_open(&self.writer, false).await;
        self.writer.close().await;
        if let Err(error) = self.mark.sync() {
            tracing::warn!(%error, "the mark of acknowledged writes could not be synced");
        }
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(%error, "the database's lock file could not be unlocked");
        }
    }
}

/// A connection on loan from its pool.
pub(crate) struct SqliteLink {
    connection: PoolConnection<sqlx::Sqlite>,
    /// The mark for acknowledged writes; only the writing connection has it.
    mark: Option<Arc<Mark>>,
}

impl SqliteLink {
    /// Runs a statement without parameters and rows.
    pub(crate) async fn run(&mut self, sql: &'static str) -> Result<(), StoreError> {
        self.execute(sql, &[]).await.map(drop)
    }

    /// Commits the transaction, which counts as a write, and notes it in the mark as acknowledged.
    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        let Some(mark) = self.mark.clone() else {
            return self.run("commit").await;
        };
        let write = Write::count(self).await?;
        self.run("commit").await?;
        if let Err(error) = mark.note(write) {
            tracing::warn!(%error, "the mark of acknowledged writes cannot be written");
        }
        Ok(())
    }

    pub(crate) async fn execute(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<u64, StoreError> {
        let done = bound(sql, values).execute(&mut *self.connection).await;
        let changed = done.map_err(failure)?.rows_affected();
        tracing::trace!(target: STATEMENTS_RUN, rows = changed, "{sql}");
        Ok(changed)
    }

    pub(crate) async fn rows(
        &mut self,
        sql: &'static str,
        values: &[Value<'_>],
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let rows = bound(sql, values).fetch_all(&mut *self.connection).await;
        let rows = rows.map_err(failure)?;
        tracing::trace!(target: STATEMENTS_RUN, rows = rows.len(), "{sql}");
        Ok(rows)
    }

    pub(crate) fn discard(&mut self) {
        self.connection.close_on_drop();
    }
}

fn bound<'v>(sql: &'static str, values: &[Value<'v>]) -> Query<'v, sqlx::Sqlite, SqliteArguments> {
    values
        .iter()
        .fold(sqlx::query(sql), |query, value| match *value {
            Value::Int(value) => query.bind(value),
            Value::Text(value) => query.bind(value),
            Value::Bytes(value) => query.bind(value),
            Value::Bool(value) => query.bind(value),
        })
}

/// Keeps connections open for good: there are few, and each has its prepared statements.
fn pool(connections: u32, wait: Duration) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(connections)
        .acquire_timeout(wait)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// Locks the database against a second process.
fn lock(path: &Path) -> Result<File, OpenError> {
    let file = create_private(&beside(path, ".lock")).map_err(|source| io_error(path, source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Busy {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(io_error(path, source)),
    }
}

/// Returns the path of a file beside the database, with this suffix.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Opens or creates a file that only its owner can read; SQLite's other files get the same mode.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.mode(0o600).open(path)
}

/// Rejects a file with inconsistent pages before anything is written to it.
async fn check(writer: &SqlitePool, path: &Path) -> Result<(), OpenError> {
    let found: String = sqlx::query_scalar("pragma quick_check(1)")
        .fetch_one(writer)
        .await
        .map_err(|error| open_error(path, error))?;
    if found == "ok" {
        return Ok(());
    }
    Err(OpenError::Corrupt {
        path: path.to_owned(),
        detail: one_line(&found),
    })
}

/// Compares the database with the mark beside it and rewrites the mark.
async fn compare(
    writer: &SqlitePool,
    path: &Path,
    log: Log,
) -> Result<(Mark, Option<Lost>), OpenError> {
    let failed = |error| open_error(path, error);
    let (mark, acknowledged) = Mark::open(path).map_err(|source| io_error(path, source))?;
    let lost = match acknowledged {
        Some(write) => Lost::compare(writer, path, write, log).await,
        None => Lost::suspect(writer, path, log).await,
    };
    let lost = lost.map_err(failed)?;
    set_open(writer, true).await;
    let there = Write::last(writer).await.map_err(failed)?;
    let noted = mark.note(there).and_then(|()| mark.sync());
    noted.map_err(|source| io_error(path, source))?;
    Ok((mark, lost))
}

/// Records in the database itself, not only in its log, that a process uses it or has stopped
/// cleanly. A failure, such as a full disk, is logged and does not prevent the start.
async fn set_open(writer: &SqlitePool, is_open: bool) {
    let set = sqlx::query("update last_write set is_open = $1").bind(is_open);
    match set.execute(writer).await {
        Ok(_) => drop(checkpoint(writer).await),
        Err(error) => tracing::warn!(%error, is_open, "the database is not marked"),
    }
}

async fn migrate(writer: &SqlitePool, path: &Path) -> Result<(), OpenError> {
    let connection = writer.acquire().await;
    let mut connection = connection.map_err(|error| open_error(path, error))?;
    let unfit = match schema::bring_up(&mut connection, &MIGRATIONS).await {
        Ok(()) => return Ok(()),
        Err(unfit) => unfit,
    };
    let path = path.to_owned();
    Err(match unfit {
        Unfit::Newer(found) => OpenError::Newer {
            path,
            found,
            known: MIGRATIONS.iter().map(|it| it.version).max().unwrap_or(0),
        },
        Unfit::Lacking(detail) => OpenError::Corrupt { path, detail },
        Unfit::Engine(error) => open_error(&path, error),
        Unfit::Other(error) => OpenError::Other {
            path,
            source: error.into(),
        },
    })
}

fn io_error(path: &Path, source: io::Error) -> OpenError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::StorageFull => OpenError::Full { path },
        _ => OpenError::Io {
            path,
            source: source.into(),
        },
    }
}

fn open_error(path: &Path, error: sqlx::Error) -> OpenError {
    let path = path.to_owned();
    match failure(error) {
        StoreError::Corrupt(detail) => OpenError::Corrupt { path, detail },
        StoreError::Busy => OpenError::Busy { path },
        StoreError::Full => OpenError::Full { path },
        StoreError::Io(source) => OpenError::Io { path, source },
        StoreError::Other(source) => OpenError::Other { path, source },
        other => OpenError::Other {
            path,
            source: other.into(),
        },
    }
}

/// Maps a failure of the engine. Codes are SQLite's primary result codes (rescode.html).
fn failure(error: sqlx::Error) -> StoreError {
    let database = match error {
        sqlx::Error::Database(database) => database,
        sqlx::Error::PoolTimedOut => return StoreError::Busy,
        sqlx::Error::Io(source) => return StoreError::Io(source.into()),
        other => return StoreError::Other(other.into()),
    };
    let code: i32 = database
        .code()
        .and_then(|code| code.parse().ok())
        .unwrap_or(0);
    match code & 0xff {
        5 | 6 => StoreError::Busy,
        11 | 26 => StoreError::Corrupt(one_line(database.message())),
        13 => StoreError::Full,
        8 | 10 | 14 => StoreError::Io(database.into()),
        _ if database.is_unique_violation() => taken(database.message()),
        _ if database.is_foreign_key_violation() => {
            StoreError::NotFound("owner, plan, version, application or client")
        }
        _ => StoreError::Other(database.into()),
    }
}

/// Joins the lines of SQLite's report: one names the database, one the place.
fn one_line(found: &str) -> String {
    found.lines().collect::<Vec<_>>().join(" ")
}

/// Maps a violated constraint: "UNIQUE constraint failed: apis.name" names its columns.
fn taken(message: &str) -> StoreError {
    let columns = message.rsplit(": ").next().unwrap_or_default();
    let (field, what) = match columns {
        "users.name" => ("/name", "another user has this name"),
        "plans.name" => ("/name", "another plan has this name"),
        "apis.name" => ("/name", "another API has this name"),
        "apis.context" => ("/context", "another API has this context"),
        "versions.api, versions.name" => ("/name", "another version of this API has this name"),
        "applications.owner, applications.name" => {
            ("/name", "another application of this owner has this name")
        }
        "subscriptions.application, subscriptions.version" => (
            "/version",
            "this application has subscribed to this version",
        ),
        "basic_user_names.name" => ("/user_name", "the application has or had this user"),
        "signing_keys.name" => ("/name", "another signing key has this name"),
        "revisions.version, revisions.number" => return StoreError::Stale("version"),
        _ => ("", "the same is stored already"),
    };
    StoreError::Taken {
        field,
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests;
