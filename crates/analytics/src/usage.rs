//! [`Usage`]: the handle to the figures, and the recorder's loop. Draining and writing run
//! concurrently, so a slow or failing disk never keeps the rings full.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use sqlx::SqlitePool;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tollgate_model::record::{Overflow, Record};

use crate::database::Database;
use crate::losses::{self, Loss};
use crate::query::{Answer, Query, Row};
use crate::quotas::{self, Checkpoints, Quota};
use crate::rollup::Rollup;
use crate::write::{Writer, written};
use crate::{OpenError, UsageError, retention};

const DRAIN_EVERY: Duration = Duration::from_millis(250);
const FLUSH_EVERY: Duration = Duration::from_secs(3);
/// After failures, the time to the next flush doubles up to this.
const RETRY_MAX: Duration = Duration::from_secs(30);
/// Attempts at the last flush before the data in memory is given up.
const LAST_TRIES: u32 = 3;
/// How long a stop waits for running queries.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// A source of records: the reading end of a worker's ring.
pub trait Source: Send {
    /// Passes every available record to `each`, the oldest first, without waiting.
    fn drain(&mut self, each: &mut dyn FnMut(&Record));
    /// Returns counts of the calls that found no room for a record since the last call.
    fn overflow(&mut self) -> Vec<Overflow>;
    /// Returns the losses of single calls that were found since the last call.
    fn losses(&mut self) -> Vec<Loss>;
}

/// Whether figures are being written to disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Condition {
    /// Since when they are not, Unix microseconds; `None` while they are.
    pub failing_since_us: Option<i64>,
    /// Failed attempts to write since the process started.
    pub failures: u64,
    /// Rows in memory that are not written yet.
    pub unwritten_rows: usize,
}

/// The usage figures. Cheap to clone; clones share their state.
#[derive(Clone)]
pub struct Usage(Arc<Shared>);

struct Shared {
    sources: Mutex<Vec<Box<dyn Source>>>,
    quotas: Mutex<Checkpoints>,
    memory: Mutex<Rollup>,
    /// Locked before `memory` if both are needed.
    writer: tokio::sync::Mutex<Writer>,
    readers: SqlitePool,
    condition: Mutex<Condition>,
}

