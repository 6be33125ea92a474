//! Answers queries: from cubes, in the file and in memory, or from the calls of the spool.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnection;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tollgate_spool::Account;

use super::{Usage, lock, now_us};
use crate::answer::{Answer, AnswerSource};
use crate::backlog::first_us;
use crate::cube::{CUBES, Level};
use crate::groups::Groups;
use crate::levels::Marks;
use crate::losses::{self, Loss};
use crate::plan::{Segment, segments};
use crate::query::Query;
use crate::scan::Scan;
use crate::stored::{self, Span};
use crate::threads::{ANSWERS, SCANS};
use crate::turns::Held;
use crate::write::written;
use crate::{MINUTE_US, UsageError, legacy, levels};

/// How long a query reads single calls at most.
const SCAN_TIME: Duration = Duration::from_secs(5);
/// How long a query reads a cube at most.
const CUBE_TIME: Duration = Duration::from_secs(10);

impl Usage {
    /// Returns sums over a range, exact to the last drained call.
    ///
    /// # Errors
    /// [`UsageError`] if the figures cannot be read, the result is too large, or no cube and no
    /// single calls answer the query.
    pub async fn query(&self, query: &Query) -> Result<Answer, UsageError> {
        self.drain();
        match query.cube() {
            Some(cube) => {
                let query = self.since_cubes(query);
                let turn = timeout(CUBE_TIME, self.0.cube_turns.begin(query.by)).await;
                let _turn = turn.map_err(|_| UsageError::Waiting)?;
                let answer = timeout(CUBE_TIME, self.query_cube(&query, cube)).await;
                answer.map_err(|_| UsageError::TooLong)?
            }
            None => self.query_spool(query).await,
        }
    }

    /// Without the time of earlier releases, if their tables do not have what is asked for.
    fn since_cubes(&self, query: &Query) -> Query {
        let mut query = query.clone();
        if let Some(last) = self.0.legacy_last.filter(|_| !legacy::has(&query.needs())) {
            let since_us = (last + 1).saturating_mul(MINUTE_US);
            query.from_us = query.from_us.max(since_us.min(query.to_us));
        }
        query
    }

    async fn query_cube(&self, query: &Query, cube: usize) -> Result<Answer, UsageError> {
        loop {
            // The memory is looked at first, so it may be behind the file. Then it has grown older
            // than the file's last batch, and is looked at again.
            let (number, batch) = {
                let memory = lock(&self.0.memory);
                (memory.number, memory.batch.clone())
            };
            let mut snapshot = self.0.readers.begin().await?;
            // The first statement fixes the snapshot of this transaction.
            let last = written(&mut snapshot).await?;
            let marks = levels::load(&mut snapshot).await?;
            let segments = segments(query.minutes(), query.step, &query.zone, &marks[cube]);
            let mut groups = Groups::new(query);
            let is_same = {
                let mut memory = lock(&self.0.memory);
                memory.content.settle();
                groups.add_content(&memory.content, &CUBES[cube], &segments);
                memory.number == number && last <= number
            };
            if !is_same {
                snapshot.rollback().await?;
                continue;
            }
            if let Some(batch) = batch.filter(|_| last < number) {
                groups.add_content(&batch, &CUBES[cube], &segments);
            }
            for segment in &segments {
                groups = self.add_pages(groups, &mut snapshot, cube, segment).await?;
            }
            if self.has_legacy(query) {
                add_legacy(&mut groups, &mut snapshot, query, &segments).await?;
            }
            snapshot.rollback().await?;
            let source = AnswerSource::Cube(CUBES[cube].name);
            return answer(query, groups, &segments, source);
        }
    }

