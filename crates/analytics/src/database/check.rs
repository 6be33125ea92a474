//! Checks `usage.db` at a start.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::error::DatabaseError;
use sqlx::sqlite::SqliteConnection;

use super::{Unusable, unusable};

/// How long the check of a large file takes at most.
const TIME: Duration = Duration::from_millis(200);
/// Instructions of SQLite after which it looks whether that time is over: some milliseconds.
const STEPS: i32 = 10_000;

/// Checks a file.
pub(super) async fn whole(connection: &mut SqliteConnection, path: &Path) -> Result<(), Unusable> {
    require_ok(quick_check(connection, None).await, path)
}

/// Checks a file as far as the check gets in its time: it reads everything, and a start must not
/// wait for that. Damage that it does not get to is found when it is read.
pub(super) async fn some(connection: &mut SqliteConnection, path: &Path) -> Result<(), Unusable> {
    require_ok(quick_check(connection, Some(TIME)).await, path)
}

fn require_ok(found: sqlx::Result<Option<String>>, path: &Path) -> Result<(), Unusable> {
    match found.map_err(|error| unusable(path, error))? {
        // The message has a line for the database and one for the place.
        Some(found) if found != "ok" => Err(Unusable::Damaged(found.replace('\n', " "))),
        _ => Ok(()),
    }
}

/// Returns what the check found first, or `ok`; `None` if its time was over.
async fn quick_check(
    connection: &mut SqliteConnection,
    at_most: Option<Duration>,
) -> sqlx::Result<Option<String>> {
    /// The code of statements that were interrupted (sqlite.org/rescode.html).
    const INTERRUPT: &str = "9";
    if let Some(at_most) = at_most {
        let end = Instant::now() + at_most;
        let mut handle = connection.lock_handle().await?;
        handle.set_progress_handler(STEPS, move || Instant::now() < end);
    }
    let check = sqlx::query_scalar("pragma quick_check(1)");
    let checked = check.fetch_one(&mut *connection).await;
    connection.lock_handle().await?.remove_progress_handler();
    let is_over = |error: &dyn DatabaseError| error.code().as_deref() == Some(INTERRUPT);
    match checked {
        Err(sqlx::Error::Database(error)) if is_over(&*error) => Ok(None),
        checked => checked.map(Some),
    }
}

#[cfg(test)]
mod tests;
