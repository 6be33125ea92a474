//! Writes a batch of rows and checkpoints in one transaction, exactly once. The batch has a number
//! that is written with it: if a commit was not acknowledged, the number shows whether it happened.
//! A batch goes into the tables, or first into the `journal`.
//!
//! The connection is taken out during a transaction and put back when that has succeeded: a failure
//! or a cancelled caller closes it, which rolls back uncommitted changes.

use std::fs;

use hashbrown::HashMap;
use sqlx::sqlite::{SqliteArguments, SqliteConnectOptions, SqliteConnection};
use sqlx::{Arguments as _, ConnectOptions};
use tollgate_store::mark::{Mark, Write};

use crate::UsageError;
use crate::database::{self, Database};
use crate::journal::{self, Pending, sorted};
use crate::losses::{self, Loss, Unwritten};
use crate::quotas::{self, Quota};
use crate::rollup::{Key, MINUTE_US, Measures, Rollup};

macro_rules! ten {
    ($($row:tt)+) => {
        concat!($($row)+, ",", $($row)+, ",", $($row)+, ",", $($row)+, ",", $($row)+, ",",
            $($row)+, ",", $($row)+, ",", $($row)+, ",", $($row)+, ",", $($row)+)
    };
}

macro_rules! upsert {
    ($($rows:tt)+) => {
        concat!(
            "insert into usage_minutes (minute, api, version, operation, application, status, \
             outcome, calls, bytes_in, bytes_out, total_us_sum, total_us_max, upstream_us_sum, \
             mismatched, mediate_us_sum, answered_upstream, answered_policy, answered_mock, \
             answered_preflight, answered_gateway, over) values ", $($rows)+,
            " on conflict do update set calls = calls + excluded.calls, \
             bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out, \
             total_us_sum = total_us_sum + excluded.total_us_sum, \
             total_us_max = max(total_us_max, excluded.total_us_max), \
             upstream_us_sum = upstream_us_sum + excluded.upstream_us_sum, \
             mismatched = mismatched + excluded.mismatched, \
             mediate_us_sum = mediate_us_sum + excluded.mediate_us_sum, \
             answered_upstream = answered_upstream + excluded.answered_upstream, \
             answered_policy = answered_policy + excluded.answered_policy, \
             answered_mock = answered_mock + excluded.answered_mock, \
             answered_preflight = answered_preflight + excluded.answered_preflight, \
             answered_gateway = answered_gateway + excluded.answered_gateway, \
             over = over + excluded.over"
        )
    };
}

