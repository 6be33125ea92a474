//! Checkpoints of the counters that must survive a restart. They are written with the batch of the
//! same moment, so that a recorded loss applies to both; a later checkpoint of a counter replaces
//! an earlier one.

use sqlx::SqliteConnection;

/// How long a window's last checkpoint is kept after its end, for clocks that are set back.
const GRACE_US: i64 = 3_600_000_000;

/// A checkpoint: the counter's id, the lower and the upper half of its word, until when it is
/// relevant (Unix microseconds), and the word's format.
pub type Quota = (i64, i64, i64, i64, i64);

/// Returns the checkpoints of the counters that changed since the last call. The argument is
/// whether the process keeps running: one that stops returns the short counters too.
pub type Checkpoints = Box<dyn FnMut(bool) -> Vec<Quota> + Send>;

/// Writes `quotas`, if there are any, and deletes windows that have ended at `now_us`.
pub(crate) async fn write(
    connection: &mut SqliteConnection,
    quotas: &[&Quota],
    now_us: i64,
) -> sqlx::Result<()> {
    const UPSERT: &str = "insert into quotas (id, word, era, end_us, format) \
         select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 \
         from json_each($1) where true \
         on conflict do update set word = excluded.word, era = excluded.era, \
         end_us = excluded.end_us, format = excluded.format";
    if quotas.is_empty() {
        return Ok(());
    }
    for quotas in quotas.chunks(1_000) {
        let rows = serde_json::to_string(quotas).expect("tuples of integers are JSON");
        sqlx::query(UPSERT)
            .bind(rows)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query("delete from quotas where end_us < $1")
        .bind(now_us.saturating_sub(GRACE_US))
        .execute(connection)
        .await
        .map(drop)
}

/// Loads the checkpoints of windows that have not ended.
pub(crate) async fn load(
    connection: &mut SqliteConnection,
    now_us: i64,
) -> sqlx::Result<Vec<Quota>> {
    const SQL: &str = "select id, word, era, end_us, format from quotas where end_us > $1";
    sqlx::query_as(SQL).bind(now_us).fetch_all(connection).await
}
