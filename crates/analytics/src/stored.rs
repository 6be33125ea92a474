//! Rows of the cubes in `usage.db`, as they are inserted, read and added to.

use std::fmt::Write as _;
use std::io;

use sqlx::AssertSqlSafe;
use sqlx::sqlite::SqliteConnection;

use crate::MINUTE_US;
use crate::cube::{CUBES, Cube, Level, SOURCE};
use crate::losses::{self, Loss, Reason};
use crate::page::{self, Unpacker};
use crate::rows::Rows;
use crate::threads::COUNTING;

/// A day is rewritten as one part once it has this many.
const DAY_PARTS_MAX: i64 = 8;
/// An hour is rewritten as one part once it has this many: while calls are counted again it gets
/// several, which together take half as much space again.
const HOUR_PARTS_MAX: i64 = 2;
/// Up to this many values of the first dimension, only pages that may have one of them are read.
const FIRST_MAX: usize = 16;

/// Rows of a cube with a common time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    /// Its index in [`CUBES`].
    pub(crate) cube: usize,
    pub(crate) level: Level,
    /// Minutes since 1970.
    pub(crate) start: i64,
}

impl Span {
    fn cube(self) -> &'static Cube {
        &CUBES[self.cube]
    }
}

/// Inserts rows as a part of their time.
pub(crate) async fn insert(
    connection: &mut SqliteConnection,
    span: Span,
    part: i64,
    rows: Rows,
) -> sqlx::Result<()> {
    const SQL: &str = "insert into pages (cube, level, start, low, high, source, part, page, sums, \
         sketches) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let pages = apart(move || page::divide(&rows)).await?;
    for (number, page) in (0_i64..).zip(pages.map_err(sqlx::Error::Io)?) {
        sqlx::query(SQL)
            .bind(span.cube().name)
            .bind(span.level.number())
            .bind(span.start)
            .bind(page.low)
            .bind(page.high)
            .bind(SOURCE)
            .bind(part)
            .bind(number)
            .bind(page.sums)
            .bind(page.sketches)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Reads and adds up the rows of a level that start in a range, of all parts. What is unreadable is
/// a recorded loss, so that it stops neither later hours nor later calls.
async fn read(connection: &mut SqliteConnection, span: Span, to: i64) -> sqlx::Result<Rows> {
    let pages = read_pages(connection, span, to, None, true).await?;
    let added_up = move || -> io::Result<_> {
        let (mut rows, mut unreadable) = (Rows::new(span.cube()), Vec::new());
        let mut unpacker = Unpacker::new()?;
        for page in &pages {
            let sketches = page.sketches.as_deref();
            let merged = page::merge(&mut rows, &page.sums, sketches, &mut unpacker);
            unreadable.extend(merged.err().map(|_| page.start));
        }
        Ok((rows, unreadable))
    };
    let (rows, unreadable) = apart(added_up).await?.map_err(sqlx::Error::Io)?;
    for start in unreadable {
        losses::add(connection, &unreadable_at(Span { start, ..span })).await?;
    }
    Ok(rows)
}

/// Logs that a page is unreadable; returns the loss.
pub(crate) fn unreadable_at(span: Span) -> Loss {
    let (cube, start) = (span.cube().name, span.start);
    tracing::error!(
        cube,
        start,
        "a page of usage is unreadable: figures in it are lost"
    );
    Loss {
        from_us: start * MINUTE_US,
        to_us: (start + span.level.minutes()) * MINUTE_US,
        reason: Reason::Damaged,
        calls: None,
    }
}

/// Computes on a thread that may take its time.
async fn apart<T: Send + 'static>(compute: impl FnOnce() -> T + Send + 'static) -> sqlx::Result<T> {
    let computed = COUNTING.spawn(compute).await;
    computed.map_err(|error| sqlx::Error::Io(io::Error::other(error)))
}

/// Inserts the sums of the rows of a level as rows of the next one, `level`.
pub(crate) async fn sum_up(
    connection: &mut SqliteConnection,
    from: Span,
    level: Level,
) -> sqlx::Result<()> {
    let rows = read(connection, from, from.start + level.minutes()).await?;
    insert(connection, Span { level, ..from }, 0, rows).await
}

/// Adds rows to those of an hour or a day that are written.
pub(crate) async fn add_to(
    connection: &mut SqliteConnection,
    span: Span,
    more: Rows,
) -> sqlx::Result<()> {
    const PARTS: &str = "select count(distinct part), coalesce(max(part) + 1, 0) from pages \
         where cube = $1 and level = $2 and start = $3";
    const DELETE: &str = "delete from pages where cube = $1 and level = $2 and start = $3";
    let of_span = |sql| {
        let query = sqlx::query_as(sql).bind(span.cube().name);
        query.bind(span.level.number()).bind(span.start)
    };
    let (parts, next): (i64, i64) = of_span(PARTS).fetch_one(&mut *connection).await?;
    let parts_max = match span.level {
        Level::Day => DAY_PARTS_MAX,
        Level::Hour | Level::Minute => HOUR_PARTS_MAX,
    };
    if parts < parts_max {
        return insert(connection, span, next, more).await;
    }
    let mut rows = read(connection, span, span.start + 1).await?;
    rows.merge(&more);
    sqlx::query(DELETE)
        .bind(span.cube().name)
        .bind(span.level.number())
        .bind(span.start)
        .execute(&mut *connection)
        .await?;
    insert(connection, span, 0, rows).await
}

/// Returns the earliest start of a level from that of a span on.
pub(crate) async fn earliest(
    connection: &mut SqliteConnection,
    span: Span,
) -> sqlx::Result<Option<i64>> {
    const SQL: &str = "select min(start) from pages where cube = $1 and level = $2 \
         and start >= $3";
    sqlx::query_scalar(SQL)
        .bind(span.cube().name)
        .bind(span.level.number())
        .bind(span.start)
        .fetch_one(connection)
        .await
}

/// Deletes the rows of a level before the start of a span.
pub(crate) async fn delete_before(
    connection: &mut SqliteConnection,
    span: Span,
) -> sqlx::Result<()> {
    const SQL: &str = "delete from pages where cube = $1 and level = $2 and start < $3";
    sqlx::query(SQL)
        .bind(span.cube().name)
        .bind(span.level.number())
        .bind(span.start)
        .execute(connection)
        .await
        .map(drop)
}

/// Deletes the sketches of a level before the start of a span.
pub(crate) async fn delete_sketches_before(
    connection: &mut SqliteConnection,
    span: Span,
) -> sqlx::Result<()> {
    const SQL: &str = "update pages set sketches = null where cube = $1 and level = $2 \
         and start < $3 and sketches is not null";
    sqlx::query(SQL)
        .bind(span.cube().name)
        .bind(span.level.number())
        .bind(span.start)
        .execute(connection)
        .await
        .map(drop)
}

/// A page as it is read.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Minutes since 1970.
    pub(crate) start: i64,
    /// As [`page::Page::sums`].
    pub(crate) sums: Vec<u8>,
    /// As [`page::Page::sketches`]; `None` also if they were not asked for.
    pub(crate) sketches: Option<Vec<u8>>,
}