/// Statements for one, ten and a hundred rows. Many rows per statement save most of the time: each
/// statement is passed to the connection's thread and back.
const UPSERT_1: &str = upsert!("(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
const UPSERT_10: &str = upsert!(ten!("(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
const UPSERT_100: &str = upsert!(ten!(ten!("(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")));

/// Up to this many rows go into the tables at once, which takes milliseconds.
const FEW_ROWS: usize = 1_000;
/// More rows than this in the journal are merged before the minute ends.
const PENDING_MAX: usize = 200_000;

/// Rows, losses and checkpoints with the number under which they are written.
pub(crate) struct Batch {
    pub(crate) number: i64,
    /// Until when calls were drained into it, Unix microseconds.
    drained_us: i64,
    pub(crate) losses: Unwritten,
    target: Target,
}

/// The destination of a batch.
enum Target {
    /// The journal.
    Journal(Vec<u8>),
    /// The tables, together with everything in the journal.
    Tables,
}

/// The writer of the database.
pub(crate) struct Writer {
    database: Paths,
    connection: Option<SqliteConnection>,
    /// The mark in which written batches are noted.
    mark: Option<Mark>,
    /// Number of the last batch created.
    number: i64,
    /// A batch that is not known to be written.
    pub(crate) batch: Option<Batch>,
    /// Data that is not in the tables, including that batch.
    pub(crate) pending: Pending,
    /// The minute of the last batch that went into the tables.
    pub(crate) merged_minute: i64,
    /// The last hour in which old figures were folded.
    pub(crate) folded_hour: i64,
    is_behind: bool,
}

struct Paths {
    behind: std::path::PathBuf,
    options: SqliteConnectOptions,
}

impl Writer {
    pub(crate) fn new(database: Database) -> (Self, sqlx::SqlitePool, Vec<Loss>) {
        let behind = database::behind_mark(&database.path);
        let writer = Self {
            is_behind: behind.exists(),
            database: Paths {
                behind,
                options: database.options,
            },
            connection: Some(database.connection),
            mark: database.mark,
            number: database.batch,
            batch: None,
            pending: database.pending,
            merged_minute: 0,
            folded_hour: 0,
        };
        (writer, database.readers, database.losses)
    }

    /// Creates a batch from the data drained until `drained_us`. If there are many rows, only the
    /// first batch of each minute and the last of a process go into the tables.
    pub(crate) fn begin_batch(
        &mut self,
        content: Rollup,
        quotas: Vec<Quota>,
        drained_us: i64,
        is_running: bool,
    ) {
        self.number += 1;
        let minute = drained_us.div_euclid(MINUTE_US);
        let rows = self.pending.rows.len() + content.rows.len();
        let are_many = (FEW_ROWS + 1..=PENDING_MAX).contains(&rows);
        let target = if is_running && are_many && minute == self.merged_minute {
            Target::Journal(journal::encode(&content.rows, &quotas))
        } else {
            self.merged_minute = minute;
            Target::Tables
        };
        self.pending.add(content.rows, quotas);
        self.batch = Some(Batch {
            number: self.number,
            drained_us,
            losses: content.losses,
            target,
        });
    }

    /// Writes the batch, if there is one; it is kept if that fails. `is_running` is stored for the
    /// next start: whether the process keeps running.
    pub(crate) async fn write_batch(&mut self, is_running: bool) -> Result<(), UsageError> {
        let mut connection = self.connect().await?;
        let Some(batch) = &self.batch else {
            self.connection = Some(connection);
            return Ok(());
        };
        sqlx::query("begin immediate")
            .execute(&mut connection)
            .await?;
        if written(&mut connection).await? < batch.number {
            write(&mut connection, batch, &self.pending, is_running).await?;
        }
        sqlx::query("commit").execute(&mut connection).await?;
        self.note(batch);
        if matches!(batch.target, Target::Tables) {
            self.pending = Pending::default();
        }
        self.batch = None;
        self.connection = Some(connection);
        Ok(())
    }

    /// Notes a committed batch, for the next start to compare.
    fn note(&self, batch: &Batch) {
        let write = Write {
            number: batch.number,
            at_us: batch.drained_us,
        };
        if let Some(Err(error)) = self.mark.as_ref().map(|mark| mark.note(write)) {
            tracing::warn!(%error, "the mark of written usage cannot be written");
        }
    }

    /// Returns the data that is not in the tables of a file with `last` as its last batch.
    pub(crate) fn missing_in(&self, last: i64) -> Option<&Pending> {
        let is_merged = self
            .batch
            .as_ref()
            .is_some_and(|batch| matches!(batch.target, Target::Tables) && batch.number <= last);
        (!is_merged).then_some(&self.pending)
    }

    /// Takes the connection, or opens a new one. It is put back into `self.connection` after
    /// success.
    pub(crate) async fn connect(&mut self) -> Result<SqliteConnection, UsageError> {
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => Ok(self.database.options.connect().await?),
        }
    }

    /// Puts the connection back.
    pub(crate) fn release(&mut self, connection: SqliteConnection) {
        self.connection = Some(connection);
    }

    /// Copies the log into the file and truncates the log. If that fails, the log is kept and
    /// nothing is lost.
    pub(crate) async fn checkpoint(&mut self) {
        if let Err(error) = self.try_checkpoint().await {
            tracing::warn!(%error, "the checkpoint of the usage database's log failed");
        }
    }

    async fn try_checkpoint(&mut self) -> Result<(), UsageError> {
        let mut connection = self.connect().await?;
        sqlx::query("pragma wal_checkpoint(truncate)")
            .execute(&mut connection)
            .await?;
        self.release(connection);
        Ok(())
    }

    /// Closes the connection; the next use opens another one.
    pub(crate) async fn disconnect(&mut self) {
        if let Some(Err(error)) = self.mark.as_ref().map(Mark::sync) {
            tracing::warn!(%error, "the mark of written usage could not be synced");
        }
        if let Some(connection) = self.connection.take() {
            database::close(connection).await;
        }
    }

    /// Lets the file grow up to `pages`, as if the disk were full then.
    #[cfg(test)]
    pub(crate) async fn limit_pages(&mut self, pages: Option<u32>) {
        self.disconnect().await;
        let pages = pages.unwrap_or(1 << 30).to_string();
        self.database.options = self
            .database
            .options
            .clone()
            .pragma("max_page_count", pages);
    }

    /// Creates or removes the mark of a file that is behind. If even that cannot be written, the
    /// recorded loss will be too short; there is nowhere else to write it.
    pub(crate) fn mark_behind(&mut self, is_behind: bool) {
        if self.is_behind == is_behind {
            return;
        }
        let done = if is_behind {
            fs::File::create(&self.database.behind).map(drop)
        } else {
            fs::remove_file(&self.database.behind)
        };
        match done {
            Ok(()) => self.is_behind = is_behind,
            Err(error) => tracing::warn!(
                path = %self.database.behind.display(), %error,
                "the mark of unwritten usage cannot be changed"
            ),
        }
    }
}

/// Number of the last batch in the file, as seen by this connection.
pub(crate) async fn written(connection: &mut SqliteConnection) -> sqlx::Result<i64> {
    sqlx::query_scalar("select batch from state")
        .fetch_one(connection)
        .await
}

/// Performs the statements of a batch's transaction.
pub(crate) async fn write(
    connection: &mut SqliteConnection,
    batch: &Batch,
    pending: &Pending,
    is_running: bool,
) -> sqlx::Result<()> {
    const STATE: &str = "update state set batch = $1, flushed_us = $2, is_running = $3";
    match &batch.target {
        Target::Journal(entry) => journal::append(connection, batch.number, entry).await?,
        Target::Tables => {
            merge(connection, &pending.rows).await?;
            let quotas: Vec<_> = pending.quotas.values().collect();
            quotas::write(connection, &quotas, batch.drained_us).await?;
            journal::clear(connection).await?;
        }
    }
    for (key, &(to_us, calls)) in &batch.losses {
        let loss = Loss {
            from_us: key.from_us,
            to_us,
            reason: key.reason,
            calls,
        };
        losses::add(connection, &loss).await?;
    }
    sqlx::query(STATE)
        .bind(batch.number)
        .bind(batch.drained_us)
        .bind(is_running)
        .execute(connection)
        .await
        .map(drop)
}

async fn merge(
    connection: &mut SqliteConnection,
    rows: &HashMap<Key, Measures>,
) -> sqlx::Result<()> {
    // In the order of the table's key, so that neighbours fall on the same page.
    let rows = sorted(rows);
    let mut rest = rows.as_slice();
    for (sql, size) in [(UPSERT_100, 100), (UPSERT_10, 10), (UPSERT_1, 1)] {
        let chunks = rest.chunks_exact(size);
        rest = chunks.remainder();
        for chunk in chunks {
            let mut arguments = SqliteArguments::default();
            for column in chunk.iter().flatten() {
                arguments.add(column).map_err(sqlx::Error::Encode)?;
            }
            let query = sqlx::query_with(sql, arguments);
            query.execute(&mut *connection).await?;
        }
    }
    Ok(())
}