impl Usage {
    /// Opens or creates `usage.db` at `path`. A damaged file is set aside under a name with the
    /// time in it, and the loss is recorded. The file is marked as in use: a process that is killed
    /// before its first flush has lost calls too.
    ///
    /// # Errors
    /// [`OpenError`] if there is no room, the file cannot be used, or a later release wrote it.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        Ok(Self::from_database(Database::open(path, now_us()).await?).await)
    }

    /// Like [`Usage::open`], for an installation that has been in use: a missing file is logged,
    /// and the loss is recorded.
    ///
    /// # Errors
    /// Fails like [`Usage::open`].
    pub async fn reopen(path: &Path) -> Result<Self, OpenError> {
        Ok(Self::from_database(Database::reopen(path, now_us()).await?).await)
    }

    async fn from_database(database: Database) -> Self {
        if let Some(lost) = &database.lost {
            tracing::warn!("{lost}");
        }
        let (writer, readers, losses) = Writer::new(database);
        let mut memory = Rollup::default();
        for loss in losses {
            memory.losses.insert(loss.key(), (loss.to_us, loss.calls));
        }
        let usage = Self(Arc::new(Shared {
            sources: Mutex::default(),
            quotas: Mutex::new(Box::new(|_| Vec::new())),
            memory: Mutex::new(memory),
            writer: tokio::sync::Mutex::new(writer),
            readers,
            condition: Mutex::default(),
        }));
        let mut writer = usage.0.writer.lock().await;
        // A failure has been logged, and the first flush retries it.
        if usage.write_next(&mut writer, true).await.is_ok() {
            // If the log gets lost, the file alone must show that a process was running.
            writer.checkpoint().await;
        }
        drop(writer);
        usage
    }

    /// Records until `stop` is ready, then writes everything and closes the file cleanly. Stop the
    /// workers first: later records are not read. The sources are registered when this returns,
    /// before the future is polled, so queries include them from then on.
    pub fn run<S>(
        self,
        sources: Vec<Box<dyn Source>>,
        quotas: Checkpoints,
        stop: S,
    ) -> impl Future<Output = ()> + use<S>
    where
        S: Future<Output = ()> + Send,
    {
        lock(&self.0.sources).extend(sources);
        *lock(&self.0.quotas) = quotas;
        self.record_until(stop)
    }

    async fn record_until(self, stop: impl Future<Output = ()> + Send) {
        tokio::select! {
            () = stop => {}
            () = self.drain_for_ever() => {}
            () = self.flush_for_ever() => {}
        }
        for attempt in 1..=LAST_TRIES {
            match self.write_all(false).await {
                Ok(()) => break,
                Err(error) => {
                    let rows = self.condition().unwritten_rows;
                    tracing::error!(%error, attempt, rows, "the last usage could not be written");
                }
            }
        }
        if timeout(CLOSE_TIME, self.0.readers.close()).await.is_err() {
            tracing::warn!("the usage database is still being read; its log is kept");
        }
        let mut writer = self.0.writer.lock().await;
        // Then a copy of the file alone is complete. Closing the last connection would do it too,
        // but a reader's thread may still be closing its own.
        writer.checkpoint().await;
        writer.disconnect().await;
    }

    /// Drains the rings and writes everything.
    ///
    /// # Errors
    /// [`UsageError`] if it cannot be written; it is kept in memory and retried.
    pub async fn flush(&self) -> Result<(), UsageError> {
        self.write_all(true).await
    }

    /// Returns sums over a range, sorted by the grouped dimensions; exact to the last drained call.
    ///
    /// # Errors
    /// [`UsageError`] if the file cannot be read or the result is too large.
    pub async fn query(&self, query: &Query) -> Result<Vec<Row>, UsageError> {
        self.drain();
        let mut answer = Answer::new(query);
        let writer = self.0.writer.lock().await;
        let mut snapshot = self.0.readers.begin().await?;
        // The first statement fixes the snapshot of this transaction; then others may write again.
        let last = written(&mut snapshot).await?;
        if let Some(pending) = writer.missing_in(last) {
            answer.add_unwritten(&pending.rows);
        }
        answer.add_unwritten(&lock(&self.0.memory).rows);
        drop(writer);
        answer.add_written(&mut snapshot).await?;
        snapshot.rollback().await?;
        answer.rows()
    }

    /// Returns the known gaps in the figures, the earliest first.
    ///
    /// # Errors
    /// [`UsageError`] if the file cannot be read.
    pub async fn losses(&self) -> Result<Vec<Loss>, UsageError> {
        self.drain();
        let writer = self.0.writer.lock().await;
        let mut snapshot = self.0.readers.begin().await?;
        let last = written(&mut snapshot).await?;
        let mut losses = losses::list(&mut snapshot).await?;
        snapshot.rollback().await?;
        if let Some(batch) = writer.batch.as_ref().filter(|batch| batch.number > last) {
            losses::merge(&mut losses, &batch.losses);
        }
        losses::merge(&mut losses, &lock(&self.0.memory).losses);
        Ok(losses)
    }

    /// Returns the size of the database in bytes, without its log.
    ///
    /// # Errors
    /// [`UsageError`] if the file cannot be read.
    pub async fn bytes(&self) -> Result<u64, UsageError> {
        const SQL: &str = "select page_count * page_size \
            from pragma_page_count(), pragma_page_size()";
        let bytes: i64 = sqlx::query_scalar(SQL).fetch_one(&self.0.readers).await?;
        Ok(u64::try_from(bytes).unwrap_or_default())
    }

    /// Loads the checkpoints of windows that have not ended.
    ///
    /// # Errors
    /// [`UsageError`] if they cannot be read.
    pub async fn load_quotas(&self) -> Result<Vec<Quota>, UsageError> {
        let writer = self.0.writer.lock().await;
        let mut reader = self.0.readers.acquire().await?;
        let mut quotas = quotas::load(&mut reader, now_us()).await?;
        let pending = &writer.pending.quotas;
        quotas.retain(|quota| !pending.contains_key(&quota.0));
        quotas.extend(pending.values());
        Ok(quotas)
    }

    /// Whether figures are being written to disk.
    #[must_use]
    pub fn condition(&self) -> Condition {
        let unwritten_rows = lock(&self.0.memory).rows.len();
        let condition = *lock(&self.0.condition);
        Condition {
            unwritten_rows: unwritten_rows + condition.unwritten_rows,
            ..condition
        }
    }

    async fn drain_for_ever(&self) {
        let mut ticks = interval(DRAIN_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.drain();
        }
    }

    async fn flush_for_ever(&self) {
        let mut pause = FLUSH_EVERY;
        loop {
            pause = match self.flush().await {
                Ok(()) => FLUSH_EVERY,
                Err(_) => (pause * 2).min(RETRY_MAX),
            };
            sleep(pause).await;
        }
    }

    /// Moves the records in the rings to memory.
    fn drain(&self) {
        let mut sources = lock(&self.0.sources);
        for source in sources.iter_mut() {
            let mut memory = lock(&self.0.memory);
            source.drain(&mut |record| memory.add(record));
            for overflow in source.overflow() {
                memory.add_overflow(&overflow);
            }
            for loss in source.losses() {
                memory.add_loss(&loss);
            }
        }
    }

    /// Writes the failed batch, if there is one, and then the data that has arrived since.
    async fn write_all(&self, is_running: bool) -> Result<(), UsageError> {
        let mut writer = self.0.writer.lock().await;
        if writer.batch.is_some() {
            self.write_batch(&mut writer, true).await?;
        }
        self.write_next(&mut writer, is_running).await?;
        if let Err(error) = retention::fold(&mut writer, now_us()).await {
            tracing::warn!(%error, "minutes could not be folded into hours; retrying in an hour");
        }
        Ok(())
    }

    /// Writes the data that has arrived since the last batch. Checkpoints are taken after the
    /// rings: a call is counted in its quota before it is recorded, so they include every call in
    /// the rows.
    async fn write_next(&self, writer: &mut Writer, is_running: bool) -> Result<(), UsageError> {
        let drained_us = now_us();
        self.drain();
        let content = std::mem::take(&mut *lock(&self.0.memory));
        let quotas = lock(&self.0.quotas)(is_running);
        lock(&self.0.condition).unwritten_rows = content.rows.len();
        writer.begin_batch(content, quotas, drained_us, is_running);
        self.write_batch(writer, is_running).await
    }

    /// Writes the batch and counts failures; logs changes of the condition.
    async fn write_batch(&self, writer: &mut Writer, is_running: bool) -> Result<(), UsageError> {
        let result = writer.write_batch(is_running).await;
        writer.mark_behind(result.is_err());
        let mut condition = lock(&self.0.condition);
        match &result {
            Ok(()) => {
                condition.unwritten_rows = 0;
                if let Some(since_us) = condition.failing_since_us.take() {
                    let failures = condition.failures;
                    tracing::info!(since_us, failures, "usage is written again");
                }
            }
            Err(error) => {
                condition.failures += 1;
                if condition.failing_since_us.is_none() {
                    condition.failing_since_us = Some(now_us());
                    tracing::error!(%error, "usage cannot be written; it is kept in memory");
                }
            }
        }
        result
    }
}

/// Unix microseconds.
fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
    })
}

/// A poisoned lock is safe to use: the data is changed only by additions.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
