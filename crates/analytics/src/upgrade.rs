//! What a start changes in a file of an earlier release, besides its schema.

use sqlx::SqliteConnection;

use crate::journal::{self, Pending};
use crate::quotas;
use crate::reached::{self, Reached};
use crate::{MINUTE_US, legacy, levels};

/// Numbers of an epoch that is counted in the tables of earlier releases.
pub(crate) const EVERYTHING: u64 = i64::MAX.cast_unsigned();

/// Begins the levels of cubes that the file does not have yet, at a minute, and merges the figures
/// in the journal of an earlier release. The first time, the calls of the spool's epochs are those
/// that this release has counted; a file without batches has none. Returns how far epochs are in
/// the cubes.
pub(crate) async fn begin(
    connection: &mut SqliteConnection,
    pending: &Pending,
    minute: i64,
    epochs: &[u64],
) -> sqlx::Result<Vec<Reached>> {
    let (batch, has_cubes): (i64, bool) = sqlx::query_as("select batch, has_cubes from state")
        .fetch_one(&mut *connection)
        .await?;
    if !has_cubes || levels::lacks_cubes(connection).await? {
        sqlx::query("begin immediate")
            .execute(&mut *connection)
            .await?;
        levels::begin(connection, minute).await?;
        legacy::merge(connection, &pending.rows).await?;
        let quotas: Vec<_> = pending.quotas.values().collect();
        quotas::write(connection, &quotas, minute * MINUTE_US).await?;
        journal::clear(connection).await?;
        let counted = epochs.iter().filter(|_| batch > 0 && !has_cubes);
        for &epoch in counted {
            reached::store(connection, &Reached::whole(epoch, EVERYTHING)).await?;
        }
        sqlx::query("update state set has_cubes = 1")
            .execute(&mut *connection)
            .await?;
        sqlx::query("commit").execute(&mut *connection).await?;
    }
    reached::load(connection).await
}
