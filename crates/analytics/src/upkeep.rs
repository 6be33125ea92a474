//! What is due once an hour: hours and days of all cubes, and what has expired.

use sqlx::SqliteConnection;

use crate::cube::Level;
use crate::levels::{self, floor};
use crate::write::Writer;
use crate::{MINUTE_US, UsageError};

/// How long after its end an hour is made: by then, its last minute is written.
const SETTLED: i64 = 1;
/// How long losses and the figures of earlier releases are kept, minutes.
const LOSSES_KEPT: i64 = 400 * Level::Day.minutes();

/// Whether there is more to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    More,
    Done,
}

/// Makes an hour or a day of a cube that has ended at `now_us`, and deletes what has expired.
/// Others get their turn in between.
pub(crate) async fn go_on(writer: &mut Writer, now_us: i64) -> Result<Progress, UsageError> {
    let minute = now_us.div_euclid(MINUTE_US);
    let ended = floor(minute - SETTLED, Level::Hour.minutes());
    if writer.made_to >= ended {
        return Ok(Progress::Done);
    }
    let mut connection = writer.connect().await?;
    let marks = levels::load(&mut connection).await?;
    let due = marks.iter().position(|marks| marks.hours_to < ended);
    match due {
        Some(cube) => levels::make(&mut connection, cube, marks[cube], ended).await?,
        None => {
            forget(&mut connection, minute - LOSSES_KEPT).await?;
            writer.made_to = ended;
        }
    }
    writer.release(connection);
    Ok(due.map_or(Progress::Done, |_| Progress::More))
}

/// Deletes losses, and figures of earlier releases, from before a minute.
async fn forget(connection: &mut SqliteConnection, before: i64) -> sqlx::Result<()> {
    sqlx::query("delete from losses where to_us < $1")
        .bind(before * MINUTE_US)
        .execute(&mut *connection)
        .await?;
    for text in [
        "delete from usage_minutes where minute < $1",
        "delete from usage_hours where minute < $1",
    ] {
        let delete = sqlx::query(text).bind(before);
        delete.execute(&mut *connection).await?;
    }
    Ok(())
}
