//! Folds minutes into hours after 48 hours, and deletes hours after 400 days. Each step is one
//! transaction, so that the sums are exact at every moment, even after a crash.

use sqlx::SqliteConnection;

use crate::UsageError;
use crate::rollup::MINUTE_US;
use crate::write::Writer;

const HOUR: i64 = 60;
/// Minutes for which figures are kept by minute.
const MINUTES_KEPT: i64 = 48 * HOUR;
/// Minutes for which figures are kept by hour: thirteen months.
const HOURS_KEPT: i64 = 400 * 24 * HOUR;

const FOLD: &str = "insert into usage_hours (minute, api, version, operation, application, \
    status, outcome, calls, bytes_in, bytes_out, total_us_sum, total_us_max, upstream_us_sum, \
    mismatched, mediate_us_sum, answered_upstream, answered_policy, answered_mock, \
    answered_preflight, answered_gateway, over) \
    select $1, api, version, operation, application, status, outcome, sum(calls), sum(bytes_in), \
    sum(bytes_out), sum(total_us_sum), max(total_us_max), sum(upstream_us_sum), sum(mismatched), \
    sum(mediate_us_sum), sum(answered_upstream), sum(answered_policy), sum(answered_mock), \
    sum(answered_preflight), sum(answered_gateway), sum(over) \
    from usage_minutes where minute >= $1 and minute < $1 + 60 \
    group by api, version, operation, application, status, outcome \
    on conflict do update set calls = calls + excluded.calls, \
    bytes_in = bytes_in + excluded.bytes_in, bytes_out = bytes_out + excluded.bytes_out, \
    total_us_sum = total_us_sum + excluded.total_us_sum, \
    total_us_max = max(total_us_max, excluded.total_us_max), \
    upstream_us_sum = upstream_us_sum + excluded.upstream_us_sum, \
    mismatched = mismatched + excluded.mismatched, \
    mediate_us_sum = mediate_us_sum + excluded.mediate_us_sum, \
    answered_upstream = answered_upstream + excluded.answered_upstream, \
    answered_policy = answered_policy + excluded.answered_policy, \
    answered_mock = answered_mock + excluded.answered_mock, \
    answered_preflight = answered_preflight + excluded.answered_preflight, \
    answered_gateway = answered_gateway + excluded.answered_gateway, \
    over = over + excluded.over";

/// Does what is due at `now_us`, at most one hour's minutes at a time so that flushes and queries
/// get their turn; does nothing if all was done in this hour.
pub(crate) async fn fold(writer: &mut Writer, now_us: i64) -> Result<(), UsageError> {
    let hour = now_us.div_euclid(MINUTE_US).div_euclid(HOUR);
    if writer.folded_hour == hour {
        return Ok(());
    }
    // Set before the work, so that a failure is retried in an hour, not at each flush.
    writer.folded_hour = hour;
    let mut connection = writer.connect().await?;
    if fold_oldest(&mut connection, hour * HOUR - MINUTES_KEPT).await? {
        writer.folded_hour = hour - 1;
    } else {
        forget(&mut connection, hour * HOUR - HOURS_KEPT).await?;
    }
    writer.release(connection);
    Ok(())
}

/// Folds the oldest hour, if it ended before the minute `before`; returns whether there was one.
async fn fold_oldest(connection: &mut SqliteConnection, before: i64) -> sqlx::Result<bool> {
    let oldest: Option<i64> = sqlx::query_scalar("select min(minute) from usage_minutes")
        .fetch_one(&mut *connection)
        .await?;
    let Some(hour) = oldest.map(|minute| minute - minute.rem_euclid(HOUR)) else {
        return Ok(false);
    };
    if hour + HOUR > before {
        return Ok(false);
    }
    sqlx::query("begin immediate")
        .execute(&mut *connection)
        .await?;
    sqlx::query(FOLD)
        .bind(hour)
        .execute(&mut *connection)
        .await?;
    sqlx::query("delete from usage_minutes where minute >= $1 and minute < $1 + 60")
        .bind(hour)
        .execute(&mut *connection)
        .await?;
    sqlx::query("commit").execute(connection).await?;
    Ok(true)
}

/// Deletes hours and losses from before the minute `before`.
async fn forget(connection: &mut SqliteConnection, before: i64) -> sqlx::Result<()> {
    sqlx::query("delete from usage_hours where minute < $1")
        .bind(before)
        .execute(&mut *connection)
        .await?;
    sqlx::query("delete from losses where to_us < $1")
        .bind(before * MINUTE_US)
        .execute(connection)
        .await
        .map(drop)
}
