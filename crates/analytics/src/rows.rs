//! Rows of the cubes' tables, as they are inserted, read and added to.

use sqlx::error::BoxDynError;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteConnection, SqliteRow};
use sqlx::{Arguments as _, Row as _, Sqlite};

use crate::content::{Rows, Sums};
use crate::cube::{CUBES, Cube, Key, Level, SOURCE};
use crate::measures::{self, Measures};
use crate::sketch::split;
use crate::statements::{MANY, STATEMENTS, sql};

/// Up to this many rows are looked up one by one when they are added to.
const FEW: usize = 50;

/// Rows of a cube with a common time.
#[derive(Debug, Clone, Copy)]
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
    rows: &Rows,
) -> sqlx::Result<()> {
    let statements = &STATEMENTS[span.cube];
    // In the order of the table's key, so that neighbours fall on the same page.
    let mut keys: Vec<_> = rows.iter().collect();
    keys.sort_unstable_by_key(|(key, _)| **key);
    let mut rest = keys.as_slice();
    for (text, size) in [(&statements.insert_many, MANY), (&statements.insert_one, 1)] {
        let chunks = rest.chunks_exact(size);
        rest = chunks.remainder();
        for chunk in chunks {
            let mut arguments = SqliteArguments::default();
            for (key, sums) in chunk {
                let row = Inserted {
                    span,
                    part,
                    key,
                    sums,
                };
                row.push(&mut arguments).map_err(sqlx::Error::Encode)?;
            }
            let query = sqlx::query_with(sql(text), arguments);
            query.execute(&mut *connection).await?;
        }
    }
    Ok(())
}

/// A row to insert.
struct Inserted<'r> {
    span: Span,
    part: i64,
    key: &'r Key,
    sums: &'r Sums,
}

impl Inserted<'_> {
    /// Appends its columns.
    fn push(&self, arguments: &mut SqliteArguments) -> Result<(), BoxDynError> {
        let cube = self.span.cube();
        arguments.add(self.span.level.number())?;
        arguments.add(self.span.start)?;
        for value in &self.key[..cube.dimensions.len()] {
            arguments.add(*value)?;
        }
        arguments.add(SOURCE)?;
        arguments.add(self.part)?;
        for value in self.sums.measures.values() {
            arguments.add(i64::try_from(value).unwrap_or(i64::MAX))?;
        }
        for time in cube.percentiles {
            let sketch = &self.sums.sketches[*time as usize];
            arguments.add((!sketch.is_empty()).then(|| sketch.to_bytes()))?;
        }
        Ok(())
    }
}

/// Reads and adds up the rows of a level that start in a range, of all parts.
pub(crate) async fn read(
    connection: &mut SqliteConnection,
    span: Span,
    to: i64,
) -> sqlx::Result<Rows> {
    let cube = span.cube();
    let query = sqlx::query(sql(&STATEMENTS[span.cube].select));
    let query = query.bind(span.level.number()).bind(span.start).bind(to);
    let mut rows = Rows::new();
    for row in query.fetch_all(connection).await? {
        let mut key = Key::default();
        let count = cube.dimensions.len();
        for (at, value) in key[..count].iter_mut().enumerate() {
            *value = row.try_get(at)?;
        }
        let sums = rows.entry(key).or_default();
        sums.measures.add(&measures_at(&row, count)?);
        for (place, time) in cube.percentiles.iter().enumerate() {
            let sketches: Option<&str> = row.try_get(count + measures::COUNT + place)?;
            for sketch in sketches.into_iter().flat_map(split) {
                let merged = sums.sketches[*time as usize].merge_hex(sketch);
                merged.map_err(|error| sqlx::Error::Decode(error.into()))?;
            }
        }
    }
    Ok(rows)
}

/// Inserts the sums of the rows of a level as rows of the next one, `level`.
pub(crate) async fn sum_up(
    connection: &mut SqliteConnection,
    from: Span,
    level: Level,
) -> sqlx::Result<()> {
    let to = from.start + level.minutes();
    let Some(text) = &STATEMENTS[from.cube].sum_up else {
        let rows = read(connection, from, to).await?;
        return insert(connection, Span { level, ..from }, 0, &rows).await;
    };
    sqlx::query(sql(text))
        .bind(from.level.number())
        .bind(from.start)
        .bind(to)
        .bind(level.number())
        .bind(from.start)
        .execute(connection)
        .await
        .map(drop)
}

/// Adds the measures and sketches of a row, from the column `at` on.
fn add(sums: &mut Sums, cube: &Cube, row: &SqliteRow, at: usize) -> sqlx::Result<()> {
    sums.measures.add(&measures_at(row, at)?);
    for (place, time) in cube.percentiles.iter().enumerate() {
        let bytes: Option<&[u8]> = row.try_get(at + measures::COUNT + place)?;
        let sketch = &mut sums.sketches[*time as usize];
        let merged = bytes.map_or(Ok(()), |bytes| sketch.merge_bytes(bytes));
        merged.map_err(|error| sqlx::Error::Decode(error.into()))?;
    }
    Ok(())
}

/// Returns the measures of a row, from the column `at` on.
fn measures_at(row: &SqliteRow, at: usize) -> sqlx::Result<Measures> {
    let mut values = [0; measures::COUNT];
    for (place, value) in values.iter_mut().enumerate() {
        let column: i64 = row.try_get(at + place)?;
        *value = u64::try_from(column).unwrap_or(0);
    }
    Ok(Measures::from_values(values))
}

/// Adds rows to those of an hour or a day that are written.
pub(crate) async fn add_to(
    connection: &mut SqliteConnection,
    span: Span,
    more: &Rows,
) -> sqlx::Result<()> {
    let cube = span.cube();
    let written = match more.len() > FEW {
        true => read(connection, span, span.start + 1).await?,
        false => Rows::new(),
    };
    let mut all = Rows::with_capacity(more.len());
    for (key, sums) in more {
        let mut sum = written.get(key).cloned().unwrap_or_default();
        if more.len() <= FEW {
            let query = with_key(&STATEMENTS[span.cube].select_key, span, key);
            if let Some(row) = query.fetch_optional(&mut *connection).await? {
                add(&mut sum, cube, &row, 0)?;
            }
        }
        if sum.measures.calls > 0 {
            let query = with_key(&STATEMENTS[span.cube].delete_key, span, key);
            query.execute(&mut *connection).await?;
        }
        sum.add(sums);
        all.insert(*key, sum);
    }
    insert(connection, span, 0, &all).await
}

/// A statement with the level, the start and the key as parameters.
fn with_key(text: &str, span: Span, key: &Key) -> Query<'static, Sqlite, SqliteArguments> {
    let query = sqlx::query(sql(text));
    let query = query.bind(span.level.number()).bind(span.start);
    let values = &key[..span.cube().dimensions.len()];
    values.iter().fold(query, |query, value| query.bind(*value))
}
