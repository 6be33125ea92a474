//! `usage.db` as a file: opens and checks it, sets a damaged one aside, holds its connections, and
//! interprets the engine's errors (sqlite.org/rescode.html). `write` and `query` use it.

mod check;

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hashbrown::HashMap;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{ConnectOptions, Connection};
use tollgate_store::mark::{Log, Mark, Write};
use tollgate_store::schema::{self, Unfit};

use crate::journal::Pending;
use crate::losses::{Loss, Reason};
use crate::lost::{Lost, Noted};
use crate::migrations::MIGRATIONS;
use crate::quotas::Quota;
use crate::reached::Reached;
use crate::{MINUTE_US, OpenError, UsageError, upgrade};

/// How long a statement waits for another process's lock.
const WAIT: Duration = Duration::from_secs(2);
/// Connections of those who read cubes, of the control plane, and one for everything else.
const READERS: u32 = 5;
/// Files up to this size are checked at each start, larger ones only after an unclean stop.
const ALWAYS_CHECKED_BYTES: u64 = 64 << 20;
/// How long a killed process can have run after its last flush: there is a flush every 3 s.
const UNFLUSHED_US: i64 = 5_000_000;

/// An open file with its last state.
pub(crate) struct Database {
    pub(crate) path: PathBuf,
    pub(crate) options: SqliteConnectOptions,
    pub(crate) connection: SqliteConnection,
    pub(crate) readers: SqlitePool,
    /// Number of the last written batch.
    pub(crate) batch: i64,
    /// The mark in which batches are noted.
    pub(crate) mark: Option<Mark>,
    /// Batches that were written but are missing.
    pub(crate) lost: Option<Lost>,
    /// The last checkpoint of each counter, by its id, that is not in the table.
    pub(crate) pending: HashMap<i64, Quota>,
    /// How far epochs of the spool are in the cubes.
    pub(crate) reached: Vec<Reached>,
    /// Losses derived from how the last process ended; not written yet.
    pub(crate) losses: Vec<Loss>,
}

/// Why a file cannot be used as is.
enum Unusable {
    Damaged(String),
    Error(OpenError),
}

impl Database {
    /// Like [`Database::open`], but logs a missing file: the installation had one.
    pub(crate) async fn reopen(
        path: &Path,
        now_us: i64,
        epochs: &[u64],
    ) -> Result<Self, OpenError> {
        let mut database = Self::open(path, now_us, epochs).await?;
        if database.batch == 0 && database.losses.is_empty() {
            tracing::warn!(
                path = %path.display(),
                "the usage database {} is missing; limit usage starts from zero, figures with the \
                 first call of the spool",
                path.display()
            );
            database.losses.push(everything(Reason::Missing, now_us));
        }
        Ok(database)
    }

    /// Opens or creates the file at `now_us` (Unix microseconds). A damaged file is set aside.
    /// `epochs` are those that earlier processes have left in the spool.
    pub(crate) async fn open(path: &Path, now_us: i64, epochs: &[u64]) -> Result<Self, OpenError> {
        match Self::try_open(path, now_us, epochs).await {
            Ok(database) => Ok(database),
            Err(Unusable::Error(error)) => Err(error),
            Err(Unusable::Damaged(detail)) => {
                let aside = set_aside(path, now_us).map_err(|error| io_error(path, error))?;
                tracing::error!(
                    path = %path.display(), aside = %aside.display(), detail,
                    "the usage database is damaged; it was set aside and a new one created"
                );
                let mut database = Self::try_open(path, now_us, epochs).await.map_err(
                    |unusable| match unusable {
                        Unusable::Error(error) => error,
                        Unusable::Damaged(detail) => OpenError::Other {
                            path: path.to_owned(),
                            source: detail.into(),
                        },
                    },
                )?;
                database.losses.push(everything(Reason::Damaged, now_us));
                Ok(database)
            }
        }
    }

