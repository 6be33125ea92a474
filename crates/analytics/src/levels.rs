//! The levels of a cube: hours and days, made of minutes and hours when they end, and deleted after
//! their time. Each step is one transaction of one cube, so that the sums are exact at every
//! moment, even after a crash.

use std::collections::BTreeMap;

use sqlx::SqliteConnection;

use crate::content::Content;
use crate::cube::{COUNT, CUBES, Level};
use crate::rows::Rows;
use crate::stored::{self, Span};

const HOUR: i64 = Level::Hour.minutes();
const DAY: i64 = Level::Day.minutes();

/// How far the levels of a cube reach, in minutes since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    /// It has minutes from here on.
    pub(crate) minutes_from: i64,
    /// It has hours from here on, and days before.
    pub(crate) hours_from: i64,
    /// It has hours before this one, and minutes from here on.
    pub(crate) hours_to: i64,
    /// It has days before this one.
    pub(crate) days_to: i64,
}

impl Marks {
    /// Those of a cube without rows at this minute.
    fn at(cube: usize, minute: i64) -> Self {
        let hours_to = floor(minute, HOUR);
        Self {
            hours_to,
            days_to: floor(minute, DAY),
            ..Self::default()
        }
        .kept(cube)
    }

    /// Those of single calls, which are as fine as minutes.
    pub(crate) fn of_calls() -> Self {
        Self {
            minutes_from: i64::MIN,
            hours_from: i64::MIN,
            hours_to: i64::MIN,
            days_to: i64::MIN,
        }
    }

    /// With what is kept of a cube once it has these hours.
    fn kept(self, cube: usize) -> Self {
        let kept = |level| CUBES[cube].minutes_kept(level);
        Self {
            minutes_from: (self.hours_to - kept(Level::Minute)).max(self.minutes_from),
            hours_from: floor(self.days_to - kept(Level::Hour), DAY).max(self.hours_from),
            ..self
        }
    }
}

impl Default for Marks {
    fn default() -> Self {
        Self {
            minutes_from: i64::MIN,
            hours_from: i64::MIN,
            hours_to: 0,
            days_to: 0,
        }
    }
}

/// Reads the marks of all cubes, in the order of [`CUBES`].
pub(crate) async fn load(connection: &mut SqliteConnection) -> sqlx::Result<[Marks; COUNT]> {
    const SQL: &str = "select name, minutes_from, hours_from, hours_to, days_to from cubes";
    let rows: Vec<(String, i64, i64, i64, i64)> = sqlx::query_as(SQL).fetch_all(connection).await?;
    let mut marks = [Marks::default(); COUNT];
    for (name, minutes_from, hours_from, hours_to, days_to) in rows {
        if let Some(cube) = CUBES.iter().position(|it| it.name == name) {
            marks[cube] = Marks {
                minutes_from,
                hours_from,
                hours_to,
                days_to,
            };
        }
    }
    Ok(marks)
}

/// Whether the file does not know a cube yet.
pub(crate) async fn lacks_cubes(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    let known: Vec<String> = sqlx::query_scalar("select name from cubes")
        .fetch_all(connection)
        .await?;
    Ok(CUBES
        .iter()
        .any(|cube| !known.iter().any(|it| it == cube.name)))
}

/// Notes cubes that the file does not know yet: their levels begin at this minute.
pub(crate) async fn begin(connection: &mut SqliteConnection, minute: i64) -> sqlx::Result<()> {
    const KNOWN: &str = "select count(*) from cubes where name = $1";
    for (cube, it) in CUBES.iter().enumerate() {
        let known = sqlx::query_scalar(KNOWN).bind(it.name);
        let known: i64 = known.fetch_one(&mut *connection).await?;
        if known == 0 {
            store(connection, cube, &Marks::at(cube, minute)).await?;
        }
    }
    Ok(())
}

async fn store(connection: &mut SqliteConnection, cube: usize, marks: &Marks) -> sqlx::Result<()> {
    const INSERT: &str = "insert into cubes (name, minutes_from, hours_from, hours_to, days_to) \
         values ($1, $2, $3, $4, $5)";
    let name = CUBES[cube].name;
    let delete = sqlx::query("delete from cubes where name = $1").bind(name);
    delete.execute(&mut *connection).await?;
    sqlx::query(INSERT)
        .bind(name)
        .bind(marks.minutes_from)
        .bind(marks.hours_from)
        .bind(marks.hours_to)
        .bind(marks.days_to)
        .execute(connection)
        .await
        .map(drop)
}

