//! Figures of releases without cubes: one table of minutes and one of hours, by seven dimensions.
//! They are read until they expire. They have no percentiles.

use sqlx::SqliteConnection;
use tollgate_model::record::CacheUse;

use crate::dimension::Dimension;

/// Columns of a row of `usage_minutes`.
pub(crate) const COLUMNS: usize = 21;
/// A row of `usage_minutes`, in the order of its columns.
pub(crate) type Row = [i64; COLUMNS];
/// The column with the refusal and the use of the cache: the low eight bits are the number of the
/// refusal, those above them the use of the cache.
const OUTCOME: usize = 6;

/// Whether a row can be one of the table.
pub(crate) fn is_row(row: &Row) -> bool {
    let cache = u16::try_from(row[OUTCOME]).map(|it| usize::from(it >> u8::BITS));
    cache.is_ok_and(|cache| cache < CacheUse::ALL.len())
}

/// Adds rows of the journal to the table.
pub(crate) async fn merge(connection: &mut SqliteConnection, rows: &[Row]) -> sqlx::Result<()> {
    const SQL: &str = "insert into usage_minutes (minute, api, version, operation, application, \
        status, outcome, calls, bytes_in, bytes_out, total_us_sum, total_us_max, upstream_us_sum, \
        mismatched, mediate_us_sum, answered_upstream, answered_policy, answered_mock, \
        answered_preflight, answered_gateway, over) select value ->> 0, value ->> 1, value ->> 2, \
        value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8, value ->> 9, \
        value ->> 10, value ->> 11, value ->> 12, value ->> 13, value ->> 14, value ->> 15, \
        value ->> 16, value ->> 17, value ->> 18, value ->> 19, value ->> 20 \
        from json_each($1) where true \
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
    for rows in rows.chunks(1_000) {
        let rows = rows.iter().map(|row| serde_json::Value::from(row.to_vec()));
        let rows = serde_json::Value::from_iter(rows).to_string();
        sqlx::query(SQL)
            .bind(rows)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// The tables, the finer one first, with the minutes of a row.
pub(crate) const TABLES: [(&str, i64); 2] = [("usage_minutes", 1), ("usage_hours", 60)];

/// The dimensions that the tables have.
const DIMENSIONS: [Dimension; 7] = [
    Dimension::Api,
    Dimension::Version,
    Dimension::Operation,
    Dimension::Application,
    Dimension::Status,
    Dimension::Refusal,
    Dimension::Cache,
];

/// Whether the tables have these dimensions.
pub(crate) fn has(dimensions: &[Dimension]) -> bool {
    dimensions.iter().all(|it| DIMENSIONS.contains(it))
}

/// Returns a table with the columns of cubes. What it does not have is 0, but for the time in the
/// gateway, which has that of the response too. The numbers of the uses of the cache are those of
/// [`CacheUse`]: a miss, and the three that answer.
pub(crate) fn as_cube(table: &str) -> String {
    format!(
        "(select minute as start, api, version, operation, application, status, refusal, cache, \
        calls, iif(status between 400 and 499, calls, 0) as client_errors, \
        iif(status >= 500, calls, 0) as server_errors, iif(refusal > 0, calls, 0) as refused, \
        0 as cut, mismatched, over, answered_upstream, answered_policy, answered_mock, \
        answered_preflight, answered_gateway, iif(cache in (2, 3, 4), calls, 0) as cache_answered, \
        iif(cache = 1, calls, 0) as cache_missed, bytes_in, bytes_out, \
        iif(cache in (2, 3, 4), bytes_out, 0) as bytes_from_cache, \
        iif(cache in (2, 3), 0, answered_upstream) as upstream_calls, total_us_sum, total_us_max, \
        upstream_us_sum, 0 as upstream_us_max, total_us_sum - upstream_us_sum as gateway_us_sum, \
        0 as gateway_us_max, mediate_us_sum from {table})"
    )
}

/// The last minute of the tables; `None` if they are empty.
pub(crate) async fn last(connection: &mut SqliteConnection) -> sqlx::Result<Option<i64>> {
    const SQL: &str = "select max(minute) from (select max(minute) as minute from usage_minutes \
        union all select max(minute) + 59 from usage_hours)";
    sqlx::query_scalar(SQL).fetch_one(connection).await
}
