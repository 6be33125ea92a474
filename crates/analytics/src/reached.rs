//! How far the calls of the spool are in the cubes.
//!
//! A minute is written when it is over, but calls of several minutes follow each other in any
//! order. So of the calls before a number, those of all minutes are written but of the open ones.

use sqlx::SqliteConnection;

use crate::cube::SOURCE;

/// Minutes that may still get calls, from the first of them on: the present one and, while late
/// calls of that are waited for, the next.
const OPEN_MINUTES: i64 = 2;
/// The first open minute where none is.
const NONE_OPEN: i64 = i64::MIN / 2;

/// How far an epoch of the spool is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) epoch: u64,
    /// The first open minute.
    pub(crate) open: i64,
    /// Number of the first call that is not written.
    pub(crate) first: u64,
    /// Of the calls between the two, those of open minutes are not written.
    pub(crate) next: u64,
}

impl Reached {
    /// All calls before this number are written.
    pub(crate) const fn whole(epoch: u64, next: u64) -> Self {
        Self {
            epoch,
            open: NONE_OPEN,
            first: next,
            next,
        }
    }

    /// Whether the call of a minute with this number is written.
    pub(crate) fn is_written(&self, number: u64, minute: i64) -> bool {
        number < self.first || number < self.next && !is_open(self.open, minute)
    }
}

/// Whether a minute is one of the open ones, of which `first` is the first.
pub(crate) fn is_open(first: i64, minute: i64) -> bool {
    (first..first + OPEN_MINUTES).contains(&minute)
}

/// Reads how far each epoch is written.
pub(crate) async fn load(connection: &mut SqliteConnection) -> sqlx::Result<Vec<Reached>> {
    const SQL: &str = "select epoch, open, first, next from places where source = $1";
    let rows: Vec<(i64, i64, i64, i64)> = sqlx::query_as(SQL)
        .bind(SOURCE)
        .fetch_all(connection)
        .await?;
    let reached = rows.into_iter().map(|(epoch, open, first, next)| Reached {
        epoch: epoch.cast_unsigned(),
        open,
        first: first.cast_unsigned(),
        next: next.cast_unsigned(),
    });
    Ok(reached.collect())
}

/// Writes how far an epoch is written.
pub(crate) async fn store(
    connection: &mut SqliteConnection,
    reached: &Reached,
) -> sqlx::Result<()> {
    const DELETE: &str = "delete from places where source = $1 and epoch = $2";
    const INSERT: &str =
        "insert into places (source, epoch, open, first, next) values ($1, $2, $3, $4, $5)";
    let delete = sqlx::query(DELETE)
        .bind(SOURCE)
        .bind(reached.epoch.cast_signed());
    delete.execute(&mut *connection).await?;
    sqlx::query(INSERT)
        .bind(SOURCE)
        .bind(reached.epoch.cast_signed())
        .bind(reached.open)
        .bind(reached.first.cast_signed())
        .bind(reached.next.cast_signed())
        .execute(connection)
        .await
        .map(drop)
}
