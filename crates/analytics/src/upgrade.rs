//! What a start changes in a file of an earlier release, besides its schema.

use sqlx::SqliteConnection;

use crate::journal::{self, Pending};
use crate::quotas;
use crate::reached::{self, Reached};
use crate::{MINUTE_US, legacy, levels};

/// Begins the levels of cubes that the file does not have yet, and merges the figures in the
/// journal of an earlier release. Returns how far epochs of the spool are in the cubes; `None` if
/// no release with cubes used the file.
pub(crate) async fn begin(
    connection: &mut SqliteConnection,
    pending: &Pending,
    minute: i64,
) -> sqlx::Result<Option<Vec<Reached>>> {
    if !pending.rows.is_empty() || levels::lacks_cubes(connection).await? {
        sqlx::query("begin immediate")
            .execute(&mut *connection)
            .await?;
        levels::begin(connection, minute).await?;
        if !pending.rows.is_empty() {
            legacy::merge(connection, &pending.rows).await?;
            let quotas: Vec<_> = pending.quotas.values().collect();
            quotas::write(connection, &quotas, minute * MINUTE_US).await?;
            journal::clear(connection).await?;
        }
        sqlx::query("commit").execute(&mut *connection).await?;
    }
    let has_cubes: bool = sqlx::query_scalar("select has_cubes from state")
        .fetch_one(&mut *connection)
        .await?;
    let reached = reached::load(connection).await?;
    Ok(has_cubes.then_some(reached))
}