/// Adds the calls of minutes to their hour and day too, if these are made.
pub(crate) async fn add_late(
    connection: &mut SqliteConnection,
    content: &Content,
    marks: &[Marks],
) -> sqlx::Result<()> {
    for (cube, marks) in marks.iter().enumerate() {
        let mut hours = BTreeMap::<i64, Rows>::new();
        let range = i64::MIN..marks.hours_to;
        let recorded = content.recorded(&CUBES[cube], range.clone());
        for (minute, rows) in recorded.chain(content.counted(&CUBES[cube], range)) {
            let hour = hours.entry(floor(minute, HOUR));
            hour.or_insert_with(|| Rows::new(&CUBES[cube])).merge(&rows);
        }
        add_to_hours(connection, cube, marks, hours).await?;
    }
    Ok(())
}

/// Adds rows to made hours of a cube, by their first minute, and to the days that are made.
pub(crate) async fn add_to_hours(
    connection: &mut SqliteConnection,
    cube: usize,
    marks: &Marks,
    hours: BTreeMap<i64, Rows>,
) -> sqlx::Result<()> {
    let span = |level, start| Span { cube, level, start };
    let mut days = BTreeMap::<i64, Rows>::new();
    for (hour, rows) in hours {
        if hour < marks.days_to {
            let day = days.entry(floor(hour, DAY));
            day.or_insert_with(|| Rows::new(rows.cube())).merge(&rows);
        }
        if hour >= marks.hours_from {
            stored::add_to(connection, span(Level::Hour, hour), rows).await?;
        }
    }
    for (day, rows) in days {
        stored::add_to(connection, span(Level::Day, day), rows).await?;
    }
    Ok(())
}

/// Makes the next hour of a cube that has ended before `ended`, and its day if that ends with it;
/// deletes what has expired. One transaction.
pub(crate) async fn make(
    connection: &mut SqliteConnection,
    cube: usize,
    marks: Marks,
    ended: i64,
) -> sqlx::Result<()> {
    sqlx::query("begin immediate")
        .execute(&mut *connection)
        .await?;
    let minutes = Span {
        cube,
        level: Level::Minute,
        start: marks.hours_to,
    };
    let hours = Span {
        cube,
        level: Level::Hour,
        start: marks.days_to,
    };
    let day = marks.days_to + DAY;
    let minute = stored::earliest(connection, minutes).await?;
    let is_empty = minute.is_none() && stored::earliest(connection, hours).await?.is_none();
    let made = if is_empty {
        Marks {
            hours_to: ended,
            days_to: floor(ended, DAY),
            ..marks
        }
    } else {
        // Hours without calls are passed at once, but no end of a day.
        let next = minute.map_or(ended, |it| floor(it, HOUR));
        let start = next.clamp(marks.hours_to, (ended - HOUR).min(day - HOUR));
        stored::sum_up(connection, Span { start, ..minutes }, Level::Hour).await?;
        let is_day = start + HOUR >= day;
        if is_day {
            stored::sum_up(connection, hours, Level::Day).await?;
        }
        Marks {
            hours_to: start + HOUR,
            days_to: if is_day { day } else { marks.days_to },
            ..marks
        }
    };
    let made = made.kept(cube);
    store(connection, cube, &made).await?;
    expire(connection, cube, &made).await?;
    sqlx::query("commit").execute(connection).await.map(drop)
}

/// The first hour with calls, minutes since 1970; `None` without calls.
pub(crate) async fn earliest_hour(connection: &mut SqliteConnection) -> sqlx::Result<Option<i64>> {
    for level in [Level::Hour, Level::Minute] {
        let span = Span {
            cube: 0,
            level,
            start: i64::MIN,
        };
        if let Some(first) = stored::earliest(connection, span).await? {
            return Ok(Some(floor(first, HOUR)));
        }
    }
    Ok(None)
}

/// Deletes the rows of a cube that are before its marks.
async fn expire(connection: &mut SqliteConnection, cube: usize, marks: &Marks) -> sqlx::Result<()> {
    let kept = CUBES[cube].kept;
    let span = |level, start| Span { cube, level, start };
    let befores = [
        span(Level::Minute, marks.minutes_from),
        span(Level::Hour, marks.hours_from),
        span(Level::Day, marks.days_to - kept.days),
    ];
    for span in befores {
        stored::delete_before(connection, span).await?;
    }
    if kept.sketches < kept.hours {
        let before = span(Level::Hour, marks.hours_to - kept.sketches);
        stored::delete_sketches_before(connection, before).await?;
    }
    Ok(())
}

/// The last multiple of `step` up to a minute.
pub(crate) const fn floor(minute: i64, step: i64) -> i64 {
    minute - minute.rem_euclid(step)
}