/// Reads the pages of a level that start in a range, those that may have one of these values of the
/// first dimension, with sketches or without.
pub(crate) async fn read_pages(
    connection: &mut SqliteConnection,
    span: Span,
    to: i64,
    first: Option<&[i64]>,
    has_sketches: bool,
) -> sqlx::Result<Vec<Stored>> {
    let mut text = String::from(
        "select start, sums, iif(?1, sketches, null) from pages where cube = ?2 and level = ?3 \
         and start >= ?4 and start < ?5",
    );
    let first = first.filter(|values| values.len() <= FIRST_MAX);
    if let Some(values) = first {
        let values = (6..).take(values.len());
        let conditions = values.map(|at| format!(" or low <= ?{at} and high >= ?{at}"));
        let conditions: String = conditions.collect();
        let _ = write!(text, " and (false{conditions})");
    }
    let query = sqlx::query_as(AssertSqlSafe(text))
        .bind(has_sketches)
        .bind(span.cube().name)
        .bind(span.level.number())
        .bind(span.start)
        .bind(to);
    let values = first.into_iter().flatten();
    let query = values.fold(query, |query, value| query.bind(*value));
    let pages: Vec<(i64, Vec<u8>, Option<Vec<u8>>)> = query.fetch_all(connection).await?;
    let pages = pages.into_iter().map(|(start, sums, sketches)| Stored {
        start,
        sums,
        sketches,
    });
    Ok(pages.collect())
}