    /// Adds the pages of a cube in the file. They are added up on a thread that may take its time,
    /// while the next ones are read.
    async fn add_pages(
        &self,
        groups: Groups,
        connection: &mut SqliteConnection,
        cube: usize,
        segment: &Segment,
    ) -> Result<Groups, UsageError> {
        let &Segment { level, grid, .. } = segment;
        let at_once = match level {
            Level::Minute => Level::Hour.minutes(),
            Level::Hour => Level::Day.minutes(),
            Level::Day => 10 * Level::Day.minutes(),
        };
        let first = groups.first_values(&CUBES[cube]);
        let has_sketches = groups.has_percentiles();
        let span = |start| Span { cube, level, start };
        let mut from = segment.from;
        let mut adding = ANSWERS.spawn(|| Ok((groups, Vec::new())));
        loop {
            let next = stored::earliest(connection, span(from)).await?;
            let next = next.filter(|start| *start < segment.to);
            let Some(start) = next else {
                return self.finish_adding(adding, span).await;
            };
            let to = segment.to.min(start + at_once);
            let first = first.as_deref();
            let pages = stored::read_pages(connection, span(start), to, first, has_sketches);
            let pages = pages.await?;
            let mut groups = self.finish_adding(adding, span).await?;
            adding = ANSWERS.spawn(move || {
                let unreadable = groups.add_pages(&CUBES[cube], grid, &pages);
                unreadable.map(|unreadable| (groups, unreadable))
            });
            from = to;
        }
    }

    /// Waits until pages are added. Those that are unreadable are losses from now on.
    async fn finish_adding(
        &self,
        adding: JoinHandle<Result<(Groups, Vec<i64>), UsageError>>,
        span: impl Fn(i64) -> Span,
    ) -> Result<Groups, UsageError> {
        let added = adding.await;
        let (groups, unreadable) = added.map_err(|error| UsageError::Other(error.into()))??;
        for start in unreadable {
            lock(&self.0.memory).note_unreadable(span(start));
        }
        Ok(groups)
    }

    /// Whether the tables of earlier releases may answer a part of a query.
    fn has_legacy(&self, query: &Query) -> bool {
        let is_in = |last: i64| query.minutes().start <= last;
        self.0.legacy_last.is_some_and(is_in) && legacy::has(&query.needs())
    }

    pub(super) async fn query_spool(&self, query: &Query) -> Result<Answer, UsageError> {
        let waited = timeout(SCAN_TIME * 2, self.0.scan_turns.begin(query.by)).await;
        let turn = waited.map_err(|_| UsageError::Waiting)?;
        let minutes = query.minutes();
        let (since, is_whole) = self.spooled_since().await?;
        let has_legacy = self.has_legacy(query);
        // Before the cubes there are the tables of earlier releases, if they have what is asked.
        let has_before = has_legacy || self.0.legacy_last.is_none_or(|last| last < minutes.start);
        if minutes.start < since && !(is_whole && has_before) {
            return Err(UsageError::NoCube {
                surplus: query.surplus(),
                since_us: since.saturating_mul(MINUTE_US),
                has_halves: query.has_halves(),
            });
        }
        let marks = Marks::of_calls();
        let segments = segments(minutes, query.step, &query.zone, &marks);
        let mut groups = self.scan(query.clone(), segments.clone(), turn).await?;
        if has_legacy {
            let mut reader = self.0.readers.acquire().await?;
            add_legacy(&mut groups, &mut reader, query, &segments).await?;
        }
        answer(query, groups, &segments, AnswerSource::Spool)
    }

    /// Reads the calls of the spool, in a turn that lasts as long.
    async fn scan(
        &self,
        query: Query,
        steps: Vec<Segment>,
        turn: Held,
    ) -> Result<Groups, UsageError> {
        // The calls of earlier releases are in their tables, if those have what is asked for.
        let without = match self.has_legacy(&query) {
            true => self.0.counted_before.clone(),
            false => Vec::new(),
        };
        let spool = Arc::clone(&self.0.spool);
        let scan = move || {
            let scan = Scan {
                spool: &spool,
                query: &query,
                steps: &steps,
                without: &without,
                deadline: Instant::now() + SCAN_TIME,
            };
            let found = scan.run();
            drop(turn);
            found
        };
        let scanned = SCANS.spawn(scan).await;
        scanned.map_err(|error| UsageError::Other(error.into()))?
    }

