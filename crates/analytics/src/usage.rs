//! [`Usage`]: the handle to the figures, and the recorder's loop. Draining and writing run
//! concurrently, so a slow or failing disk never keeps the rings full.

mod ask;
mod counting;
mod drain;
mod memory;
mod single;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use sqlx::SqlitePool;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tollgate_model::record::{Overflow, Record};
use tollgate_spool::Spool;

use crate::backlog::{Backlog, epochs_before};
use crate::database::Database;
use crate::live::Watchers;
use crate::losses::Reason;
use crate::quotas::{self, Checkpoints, Quota};
use crate::reached::{Reached, is_open};
use crate::turns::{CUBE_USERS_MAX, SCAN_USERS_MAX, Turns};
use crate::upkeep::{self, Progress};
use crate::write::{Taken, Writer};
use crate::{MINUTE_US, OpenError, UsageError, legacy};
use counting::Left;
use memory::Memory;

const DRAIN_EVERY: Duration = Duration::from_millis(250);
const FLUSH_EVERY: Duration = Duration::from_secs(3);
/// How long after its end a minute is written: until then, calls that took long are waited for.
const LATE_US: i64 = 5_000_000;
/// After failures, the time to the next flush doubles up to this.
const RETRY_MAX: Duration = Duration::from_secs(30);
/// Attempts at the last flush before the data in memory is given up.
const LAST_TRIES: u32 = 3;
/// How long a stop waits for running queries.
const CLOSE_TIME: Duration = Duration::from_secs(2);
/// Up to this many calls of the spool are counted before the start goes on.
const FEW_CALLS: u64 = 200_000;

/// A source of records: the reading end of a worker's ring.
pub trait Source: Send {
    /// The upper half of the request ids of its calls.
    fn worker(&self) -> u64;
    /// Passes every available record to `each`, the oldest first, without waiting.
    fn drain(&mut self, each: &mut dyn FnMut(&Record));
    /// Returns counts of the calls that found no room for a record since the last call.
    fn overflow(&mut self) -> Vec<Overflow>;
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
    spool: Arc<Spool>,
    sources: Mutex<Vec<Box<dyn Source>>>,
    watchers: Arc<Watchers>,
    quotas: Mutex<Checkpoints>,
    /// Locked after `sources` if both are needed.
    memory: Mutex<Memory>,
    writer: tokio::sync::Mutex<Writer>,
    readers: SqlitePool,
    condition: Mutex<Condition>,
    /// Reads what earlier processes have left.
    left: Arc<Mutex<Left>>,
    /// Until when that is counted, Unix microseconds; `None` once all is.
    counted_to_us: Mutex<Option<i64>>,
    /// Of those who read cubes.
    cube_turns: Turns,
    /// Of those who read single calls.
    scan_turns: Turns,
    /// Epochs of the spool that are counted in the tables of earlier releases.
    counted_before: Vec<u64>,
    /// The last minute of those tables; `None` if they are empty.
    legacy_last: Option<i64>,
}

impl Usage {
    /// Opens or creates `usage.db` at `path`. A damaged file is set aside under a name with the
    /// time in it, and the loss is recorded. The file is marked as in use: a process that is killed
    /// before its first flush has lost calls too. Calls of the spool that are not in the file are
    /// counted, if they are few; [`Usage::run`] counts many.
    ///
    /// # Errors
    /// [`OpenError`] if there is no room, the file cannot be used, or a later release wrote it.
    pub async fn open(path: &Path, spool: Arc<Spool>) -> Result<Self, OpenError> {
        let database = Database::open(path, now_us(), &epochs_before(&spool)).await?;
        Ok(Self::from_database(database, spool).await)
    }

    /// Like [`Usage::open`], for an installation that has been in use: a missing file is logged,
    /// and the loss is recorded.
    ///
    /// # Errors
    /// Fails like [`Usage::open`].
    pub async fn reopen(path: &Path, spool: Arc<Spool>) -> Result<Self, OpenError> {
        let database = Database::reopen(path, now_us(), &epochs_before(&spool)).await?;
        Ok(Self::from_database(database, spool).await)
    }

