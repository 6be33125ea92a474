//! Writes a batch of figures and checkpoints in one transaction, exactly once. The batch has a
//! number that is written with it: if a commit was not acknowledged, the number shows whether it
//! happened.
//! Checkpoints go into their table, or, if they are many, first into the `journal`.
//!
//! The connection is taken out during a transaction and put back when that has succeeded: a failure
//! or a cancelled caller closes it, which rolls back uncommitted changes.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use hashbrown::HashMap;
use sqlx::ConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use tollgate_store::mark::{Mark, Write};

use crate::content::Content;
use crate::cube::{CUBES, Level};
use crate::database::{self, Database};
use crate::journal;
use crate::levels::{self, Marks};
use crate::losses::{self, Loss};
use crate::quotas::{self, Quota};
use crate::reached::{self, Reached};
use crate::replay::Chunk;
use crate::rows::Rows;
use crate::stored::{self, Span};
use crate::{MINUTE_US, UsageError};

/// Up to this many checkpoints go into their table at once, which takes milliseconds.
const FEW_QUOTAS: usize = 1_000;
/// More checkpoints than this in the journal are merged before the minute ends.
const PENDING_MAX: usize = 200_000;

/// Figures, losses and checkpoints with the number under which they are written.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) number: i64,
    /// Until when calls were drained into it, Unix microseconds.
    drained_us: i64,
    pub(crate) content: Arc<Content>,
    /// How far the spool is in the cubes with it.
    reached: Reached,
    target: Target,
}

/// The destination of the checkpoints of a batch.
#[derive(Debug)]
enum Target {
    /// The journal.
    Journal(Vec<u8>),
    /// Their table, together with everything in the journal.
    Table,
}

/// The content of a batch to be.
pub(crate) struct Taken {
    pub(crate) content: Arc<Content>,
    pub(crate) reached: Reached,
    pub(crate) quotas: Vec<Quota>,
    /// Until when calls were drained, Unix microseconds.
    pub(crate) drained_us: i64,
}