    async fn try_open(path: &Path, now_us: i64, epochs: &[u64]) -> Result<Self, Unusable> {
        let bytes = create_private(path).map_err(|error| Unusable::Error(io_error(path, error)))?;
        let has_log = fs::metadata(beside(path, "-wal")).is_ok_and(|log| log.len() > 0);
        let log = Log::before(path);
        // Nothing is read yet: a connection that fails to open is closed by its own thread at an
        // arbitrary time, and would then remove the log of whatever file has the name.
        let bare = SqliteConnectOptions::new()
            .filename(path)
            .busy_timeout(WAIT)
            .disable_statement_logging();
        let connection = bare.connect().await;
        let mut connection = connection.map_err(|error| unusable(path, error))?;
        let prepared = prepare(&mut connection, path, bytes, log).await;
        let prepared = match prepared {
            Ok((state, log, pending)) => {
                let minute = now_us.div_euclid(MINUTE_US);
                let begun = upgrade::begin(&mut connection, &pending, minute, epochs).await;
                let begun = begun.map_err(|error| unusable(path, error));
                begun.map(|reached| (state, log, pending.quotas, reached))
            }
            Err(unusable) => Err(unusable),
        };
        let (state, log, pending, reached) = match prepared {
            Ok(prepared) => prepared,
            Err(unusable) => {
                // Now, since later it would find another file under its name.
                close(connection).await;
                return Err(unusable);
            }
        };
        let noted = Noted::open(path, bytes == 0);
        let there = state.last();
        let lost = Lost::find(path, noted.last, there, state.was_running, log);
        // A mark older than the database, as in a restored backup, has no information about the
        // end.
        let is_of_it =
            |last: &Write| last.number > there.number || (last.number == there.number && has_log);
        let last = noted.last.filter(is_of_it);
        let is_noted = last.is_some() || (has_log && lost.is_none());
        let is_known = is_noted && !behind_mark(path).exists();
        let last_us = is_known.then(|| last.map_or(there.at_us, |it| it.at_us));
        let has_lost = state.was_running || lost.is_some();
        let loss = has_lost.then(|| unclean_stop(last_us, there.at_us, now_us));
        noted.begin(there);
        let options = bare
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal);
        let readers = options.clone().pragma("query_only", "on");
        Ok(Self {
            path: path.to_owned(),
            readers: SqlitePoolOptions::new()
                .max_connections(READERS)
                .connect_lazy_with(readers),
            options,
            connection,
            batch: state.batch,
            mark: noted.mark,
            lost,
            pending,
            reached,
            losses: loss.into_iter().collect(),
        })
    }
}

/// How far a file reaches.
struct State {
    batch: i64,
    flushed_us: i64,
    /// Whether the process that wrote it did not close it cleanly.
    was_running: bool,
}

impl State {
    fn last(&self) -> Write {
        Write {
            number: self.batch,
            at_us: self.flushed_us,
        }
    }
}

/// Checks a file of `bytes` and migrates its schema; returns how far it reaches, the state of its
/// log, and the content of its journal.
async fn prepare(
    connection: &mut SqliteConnection,
    path: &Path,
    bytes: u64,
    log: Log,
) -> Result<(State, Log, Pending), Unusable> {
    for pragma in ["pragma journal_mode = wal", "pragma synchronous = normal"] {
        let set = sqlx::query(pragma).execute(&mut *connection).await;
        set.map_err(|error| unusable(path, error))?;
    }
    if bytes <= ALWAYS_CHECKED_BYTES {
        check::whole(connection, path).await?;
    }
    let log = log.checkpointed(&mut *connection).await;
    migrate(connection, path).await?;
    let row: Option<(i64, i64, bool)> =
        sqlx::query_as("select batch, flushed_us, is_running from state")
            .fetch_optional(&mut *connection)
            .await
            .map_err(|error| unusable(path, error))?;
    let Some((batch, flushed_us, was_running)) = row else {
        return Err(Unusable::Damaged("the table state is empty".into()));
    };
    let state = State {
        batch,
        flushed_us,
        was_running,
    };
    if state.was_running && bytes > ALWAYS_CHECKED_BYTES {
        match behind_mark(path).exists() {
            true => check::whole(connection, path).await?,
            false => check::some(connection, path).await?,
        }
    }
    let pending = Pending::load(connection)
        .await
        .map_err(|error| unusable(path, error))?
        .ok_or_else(|| Unusable::Damaged("the journal is unreadable".into()))?;
    Ok((state, log, pending))
}