    /// Returns the minute from which on the spool has all calls, and whether that is as far back as
    /// the cubes reach.
    async fn spooled_since(&self) -> Result<(i64, bool), UsageError> {
        let spool = Arc::clone(&self.0.spool);
        let first = move || spool.settle().then(|| first_us(spool.folder()));
        let first = tokio::task::spawn_blocking(first).await;
        let first = first.map_err(|error| UsageError::Other(error.into()))?;
        let minute = first
            .ok_or(UsageError::SpoolBehind)?
            .unwrap_or_else(now_us)
            .div_euclid(MINUTE_US);
        let mut reader = self.0.readers.acquire().await?;
        let earliest = levels::earliest_hour(&mut reader).await?;
        let hour = levels::floor(minute, 60);
        Ok((minute, earliest.is_none_or(|earliest| hour <= earliest)))
    }

    /// Until when all calls are counted, Unix microseconds: now, unless calls of earlier processes
    /// are still being read.
    #[must_use]
    pub fn complete_until_us(&self) -> i64 {
        lock(&self.0.counted_to_us).unwrap_or_else(now_us)
    }

    /// Counts the calls that were handed to the spool since the process started.
    #[must_use]
    pub fn spooled(&self) -> Account {
        self.drain();
        self.0.spool.account()
    }

    /// Returns the bytes of the spool, and the arrival of its first call, Unix microseconds.
    ///
    /// # Errors
    /// [`UsageError`] if its folder cannot be read.
    pub async fn spool_extent(&self) -> Result<(u64, Option<i64>), UsageError> {
        let spool = Arc::clone(&self.0.spool);
        let read = move || spool.bytes().map(|bytes| (bytes, first_us(spool.folder())));
        let read = tokio::task::spawn_blocking(read).await;
        let read = read.map_err(|error| UsageError::Other(error.into()))?;
        read.map_err(|error| UsageError::Other(error.into()))
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

    /// Returns the known gaps in the figures, the earliest first.
    ///
    /// # Errors
    /// [`UsageError`] if the file cannot be read.
    pub async fn losses(&self) -> Result<Vec<Loss>, UsageError> {
        self.drain();
        loop {
            let (number, batch, content) = {
                let memory = lock(&self.0.memory);
                let batch = memory.batch.as_ref().map(|it| it.losses.clone());
                (memory.number, batch, memory.content.losses.clone())
            };
            let mut snapshot = self.0.readers.begin().await?;
            let last = written(&mut snapshot).await?;
            let mut losses = losses::list(&mut snapshot).await?;
            snapshot.rollback().await?;
            if last > number || lock(&self.0.memory).number != number {
                continue;
            }
            if let Some(batch) = batch.filter(|_| last < number) {
                losses::merge(&mut losses, &batch);
            }
            losses::merge(&mut losses, &content);
            return Ok(losses);
        }
    }
}

/// Adds figures of earlier releases.
async fn add_legacy(
    groups: &mut Groups,
    connection: &mut SqliteConnection,
    query: &Query,
    segments: &[Segment],
) -> Result<(), UsageError> {
    for (table, minutes) in legacy::TABLES {
        for (at, segment) in segments.iter().enumerate() {
            // An hour counts in the segment that it begins in, and in the first one as soon as that
            // touches it.
            let from = match at {
                0 => levels::floor(segment.from, minutes),
                _ => segment.from,
            };
            let segment = Segment {
                from,
                ..segment.clone()
            };
            for sum in legacy::sums(connection, table, query, &segment).await? {
                groups.add_legacy(&sum);
            }
        }
    }
    Ok(())
}

fn answer(
    query: &Query,
    groups: Groups,
    segments: &[Segment],
    source: AnswerSource,
) -> Result<Answer, UsageError> {
    let from = segments.first().map(|it| it.from.saturating_mul(MINUTE_US));
    let to = segments.last().map(|it| it.to.saturating_mul(MINUTE_US));
    Ok(Answer {
        from_us: from.unwrap_or(query.from_us),
        to_us: to.unwrap_or(query.to_us),
        source,
        rows: groups.rows()?,
    })
}