/// The writer of the database.
pub(crate) struct Writer {
    database: Paths,
    connection: Option<SqliteConnection>,
    /// The mark in which written batches are noted.
    mark: Option<Mark>,
    /// Number of the last batch created.
    pub(crate) number: i64,
    /// A batch that is not known to be written.
    pub(crate) batch: Option<Batch>,
    /// The last checkpoint of each counter, by its id, that is not in the table.
    pub(crate) pending: HashMap<i64, Quota>,
    /// The minute of the last batch with checkpoints that went into the table.
    pub(crate) merged_minute: i64,
    /// The hours of all cubes before this minute are made.
    pub(crate) made_to: i64,
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
            made_to: 0,
        };
        (writer, database.readers, database.losses)
    }

    /// Returns the number of the next batch.
    pub(crate) fn next_number(&mut self) -> i64 {
        self.number += 1;
        self.number
    }

    /// Creates a batch with the last number. If there are many checkpoints, only those of the first
    /// batch of each minute and of the last of a process go into their table.
    pub(crate) fn begin_batch(&mut self, taken: Taken, is_running: bool) {
        let minute = taken.drained_us.div_euclid(MINUTE_US);
        let count = self.pending.len() + taken.quotas.len();
        let are_many = (FEW_QUOTAS + 1..=PENDING_MAX).contains(&count);
        let target = if is_running && are_many && minute == self.merged_minute {
            Target::Journal(journal::encode(&taken.quotas))
        } else {
            self.merged_minute = minute;
            Target::Table
        };
        let quotas = taken.quotas.into_iter().map(|quota| (quota.0, quota));
        self.pending.extend(quotas);
        self.batch = Some(Batch {
            number: self.number,
            drained_us: taken.drained_us,
            content: taken.content,
            reached: taken.reached,
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
        self.note(batch.number, batch.drained_us);
        if matches!(batch.target, Target::Table) {
            self.pending = HashMap::new();
        }
        self.batch = None;
        self.connection = Some(connection);
        Ok(())
    }

    /// Writes calls of the spool, as the batch `number`, at `now_us`.
    pub(crate) async fn write_chunk(
        &mut self,
        chunk: &Chunk,
        number: i64,
        now_us: i64,
    ) -> Result<(), UsageError> {
        const STATE: &str = "update state set batch = $1, flushed_us = $2";
        let mut connection = self.connect().await?;
        sqlx::query("begin immediate")
            .execute(&mut connection)
            .await?;
        let reached = reached::load(&mut connection).await?;
        let mut reached = reached.iter().filter(|it| it.epoch == chunk.reached.epoch);
        // A commit that was not acknowledged may have happened.
        let is_new = reached.all(|it| it.first < chunk.reached.first);
        if is_new {
            write_calls(&mut connection, chunk, number).await?;
            let state = sqlx::query(STATE).bind(number).bind(now_us);
            state.execute(&mut connection).await?;
        }
        sqlx::query("commit").execute(&mut connection).await?;
        if is_new {
            self.note(number, now_us);
        }
        self.connection = Some(connection);
        Ok(())
    }

    /// Notes a committed batch, for the next start to compare.
    fn note(&self, number: i64, at_us: i64) {
        let write = Write { number, at_us };
        if let Some(Err(error)) = self.mark.as_ref().map(|mark| mark.note(write)) {
            tracing::warn!(%error, "the mark of written usage cannot be written");
        }
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
    pending: &HashMap<i64, Quota>,
    is_running: bool,
) -> sqlx::Result<()> {
    const STATE: &str = "update state set batch = $1, flushed_us = $2, is_running = $3";
    let marks = levels::load(connection).await?;
    write_minutes(connection, batch, &marks).await?;
    levels::add_late(connection, &batch.content, &marks).await?;
    reached::store(connection, &batch.reached).await?;
    match &batch.target {
        Target::Journal(entry) => journal::append(connection, batch.number, entry).await?,
        Target::Table => {
            let quotas: Vec<_> = pending.values().collect();
            quotas::write(connection, &quotas, batch.drained_us).await?;
            journal::clear(connection).await?;
        }
    }
    for (key, &(to_us, calls)) in &batch.content.losses {
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

/// Writes the minutes that their cubes still keep.
async fn write_minutes(
    connection: &mut SqliteConnection,
    batch: &Batch,
    marks: &[Marks],
) -> sqlx::Result<()> {
    for (cube, marks) in marks.iter().enumerate() {
        let range = marks.minutes_from..i64::MAX;
        let span = |start| Span {
            cube,
            level: Level::Minute,
            start,
        };
        for (start, rows) in batch.content.recorded(&CUBES[cube], range.clone()) {
            stored::insert(connection, span(start), batch.number, rows).await?;
        }
        // They may be of the same minutes.
        for (start, rows) in batch.content.counted(&CUBES[cube], range) {
            stored::insert(connection, span(start), -batch.number, rows).await?;
        }
    }
    Ok(())
}

/// Writes calls of the spool: minutes as rows of this part, and what is of made hours. One cube is
/// written after the other, so that the rows of one are in memory.
async fn write_calls(
    connection: &mut SqliteConnection,
    chunk: &Chunk,
    part: i64,
) -> sqlx::Result<()> {
    let marks = levels::load(connection).await?;
    for (cube, marks) in marks.iter().enumerate() {
        let mut hours = BTreeMap::new();
        for (&start, calls) in &chunk.minutes {
            let mut hour = (start < marks.hours_to).then(|| {
                let hour = levels::floor(start, Level::Hour.minutes());
                let hour = hours.entry(hour);
                hour.or_insert_with(|| Rows::new(&CUBES[cube]))
            });
            if start >= marks.minutes_from {
                let rows = Rows::from_calls(&CUBES[cube], calls);
                let span = Span {
                    cube,
                    level: Level::Minute,
                    start,
                };
                hour.iter_mut().for_each(|hour| hour.merge(&rows));
                stored::insert(connection, span, part, rows).await?;
            } else if let Some(hour) = hour {
                hour.add_calls(calls);
            }
            // Others get their turn.
            tokio::task::yield_now().await;
        }
        levels::add_to_hours(connection, cube, marks, hours).await?;
    }
    reached::store(connection, &chunk.reached).await
}