/// The loss of everything up to now.
const fn everything(reason: Reason, now_us: i64) -> Loss {
    Loss {
        from_us: 0,
        to_us: now_us,
        reason,
        calls: None,
    }
}

/// Returns the loss after an unclean stop: `last_us` is the time of the last flush, if known, and
/// `there_us` that of the last one in the database.
fn unclean_stop(last_us: Option<i64>, there_us: i64, now_us: i64) -> Loss {
    let end_us = last_us.map_or(now_us, |last_us| last_us.saturating_add(UNFLUSHED_US));
    Loss {
        from_us: there_us.min(now_us),
        to_us: end_us.min(now_us),
        reason: Reason::UncleanStop,
        calls: None,
    }
}

/// An empty file next to the database while that cannot be written, so that a process killed then
/// is known to have lost more than the last seconds.
pub(crate) fn behind_mark(path: &Path) -> PathBuf {
    beside(path, ".behind")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Renames the database and its log, so that an expert may still recover data.
fn set_aside(path: &Path, now_us: i64) -> io::Result<PathBuf> {
    let second = jiff::Timestamp::from_microsecond(now_us).unwrap_or_default();
    let aside = beside(
        path,
        &second.strftime(".damaged-%Y%m%dT%H%M%SZ").to_string(),
    );
    fs::rename(path, &aside)?;
    let log = beside(path, "-wal");
    if log.exists() {
        fs::rename(log, beside(&aside, "-wal"))?;
    }
    match fs::remove_file(beside(path, "-shm")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(aside),
    }
}

/// Creates the file if missing, readable only by its owner; returns its size.
fn create_private(path: &Path) -> io::Result<u64> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    Ok(options.mode(0o600).open(path)?.metadata()?.len())
}

async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), Unusable> {
    let unfit = match schema::bring_up(connection, &MIGRATIONS).await {
        Ok(()) => return Ok(()),
        Err(unfit) => unfit,
    };
    Err(match unfit {
        Unfit::Newer(found) => Unusable::Error(OpenError::Newer {
            path: path.to_owned(),
            found,
        }),
        Unfit::Lacking(detail) => Unusable::Damaged(detail),
        Unfit::Engine(error) => unusable(path, error),
        Unfit::Other(error) => Unusable::Error(OpenError::Other {
            path: path.to_owned(),
            source: error.into(),
        }),
    })
}

fn unusable(path: &Path, error: sqlx::Error) -> Unusable {
    let path = path.to_owned();
    match UsageError::from(error) {
        UsageError::Corrupt(source) => Unusable::Damaged(source.to_string()),
        UsageError::Full => Unusable::Error(OpenError::Full { path }),
        error => Unusable::Error(OpenError::Other {
            path,
            source: error.into(),
        }),
    }
}

fn io_error(path: &Path, error: io::Error) -> OpenError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::StorageFull => OpenError::Full { path },
        _ => OpenError::Other {
            path,
            source: error.into(),
        },
    }
}

impl From<sqlx::Error> for UsageError {
    fn from(error: sqlx::Error) -> Self {
        let code = match &error {
            sqlx::Error::Database(database) => database.code(),
            sqlx::Error::PoolTimedOut => return Self::Busy,
            _ => None,
        };
        let code: i32 = code.and_then(|code| code.parse().ok()).unwrap_or(0);
        match code & 0xff {
            5 | 6 => Self::Busy,
            11 | 26 => Self::Corrupt(error.into()),
            13 => Self::Full,
            _ => Self::Other(error.into()),
        }
    }
}

/// Closes a connection in use, which checkpoints the log if it was the last.
pub(crate) async fn close(connection: SqliteConnection) {
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "a connection to the usage database could not be closed");
    }
}

#[cfg(test)]
mod tests;
