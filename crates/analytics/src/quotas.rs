//! Checkpoints of the counters that must outlive a restart. What cannot be written is kept and
//! written with the next ones; a later checkpoint of a counter replaces an earlier one.

use sqlx::SqliteConnection;

use crate::UsageError;
use crate::write::Writer;

/// How long a window's last checkpoint is kept after its end, for clocks that are set back.
const GRACE_US: i64 = 3_600_000_000;

/// A checkpoint: the counter's id, its word, the end of its window in Unix microseconds.
pub(crate) type Quota = (i64, i64, i64);

/// Writes `quotas` and those that could not be written before, and forgets windows that are over.
pub(crate) async fn save(
    writer: &mut Writer,
    quotas: Vec<Quota>,
    now_us: i64,
) -> Result<(), UsageError> {
    let waiting = quotas
        .into_iter()
        .map(|(id, word, end_us)| (id, (word, end_us)));
    writer.quotas.extend(waiting);
    if writer.quotas.is_empty() {
        return Ok(());
    }
    let mut connection = writer.connect().await?;
    write(&mut connection, &writer.quotas, now_us).await?;
    writer.quotas.clear();
    writer.release(connection);
    Ok(())
}

async fn write(
    connection: &mut SqliteConnection,
    quotas: &hashbrown::HashMap<i64, (i64, i64)>,
    now_us: i64,
) -> Result<(), UsageError> {
    const UPSERT: &str = "insert into quotas (id, word, end_us) \
         select value ->> 0, value ->> 1, value ->> 2 from json_each($1) where true \
         on conflict do update set word = excluded.word, end_us = excluded.end_us";
    let rows: Vec<Quota> = quotas
        .iter()
        .map(|(&id, &(word, end_us))| (id, word, end_us))
        .collect();
    sqlx::query("begin immediate")
        .execute(&mut *connection)
        .await?;
    for rows in rows.chunks(1_000) {
        let rows = serde_json::to_string(rows).expect("tuples of integers are JSON");
        sqlx::query(UPSERT)
            .bind(rows)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query("delete from quotas where end_us < $1")
        .bind(now_us.saturating_sub(GRACE_US))
        .execute(&mut *connection)
        .await?;
    sqlx::query("commit").execute(connection).await?;
    Ok(())
}

/// The checkpoints of windows that are not over.
pub(crate) async fn load(
    connection: &mut SqliteConnection,
    now_us: i64,
) -> sqlx::Result<Vec<Quota>> {
    const SQL: &str = "select id, word, end_us from quotas where end_us > $1";
    sqlx::query_as(SQL).bind(now_us).fetch_all(connection).await
}