    async fn from_database(mut database: Database, spool: Arc<Spool>) -> Self {
        if let Some(lost) = &database.lost {
            tracing::warn!("{lost}");
        }
        let backlog = Backlog::find(&spool, std::mem::take(&mut database.reached));
        let legacy_last = legacy::last(&mut database.connection).await;
        let (writer, readers, losses) = Writer::new(database);
        let mut memory = Memory {
            number: writer.number,
            ..Memory::default()
        };
        for mut loss in losses {
            backlog.correct(&mut loss);
            memory.content.add_loss(&loss);
        }
        let usage = Self(Arc::new(Shared {
            spool,
            sources: Mutex::default(),
            watchers: Arc::default(),
            quotas: Mutex::new(Box::new(|_| Vec::new())),
            memory: Mutex::new(memory),
            writer: tokio::sync::Mutex::new(writer),
            readers,
            condition: Mutex::default(),
            left: Arc::new(Mutex::new(Left::new(backlog.replay))),
            counted_to_us: Mutex::new((backlog.calls > 0).then_some(0)),
            cube_turns: Turns::of(CUBE_USERS_MAX),
            scan_turns: Turns::of(SCAN_USERS_MAX),
            counted_before: backlog.counted_before,
            // Tables that cannot be read now may have rows.
            legacy_last: legacy_last.unwrap_or(Some(i64::MAX)),
        }));
        let mut writer = usage.0.writer.lock().await;
        // A failure has been logged, and the first flush retries it.
        if usage.write_next(&mut writer, true).await.is_ok() {
            // If the log gets lost, the file alone must show that a process was running.
            writer.checkpoint().await;
        }
        drop(writer);
        if backlog.calls <= FEW_CALLS {
            usage.count_at_start().await;
        }
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
        let count_backlog = async {
            self.count_until_done().await;
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = stop => {}
            () = self.drain_for_ever() => {}
            () = self.flush_for_ever() => {}
            () = self.keep_levels_for_ever() => {}
            () = count_backlog => {}
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

    /// Drains the rings and writes what is due: checkpoints, losses, and minutes that are over.
    ///
    /// # Errors
    /// [`UsageError`] if it cannot be written; it is kept in memory and retried.
    pub async fn flush(&self) -> Result<(), UsageError> {
        self.write_all(true).await
    }

    /// Loads the checkpoints of windows that have not ended.
    ///
    /// # Errors
    /// [`UsageError`] if they cannot be read.
    pub async fn load_quotas(&self) -> Result<Vec<Quota>, UsageError> {
        let writer = self.0.writer.lock().await;
        let mut reader = self.0.readers.acquire().await?;
        let mut quotas = quotas::load(&mut reader, now_us()).await?;
        quotas.retain(|quota| !writer.pending.contains_key(&quota.0));
        quotas.extend(writer.pending.values());
        Ok(quotas)
    }

    /// Whether figures are being written to disk.
    #[must_use]
    pub fn condition(&self) -> Condition {
        let unwritten_rows = lock(&self.0.memory).rows();
        Condition {
            unwritten_rows,
            ..*lock(&self.0.condition)
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

    /// Makes hours and days, and deletes what has expired. Flushes get their turn in between.
    async fn keep_levels_for_ever(&self) {
        loop {
            sleep(FLUSH_EVERY).await;
            loop {
                let mut writer = self.0.writer.lock().await;
                match upkeep::go_on(&mut writer, now_us()).await {
                    Ok(Progress::More) => {}
                    Ok(Progress::Done) => break,
                    Err(error) => {
                        tracing::warn!(%error, "hours were not made of minutes; this is retried");
                        break;
                    }
                }
            }
        }
    }

    /// Writes the failed batch, if there is one, and then the data that has arrived since.
    async fn write_all(&self, is_running: bool) -> Result<(), UsageError> {
        let mut writer = self.0.writer.lock().await;
        if writer.batch.is_some() {
            self.write_batch(&mut writer, true).await?;
        }
        self.write_next(&mut writer, is_running).await
    }

    /// Writes the data that has arrived since the last batch. Checkpoints are taken after the
    /// rings: a call is counted in its quota before it is recorded, so they include every call in
    /// the rows.
    async fn write_next(&self, writer: &mut Writer, is_running: bool) -> Result<(), UsageError> {
        let taken = self.take(writer, is_running);
        writer.begin_batch(taken, is_running);
        self.write_batch(writer, is_running).await
    }

    /// Takes what is due: the minutes that are over; all of them if the process stops, or if the
    /// spool does not have their calls or the clock was set back.
    fn take(&self, writer: &mut Writer, is_running: bool) -> Taken {
        let mut sources = lock(&self.0.sources);
        let drained_us = now_us();
        self.drain_sources(&mut sources);
        let quotas = lock(&self.0.quotas)(is_running);
        let mut memory = lock(&self.0.memory);
        let mut losses = memory.content.losses.keys();
        let is_behind = losses.any(|loss| loss.reason == Reason::SpoolBehind);
        let open = (drained_us - LATE_US).div_euclid(MINUTE_US);
        // A minute that was over is open again: all are written, so that none is half.
        let is_set_back = std::mem::replace(&mut memory.open, open) > open;
        let is_last = is_behind || is_set_back || !is_running;
        let content = memory
            .content
            .take(|minute| is_last || !is_open(open, minute));
        let next = self.0.spool.next();
        let firsts = memory.content.minutes.values().map(|minute| minute.first);
        let reached = Reached {
            epoch: self.0.spool.epoch(),
            open,
            first: firsts.min().unwrap_or(next),
            next,
        };
        let content = Arc::new(content);
        memory.batch = Some(Arc::clone(&content));
        memory.number = writer.next_number();
        Taken {
            content,
            reached,
            quotas,
            drained_us,
        }
    }

    /// Writes the batch and counts failures; logs changes of the condition.
    async fn write_batch(&self, writer: &mut Writer, is_running: bool) -> Result<(), UsageError> {
        let result = writer.write_batch(is_running).await;
        writer.mark_behind(result.is_err());
        let mut condition = lock(&self.0.condition);
        match &result {
            Ok(()) => {
                lock(&self.0.memory).batch = None;
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
